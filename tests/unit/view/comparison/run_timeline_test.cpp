// Which functions a page shows of two runs: the same of both, or one would seem to lack what it has.
#include "view/comparison/run_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace kymo::view {
namespace {

using ::testing::UnorderedElementsAre;

// One bin; percent of the run by function.
compare::Timeline timeline(const std::map<std::string, double>& percent) {
    compare::Timeline made{1e9, 1, {}, {}};
    for (const auto& [name, share] : percent) {
        made.functions.push_back(name);
        made.ns.push_back({share * 1e7});
    }
    return made;
}

RunTimeline run(const std::map<std::string, double>& itself, const std::map<std::string, double>& with_calls) {
    return {timeline(itself), timeline(with_calls)};
}

double of(const compare::Timeline& run, const std::string& name) {
    for (std::size_t row = 0; row < run.functions.size(); ++row) {
        if (run.functions[row] == name) {
            return run.ns[row][0] / 1e7;
        }
    }
    return 0;
}

TEST(RunTimeline, OfBothRunsTheSameFunctionsAreKept) {
    // "evaluate" is nearly all of one run only, "tiny" is little of one run only.
    RunTimeline base = run({{"a", 60}, {"b", 39}, {"tiny", 1}},
                           {{"main", 100}, {"evaluate", 93}, {"a", 60}, {"b", 39}, {"tiny", 1}});
    RunTimeline other = run({{"a", 60}, {"b", 39.8}, {"tiny", 0.2}},
                            {{"main", 100}, {"evaluate", 97}, {"a", 60}, {"b", 39.8}, {"tiny", 0.2}});
    choose_rows(base, other);
    for (const RunTimeline* const one : {&base, &other}) {
        EXPECT_THAT(one->itself.functions, UnorderedElementsAre("a", "b", "tiny"));
        EXPECT_THAT(one->with_calls.functions, UnorderedElementsAre("a", "b", "tiny", "evaluate"));
    }
    EXPECT_NEAR(of(other.with_calls, "evaluate"), 97, 1e-9);
    EXPECT_NEAR(of(other.itself, "tiny"), 0.2, 1e-9);
}

TEST(RunTimeline, WhatIsLittleInBothIsAddedUp) {
    RunTimeline base = run({{"a", 99.2}, {"p", 0.4}, {"q", 0.4}}, {{"a", 100}, {"p", 0.4}});
    RunTimeline other = run({{"a", 99.5}, {"p", 0.3}, {"[other functions]", 0.2}}, {{"a", 100}, {"p", 0.3}});
    choose_rows(base, other);
    EXPECT_NEAR(of(base.itself, "[other functions]"), 0.8, 1e-9);
    EXPECT_NEAR(of(other.itself, "[other functions]"), 0.5, 1e-9);
    EXPECT_THAT(base.with_calls.functions, UnorderedElementsAre("a")) << "nothing else is there to look at";
}

TEST(RunTimeline, ARunWithoutSamples) {
    RunTimeline base;
    RunTimeline other = run({{"a", 100}}, {{"a", 100}});
    choose_rows(base, other);
    EXPECT_TRUE(base.itself.functions.empty());
    EXPECT_THAT(other.itself.functions, UnorderedElementsAre("a"));
}

}  // namespace
}  // namespace kymo::view
