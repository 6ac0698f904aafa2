// Rows of the account, added up for one claim. Pure.
#pragma once

#include "findings/rule.h"
#include "findings/rules/shared/spare.h"
#include "spacetime/evidence/evidence.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace kymo::findings {

// The run without the start and the end of programs and run-time libraries, ns: of the threads with a tenth of the
// processor time and more, that with the shortest. What is worth a finding in a run of usual length is in one of some
// tenths of a second, half of which is the start of MPI, as well.
double main_part_ns(const spacetime::Evidence& evidence);

// What the run must be shorter by without something for a finding to be worth it, ns: a tenth of its main part.
double least_ns(const spacetime::Evidence& evidence);

struct AccountSums {
    std::int64_t ns = 0;
    std::int64_t shorter_ns = 0;
    ByThread threads;
    const spacetime::AccountRow* most = nullptr;  // never null in a result
};

using AccountFilter = std::function<bool(const spacetime::AccountRow&)>;

// Of the rows that `is_one` selects, those of each function of the program's own, what the run could be shorter by
// most first. Rows without a place are left out.
std::vector<AccountSums> sums_by_function(const spacetime::Account& account, const AccountFilter& is_one);

// A claim on them, without title and evidence: their place, threads, time of these terms, and what it is worth.
Claim claim_of(const spacetime::Evidence& evidence, const AccountSums& sums, TermSet terms);

// The function with three fifths of these rows' time or more; null: there is none.
const program::SourcePlace* main_place(const spacetime::Account& account, const AccountFilter& is_one);

// At a barrier, or for a latch: asleep or polling.
bool is_meeting(const spacetime::AccountRow& row);

// ns on a processor, of all threads: polling included.
std::int64_t processor_ns(const spacetime::Account& account);
bool is_processor_time(const spacetime::AccountRow& row);

// Of a call that waits for a process (wait4, waitid): on a processor it collects one that has ended, or asks and
// finds that none has.
bool is_child_call(const spacetime::AccountRow& row);

// Of a call that waits for a result for a time, on a processor: the time is so short that the call returns at once.
bool is_timed_call(const spacetime::AccountRow& row);

// Targets of waits at this function, of kinds that `is_one` selects, ascending.
std::vector<std::uint32_t> targets_at(const spacetime::Evidence& evidence, const program::SourcePlace& place,
                                      const std::function<bool(recording::WaitKind)>& is_one);

}  // namespace kymo::findings
