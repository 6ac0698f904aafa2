// page-faults, by the account: the kernel handles page faults of one function for much of the run. Memory that comes
// and goes is to be kept; memory that is kept can come in larger pages.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/faulted_memory.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

using namespace spacetime;

bool is_page_fault(const AccountRow& row) {
    return row.time_class == TimeClass::kPageFaults;
}

// Of processes that were made as copies of another one, half of the time or more.
bool is_in_copies(const Evidence& evidence, const AccountSums& own) {
    double all = 0;
    double in_copies = 0;
    for (const auto& [thread, ns] : own.threads) {
        all += ns;
        in_copies += is_copy(evidence.run, evidence.run.threads[thread].process) ? ns : 0;
    }
    return in_copies * 2 >= all;
}

void claim_page_fault_time(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const bool is_taken_again = faulted_memory(evidence) == FaultedMemory::kAgain;
    const bool is_much = is_over_and_over(evidence) || grows(evidence);
    for (const AccountSums& own : sums_by_function(evidence.account, is_page_fault)) {
        const bool are_copies = is_in_copies(evidence, own);
        const bool is_kept = !are_copies && !is_taken_again;
        if (static_cast<double>(own.shorter_ns) < least_ns(evidence) || (!are_copies && !is_much)) {
            continue;
        }
        Claim claim = claim_of(evidence, own, set_of(Term::kSystem));
        claim.title = fmt::format("The kernel handles page faults of {} for {} in all{}.", name(*claim.place),
                                  in_seconds(static_cast<double>(own.ns)),
                                  are_copies ? ", in processes that began as copies of another: the first write to a "
                                               "page that they share copies it"
                                             : "");
        claim.evidence = {seconds_of("page faults", static_cast<double>(own.ns) / 1e9)};
        if (is_kept) {
            claim.title.back() = ',';
            claim.title += " each page once, of memory that it keeps.";
            claim.direction = kKeptMemoryDirection;
            claim.confirm = kKeptMemoryConfirm;
        }
        if (are_copies) {
            claim.direction =
                "let the copies only read what they share with the process that made them: keep counters and results "
                "in pages of their own, or make the data in the process that uses it; or start threads instead";
            claim.confirm = "leave out the writes, for one run: the time in the kernel must go";
        }
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kPageFaultTime{
    .place = 264,
    .kind = "page-faults",
    .needs =
        "the run could be a tenth shorter without the page faults of one function; the program faulted in 2.5 times "
        "as much as it ever held at once, or the function runs in copies of a process (fork), or the program keeps "
        "64 MiB "
        "and more of which it touched half in that way",
    .against = "programs that hold little: their memory has to be faulted in once",
    .look = claim_page_fault_time,
    .direction =
        "keep the memory between uses instead of giving it back, touch it once before the hot part, or use huge "
        "pages "
        "for it",
    .confirm =
        "with glibc's allocator, set MALLOC_TRIM_THRESHOLD_=-1 MALLOC_MMAP_THRESHOLD_=1073741824 in the environment, "
        "or keep one mapping for one run: the time in the kernel must go",
    .is_generic = true,
};

}  // namespace kymo::findings
