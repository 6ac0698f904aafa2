#include "spacetime/spaces/patterns.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

constexpr std::uint32_t kA = 1, kB = 2, kC = 3, kS = 19;

Stretches occurrences_of(std::string_view letters) {
    Stretches runs(1);
    std::uint64_t time = 0;
    for (const char letter : letters) {
        const std::uint32_t node = letter == '.' ? kNone : static_cast<std::uint32_t>(letter - 'A' + 1);
        const std::int64_t count = letter == 'S' ? 5 : 1;
        add_sample(&runs, {time, time + 10, node, std::span(&count, 1)});
        time += 10;
    }
    return occurrences(runs);
}

TEST(Patterns, TellTheSameNodeByItsNeighbours) {
    Patterns patterns;
    patterns.add(occurrences_of("ASSSBCSBASSSSSB"));  // A → S → B twice, C → S → B once
    const PatternSums& after_a = patterns.triples().at({kA, kS, kB});
    EXPECT_EQ(after_a.durations.count, 2U);
    EXPECT_EQ(after_a.durations.total, 80U);
    EXPECT_EQ(after_a.durations.longest, 50U);
    EXPECT_EQ(after_a.samples, 8U);
    EXPECT_EQ(after_a.sums, (std::vector<std::int64_t>{40}));
    const PatternSums& after_c = patterns.triples().at({kC, kS, kB});
    EXPECT_EQ(after_c.durations.count, 1U);
    EXPECT_EQ(after_c.durations.total, 10U);

    EXPECT_EQ(patterns.by_after().at({kNone, kS, kB}).durations.count, 3U);
    EXPECT_EQ(patterns.by_before().at({kA, kS, kNone}).durations.count, 2U);
    EXPECT_EQ(patterns.triples().at({kNone, kA, kS}).durations.count, 1U);  // the stream's begin
    EXPECT_EQ(patterns.triples().at({kS, kB, kNone}).durations.count, 1U);  // its end
}

TEST(Patterns, TimeAtNoNodeIsANeighbourAndNoPattern) {
    Patterns patterns;
    patterns.add(occurrences_of(".S."));
    ASSERT_EQ(patterns.triples().size(), 1U);
    EXPECT_EQ(patterns.triples().begin()->first, (PatternKey{kNone, kS, kNone}));
}

TEST(Patterns, OfHalfTheStreamsAddUpToAll) {
    const std::vector<std::string_view> streams = {"ASBASB", "CSB", "AASSB.S", "SSSS", "BACSBACS"};
    Patterns all;
    Patterns first;
    Patterns second;
    for (std::size_t i = 0; i < streams.size(); ++i) {
        all.add(occurrences_of(streams[i]));
        (i % 2 == 0 ? first : second).add(occurrences_of(streams[i]));
    }
    second.merge(first);
    EXPECT_EQ(second, all);
}

}  // namespace
}  // namespace kymo::spacetime
