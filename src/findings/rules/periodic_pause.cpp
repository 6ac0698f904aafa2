// periodic-pause: every k occurrences something stops them for a while.
#include "findings/rules/common.h"
#include "findings/rules/table.h"
#include "findings/statistics/robust.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

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

// Time in a node's visits of one thread, up to some time. That a processor was lacking does not count.
class WorkBefore {
  public:
    // Rows are by thread, then by begin. Cost: linear; asking: a binary search.
    WorkBefore(const spacetime::SpaceNode& node, std::uint32_t thread) {
        for (std::size_t row = 0; row < node.rows.size(); ++row) {
            if (node.rows.thread[row] == thread) {
                const spacetime::TimeTerms& terms = node.rows.terms[row];
                begins_.push_back(node.rows.begin[row]);
                sums_.push_back(sums_.back() + static_cast<double>(terms.wall() - terms.run_queue));
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

// Regular in at least half of the threads that have any: by the number of occurrences, or, where several short ones
// look like one, by the work in them.
Pauses regularity(const spacetime::SpaceNode& node, const std::vector<Event>& events) {
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
        } else if (node.rows.size() == node.visits) {
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

// Between occurrences: something else runs in every k-th gap.
void look_at_gaps(const Case& subject, std::vector<Claim>* claims) {
    std::vector<Event> events;
    std::map<std::uint32_t, std::size_t> fillers;
    for (const GapRow& gap : subject.long_gaps) {
        events.push_back({gap.thread, gap.order, gap.begin});
        ++fillers[gap.after];
    }
    const Pauses pauses = regularity(subject.space(), events);
    if (!pauses.is_regular()) {
        return;
    }
    const auto most = std::max_element(fillers.begin(), fillers.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    const spacetime::Evidence& evidence = *subject.evidence;
    const bool is_filled = most->second * 5 >= events.size() * 4 && most->first < evidence.nodes.size();
    Claim claim;
    double all = 0;
    for (const GapRow& gap : subject.long_gaps) {
        const double excess = std::max(0.0, static_cast<double>(gap.end - gap.begin) - subject.good.median_ns);
        claim.own.push_back({gap.thread, excess});
        claim.own_parts.push_back(excess);
        all += excess;
    }
    claim.node = is_filled ? innermost(evidence, most->first) : subject.node;
    const std::string who = is_filled ? name(evidence, claim.node) : "something outside the program's code";
    const std::string when = pauses.every != 0 ? fmt::format("Every {} occurrences", pauses.every)
                                               : fmt::format("After every {}", in_seconds(pauses.work_ns));
    claim.title = fmt::format(
        "{} of {} (about every {}) {} stops it for {}, where it otherwise goes on "
        "after {}: {} in all.",
        when, name(evidence, subject.node), in_seconds(pauses.period_ns), who, in_seconds(subject.bad.median_ns),
        in_seconds(subject.good.median_ns), in_seconds(all));
    claim.evidence.push_back(
        {"seconds between occurrences", subject.bad.median_ns / 1e9, subject.good.median_ns / 1e9,
         subject.good.median_ns > 0 ? subject.bad.median_ns / subject.good.median_ns : kUnknown, kUnknown, kUnknown});
    claims->push_back(std::move(claim));
}

// Inside: every k-th occurrence itself is slow.
void look_at_occurrences(const Case& subject, std::vector<Claim>* claims) {
    std::vector<Event> events;
    const spacetime::VisitTable& visits = subject.space().rows;
    for (const std::size_t row : subject.bad_rows) {
        events.push_back({visits.thread[row], visits.order[row], visits.begin[row]});
    }
    const Pauses pauses = regularity(subject.space(), events);
    if (pauses.every == 0 || subject.space().folded || subject.excess_share(set_of(Term::kRunQueue)) > 0.5) {
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

constexpr std::string_view kDirection =
    "do less each time (only what is new since the last time), do it beside the work in a thread of its own, or more "
    "rarely";
constexpr std::string_view kConfirm =
    "make the pause twice as rare: the time between the pauses must double and nothing else change";

}  // namespace

const Rule kPeriodicPauseInGaps{
    .kind = "periodic-pause",
    .contrast = Contrast::kGaps,
    .needs =
        "some gaps between occurrences are clearly longer than the rest, and in at least half of the threads that "
        "have "
        "them four fifths of them (five or more) follow each other after the same number of occurrences, three "
        "or more",
    .against = "most gaps are long",
    .look = look_at_gaps,
    .direction = kDirection,
    .confirm = kConfirm,
};

const Rule kPeriodicPauseInside{
    .kind = "periodic-pause",
    .contrast = Contrast::kOccurrences,
    .needs = "slow occurrences follow each other after the same number of occurrences, as above",
    .against = "more than half of the excess is waiting for a processor",
    .look = look_at_occurrences,
    .direction = kDirection,
    .confirm = kConfirm,
};

}  // namespace kymo::findings
