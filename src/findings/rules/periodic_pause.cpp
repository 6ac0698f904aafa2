// periodic-pause: every k occurrences something stops them for a while.
#include "findings/rules/periodic_pause.h"

#include "findings/cases/sides.h"
#include "findings/rule.h"
#include "findings/rules/shared/alone.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/gap_filler.h"
#include "findings/statistics/robust.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace kymo::findings {
namespace {

struct Pauses {
    std::uint32_t every = 0;  // occurrences; 0: not regular by number
    double work_ns = 0;       // in the occurrences from pause to pause; 0: not regular by that either
    double period_ns = 0;
    bool is_regular() const { return every != 0 || work_ns != 0; }
};

struct Event {
    std::uint32_t thread = 0;
    std::uint32_t order = 0;
    std::uint64_t begin = 0;
};

// Processor time in a node's occurrences of one thread, up to some time; waits in between are not work.
class WorkBefore {
  public:
    // Rows are by thread, then by begin. Cost: linear; asking: a binary search.
    WorkBefore(const spacetime::SpaceNode& node, std::uint32_t thread) {
        for (std::size_t row = 0; row < node.rows.size(); ++row) {
            if (node.rows.thread[row] == thread) {
                begins_.push_back(node.rows.begin[row]);
                sums_.push_back(sums_.back() + static_cast<double>(processor(node.rows.terms[row])));
            }
        }
    }
    double ns(std::uint64_t time) const {
        const auto after = std::lower_bound(begins_.begin(), begins_.end(), time);
        return sums_[static_cast<std::size_t>(after - begins_.begin())];
    }

  private:
    std::vector<std::uint64_t> begins_;
    std::vector<double> sums_ = {0};  // [i]: of all before number i
};

// Regular in at least half of the threads that have any: by the number of occurrences or, if several short ones
// look like one (`may_be_one`), by the work in them. Otherwise an event more frequent than every third time is the
// thread's normal work there, and not a pause.
Pauses regularity(const spacetime::SpaceNode& node, const std::vector<Event>& events, bool may_be_one) {
    const std::map<std::uint32_t, std::size_t> occurrences = occurrences_by_thread(node.rows);
    std::map<std::uint32_t, std::vector<Event>> streams;
    for (const Event& event : events) {
        streams[event.thread].push_back(event);
    }
    std::vector<double> every;
    std::vector<double> works;
    std::vector<double> periods;
    const auto add_periods = [&](const std::vector<Event>& own) {
        for (std::size_t i = 1; i < own.size(); ++i) {
            periods.push_back(static_cast<double>(own[i].begin - own[i - 1].begin));
        }
    };
    for (auto& [thread, own] : streams) {
        std::sort(own.begin(), own.end(), [](const Event& a, const Event& b) { return a.order < b.order; });
        std::vector<std::uint32_t> orders;
        for (const Event& event : own) {
            orders.push_back(event.order);
        }
        if (const std::uint32_t distance = regular_distance(orders); distance != 0) {
            every.push_back(distance);
            add_periods(own);
        } else if (node.rows.size() == node.occurrences && (may_be_one || own.size() * 3 <= occurrences.at(thread))) {
            const WorkBefore work(node, thread);
            std::vector<double> amounts;
            for (const Event& event : own) {
                amounts.push_back(work.ns(event.begin));
            }
            if (const double amount = regular_amount(amounts); amount > 0) {
                works.push_back(amount);
                add_periods(own);
            }
        }
    }
    if (every.size() * 2 >= streams.size() && !every.empty()) {
        return {.every = static_cast<std::uint32_t>(median(every)), .work_ns = 0, .period_ns = median(periods)};
    }
    if ((every.size() + works.size()) * 2 < streams.size() || works.empty()) {
        return {};
    }
    return {.every = 0, .work_ns = median(works), .period_ns = median(periods)};
}

// Terms that make up a fifth of a node's time and more.
TermSet main_terms(const spacetime::SpaceNode& node) {
    TermSet terms = 0;
    for (const TermInfo& info : kTerms) {
        terms |= node.total.*info.member * 5 >= node.total.wall() ? set_of(info.term) : 0;
    }
    return terms;
}

// Between occurrences: something else runs in every k-th gap.
void claim_periodic_pause_of_gaps(const Case& subject, std::vector<Claim>* claims) {
    const spacetime::Evidence& evidence = *subject.evidence;
    std::vector<Event> events;
    events.reserve(subject.long_gaps.size());
    for (const GapRow& gap : subject.long_gaps) {
        events.push_back({gap.thread, gap.order, gap.begin});
    }
    constexpr double kSeen = 3;  // sampling periods: a gap that long is seen
    const bool may_be_one = subject.good.median_ns < kSeen * sampling_period(evidence);
    const Pauses pauses = regularity(subject.space(), events, may_be_one);
    if (!pauses.is_regular()) {
        return;
    }
    const Filler filler = main_filler(subject);
    const NodeIndex node = filler_node(subject, filler);
    // One thread of several does this while the others wait, each time that they get there: a serial section.
    if (pauses.every == 0 && node != kNone && is_parallel(evidence) &&
        is_mostly_alone(alone_in(node.in(evidence.nodes)))) {
        return;
    }
    Claim claim;
    std::vector<double> lengths;
    for (std::size_t i = 0; i < subject.long_gaps.size(); ++i) {
        const GapRow& gap = subject.long_gaps[i];
        const double beyond = std::max(0.0, static_cast<double>(gap.ns) - subject.good.median_ns);
        claim.own_parts.push_back(std::min(filler.own_ns[i], beyond));
        claim.own.push_back({gap.thread, claim.own_parts.back()});
        lengths.push_back(filler.own_ns[i] + filler.usual_ns);
    }
    const std::string when =
        fmt::format("{} of {} (about every {})",
                    pauses.every != 0 ? fmt::format("Every {} occurrences", pauses.every)
                                      : fmt::format("After every {}", in_seconds(pauses.work_ns)),
                    name(evidence, subject.node), in_seconds(pauses.period_ns));
    const double all = std::accumulate(claim.own_parts.begin(), claim.own_parts.end(), 0.0);
    claim.node = node;
    if (claim.node != kNone) {
        claim.own_terms =
            main_terms(claim.node.in(evidence.nodes)) & ~set_of(Term::kRunQueue);  // nor do the gaps have it
    }
    claim.title = fmt::format(
        "{} {} stops it for {}{}: {} in all.", when, filler_name(subject, filler), in_seconds(median(lengths)),
        filler.usual_ns * 10 > median(lengths) ? fmt::format(" instead of {}", in_seconds(filler.usual_ns))
                                               : std::string(),
        in_seconds(all));
    claim.evidence.push_back(
        seconds("between occurrences", subject.bad.median_ns / 1e9, subject.good.median_ns / 1e9,
                subject.good.median_ns > 0 ? subject.bad.median_ns / subject.good.median_ns : kUnknown));
    claims->push_back(std::move(claim));
}

// Inside: every k-th occurrence itself is slow.
void claim_periodic_pause_of_occurrences(const Case& subject, std::vector<Claim>* claims) {
    std::vector<Event> events;
    events.reserve(subject.bad_rows.size());
    const spacetime::OccurrenceTable& occurrences = subject.space().rows;
    for (const std::size_t row : subject.bad_rows) {
        events.push_back({occurrences.thread[row], occurrences.order[row], occurrences.begin[row]});
    }
    const Pauses pauses = regularity(subject.space(), events, false);
    if (pauses.every == 0 || subject.space().folded ||
        (may_merge(*subject.evidence, subject.node) && subject.excess_share(set_of(Term::kWaiting)) < 0.5)) {
        return;
    }
    Claim claim;
    claim.explains = Explains{.terms = kAllTerms & ~set_of(Term::kRunQueue)};
    claim.title = fmt::format("Every {} occurrences (about every {}) {} takes {} instead of {}: {} in all.",
                              pauses.every, in_seconds(pauses.period_ns), name(*subject.evidence, subject.node),
                              in_seconds(subject.bad.median_ns), in_seconds(subject.good.median_ns),
                              in_seconds(static_cast<double>(subject.excess.total())));
    if (const std::string account = account_words(subject); !account.empty()) {
        claim.title += " " + account + ".";
    }
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kPeriodicPauseInGaps{
    .place = 170,
    .kind = "periodic-pause",
    .contrast = Contrast::kGaps,
    .needs =
        "some gaps between occurrences are clearly longer than the rest, and in at least half of the threads that "
        "have "
        "them four fifths of them (five or more) follow each other after the same number of occurrences, three "
        "or more",
    .against =
        "more than a third of the gaps are long, of all threads or of the one that has them; or, not by number, one "
        "thread is at it while the others of its process do nothing (serial-section)",
    .look = claim_periodic_pause_of_gaps,
    .direction = kPauseDirection,
    .confirm = kPauseConfirm,
};

extern const Rule kPeriodicPauseInside{
    .place = 180,
    .kind = "periodic-pause",
    .contrast = Contrast::kOccurrences,
    .needs = "slow occurrences follow each other after the same number of occurrences, as above",
    .against = "what the slow ones take longer is waiting for a processor",
    .look = claim_periodic_pause_of_occurrences,
    .direction = kPauseDirection,
    .confirm = kPauseConfirm,
};

}  // namespace kymo::findings
