#include "spacetime/spaces/occurrences.h"

#include <gtest/gtest.h>
#include <random>

namespace kymo::spacetime {
namespace {

constexpr std::uint32_t kNodeA = 1, kNodeB = 2;

// A letter a sample, 10 ns each, one count each; '.' is nowhere.
Stretches runs_of(std::string_view letters, std::uint64_t from = 0) {
    Stretches runs(1);
    const std::int64_t one = 1;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const std::uint32_t node = letters[i] == '.' ? kNone : static_cast<std::uint32_t>(letters[i] - 'A' + 1);
        add_sample(&runs, {from + 10 * i, from + 10 * (i + 1), node, std::span(&one, 1)});
    }
    return runs;
}

TEST(Runs, AreMaximalAndPartitionTheStream) {
    const Stretches runs = runs_of("AAABB.A");
    EXPECT_EQ(runs.node, (std::vector<std::uint32_t>{kNodeA, kNodeB, kNone, kNodeA}));
    EXPECT_EQ(runs.begin, (std::vector<std::uint64_t>{0, 30, 50, 60}));
    EXPECT_EQ(runs.end, (std::vector<std::uint64_t>{30, 50, 60, 70}));
    EXPECT_EQ(runs.samples, (std::vector<std::uint64_t>{3, 2, 1, 1}));
    EXPECT_EQ(runs.sums, (std::vector<std::int64_t>{3, 2, 1, 1}));
}

TEST(Runs, OfAStreamCutAnywhereAreThoseOfTheWhole) {
    const std::string_view letters = "AAABBABAAAAAABAAAA..CCA";
    const Stretches whole = runs_of(letters);
    for (std::size_t cut = 0; cut <= letters.size(); ++cut) {
        Stretches first = runs_of(letters.substr(0, cut));
        append(&first, runs_of(letters.substr(cut), 10 * cut));
        EXPECT_EQ(first, whole) << cut;
        EXPECT_EQ(occurrences(first), occurrences(whole)) << cut;
    }
}

TEST(Occurrences, BridgeOneForeignSampleInALongStretch) {
    const Stretches found = occurrences(runs_of("AAAABAAAA"));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.samples[0], 9U);
    EXPECT_EQ(found.bridged[0], 1U);
    EXPECT_EQ(found.duration(0), 90U);
    EXPECT_EQ(found.sums, (std::vector<std::int64_t>{9}));
    EXPECT_EQ(occurrences(runs_of("AAAABAAAABAAAA")).size(), 1U);  // more than one
}

TEST(Occurrences, DoNotBridgeWhatMayBeReal) {
    EXPECT_EQ(occurrences(runs_of("AAAABBAAAA")).size(), 3U);  // two samples
    EXPECT_EQ(occurrences(runs_of("AAABAAAA")).size(), 3U);    // a short side
    EXPECT_EQ(occurrences(runs_of("ABABABAB")).size(), 8U);    // an alternation
    EXPECT_EQ(occurrences(runs_of("AAAABCCCC")).size(), 3U);   // another node behind
    EXPECT_EQ(occurrences(runs_of("AAAABBAAAA"), {.samples = 2, .sides = 4}).size(), 1U);
    EXPECT_EQ(occurrences(runs_of("BAAAA")).size(), 2U);
}

TEST(Gaps, GoFromEndToNextBegin) {
    const Stretches found = occurrences(runs_of("AABBB.AABA"));
    const std::vector<Gap> of_a = gaps(found, kNodeA);
    ASSERT_EQ(of_a.size(), 2U);
    EXPECT_EQ(of_a[0].begin, 20U);
    EXPECT_EQ(of_a[0].end, 60U);
    EXPECT_EQ(of_a[0].before, 0U);
    EXPECT_EQ(of_a[0].after, 3U);  // rows 1 and 2 fill it
    EXPECT_EQ(of_a[1].end - of_a[1].begin, 10U);
    EXPECT_EQ(gaps(found, kNodeB).size(), 1U);
    EXPECT_TRUE(gaps(found, 77).empty());
}

TEST(Occurrences, AndTheTimeBetweenThemAddUpToTheStream) {
    std::mt19937 random(29);
    std::string letters;
    for (int i = 0; i < 5000; ++i) {
        letters.append(1 + random() % 12, "AABC."[random() % 5]);
    }
    const Stretches found = occurrences(runs_of(letters));
    std::uint64_t time = 0;
    std::uint64_t samples = 0;
    std::int64_t counts = 0;
    for (std::size_t row = 0; row < found.size(); ++row) {
        ASSERT_EQ(found.begin[row], row == 0 ? 0 : found.end[row - 1]);
        time += found.duration(row);
        samples += found.samples[row];
        counts += found.sums_of(row)[0];
    }
    EXPECT_EQ(time, 10 * letters.size());
    EXPECT_EQ(samples, letters.size());
    EXPECT_EQ(counts, static_cast<std::int64_t>(letters.size()));
}

TEST(DurationSums, AddUpInAnyOrder) {
    DurationSums all;
    DurationSums first;
    DurationSums second;
    for (const std::uint64_t ns : {0ULL, 1ULL, 2ULL, 3ULL, 1000ULL, ~0ULL >> 4U}) {
        all.add(ns);
        (ns % 2 == 0 ? first : second).add(ns);
    }
    second.merge(first);
    EXPECT_EQ(second, all);
    EXPECT_EQ(all.count, 6U);
    EXPECT_EQ(all.shortest, 0U);
    EXPECT_EQ(all.by_octave[0], 2U);
    EXPECT_EQ(all.by_octave[1], 2U);
    EXPECT_EQ(all.by_octave[9], 1U);
    EXPECT_EQ(all.by_octave[59], 1U);
}

}  // namespace
}  // namespace kymo::spacetime
