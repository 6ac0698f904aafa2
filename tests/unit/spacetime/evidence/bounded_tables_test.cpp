// Tables of pairs and patterns stay within their bounds, lose nothing, and are the same in whatever order and by
// however many tables they were counted.
#include "spacetime/evidence/occurrences/pair_table.h"
#include "spacetime/evidence/occurrences/pattern_table.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace kymo::spacetime {
namespace {

constexpr std::uint32_t kFew = PairTable::kFewSamples;

using PairRows = std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint64_t, std::int64_t>>;

PairRows rows_of(const PairTable& table) {
    PairRows rows;
    for (std::size_t row = 0; row < table.size(); ++row) {
        const std::uint64_t key = table.key(row);
        rows[{static_cast<std::uint32_t>(key >> 32U), static_cast<std::uint32_t>(key)}] = {table.occurrences(row),
                                                                                           table.sums(row)[0]};
    }
    return rows;
}

void add(PairTable& table, std::uint32_t a, std::uint32_t b, std::int64_t value) {
    table.add(table.row(a, b), 1, {&value, 1});
}

TEST(PairTable, AddressesWithFewSamplesAreOneWhenPairsDoNotFit) {
    const std::vector<std::uint64_t> samples = {100, 100, 3, 1, 1};
    PairTable table(1, samples, 5);
    add(table, 0, 1, 10);
    add(table, 1, 0, 20);
    add(table, 0, 0, 30);
    add(table, 2, 3, 40);
    add(table, 2, 4, 50);
    EXPECT_EQ(table.floor(), 1U);
    EXPECT_EQ(table.size(), 5U);
    add(table, 1, 1, 60);  // the sixth: 3 and 4, with one sample each, become one
    EXPECT_EQ(table.floor(), 2U);
    EXPECT_EQ(
        rows_of(table),
        (PairRows{{{0, 1}, {1, 10}}, {{1, 0}, {1, 20}}, {{0, 0}, {1, 30}}, {{2, kFew}, {2, 90}}, {{1, 1}, {1, 60}}}));
    EXPECT_EQ(table.find(2, 3), table.find(2, 4));
    EXPECT_EQ(table.find(3, 2), kNone);
    add(table, 4, 0, 70);            // and 2, with three, at 4
    EXPECT_EQ(table.floor(), 128U);  // (0, 1), (1, 0), (0, 0), (1, 1), (few, few), (few, 0): six even then
    EXPECT_EQ(rows_of(table), (PairRows{{{kFew, kFew}, {7, 280}}}));
}

TEST(PairTable, WithoutABoundNothingIsTakenTogether) {
    PairTable table(1);
    for (std::uint32_t i = 0; i < 10'000; ++i) {
        add(table, i, i + 1, 1);
    }
    EXPECT_EQ(table.size(), 10'000U);
    EXPECT_EQ(table.floor(), 1U);
}

// A walk at random over 3,000 addresses, some of them visited far more often.
std::vector<std::uint32_t> walk(std::size_t steps, std::vector<std::uint64_t>& samples) {
    std::mt19937 random(7);
    std::vector<std::uint32_t> path;
    samples.assign(3000, 0);
    for (std::size_t i = 0; i < steps; ++i) {
        const auto most = random() % 4 == 0 ? 3000U : 20U;
        path.push_back(static_cast<std::uint32_t>(random() % most));
        ++samples[path.back()];
    }
    return path;
}

TEST(PairTable, StaysWithinItsBoundAndTheSameHoweverItIsCounted) {
    std::vector<std::uint64_t> samples;
    const std::vector<std::uint32_t> path = walk(200'000, samples);
    constexpr std::size_t kMost = 2000;
    PairRows first;
    for (const std::size_t tables : {1U, 2U, 5U}) {
        std::vector<PairTable> parts(tables, PairTable(1, samples, kMost));
        std::int64_t all = 0;
        for (std::size_t i = 1; i < path.size(); ++i) {
            const std::size_t at = tables == 2 ? path.size() - i : i;  // once backwards
            add(parts[i % tables], path[at - 1], path[at], static_cast<std::int64_t>(at));
            all += static_cast<std::int64_t>(at);
        }
        PairTable whole(1, samples, kMost);
        for (const PairTable& part : parts) {
            EXPECT_LE(part.size(), kMost);
            whole.merge(part);
        }
        EXPECT_LE(whole.size(), kMost);
        EXPECT_GE(whole.size(), 400U);  // those of the twenty that are visited most are all told apart
        const PairRows rows = rows_of(whole);
        std::uint64_t occurrences = 0;
        for (const auto& [key, row] : rows) {
            occurrences += row.first;
            all -= row.second;
        }
        EXPECT_EQ(occurrences, path.size() - 1);
        EXPECT_EQ(all, 0);
        first = first.empty() ? rows : first;
        EXPECT_TRUE(rows == first) << tables << " tables, floor " << whole.floor();
    }
}

using PatternRows = std::map<PatternKey, std::pair<std::uint64_t, std::int64_t>>;

PatternRows rows_of(const PatternTable& table) {
    PatternRows rows;
    for (const auto& [key, record] : table) {
        rows[key] = {record.durations.count, record.sums[0]};
    }
    return rows;
}

void add(PatternTable& table, const PatternKey& key, std::int64_t value) {
    PatternRecord& record = table.at(key);
    record.durations.add(static_cast<std::uint64_t>(value));
    record.sums.resize(1);
    record.sums[0] += value;
}

TEST(PatternTable, NeighboursWithLittleTimeAreTheParentsOwnCodeWhenPatternsDoNotFit) {
    const auto samples = std::make_shared<std::vector<std::uint64_t>>(std::vector<std::uint64_t>{50, 40, 1, 1});
    PatternTable table(samples, 3);
    add(table, {1, 0, 2}, 10);
    add(table, {1, 0, 3}, 20);
    add(table, {kStreamEdge, 2, 1}, 30);
    const std::uint64_t before = table.generation();
    add(table, {1, 0, 1}, 40);
    EXPECT_NE(table.generation(), before);
    EXPECT_EQ(rows_of(table), (PatternRows{{{1, 0, kParentItself}, {2, 30}},
                                           {{kStreamEdge, 2, 1}, {1, 30}},  // the visited node itself stays
                                           {{1, 0, 1}, {1, 40}}}));
}

TEST(PatternTable, StaysWithinItsBoundAndTheSameHoweverItIsCounted) {
    std::vector<std::uint64_t> counted;
    const std::vector<std::uint32_t> path = walk(100'000, counted);
    const auto samples = std::make_shared<std::vector<std::uint64_t>>(counted);
    constexpr std::size_t kMost = 12'000;
    PatternRows first;
    for (const std::size_t tables : {1U, 3U}) {
        std::vector<PatternTable> parts(tables, PatternTable(samples, kMost));
        for (std::size_t i = 1; i + 1 < path.size(); ++i) {
            add(parts[i % tables], {path[i - 1], path[i], path[i + 1]}, static_cast<std::int64_t>(i));
        }
        PatternTable whole(samples, kMost);
        for (const PatternTable& part : parts) {
            whole.merge(part);
        }
        EXPECT_LE(whole.size(), kMost);
        const PatternRows rows = rows_of(whole);
        std::uint64_t occurrences = 0;
        for (const auto& [key, row] : rows) {
            occurrences += row.first;
        }
        EXPECT_EQ(occurrences, path.size() - 2);
        first = first.empty() ? rows : first;
        EXPECT_TRUE(rows == first);
    }
}

}  // namespace
}  // namespace kymo::spacetime
