// The machine against the formulas over a grid of shares, forms and numbers of cells: detection probability, length
// of a cycle, events to a report, false alarms; and the two forms against each other.
//
// Everything within 10 %. A thousand seeds a point, whose standard error is a third of that; KYMO_SLOW=1 (ctest -C
// Long -L long) takes ten thousand. The seeds are fixed, so a run that passes always does.
#include "pairs/design/exact.h"
#include "pairs/design/wish.h"
#include "pairs/machine.h"
#include "streams.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

namespace kymo::pairs {
namespace {

int scaled(int runs) {
    return std::getenv("KYMO_SLOW") != nullptr ? 10 * runs : runs;
}

struct Point {
    double share;
    Form form;
    std::uint32_t cells;
};

void PrintTo(const Point& point, std::ostream* out) {
    *out << (point.form == Form::kPair ? "pair " : "sequential ") << point.share << ", " << point.cells << " cells";
}

class Grid : public testing::TestWithParam<Point> {
  protected:
    [[nodiscard]] Wish wish() const {
        Wish wish;
        wish.share = GetParam().share;
        wish.refuse = GetParam().share / 2;
        wish.confidence = 0.95;
        wish.false_alarm = 1e-3;
        wish.form = GetParam().form;
        wish.cells = GetParam().cells;
        return wish;
    }
};

std::vector<Point> grid() {
    std::vector<Point> points;
    for (const Form form : {Form::kSequential, Form::kPair}) {
        for (const double share : {0.5, 0.2, 0.1, 0.05, 0.02}) {
            for (const std::uint32_t cells : {1U, 2U, 4U, 16U}) {
                points.push_back({share, form, cells});
            }
        }
    }
    return points;
}
INSTANTIATE_TEST_SUITE_P(Pairs, Grid, testing::ValuesIn(grid()));

// Tests of one source with share p, one after the other; none is ever excluded.
struct Trials {
    double detect = 0;
    double cycle = 0;
};

Trials run_trials(const Rule& rule, double p, int trials, std::uint64_t seed) {
    Trials result;
    std::mt19937_64 random(seed);
    std::bernoulli_distribution matches(p);
    Machine machine;
    start(machine, rule, static_cast<std::uint32_t>(seed));
    std::uint64_t fresh = 100;
    int done = 0;
    bool testing = false;
    std::uint64_t begun = events_seen(machine);
    while (done < trials) {
        // At rest every event is the source's, so that what is captured is always the source.
        const std::uint64_t key = !testing || matches(random) ? 1 : ++fresh;
        const Verdict verdict = step(machine, key);
        const bool found = verdict.turn == Turn::kFound;
        if (found) {
            release(machine, verdict.slot);
            result.detect += 1;
        }
        const bool now_testing = tested_key(machine, 0) != 0;
        if (testing && !now_testing) {
            ++done;
            result.cycle += static_cast<double>(events_seen(machine) - begun);
            begun = events_seen(machine);
        }
        testing = now_testing;
    }
    result.detect /= trials;
    result.cycle /= trials;
    return result;
}

TEST_P(Grid, DetectsAndLastsAsComputed) {
    if (GetParam().cells != 1) {
        GTEST_SKIP() << "a cell's own affair";
    }
    const Rule rule = *make_rule(wish());
    for (const double factor : {0.75, 1.0, 1.5}) {
        const double p = std::min(0.9, GetParam().share * factor);
        const TestOutcome said = test_of(rule, 0, p);
        const int trials = scaled(2'000);
        const Trials seen = run_trials(rule, p, trials, 1);
        const double error = 3 * std::sqrt(said.detect * (1 - said.detect) / trials);
        EXPECT_NEAR(seen.detect, said.detect, std::max(0.1 * said.detect, 0.0) + error) << p;
        EXPECT_NEAR(seen.cycle, cycle_events(rule, said), 0.1 * cycle_events(rule, said)) << p;
    }
}

// A source at the share to refuse: the rate of false alarms, made large enough here to be seen.
TEST_P(Grid, FalseAlarmsAsComputed) {
    if (GetParam().cells != 1) {
        GTEST_SKIP() << "a cell's own affair";
    }
    Wish loose = wish();
    loose.false_alarm = 0.05;
    const Rule rule = *make_rule(loose);
    const double p = loose.refuse;
    const double said = test_of(rule, 0, p).detect;
    const int trials = scaled(10'000);
    const double seen = run_trials(rule, p, trials, 2).detect;
    EXPECT_NEAR(seen, said, 0.1 * said + 2 * std::sqrt(said / trials)) << said;
    EXPECT_LE(said, 0.05 / 0.95);
}

TEST_P(Grid, ReportsAfterAsManyEventsAsComputed) {
    const Rule rule = *make_rule(wish());
    const double p = GetParam().share;
    const Background rare[] = {{1 - p, 0}};
    const double said = events_to_report(rule, 0, p, rare);
    const int runs = scaled(1'000);
    double seen = 0;
    for (int run = 0; run < runs; ++run) {
        Machine machine;
        start(machine, rule, static_cast<std::uint32_t>(run + 1));
        OneHeavy events(p, 0, static_cast<std::uint64_t>(run) + 1);
        while (step(machine, events.next()).turn != Turn::kFound) {
        }
        seen += static_cast<double>(events_seen(machine));
    }
    seen /= runs;
    EXPECT_NEAR(seen, said, 0.1 * said);
}

// Others just below the share to refuse make long tests of their own.
TEST_P(Grid, ReportsAmongManyAsComputed) {
    if (GetParam().cells != 1 || GetParam().share > 0.2) {
        GTEST_SKIP() << "with few sources cells get into each other's way";
    }
    const Rule rule = *make_rule(wish());
    const double p = GetParam().share;
    const auto others = static_cast<std::uint64_t>(std::round((1 - p) / (p / 4)));
    const Background many[] = {{1 - p, (1 - p) / static_cast<double>(others)}};
    const double said = events_to_report(rule, 0, p, many);
    double seen = 0;
    const int runs = scaled(1'000);
    for (int run = 0; run < runs; ++run) {
        Machine machine;
        start(machine, rule, static_cast<std::uint32_t>(run + 1));
        OneHeavy events(p, others, static_cast<std::uint64_t>(run) + 1);
        while (step(machine, events.next()).turn != Turn::kFound) {
        }
        seen += static_cast<double>(events_seen(machine));
    }
    seen /= runs;
    EXPECT_NEAR(seen, said, 0.1 * said);
}

// The sequential test needs at least four times fewer events than the two counters, at the same error rates; the
// errors it really has are no larger than the pair's.
TEST(Forms, TheSequentialTestNeedsFourTimesFewerEvents) {
    for (const double share : {0.2, 0.1, 0.05, 0.02, 0.01}) {
        Wish wish;
        wish.share = share;
        wish.refuse = share / 2;
        wish.confidence = 0.95;
        wish.false_alarm = 1e-3;
        wish.cells = 1;
        wish.gap = 0;
        const Rule sequential = *make_rule(wish);
        wish.form = Form::kPair;
        const Rule pair = *make_rule(wish);
        EXPECT_LE(test_of(sequential, 0, wish.refuse).detect, 1.06e-3);
        EXPECT_GE(test_of(sequential, 0, share).detect, 0.95);
        double events[2] = {};
        for (int run = 0; run < 400; ++run) {
            int form = 0;
            for (const Rule* rule : {&sequential, &pair}) {
                Machine machine;
                start(machine, *rule, static_cast<std::uint32_t>(run + 1));
                OneHeavy stream(share, 0, static_cast<std::uint64_t>(run) + 1);
                while (step(machine, stream.next()).turn != Turn::kFound) {
                }
                events[form++] += static_cast<double>(events_seen(machine));
            }
        }
        EXPECT_GE(events[1] / events[0], 4) << share;
        std::cout << "share " << share << ": " << events[1] / events[0] << " times fewer events\n";
    }
}

// Whole runs among sources at the share to refuse: false reports stay within the budget, however long the run.
TEST(FalseReports, StayWithinTheRunsBudget) {
    Wish wish;
    wish.share = 0.2;
    wish.refuse = 0.1;
    wish.confidence = 0.9;
    wish.false_reports = 0.2;
    const Rule rule = *make_rule(wish);
    int reports = 0;
    constexpr int kRuns = 300;
    for (int run = 0; run < kRuns; ++run) {
        Machine machine;
        start(machine, rule, static_cast<std::uint32_t>(run + 1));
        OneHeavy events(0.1, 9, static_cast<std::uint64_t>(run) + 1);  // ten sources, 10 % each
        for (int i = 0; i < 30'000; ++i) {
            reports += step(machine, events.next()).turn == Turn::kFound ? 1 : 0;
        }
    }
    EXPECT_LE(reports, kRuns * 0.2 * 1.5);
    EXPECT_GT(reports, 0) << "a budget of 0.2 a run leaves some, or the thresholds are far too strict";
}

}  // namespace
}  // namespace kymo::pairs
