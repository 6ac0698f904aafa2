// The two sides of a comparison of one node's occurrences.
#pragma once

#include "findings/cases/case.h"
#include "findings/cases/features.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kymo::findings {

Side side_of(const spacetime::OccurrenceTable& occurrences, std::span<const std::size_t> rows);
// Rows, sides, account and threads of a case from labels on all of the node's kept occurrences.
void fill_sides(std::span<const char> label, Case* subject);
// The row of the thread that begins last before or at a time. Logarithmic.
std::optional<std::size_t> row_at(const spacetime::OccurrenceTable& occurrences, std::uint32_t thread,
                                  std::uint64_t time);
std::vector<OccurrenceRef> occurrences_of(const spacetime::OccurrenceTable& table);
// The duration of an occurrence, ns, without the time without a processor: others cause that, and on a
// busy machine it would hide everything else.
inline std::int64_t own_ns(const spacetime::TimeTerms& terms) {
    return terms.wall() - terms.run_queue;
}
// By row.
std::vector<double> durations(const spacetime::OccurrenceTable& table);

// Mean time on a processor between two samples of the run, ns; 0: no samples.
double sampling_period(const spacetime::Evidence& evidence);

// Several occurrences may look like one, because the time between them may be too short to be seen.
bool may_merge(const spacetime::Evidence& evidence, NodeIndex node);
// For a case's occurrences. Those of groups of same spaces are compared only if each has many samples, and
// end at every sample of other code.
inline bool may_merge(const Case& subject) {
    return subject.same == kNone && may_merge(*subject.evidence, subject.node);
}

// Most labelled occurrences (that many) are of threads whose occurrences are mostly labelled: then threads differ,
// not occurrences (Contrast::kThreads). If more than half are labelled, the same is tested for those that are not.
bool is_by_thread(const spacetime::OccurrenceTable& occurrences, std::span<const char> label, std::size_t labelled);

// Labels for the control of paired comparisons: of each two neighbours in time with different labels, swapped or not.
std::vector<char> swapped_labels(std::span<const std::uint32_t> stream, std::span<const char> label, Random* random);

}  // namespace kymo::findings
