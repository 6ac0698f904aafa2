// allocation-churn: memory is given back and taken again, each time. Large pieces show in the kernel's records of
// mappings and by page faults, small ones by the time in the allocator.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/rules/shared/allocator.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr std::uint64_t kLeastMappings = 20;
constexpr double kLeastPages = 24;  // faults a mapping: the C library takes smaller pieces from its own memory
constexpr double kPageBytes = 4096;
constexpr double kTimesOver = 2.5;        // bytes faulted in by the peak of what was held: less is growth
constexpr double kMostFaultNs = 20'000;   // of a fault, on a slow virtual machine, as for page-faults
constexpr double kLeastAllocator = 0.05;  // of a thread's processor time in the allocator
constexpr double kLeastChurn = 0.02;      // every program has less

// For half of its life the process has children that are copies of it: its writes then copy memory page by page,
// wherever the memory comes from.
bool is_shared_with_copies(const RunFacts& run, std::uint32_t process) {
    if (process >= run.processes.size()) {
        return false;
    }
    const ProcessFacts& self = run.processes[process];
    double shared = 0;
    for (const ProcessFacts& child : run.processes) {
        shared +=
            child.parent == process && child.name == self.name ? static_cast<double>(child.end - child.begin) : 0;
    }
    return shared * 2 >= static_cast<double>(self.end - self.begin) && shared > 0;
}

bool takes_or_gives_back(const AccountRow& row) {
    return row.time_class == TimeClass::kSystemCall &&
           (row.detail == "mmap" || row.detail == "munmap" || row.detail == "mremap" || row.detail == "brk" ||
            row.detail == "madvise");
}

void look_for_large(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const RunFacts& run = evidence.run;
    const CounterIndex faults = counter(evidence, "page-faults");
    if (faults == kNone || !run.peak_bytes || *run.peak_bytes == 0) {
        return;
    }
    ByThread lost;
    double pages = 0;
    std::uint64_t mappings = 0;
    for (std::uint32_t i = 0; i < run.threads.size(); ++i) {
        const ThreadFacts& thread = run.threads[i];
        const auto count = static_cast<double>(raw(faults) < thread.deltas.size() ? faults.in(thread.deltas) : 0);
        if (thread.mappings >= kLeastMappings && count >= kLeastPages * static_cast<double>(thread.mappings) &&
            !is_shared_with_copies(run, thread.process)) {
            lost[i] = std::min(static_cast<double>(thread.total.system), count * kMostFaultNs);
            pages += count;
            mappings += thread.mappings;
        }
    }
    if (lost.empty() || pages * kPageBytes < kTimesOver * static_cast<double>(*run.peak_bytes)) {
        return;
    }
    // Where the new memory is first touched: by the account, or else the smallest own code with most of the faults.
    // Named is who takes it from the system and gives it back, where the account has that.
    const auto* exact =
        main_place(evidence.account, [](const AccountRow& row) { return row.time_class == TimeClass::kPageFaults; });
    const auto* taking = main_place(evidence.account, takes_or_gives_back);
    NodeIndex best = exact == nullptr ? NodeIndex{} : node_of(evidence, *exact);
    const bool is_exact = best != kNone;
    for (const NodeIndex i : indices(evidence.nodes)) {
        const SpaceNode& node = i.in(evidence.nodes);
        const bool is_code = node.kind == SpaceKind::kFunction || node.kind == SpaceKind::kInlined;
        if (!is_exact && is_code && !is_library(node.place) && !node.place.function.empty() &&
            static_cast<double>(faults.in(node.deltas)) >= 0.6 * pages &&
            (best == kNone || node.depth >= best.in(evidence.nodes).depth)) {
            best = i;
        }
    }
    Claim claim;
    claim.threads = main_threads(lost);
    claim.own = at_most(lost, duration_ns(evidence));
    claim.own_terms = set_of(Term::kSystem);
    claim.own_sure = 0.95;
    claim.node = best;
    if (taking != nullptr) {
        claim.place = to_place(*taking);
    }
    const std::string where = claim.place ? name(*claim.place) : best == kNone ? std::string() : name(evidence, best);
    claim.title = fmt::format(
        "{} {} memory from the system {} times and {} for its pages anew: {} page faults, {} times as much as is "
        "ever held "
        "at once{}. The kernel spends up to {} on it.",
        thread_names(evidence, claim.threads), does(claim.threads, "take"), number(static_cast<double>(mappings)),
        does(claim.threads, "pay"), number(pages), number(pages * kPageBytes / static_cast<double>(*run.peak_bytes)),
        where.empty() ? "" : ", most of it in " + where, in_seconds(sum(lost)));
    claim.evidence = {
        {"times that memory was taken from the system", static_cast<double>(mappings)},
        {"page-faults", pages},
        {"bytes faulted in, against the most held at once", pages * kPageBytes, static_cast<double>(*run.peak_bytes),
         pages * kPageBytes / static_cast<double>(*run.peak_bytes)}};
    claims->push_back(std::move(claim));
}

void look_for_small(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    if (keeps_memory(evidence)) {
        return;
    }
    for (const AccountSums& own : sums_by_function(evidence.account, is_in_allocator)) {
        const bool is_much = std::any_of(own.threads.begin(), own.threads.end(), [&](const auto& time) {
            const TimeTerms& all = evidence.run.threads[time.first].total;
            return time.second >= kLeastAllocator * static_cast<double>(processor(all));
        });
        if (!is_much || sum(own.threads) < kLeastChurn * duration_ns(evidence)) {
            continue;
        }
        Claim claim = claim_of(evidence, own, set_of(Term::kUser, Term::kSystem));
        claim.own_sure = 0.8;  // memory taken once is needed all the same
        claim.title = fmt::format("{} spends {} in the allocator: it takes and gives back memory all the time.",
                                  name(*claim.place), in_seconds(sum(own.threads)));
        claim.evidence = {seconds("in the allocator", sum(own.threads) / 1e9)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kAllocationChurnLarge{
    .place = 100,
    .kind = "allocation-churn",
    .contrast = Contrast::kRun,
    .needs =
        "a thread takes memory from the system (mmap, brk) twenty times and more, with dozens of page faults each "
        "time",
    .against =
        "all that was faulted in was held at the same time: then the program grows, and needs it; or the process has "
        "children that are copies of it (fork) for half of its life: then pages are copied when they are written",
    .look = look_for_large,
    .direction =
        "make the buffers once and keep them, or let the allocator keep what is freed (M_MMAP_THRESHOLD and "
        "M_TRIM_THRESHOLD of "
        "mallopt(3); for a test, GLIBC_TUNABLES)",
    .confirm =
        "run with GLIBC_TUNABLES=glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=4294967296 "
        "(another "
        "allocator has options of its own): page faults and run time fall",
};

extern const Rule kAllocationChurnSmall{
    .place = 110,
    .kind = "allocation-churn",
    .contrast = Contrast::kRun,
    .needs =
        "a twentieth of a thread's processor time, and a fiftieth of the run, is in the allocator, called from one "
        "function",
    .against =
        "giving memory back takes less than an eighth of the time in the allocator: then the program keeps what it "
        "takes",
    .look = look_for_small,
    .direction = "make objects once and use them again, reserve containers' space, or take them from a pool",
    .confirm =
        "run with another allocator (LD_PRELOAD of jemalloc or tcmalloc): the time in it changes, the rest does not",
};

}  // namespace kymo::findings
