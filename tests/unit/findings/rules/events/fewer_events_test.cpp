#include "findings/statistics/random.h"
#include "made_evidence.h"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace kymo::findings {
namespace {

using testing::HasSubstr;

constexpr int kOccurrences = 120;

// Six or ten of 60 take 10 ms and not 30, without the misses: so many times 20 ms are saved.
TEST(FewerEvents, MayBeOfAFew) {
    const std::vector<int> few[] = {{4, 5, 17, 33, 34, 52}, {1, 4, 5, 17, 18, 23, 33, 34, 47, 52}};
    for (const std::vector<int>& which : few) {
        MadeEvidence made({"cache-misses"});
        const std::uint32_t node = made.add_node("assemble");
        std::uint64_t time = 0;
        for (int i = 0; i < 60; ++i) {
            const bool is_fast = std::find(which.begin(), which.end(), i) != which.end();
            const MadeOccurrence occurrence{.begin = time,
                                            .terms = {.user = (is_fast ? 10 : 30) * kMs + (i % 7) * kMs / 100},
                                            .deltas = {(is_fast ? 1'000 : 300'000) + i % 5}};
            made.add_occurrence(node, occurrence);
            time += static_cast<std::uint64_t>(occurrence.terms.wall());
        }
        const Judgement judgement = judge(made.finish());
        EXPECT_TRUE(judgement.findings.empty());
        const Finding* advantage = find(judgement.advantages, "more-events");
        ASSERT_NE(advantage, nullptr);
        EXPECT_THAT(advantage->title, HasSubstr(fmt::format("{} of the 60 occurrences of `assemble`", which.size())));
        EXPECT_NEAR(advantage->seconds, static_cast<double>(which.size()) * 0.020, 0.001);
    }
}

// Most are slow: a quarter of 120 take 10 ms instead of 30, and only they have hardly any misses.
TEST(FewerEvents, InTheFastOccurrencesAreAnAdvantage) {
    MadeEvidence made({"cache-misses"});
    const std::uint32_t node = made.add_node("assemble");
    Random random(0xfa57);
    std::uint64_t time = 0;
    int fast = 0;
    for (int i = 0; i < kOccurrences; ++i) {
        const bool is_fast = random.below(4) == 0;  // in no order
        fast += is_fast ? 1 : 0;
        const MadeOccurrence occurrence{.begin = time,
                                        .terms = {.user = (is_fast ? 10 : 30) * kMs + (i % 7) * kMs / 100},
                                        .deltas = {(is_fast ? 1'000 : 300'000) + i % 5}};
        made.add_occurrence(node, occurrence);
        time += static_cast<std::uint64_t>(occurrence.terms.wall());
    }
    ASSERT_LT(fast * 2, kOccurrences);
    const Judgement judgement = judge(made.finish());
    const Finding* advantage = find(judgement.advantages, "more-events");
    ASSERT_NE(advantage, nullptr);
    EXPECT_TRUE(advantage->tested);
    EXPECT_THAT(advantage->title, HasSubstr(fmt::format("{} of the 120 occurrences of `assemble`", fast)));
    EXPECT_THAT(advantage->title, HasSubstr("299× fewer cache-misses"));
    EXPECT_NEAR(advantage->seconds, fast * 0.020, 0.01);
    EXPECT_EQ(advantage->when.size(), static_cast<std::size_t>(fast));
    EXPECT_FALSE(advantage->direction.empty());
}

}  // namespace
}  // namespace kymo::findings
