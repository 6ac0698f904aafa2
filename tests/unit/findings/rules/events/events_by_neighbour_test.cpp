#include "../neighbourhoods.h"
#include "made_evidence.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

using testing::HasSubstr;

// `solve` after `scatter` and after `gather` in turn, of the same duration: it misses after `scatter`.
MadeEvidence after_two(const std::string& event, std::int64_t after_scatter, std::int64_t after_gather) {
    MadeEvidence made({event});
    const std::uint32_t parent = made.add_node("run");
    const std::uint32_t nodes[] = {made.add_node("scatter", parent), made.add_node("gather", parent)};
    const std::uint32_t solve = made.add_node("solve", parent);
    std::uint64_t time = 0;
    std::int64_t all = 0;
    const auto add = [&](std::uint32_t node, std::uint32_t before, std::uint32_t after, std::int64_t count) {
        made.add_occurrence(
            node, {.begin = time, .terms = {.user = 10 * kMs}, .deltas = {count}, .before = before, .after = after});
        time += 10 * kMs;
        all += count;
    };
    for (unsigned i = 0; i < 60; ++i) {
        // Not strictly in turn: what comes in turn could as well be every second one.
        const unsigned which = (i * i / 3) % 2;
        const unsigned next = ((i + 1) * (i + 1) / 3) % 2;
        add(nodes[which], solve, solve, 1'000);
        add(solve, nodes[which], nodes[next], (which == 0 ? after_scatter : after_gather) + i % 5);
    }
    made.add_occurrence(parent, {.terms = {.user = 1200 * kMs}, .deltas = {all}});
    return made;
}

const Finding* find_at(const std::vector<Finding>& findings, const std::string& function) {
    const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) {
        return finding.kind == "more-events" && finding.place.function == function;
    });
    return found == findings.end() ? nullptr : &*found;
}

TEST(EventsByNeighbour, NeedNoDifferenceInDuration) {
    MadeEvidence made = after_two("LLC-load-misses", 20'000, 1'000);
    const Judgement judgement = judge(made.finish());
    const auto& befores = made.evidence.nodes[3].rows.before;
    const auto after_scatter = static_cast<double>(std::count(befores.begin(), befores.end(), 1U));
    ASSERT_GT(after_scatter, 20);
    const Finding* finding = nullptr;
    for (const Finding& each : judgement.findings) {
        finding = each.title.find("more LLC-load-misses after") != std::string::npos ? &each : finding;
    }
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->place.function, "solve");
    EXPECT_THAT(finding->title, HasSubstr("20× more LLC-load-misses after `scatter`"));
    EXPECT_NEAR(finding->seconds, after_scatter * 19'000 * 120e-9, 0.001);  // by hand
    const Finding* advantage = find_at(judgement.advantages, "solve");
    ASSERT_NE(advantage, nullptr);
    EXPECT_THAT(advantage->title, HasSubstr("20× fewer LLC-load-misses after `gather`"));
    EXPECT_NEAR(advantage->seconds, (60 - after_scatter) * 19'000 * 120e-9, 0.001);
}

TEST(EventsByNeighbour, AreNoneWhereTheyAreTheSame) {
    for (const auto& [event, after_scatter] : {std::pair("LLC-load-misses", 1'000), std::pair("LLC-loads", 20'000)}) {
        MadeEvidence made = after_two(event, after_scatter, 1'000);
        const Judgement judgement = judge(made.finish());
        EXPECT_EQ(find(judgement.findings, "more-events"), nullptr) << event;
        EXPECT_EQ(find(judgement.advantages, "more-events"), nullptr) << event;
    }
}

// Every kind of event that costs something: both ways, at most at its cost.
TEST(EventsByNeighbour, AreOfEveryKind) {
    const std::pair<const char*, double> at_most[] = {{"page-faults", 20'000},      {"context-switches", 10'000},
                                                      {"cpu-migrations", 200'000},  {"minor-faults", 20'000},
                                                      {"major-faults", 10'000'000}, {"alignment-faults", 2'000},
                                                      {"stalled-cycles-backend", 1}};
    for (const auto& [event, ns] : at_most) {
        const auto many = static_cast<std::int64_t>(4 * kMs / ns);  // 4 ms of 10
        MadeEvidence made = after_two(event, std::max<std::int64_t>(20, many), many / 20);
        const Judgement judgement = judge(made.finish());
        const auto named = [&](const std::vector<Finding>& findings, const std::string& words) {
            return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
                return finding.is_cost_known && finding.seconds > 0.05 &&
                       finding.title.find(event) != std::string::npos &&
                       finding.title.find(words) != std::string::npos;
            });
        };
        EXPECT_TRUE(named(judgement.findings, "after `scatter`")) << event;
        EXPECT_TRUE(named(judgement.advantages, "after `gather`")) << event;
    }
}

TEST(EventsByNeighbour, WithoutAKnownCostAreToldInRates) {
    MadeEvidence made = after_two("retries", 20'000, 1'000);
    const Judgement judgement = judge(made.finish());
    const auto found = std::find_if(judgement.findings.begin(), judgement.findings.end(), [](const Finding& finding) {
        return finding.title.find("after `scatter`") != std::string::npos;
    });
    ASSERT_NE(found, judgement.findings.end());
    EXPECT_FALSE(found->is_cost_known);
    EXPECT_THAT(found->title, HasSubstr("20× more retries after `scatter`"));
    EXPECT_THAT(found->title, HasSubstr("What one of these retries costs is not known."));
    EXPECT_EQ(find(judgement.advantages, "more-events"), nullptr) << "nobody knows whether fewer are better";
}

// `select` misses before `store`, or only between `scatter` and `store`. Of equal duration.
MadeEvidence missing_beside(bool only_between) {
    return between_two(only_between, {"LLC-load-misses"}, {.terms = {.user = 10 * kMs}, .deltas = {1'000}},
                       {.terms = {.user = 10 * kMs}, .deltas = {60'000}});
}

std::vector<std::string> titles_at(const std::vector<Finding>& findings, const std::string& function) {
    std::vector<std::string> titles;
    for (const Finding& finding : findings) {
        if (finding.kind == "more-events" && finding.place.function == function) {
            titles.push_back(finding.title);
            for (const Finding& also : finding.also) {
                titles.push_back(also.title);
            }
        }
    }
    return titles;
}

TEST(EventsByNeighbour, MayBeTheOneBehind) {
    MadeEvidence made = missing_beside(false);
    const auto titles = titles_at(judge(made.finish()).findings, "select");
    EXPECT_THAT(titles, testing::Contains(HasSubstr("60× more LLC-load-misses before `store`")));
    EXPECT_THAT(titles, testing::Not(testing::Contains(HasSubstr("between")))) << "`store` says it all";
    EXPECT_THAT(titles, testing::Not(testing::Contains(HasSubstr(" after ")))) << "it is the same after either";
}

TEST(EventsByNeighbour, MayBeTwo) {
    MadeEvidence made = missing_beside(true);
    const auto titles = titles_at(judge(made.finish()).findings, "select");
    EXPECT_THAT(titles, testing::Contains(testing::AllOf(HasSubstr("more LLC-load-misses between `scatter`"),
                                                         HasSubstr("and `store`"))));
}

}  // namespace
}  // namespace kymo::findings
