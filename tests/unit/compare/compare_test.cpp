// Two sets of runs side by side: what is the same thing in both, what is reported, what exceeds a limit.
#include "compare/compare.h"

#include <gtest/gtest.h>

namespace kymo::compare {
namespace {

constexpr double kSecond = 1e9;

RowKey function(const std::string& name) {
    return {RowKind::kFunction, name};
}

// A run of so many seconds in each function.
RunFigures run(const std::map<std::string, double>& functions) {
    RunFigures made;
    made.name = "run";
    double all = 0;
    for (const auto& [name, seconds] : functions) {
        made.rows[function(name)].value = seconds * kSecond;
        all += seconds * kSecond;
    }
    made.rows[kProcessorTime].value = all;
    made.rows[kWallTime].value = all;
    return made;
}

// Five runs that differ by a percent.
std::vector<RunFigures> runs(std::map<std::string, double> functions) {
    std::vector<RunFigures> all;
    for (const double more : {0.0, 0.01, 0.004, 0.007, 0.002}) {
        auto some = functions;
        for (auto& [name, seconds] : some) {
            seconds *= 1 + more;
        }
        all.push_back(run(some));
    }
    return all;
}

std::vector<std::string> told(const Comparison& comparison) {
    std::vector<std::string> names;
    for (const Change& change : comparison.changes) {
        if (comparison.differs(change)) {
            names.push_back(change.key.name);
        }
    }
    return names;
}

TEST(Compare, TellsWhatIsSlowerWithItsSize) {
    const auto comparison = compare(runs({{"parse", 2}, {"sort", 1}}), runs({{"parse", 2}, {"sort", 1.2}}));
    EXPECT_EQ(told(comparison), (std::vector<std::string>{"processor time", "wall time", "sort"}));
    const Change* const sort = comparison.find(function("sort"));
    ASSERT_NE(sort, nullptr);
    EXPECT_NEAR(sort->ratio(), 0.2, 0.001);
    EXPECT_NEAR(sort->difference() / kSecond, 0.2, 0.01);
}

TEST(Compare, EqualRunsDifferInNothing) {
    EXPECT_TRUE(told(compare(runs({{"parse", 2}, {"sort", 1}}), runs({{"parse", 2}, {"sort", 1}}))).empty());
}

TEST(Compare, OneRunASideTellsSizesAlone) {
    const auto comparison = compare({run({{"parse", 2}, {"sort", 1}})}, {run({{"parse", 2}, {"sort", 1.2}})});
    EXPECT_FALSE(comparison.has_p);
    EXPECT_EQ(told(comparison), (std::vector<std::string>{"processor time", "wall time", "sort"}));
    EXPECT_TRUE(compare(runs({{"a", 1}}), runs({{"a", 1}})).has_p);
}

TEST(Compare, AFunctionWithOtherParametersIsTheSame) {
    const auto comparison =
        compare(runs({{"sort(int*, int)", 1}, {"main", 1}}), runs({{"sort(long*, long)", 1.2}, {"main", 1}}));
    const Change* const sort = comparison.find(function("sort(int*, int)"));
    ASSERT_NE(sort, nullptr);
    EXPECT_NEAR(sort->ratio(), 0.2, 0.001);
    EXPECT_EQ(comparison.find(function("sort(long*, long)")), nullptr);
    // Of two with one name it is not known which is which.
    const auto two = compare(runs({{"f(int)", 1}, {"f(char)", 1}}), runs({{"f(long)", 1}, {"f(short)", 1}}));
    EXPECT_NE(two.find(function("f(int)")), nullptr);
    EXPECT_NE(two.find(function("f(long)")), nullptr);
}

RowKey path(const std::string& name) {
    return {RowKind::kPath, name};
}

// Runs of one function with these seconds on each path to it.
std::vector<RunFigures> runs_of_paths(const std::map<std::string, double>& paths) {
    std::map<std::string, double> functions;
    for (const auto& [name, seconds] : paths) {
        functions[path_parts(name).back()] += seconds;
    }
    auto all = runs(functions);
    for (RunFigures& one : all) {
        for (const auto& [name, seconds] : paths) {
            for (std::size_t end = name.find(kCalls);; end = name.find(kCalls, end + 1)) {
                one.rows[path(name.substr(0, end))].value +=
                    seconds * one.rows[kWallTime].value / all[0].rows[kWallTime].value * kSecond;
                if (end == std::string::npos) {
                    break;
                }
            }
        }
    }
    return all;
}

TEST(Compare, ACallPathIsReportedWhereItsFunctionsHaveOthers) {
    const auto comparison = compare(runs_of_paths({{"main › solve › sort", 1}, {"main › check › sort", 1}}),
                                    runs_of_paths({{"main › solve › sort", 1}, {"main › check › sort", 1.2}}));
    const Change* const slower = comparison.find(path("main › check › sort"));
    ASSERT_NE(slower, nullptr);
    EXPECT_TRUE(comparison.differs(*slower));
    EXPECT_NEAR(slower->difference() / kSecond, 0.2, 0.01);
    const Change* const equal = comparison.find(path("main › solve › sort"));
    ASSERT_NE(equal, nullptr);
    EXPECT_FALSE(comparison.differs(*equal));
    EXPECT_NE(comparison.find(path("main")), nullptr);
    EXPECT_EQ(comparison.find(path("main › check")), nullptr) << "it has no time but sort's";
}

TEST(Compare, ACallPathThroughAFunctionWithOtherParametersIsTheSame) {
    const auto comparison = compare(runs_of_paths({{"main › solve(int) › sort", 1}, {"main › check", 1}}),
                                    runs_of_paths({{"main › solve(long) › sort", 1.2}, {"main › check", 1}}));
    EXPECT_EQ(comparison.find(path("main › solve(long) › sort")), nullptr);
    const Change* const sort = comparison.find(path("main › solve(int) › sort"));
    ASSERT_NE(sort, nullptr);
    EXPECT_NEAR(sort->difference() / kSecond, 0.2, 0.01);
}

TEST(Compare, FunctionsAreFoundByTheNameThatIsShown) {
    const auto comparison = compare(runs({{"ns::sort<int>(int*, int) (libx.so)", 1}, {"main", 1}}),
                                    runs({{"ns::sort<int>(int*, int) (libx.so)", 1.2}, {"main", 1}}));
    const Change* const sort = comparison.find(function("ns::sort<int>(int*, int) (libx.so)"));
    ASSERT_NE(sort, nullptr);
    EXPECT_EQ(sort->shown, "ns::sort<int> (libx.so)");
    EXPECT_EQ(comparison.find(function("ns::sort<int> (libx.so)")), sort);
    EXPECT_EQ(exceeded(comparison, {{function("ns::sort<int> (libx.so)"), 0.1}}).size(), 1U);
}

TEST(Compare, ClonesAreTheirFunction) {
    EXPECT_EQ(without_clone("sort.constprop.0"), "sort");
    EXPECT_EQ(without_clone("sort.part.0.isra.1.cold"), "sort");
    EXPECT_EQ(without_clone("f(int) [clone .cold]"), "f(int)");
    EXPECT_EQ(without_clone("libc.so.6+0x1234"), "libc.so.6+0x1234");
    EXPECT_EQ(without_clone("main.main"), "main.main");
    EXPECT_EQ(without_clone(".plt"), ".plt");
}

TEST(Compare, FindingsComeGoAndChange) {
    auto base = runs({{"a", 1}});
    auto other = base;
    for (auto& one : base) {
        one.findings = {{"lock-contention", "a", "waits", 0.2}, {"io-wait", "b", "reads", 0.1}};
    }
    for (auto& one : other) {
        one.findings = {{"lock-contention", "a", "waits", 0.4}, {"page-faults", "c", "faults", 0.1}};
    }
    const auto comparison = compare(base, other);
    ASSERT_EQ(comparison.findings.gone.size(), 1U);
    EXPECT_EQ(comparison.findings.gone[0].kind, "io-wait");
    ASSERT_EQ(comparison.findings.added.size(), 1U);
    EXPECT_EQ(comparison.findings.added[0].kind, "page-faults");
    ASSERT_EQ(comparison.findings.changed.size(), 1U);
    EXPECT_NEAR(comparison.findings.changed[0].other_share, 0.4, 1e-9);
    EXPECT_TRUE(compare(base, base).findings.changed.empty());
}

TEST(Compare, LimitsAreExceededBySignificantDifferences) {
    const auto comparison = compare(runs({{"parse", 2}, {"sort", 1}}), runs({{"parse", 2}, {"sort", 1.2}}));
    EXPECT_EQ(exceeded(comparison, {{kProcessorTime, 0.03}}).size(), 1U);
    EXPECT_EQ(exceeded(comparison, {{kProcessorTime, 0.10}}).size(), 0U);
    EXPECT_EQ(exceeded(comparison, {{function("sort"), 0.1}, {function("parse"), 0.0}}).size(), 1U);
    EXPECT_EQ(exceeded(comparison, {{function("nowhere"), 0.0}}).size(), 0U);
    const auto equal = compare(runs({{"parse", 2}}), runs({{"parse", 2}}));
    EXPECT_EQ(exceeded(equal, {{kProcessorTime, 0.0}}).size(), 0U);
}

TEST(Compare, LinesAreCountedFromTheirFunction) {
    auto base = runs({{"sort", 1}});
    auto other = runs({{"sort", 2}});
    for (auto& one : base) {
        one.rows[function("sort")].lines = {{2, 0.5 * kSecond}, {3, 0.5 * kSecond}};
        one.rows[function("sort")].line = 10;
    }
    for (auto& one : other) {
        one.rows[function("sort")].lines = {{2, 0.5 * kSecond}, {3, 1.5 * kSecond}};
        one.rows[function("sort")].line = 40;  // lines were added above it
        one.rows[function("sort")].file = "sort.cpp";
    }
    const auto comparison = compare(base, other);
    const Change* const sort = comparison.find(function("sort"));
    ASSERT_NE(sort, nullptr);
    EXPECT_EQ(sort->line, 40U);
    ASSERT_FALSE(sort->lines.empty());
    EXPECT_EQ(sort->lines[0].line, 3);
    EXPECT_NEAR(sort->lines[0].difference / kSecond, 1, 0.01);
}

}  // namespace
}  // namespace kymo::compare
