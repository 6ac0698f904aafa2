#include "made_evidence.h"

#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

// Six of 100 occurrences take nine times as long, with `progress` times the iterations.
MadeEvidence occurrences_with(double progress) {
    MadeEvidence made;
    const std::uint32_t node = made.add_node("move_particles");
    std::uint64_t time = 0;
    for (int i = 0; i < 100; ++i) {
        const bool is_slow = i == 3 || i == 14 || i == 15 || i == 49 || i == 66 || i == 92;
        const std::int64_t user = is_slow ? 90 * kMs : 10 * kMs;
        made.add_occurrence(node,
                            {.begin = time, .terms = {.user = user}, .progress = is_slow ? 1000 * progress : 1000});
        time += static_cast<std::uint64_t>(user);
    }
    return made;
}

TEST(MoreWork, IsProgressInProportion) {
    MadeEvidence made = occurrences_with(9);
    const Judgement judgement = judge(made.finish());
    ASSERT_EQ(judgement.findings.size(), 1U);
    EXPECT_EQ(judgement.findings[0].kind, "more-work");
    EXPECT_NEAR(judgement.findings[0].seconds, 0.48, 0.001);
}

// A fifth longer at four fifths of the speed is the same work, though the speed is near enough to the usual one.
TEST(MoreWork, IsNotAsMuchWorkALittleSlower) {
    for (const bool did_more : {false, true}) {
        MadeEvidence made;
        const std::uint32_t node = made.add_node("move_particles");
        std::uint64_t time = 0;
        for (int i = 0; i < 100; ++i) {
            const bool is_slow = i == 3 || i == 14 || i == 15 || i == 49 || i == 66 || i == 92;
            const std::int64_t user = is_slow ? 13 * kMs : 10 * kMs;
            const double of_slow = did_more ? 1250 : 1050;
            made.add_occurrence(node, {.begin = time, .terms = {.user = user}, .progress = is_slow ? of_slow : 1000});
            time += static_cast<std::uint64_t>(user);
        }
        EXPECT_EQ(find(judge(made.finish()).findings, "more-work") != nullptr, did_more);
    }
}

TEST(MoreWork, IsNotTheSameWorkDoneSlower) {
    for (const double progress : {1.0, 2.0, kUnknown}) {
        MadeEvidence made = occurrences_with(progress);
        const Judgement judgement = judge(made.finish());
        EXPECT_EQ(find(judgement.findings, "more-work"), nullptr) << progress;
        EXPECT_NE(find(judgement.findings, "slow-instance"), nullptr) << progress;
    }
}

// One of five occurrences, or three of 15, of so many times the usual length and progress.
MadeEvidence longer_occurrences(double times, int rounds) {
    MadeEvidence made;
    const std::uint32_t node = made.add_node("solve");
    std::uint64_t time = 0;
    for (int i = 0; i < 5 * rounds; ++i) {
        const double length = i % 5 == 2 ? times : 1;
        const auto user = static_cast<std::int64_t>(length * 400 * kMs);
        made.add_occurrence(node, {.begin = time, .terms = {.user = user}, .progress = 1000 * length});
        time += static_cast<std::uint64_t>(user);
    }
    return made;
}

// Rounds between which nothing was recorded look like one of twice the length.
TEST(MoreWork, IsNotOneOccurrenceThatMayBeTwo) {
    for (const double times : {1.97, 2.0, 3.05}) {
        MadeEvidence made = longer_occurrences(times, 1);
        const Judgement judgement = judge(made.finish());
        EXPECT_TRUE(judgement.findings.empty()) << times << " " << judgement.findings[0].title;
    }
    MadeEvidence half = longer_occurrences(2.5, 1);
    EXPECT_NE(find(judge(half.finish()).findings, "more-work"), nullptr);
    MadeEvidence often = longer_occurrences(2.0, 3);
    EXPECT_NE(find(judge(often.finish()).findings, "more-work"), nullptr);
}

}  // namespace
}  // namespace kymo::findings
