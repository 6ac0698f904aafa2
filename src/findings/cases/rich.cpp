// Occurrences that are rich in an event against those that are poor in it, whatever their durations: slow and fast
// ones may overlap too much to be split (statistics/split.h), and yet those with the event take longer.
#include "findings/cases/make.h"
#include "findings/cases/sides.h"
#include "findings/statistics/split.h"
#include "spacetime/event_classes/event_class.h"

#include <algorithm>

namespace kymo::findings {
namespace {

constexpr double kAlike = 0.8;  // of the labelled ones: then it is the same comparison

// By wall time: an occurrence that lasts longer has more of everything. Half an event is added to each: none is not
// infinitely fewer than one.
std::vector<double> rates_of(const spacetime::OccurrenceTable& rows, std::size_t event) {
    std::vector<double> rates;
    rates.reserve(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const auto wall = static_cast<double>(std::max<std::int64_t>(1, own_ns(rows.terms[row])));
        rates.push_back((static_cast<double>(rows.deltas_of(row)[event]) + 0.5) / wall);
    }
    return rates;
}

// Nearly the same occurrences are labelled.
bool are_alike(std::span<const char> one, std::span<const char> other) {
    std::size_t both = 0;
    std::size_t either = 0;
    for (std::size_t row = 0; row < one.size() && row < other.size(); ++row) {
        both += one[row] != 0 && other[row] != 0 ? 1 : 0;
        either += one[row] != 0 || other[row] != 0 ? 1 : 0;
    }
    return static_cast<double>(both) >= kAlike * static_cast<double>(either);
}

}  // namespace

std::vector<RichLabel> rich_labels(const spacetime::Evidence& evidence, NodeIndex node, const Split& slow) {
    const spacetime::SpaceNode& space = node.in(evidence.nodes);
    std::vector<RichLabel> labels;
    if (space.folded || space.rows.size() < 2 * kLeastTested) {
        return labels;
    }
    const double resolution = 1 / static_cast<double>(std::max<std::uint64_t>(1, space.median_samples));
    for (std::size_t event = 0; event < evidence.run.counters.size(); ++event) {
        if (spacetime::event_class(evidence.run.counters[event]).meaning == spacetime::EventMeaning::kWork) {
            continue;
        }
        Split split = split_slow(rates_of(space.rows, event), resolution);
        const std::size_t poor = space.rows.size() - split.slow;
        if (split.slow >= kLeastTested && poor >= kLeastTested &&
            !is_by_thread(space.rows, split.is_slow, split.slow) &&
            !(slow.slow != 0 && are_alike(split.is_slow, slow.is_slow))) {
            labels.push_back({CounterIndex(event), std::move(split.is_slow)});
        }
    }
    return labels;
}

void add_rich_cases(const Grounds& grounds, const CaseOptions& options, std::vector<Case>* cases) {
    for (const OccurrenceGround& ground : grounds.occurrences) {
        for (const RichLabel& rich : ground.rich) {
            Case subject;
            subject.evidence = &grounds.evidence;
            subject.contrast = Contrast::kRich;
            subject.node = ground.node;
            subject.event = rich.event;
            const std::vector<char> label =
                options.shuffle != nullptr ? shifted_labels(ground.compared.stream, rich.is_rich, options.shuffle)
                                           : rich.is_rich;
            fill_sides(label, &subject);
            test_duration(ground.compared, label, options.permutations,
                          Random(0x71c4 + (raw(ground.node) << 5U) + raw(rich.event)), &subject);
            cases->push_back(std::move(subject));
        }
    }
}

}  // namespace kymo::findings
