// Every collection, counter and contrast enters one screening: of twelve counters of which one matters, in one of the
// four collections, that one is named first; and where none matters false ones stay at the promised rate.
#include "made_evidence.h"
#include "statistics/series.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

constexpr std::size_t kCounters = 12;
constexpr std::size_t kSteps = 400;

enum class Matters { kInSpace, kInSlowOccurrences, kInLongGaps, kAfterNeighbour, kNowhere };

// 400 steps of one thread in `run`: `load` or `save` at random (5 ms), `solve` (10 ms, in 40 steps 30), own code of
// `run` (2 ms, in 30 steps 20). Each counter counts 100 a ms, up and down by a third with what it was before; the one
// that matters counts five times as much in `solve`, in its slow occurrences, in long gaps, or in `solve` after
// `load`.
class MadeSteps {
  public:
    MadeSteps(Matters matters, std::size_t which, Random* random)
        : matters_(matters), which_(which), random_(random), made_(names()) {
        const std::uint32_t run = made_.add_node("run");
        const std::uint32_t nodes[] = {made_.add_node("load", run), made_.add_node("save", run)};
        const std::uint32_t solve = made_.add_node("solve", run);
        for (std::size_t c = 0; c < kCounters; ++c) {
            levels_.push_back(stationary(3 * kSteps, 0.5, random));
        }
        const std::vector<bool> is_slow = some(40);
        const std::vector<bool> is_long = some(30);
        std::int64_t last_gap = 0;
        Counts in_gap(kCounters);
        Counts since_solve(kCounters);
        std::uint32_t next = nodes[random->below(2)];
        for (std::size_t i = 0; i < kSteps; ++i) {
            const std::uint32_t before = next;
            next = nodes[random->below(2)];
            const auto load = spend(5, false);
            add(before, load, i == 0 ? spacetime::kStreamEdge : solve, solve, in_gap, last_gap);
            plus(load.deltas, &since_solve);
            const bool is_rich = matters_ == Matters::kInSpace ||
                                 (matters_ == Matters::kInSlowOccurrences && is_slow[i]) ||
                                 (matters_ == Matters::kAfterNeighbour && before == nodes[0]);
            add(solve, spend(is_slow[i] ? 30 : 10, is_rich), before, next, since_solve, last_gap + load.ns);
            const auto own = spend(is_long[i] ? 20 : 2, matters_ == Matters::kInLongGaps && is_long[i]);
            time_ += own.ns;
            plus(own.deltas, &all_);
            in_gap = own.deltas;
            since_solve = own.deltas;
            last_gap = own.ns;
        }
        made_.add_occurrence(run, {.terms = {.user = time_}, .deltas = all_});
    }
    const spacetime::Evidence& finish() { return made_.finish(); }

  private:
    using Counts = std::vector<std::int64_t>;
    struct Spent {
        std::int64_t ns = 0;
        Counts deltas;
    };

    static std::vector<std::string> names() {
        std::vector<std::string> names;
        for (std::size_t c = 0; c < kCounters; ++c) {
            names.push_back(fmt::format("counter-{}", c));
        }
        return names;
    }
    std::vector<bool> some(int count) {
        std::vector<bool> chosen(kSteps);
        for (int i = 0; i < count; ++i) {
            chosen[random_->below(kSteps)] = true;
        }
        return chosen;
    }
    Spent spend(double ms, bool is_rich) {
        Spent spent;
        spent.ns = static_cast<std::int64_t>(ms * 1e6 * std::exp(0.03 * normal(random_)));
        for (std::size_t c = 0; c < kCounters; ++c) {
            const double rate = 1e-4 * std::exp(0.3 * levels_[c][part_]) * (c == which_ && is_rich ? 5 : 1);
            spent.deltas.push_back(static_cast<std::int64_t>(rate * static_cast<double>(spent.ns)));
        }
        ++part_;
        return spent;
    }
    static void plus(const Counts& counts, Counts* sum) {
        std::transform(sum->begin(), sum->end(), counts.begin(), sum->begin(), std::plus<>());
    }
    void add(std::uint32_t node, const Spent& spent, std::uint32_t before, std::uint32_t after, const Counts& gap,
             std::int64_t gap_ns) {
        made_.add_occurrence(node, {.begin = static_cast<std::uint64_t>(time_),
                                    .terms = {.user = spent.ns},
                                    .deltas = spent.deltas,
                                    .before = before,
                                    .after = after,
                                    .gap_deltas = gap,
                                    .gap = spacetime::TimeTerms{.user = gap_ns}});
        time_ += spent.ns;
        plus(spent.deltas, &all_);
    }

    Matters matters_;
    std::size_t which_;
    Random* random_;
    MadeEvidence made_;
    std::vector<std::vector<double>> levels_;  // by counter
    std::size_t part_ = 0;
    std::int64_t time_ = 0;
    Counts all_ = Counts(kCounters);
};

// Some occurrences of `solve` are slow without any cause: under that, too, counters may be told.
std::vector<std::string> told_of_events(const Judgement& judgement) {
    std::vector<std::string> titles;
    const auto add = [&](const Finding& finding) {
        if (finding.kind == "more-events") {
            titles.push_back(finding.title);
        }
    };
    for (const Finding& finding : judgement.findings) {
        add(finding);
        std::for_each(finding.also.begin(), finding.also.end(), add);
    }
    return titles;
}

TEST(OneScreening, NamesTheCounterThatMattersInWhicheverCollection) {
    constexpr const char* kWords[] = {"a second as the rest of the program", "occurrences of `solve`",
                                      "gaps between occurrences", "after `load`"};
    Random random(0x5c4ee);
    int named = 0;
    int in_collection = 0;
    for (std::size_t i = 0; i < 100; ++i) {
        const std::string counter = fmt::format(" counter-{} ", i % kCounters);
        MadeSteps made(static_cast<Matters>(i % 4), i % kCounters, &random);
        const std::vector<std::string> told = told_of_events(judge(made.finish(), {.rounds = 0}));
        named += !told.empty() && told[0].find(counter) != std::string::npos ? 1 : 0;
        in_collection += std::any_of(told.begin(), told.end(),
                                     [&](const std::string& title) {
                                         return title.find(counter) != std::string::npos &&
                                                title.find(kWords[i % 4]) != std::string::npos;
                                     })
                             ? 1
                             : 0;
    }
    std::fprintf(stderr, "%d of 100 named, %d in their collection\n", named, in_collection);
    EXPECT_GE(in_collection, 95);
    EXPECT_GE(named, 95);
}

// Promised: under 5 % of such runs. 99.99 % of draws at 5 % stay under 24 of 200 and under 78 of 1,000 (nightly).
TEST(OneScreening, NamesNoneWhereNoneMatters) {
    Random random(0x5c4ef);
    int named = 0;
    std::size_t features = 0;
    const char* const asked = std::getenv("KYMO_SCREENINGS");
    const int runs = asked != nullptr ? std::atoi(asked) : 200;
    for (int i = 0; i < runs; ++i) {
        MadeSteps made(Matters::kNowhere, kCounters, &random);
        const Judgement judgement = judge(made.finish(), {.rounds = 0});
        named += told_of_events(judgement).empty() ? 0 : 1;
        features = judgement.control.features;
    }
    std::fprintf(stderr, "%d of %d named\n", named, runs);
    EXPECT_LE(named, 0.05 * runs + 3.72 * std::sqrt(0.05 * 0.95 * runs));
    EXPECT_GT(features, 12U * 4) << "each counter in each collection";
}

}  // namespace
}  // namespace kymo::findings
