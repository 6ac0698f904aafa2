// Tokens filled by hand: coverage, holes, sums, and figures that cannot be.

#include "ring/protocol/token.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace kymo::ring {
namespace {

constexpr Entry kBusy{2, 2, 0, 8, kEvery};
constexpr Entry kQueue{2, 3, 0, 10, 0};
constexpr std::uint64_t kTokenJob = 5;

Token make(Mode mode, Slot first, Slot end) {
    TokenHeader header{};
    header.sequence = 1;
    header.oldest = 1;
    header.mode = mode;
    header.first = first;
    header.end = end;
    const Entry entries[] = {kBusy, kQueue};
    return Token::make(end, kTokenJob, 1, header, entries);
}

void give(Token& token, Slot slot, std::uint64_t value, PartState state = PartState::kOnTime) {
    Record records[2]{};
    records[0].add(value);
    records[1].add(value * 2);
    Part part{};
    part.state = state;
    part.slot = slot;
    token.contribute(part, 100 + slot, records);
}

Refusal reopened(Token& token, Token& read) {
    return Token::open(token.send(), read);
}

template <typename T>
void put(Bytes& frame, std::size_t at, T value) {
    std::memcpy(frame.data() + at, &value, sizeof value);
}

TEST(RingToken, ReducesOverSlotsAndTellsHoles) {
    Token token = make(Mode::kReduce, 2, 10);
    give(token, 2, 10);
    token.skip_to(5);
    give(token, 5, 30, PartState::kOffTime);
    token.skip_to(6);  // nothing is passed over
    give(token, 6, 20);
    token.skip_to(10);
    Token read;
    ASSERT_EQ(reopened(token, read), Refusal::kNone);
    EXPECT_EQ(read.header().contributed, 3U);
    EXPECT_EQ(read.header().off_time, 1U);
    EXPECT_EQ(read.header().hops, 3U);
    EXPECT_EQ(read.holes(), 5U);
    EXPECT_EQ(read.header().hole_ranges, 2U);
    EXPECT_EQ(read.header().holes[0], (HoleRange{3, 2}));
    EXPECT_EQ(read.header().holes[1], (HoleRange{7, 3}));
    EXPECT_EQ(read.record(0), (Record{60, 0, 10, 30, 3, 3}));
    EXPECT_EQ(read.record(1), (Record{120, 0, 20, 60, 3, 3}));
    EXPECT_EQ(read.header().earliest, 102U);
    EXPECT_EQ(read.header().latest, 106U);
}

TEST(RingToken, AppendsAPartForEachSlotHolesIncluded) {
    Token token = make(Mode::kAppend, 0, 4);
    token.skip_to(1);
    give(token, 1, 7);
    token.skip_to(3);
    give(token, 3, 9);
    Token read;
    ASSERT_EQ(reopened(token, read), Refusal::kNone);
    EXPECT_EQ(read.bytes(), Token::bytes_at_home(Mode::kAppend, 2, 4));
    EXPECT_EQ(read.part(0).state, PartState::kHole);
    EXPECT_EQ(read.part(1).state, PartState::kOnTime);
    EXPECT_EQ(read.part(2).slot, 2U);
    EXPECT_EQ(read.record(3, 1), (Record{18, 0, 18, 18, 1, 1}));
    EXPECT_EQ(read.record(2, 1), Record{});
}

TEST(RingToken, CountsHolesEvenWhereItCannotTellThemAll) {
    Token token = make(Mode::kReduce, 0, 64);
    for (Slot slot = 1; slot < 64; slot += 2) {  // each second one
        token.skip_to(slot);
        give(token, slot, 1);
    }
    Token read;
    ASSERT_EQ(reopened(token, read), Refusal::kNone);
    EXPECT_EQ(read.holes(), 32U);
    EXPECT_EQ(read.header().hole_ranges, kHoleRanges);
    EXPECT_EQ(read.header().hole_flags, kHolesUntold);
    EXPECT_EQ(read.record(0).known, 32U);
}

TEST(RingToken, HolesThatTouchAreOneRange) {
    Token token = make(Mode::kReduce, 0, 9);
    token.skip_to(2);
    token.skip_to(5);
    give(token, 5, 1);
    Token read;
    ASSERT_EQ(reopened(token, read), Refusal::kNone);
    EXPECT_EQ(read.header().hole_ranges, 1U);
    EXPECT_EQ(read.header().holes[0], (HoleRange{0, 5}));
}

TEST(RingToken, SumsKeepWhatIsBeyond64Bits) {
    Token token = make(Mode::kReduce, 0, 3);
    for (Slot slot = 0; slot < 3; ++slot) {
        give(token, slot, UINT64_MAX);
    }
    Token read;
    ASSERT_EQ(reopened(token, read), Refusal::kNone);
    EXPECT_EQ(read.record(0).sum_high, 2U);
    EXPECT_EQ(read.record(0).sum_low, UINT64_MAX - 2);
    EXPECT_DOUBLE_EQ(read.record(0).mean(), 18446744073709551615.0);
}

TEST(RingToken, AnyOrderOfJoiningGivesTheSame) {
    std::mt19937_64 random(1);
    std::vector<Record> all(20);
    for (Record& each : all) {
        const std::uint64_t values = random() % 3;
        for (std::uint64_t i = 0; i < values; ++i) {
            each.add(random());
        }
        if (random() % 2 == 0) {
            each.add_unknown();
        }
        EXPECT_TRUE(each.is_possible(1));
    }
    Record forward{};
    for (const Record& each : all) {
        forward.join(each);
    }
    std::shuffle(all.begin(), all.end(), random);
    Record left{};
    Record right{};
    for (std::size_t i = 0; i < all.size(); ++i) {
        (i % 2 == 0 ? left : right).join(all[i]);
    }
    right.join(left);
    EXPECT_EQ(forward, right);
    EXPECT_TRUE(forward.is_possible(20));
}

TEST(RingToken, FiguresThatCannotBeAreRefused) {
    Token token = make(Mode::kReduce, 2, 10);
    give(token, 2, 10);
    token.skip_to(4);
    give(token, 4, 30);
    const Bytes good = token.send();
    const auto refusal = [&](std::size_t at, auto value) {
        Bytes frame = good;
        put(frame, at, value);
        Token read;
        return Token::open(std::move(frame), read);
    };
    Token read;
    ASSERT_EQ(Token::open(good, read), Refusal::kNone);
    constexpr auto kBad = Refusal::kMalformed;
    EXPECT_EQ(refusal(12, std::uint32_t{9}), kBad) << "span beyond the roster";
    EXPECT_EQ(refusal(12, kMaxSlots + 1), kBad);
    EXPECT_EQ(refusal(32, std::uint64_t{0}), kBad) << "sequence 0";
    EXPECT_EQ(refusal(32, std::uint64_t{65}), kBad) << "64 in flight";
    EXPECT_EQ(refusal(40, std::uint64_t{2}), kBad) << "older than the oldest";
    EXPECT_EQ(refusal(64, std::uint64_t{1}), kBad) << "came home before it did";
    EXPECT_EQ(refusal(80, std::uint64_t{1}), kBad) << "announces itself";
    EXPECT_EQ(refusal(80, std::uint64_t{66}), kBad) << "announced too far ahead";
    EXPECT_EQ(refusal(100, std::uint32_t{4}), kBad) << "next beyond the end";
    EXPECT_EQ(refusal(104, std::uint32_t{1}), kBad) << "next before the first";
    EXPECT_EQ(refusal(104, std::uint32_t{6}), kBad) << "short without a word";
    EXPECT_EQ(refusal(108, std::uint32_t{1}), kBad) << "fewer hops than contributions";
    EXPECT_EQ(refusal(112, std::uint32_t{3}), kBad) << "covers what it does not";
    EXPECT_EQ(refusal(112, std::uint32_t{1}), kBad);
    EXPECT_EQ(refusal(116, std::uint32_t{3}), kBad);
    EXPECT_EQ(refusal(136, std::uint64_t{200}), kBad) << "earliest after the latest";
    EXPECT_EQ(refusal(160, std::uint8_t{3}), kBad) << "no such mode";
    EXPECT_EQ(refusal(164, std::uint16_t{9}), kBad) << "more ranges than there is room";
    EXPECT_EQ(refusal(164, std::uint16_t{0}), kBad) << "holes not told";
    EXPECT_EQ(refusal(166, std::uint16_t{1}), kBad) << "untold though there is room";
    EXPECT_EQ(refusal(168, std::uint32_t{1}), kBad) << "a hole before the span";
    EXPECT_EQ(refusal(172, std::uint32_t{UINT32_MAX}), kBad) << "a hole that wraps round";
    EXPECT_EQ(refusal(232, std::uint8_t{4}), kBad) << "no such kind";
    EXPECT_EQ(refusal(233, std::uint8_t{4}), kBad) << "no such level";
    EXPECT_EQ(refusal(233, std::uint8_t{1}), kBad) << "processors of a process";
    EXPECT_EQ(refusal(264, std::uint64_t{61}), kBad) << "a sum above known times greatest";
    EXPECT_EQ(refusal(272, std::uint64_t{1}), kBad) << "a sum of 2^64";
    EXPECT_EQ(refusal(280, std::uint64_t{31}), kBad) << "least above greatest";
    EXPECT_EQ(refusal(296, std::uint64_t{3}), kBad) << "more known than there are";
    EXPECT_EQ(refusal(304, std::uint64_t{UINT64_MAX}), kBad) << "more objects than two hosts can have";
    EXPECT_EQ(refusal(162, std::uint16_t{3}), Refusal::kTruncated);
    EXPECT_EQ(refusal(162, std::uint16_t{1}), Refusal::kOversized);
    EXPECT_EQ(refusal(162, std::uint16_t{1025}), kBad);
}

TEST(RingToken, PartsThatCannotBeAreRefused) {
    Token token = make(Mode::kAppend, 0, 4);
    token.skip_to(1);
    give(token, 1, 7);
    const Bytes good = token.send();
    const std::size_t parts = kTokenHeadBytes + 2 * sizeof(Entry);
    const std::size_t second = parts + sizeof(Part) + 2 * sizeof(Record);
    const auto refusal = [&](std::size_t at, auto value) {
        Bytes frame = good;
        put(frame, at, value);
        Token read;
        return Token::open(std::move(frame), read);
    };
    Token read;
    ASSERT_EQ(Token::open(good, read), Refusal::kNone);
    EXPECT_EQ(refusal(parts, std::uint8_t{1}), Refusal::kMalformed) << "a hole that says it is none";
    EXPECT_EQ(refusal(second, std::uint8_t{0}), Refusal::kMalformed) << "one that contributed as a hole";
    EXPECT_EQ(refusal(second, std::uint8_t{3}), Refusal::kMalformed);
    EXPECT_EQ(refusal(second + 4, std::uint32_t{0}), Refusal::kMalformed) << "another's slot";
    EXPECT_EQ(refusal(parts + 48 + 40, std::uint64_t{1}), Refusal::kMalformed) << "a hole with objects";
    EXPECT_EQ(refusal(second + 48 + 32, std::uint64_t{2}), Refusal::kMalformed);
}

TEST(RingToken, KnowsHowLongItWillBe) {
    EXPECT_EQ(Token::bytes_at_home(Mode::kReduce, 100, kMaxSlots), 232U + 100 * (16 + 48));
    EXPECT_EQ(Token::bytes_at_home(Mode::kAppend, 1, 3), 232U + 16 + 3 * 96);
    EXPECT_EQ(Token::bytes_at_home(Mode::kAppend, 1, kMaxSlots), 0U);
}

// Thousands of random walks of a token along random spans: what arrives is what was put in.
TEST(RingToken, RandomWalksKeepTheirSums) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        std::mt19937_64 random(seed);
        const auto first = static_cast<Slot>(random() % 5);
        const Slot end = first + 1 + static_cast<Slot>(random() % 30);
        const Mode mode = random() % 2 == 0 ? Mode::kReduce : Mode::kAppend;
        Token token = make(mode, first, end);
        std::uint64_t sum = 0;
        std::uint32_t given = 0;
        for (Slot slot = first; slot < end; ++slot) {
            if (random() % 3 == 0) {
                continue;
            }
            token.skip_to(slot);
            const std::uint64_t value = random() % 1'000'000;
            give(token, slot, value);
            sum += value;
            ++given;
            Token read;
            ASSERT_EQ(reopened(token, read), Refusal::kNone) << seed;
            token = std::move(read);
        }
        token.skip_to(end);
        Token home;
        ASSERT_EQ(reopened(token, home), Refusal::kNone) << seed;
        EXPECT_EQ(home.header().contributed, given);
        EXPECT_EQ(home.holes(), end - first - given);
        std::uint64_t read_sum = 0;
        for (std::size_t i = 0; mode == Mode::kAppend && i < end - first; ++i) {
            read_sum += home.record(i, 0).sum_low;
        }
        EXPECT_EQ(mode == Mode::kReduce ? home.record(0).sum_low : read_sum, sum) << seed;
    }
}

}  // namespace
}  // namespace kymo::ring
