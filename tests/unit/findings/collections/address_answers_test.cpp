// Addresses within one function, which no call path parts: their slow occurrences, gaps and neighbours by events. The
// function itself occurs once, so nothing is said of it.
#include "stored_program.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::collections {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kBoth = 1;  // the function
constexpr std::uint64_t kFirst = 16;
constexpr std::uint64_t kSecond = 48;
constexpr std::uint64_t kThird = 80;

StoredProgram one_function() {
    return StoredProgram({straight("main", 16), straight("both", 128)});
}

void run_at(StoredProgram* program, std::uint64_t offset, int samples, std::uint64_t misses) {
    for (int i = 0; i < samples; ++i) {
        program->sample(kBoth, offset, misses);
    }
}

bool is_one_of(const std::vector<int>& rounds, int round) {
    return std::find(rounds.begin(), rounds.end(), round) != rounds.end();
}

const findings::Finding* told(const std::vector<findings::Finding>& findings, const char* words) {
    const auto found = std::find_if(findings.begin(), findings.end(), [&](const findings::Finding& finding) {
        return finding.title.find(words) != std::string::npos;
    });
    return found == findings.end() ? nullptr : &*found;
}

const std::vector<int> kSlowRounds = {5, 22, 31, 48, 83};

// 100 rounds: ten samples at the first addresses with 1,000 misses each (in five rounds thirty, with 8,000 each), ten
// at the second. Of n samples at one place n − 1 pairs: 9 ms and 9,000 misses against 29 ms and 232,000; 5 · 20 ms of
// excess.
TEST(AddressesOfAFunction, HaveSlowOccurrencesByEvents) {
    StoredProgram program = one_function();
    for (int round = 0; round < 100; ++round) {
        const bool is_slow = is_one_of(kSlowRounds, round);
        run_at(&program, kFirst, is_slow ? 30 : 10, is_slow ? 8000 : 1000);
        run_at(&program, kSecond, 10, 0);
    }
    const findings::Judgement judgement = findings::judge(program.evidence());
    const findings::Finding* finding = told(judgement.findings, "5 of the 100 occurrences of `both`");
    ASSERT_NE(finding, nullptr);
    EXPECT_THAT(finding->title, HasSubstr("take 3.2× longer than the rest (29 ms against 9.0 ms) and account for 100 "
                                          "ms; they carry 26× more LLC-load-misses (232,000 each)."));
    EXPECT_TRUE(finding->tested);
    EXPECT_NEAR(finding->seconds, 0.1, 1e-6);
    ASSERT_EQ(finding->place.ranges.size(), 1U);
    EXPECT_EQ(finding->place.ranges[0], (ByteRange{address(kBoth, kFirst), address(kBoth, kFirst + 1)}));
    ASSERT_EQ(finding->when.size(), 5U);
    EXPECT_EQ(finding->when[0].begin, (5 * 20 + 1) * kMs);
    EXPECT_EQ(finding->when[0].end, (5 * 20 + 30) * kMs);
}

// The same, of the few fast ones: 25 of 100 rounds take 9 ms instead of 29 and save 20 ms each.
TEST(AddressesOfAFunction, HaveFastOccurrencesByEvents) {
    StoredProgram program = one_function();
    const std::vector<int> fast = {2,  3,  5,  7,  11, 13, 17, 19, 23, 29, 31, 37, 41,
                                   43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97};
    for (int round = 0; round < 100; ++round) {
        const bool is_slow = !is_one_of(fast, round);
        run_at(&program, kFirst, is_slow ? 30 : 10, is_slow ? 8000 : 1000);
        run_at(&program, kSecond, 10, 0);
    }
    const findings::Judgement judgement = findings::judge(program.evidence());
    const findings::Finding* advantage = told(judgement.advantages, "25 of the 100 occurrences of `both`");
    ASSERT_NE(advantage, nullptr);
    EXPECT_THAT(advantage->title, HasSubstr("are 3.2× faster than the rest (9.0 ms against 29 ms), which saves 500 "
                                            "ms; they have 26× fewer LLC-load-misses (9,000 each against 232,000)."));
}

// The gap between two occurrences of the first addresses has ten samples at the second and the one that comes back:
// 11 ms; in five rounds 31, with 8,000 misses in each of thirty samples and 1,000 in one: 241,000 against 11,000. The
// second goes from instruction to instruction, so that nothing in it lasts.
TEST(AddressesOfAFunction, HaveLongGapsByEvents) {
    StoredProgram program = one_function();
    for (int round = 0; round < 100; ++round) {
        const bool is_long = is_one_of(kSlowRounds, round);
        run_at(&program, kFirst, 10, 1000);
        for (std::uint64_t i = 0; i < (is_long ? 30U : 10U); ++i) {
            program.sample(kBoth, kSecond + i, is_long ? 8000 : 1000);
        }
    }
    const findings::Judgement judgement = findings::judge(program.evidence());
    const findings::Finding* finding = told(judgement.findings, "5 of the 99 gaps between occurrences of `both`");
    ASSERT_NE(finding, nullptr);
    EXPECT_THAT(finding->title, HasSubstr("last 2.8× longer than the rest (31 ms against 11 ms); they carry 22× more "
                                          "LLC-load-misses (241,000 each)."));
    EXPECT_NEAR(finding->seconds, 0.1, 1e-6);
}

TEST(AddressesOfAFunction, GapsAreNotToldWhereOneThingFillsThem) {
    StoredProgram program = one_function();
    for (int round = 0; round < 100; ++round) {
        const bool is_long = is_one_of(kSlowRounds, round);
        run_at(&program, kFirst, 10, 1000);
        run_at(&program, kSecond, is_long ? 30 : 10, is_long ? 8000 : 1000);
    }
    const findings::Judgement judgement = findings::judge(program.evidence());
    // The gaps of the one are the occurrences of the other, of which nothing else is said.
    EXPECT_NE(told(judgement.findings, "5 of the 100 occurrences of `both`"), nullptr);
    EXPECT_EQ(judgement.findings.size(), 1U) << "one cause, one finding";
}

// The first addresses after the second and after the third in turn, equally long: 9 pairs of 8,000 misses against 9
// of 1,000, 50 times: 50 · 63,000 · 120 ns would be 378 ms.
TEST(AddressesOfAFunction, HaveEventsByNeighbour) {
    StoredProgram program = one_function();
    for (int round = 0; round < 100; ++round) {
        run_at(&program, round % 2 == 0 ? kSecond : kThird, 10, 0);
        run_at(&program, kFirst, 10, round % 2 == 0 ? 8000 : 1000);
    }
    const findings::Judgement judgement = findings::judge(program.evidence());
    const findings::Finding* finding = told(judgement.findings, "more LLC-load-misses after");
    ASSERT_NE(finding, nullptr);
    EXPECT_THAT(finding->title, HasSubstr("`both` has 8.0× more LLC-load-misses after `both`"));
    EXPECT_THAT(finding->title, HasSubstr("(50 times, 72,000 each) than otherwise (50 times, 9,000 each)"));
}

}  // namespace
}  // namespace kymo::collections
