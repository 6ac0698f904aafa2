// Properties of the evidence that several rules use.
#pragma once

#include "findings/cases/case.h"
#include "findings/rule.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace kymo::findings {

inline constexpr double kLeastSlower = 1.2;  // times as long: smaller ratios are not reported of a piece of code

// A value of a node's occurrences, added up by thread; scaled to the node's total if not all occurrences were
// kept.
std::vector<ThreadTime> by_thread(const spacetime::SpaceNode& node,
                                  const std::function<std::int64_t(const spacetime::TimeTerms&)>& value);

// The smallest node inside `node` (or itself) that holds at least four fifths of its time.
NodeIndex innermost(const spacetime::Evidence& evidence, NodeIndex node);

// Whether events occur every k occurrences. `orders`: their numbers in one stream, ascending. The distance that at
// least four fifths of them keep (to one in ten); 0: none, fewer than five events, or a distance under 3. Events
// with equal chance at each occurrence pass with a chance of 1 % or so.
std::uint32_t regular_distance(std::span<const std::uint32_t> orders);

// The same for amounts: whether events occur at every fixed amount of something. `amounts`: how much there had
// been before each one, ascending. The usual distance; 0: none.
double regular_amount(std::span<const double> amounts);

// Thread time spent waiting for a processor because the program itself had more threads ready than there are
// processors. ns; 0 if that is not known.
double own_queue_ns(const spacetime::RunFacts& run);
// ns of the run in which it had. For a fifth of the run or more: that it has too many threads explains what is late.
double crowded_ns(const spacetime::RunFacts& run);
bool is_crowded(const spacetime::Evidence& evidence);

// The excess of all its occurrences, as a share of the run's time in their threads.
double share_of_threads(const Case& subject);

// How many threads have occurrences.
std::size_t threads_of(const spacetime::OccurrenceTable& occurrences);

// The bad occurrences are those in which threads begin: at least four fifths of them are the first of their threads,
// and half of the threads or more have one.
bool are_first_of_threads(const Case& subject);

// Too few bad occurrences to be tested, and they cost less than a fiftieth of the run: without a reason they are
// not reported, because every thread's first occurrence is a little slower.
bool is_negligible(const Case& subject);

// Bound on the taken time that was not found, where `taken` ns were (late_ticks.h): a standard error, and absences
// that end soon after a tick or shortly before one, at most a third of all.
double unseen_taken(const spacetime::Evidence& evidence, double taken);
// How many there are, by thread.
std::map<std::uint32_t, std::size_t> occurrences_by_thread(const spacetime::OccurrenceTable& occurrences);

// ns that were found to be taken from all of these.
double taken_in(const spacetime::OccurrenceTable& occurrences);

// The largest possible part of the excess in which the threads that the bad occurrences waited for lacked a
// processor, or had it taken without a record. What they lacked themselves is left out, as where the sides were
// distinguished.
double most_lacking_share(const Case& subject);

// Work by user time of the bad occurrences against the good ones: 1 if they did more of it at the same speed,
// under 1 if the work became slower. Work is progress (iterations, by registers), or else instructions. kUnknown:
// neither was measured.
double work_ratio(const Case& subject);

// The bad occurrences did more than the good ones, by the same measures, and at least half of their additional
// user time corresponds to it. False if neither was measured.
bool did_more_work(const Case& subject);
// One or two that did more work took as long as a whole number of the usual ones: they may be several, with
// nothing recorded between them (the last thread at a barrier does not wait).
bool may_be_several(const Case& subject);

// Whether each slow occurrence is probably several, with nothing seen between them: the last thread at a barrier does
// not wait. Threads that meet then have fewer occurrences than their peers have, or than there were meetings, by as
// many as the slow ones would contain. If only the meetings show it, slow ones must also take a whole number of times
// as long.
bool are_several(const Case& subject);

// Whether a process began as a copy of another one (fork without exec). Index of RunFacts::processes.
bool is_copy(const spacetime::RunFacts& run, std::uint32_t process);

// ns of the excess that is waiting for targets that `is_one` selects.
std::int64_t excess_waiting(const Case& subject, const std::function<bool(const spacetime::WaitTarget&)>& is_one);

// The bad occurrences wait while other threads keep the processors busy, like a thread that hands out work:
// nothing is lost by that.
bool waits_for_workers(const Case& subject);

}  // namespace kymo::findings
