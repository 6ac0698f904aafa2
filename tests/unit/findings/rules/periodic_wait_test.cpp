#include "made_evidence.h"
#include "statistics/series.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

using recording::WaitKind;

constexpr std::int64_t kPause = 70 * kMs;

struct Made {
    WaitKind kind = WaitKind::kSleep;
    std::function<bool(int)> pauses = [](int round) { return round % 12 == 11; };
    std::int64_t pause = kPause;
    bool has_rounds = true;  // the loop's rounds were found
    int rounds = 60;
};

// A loop whose rounds take from 40 ms to over 1 s, as on a machine that others use as well: beside that the pause is
// nothing. In some rounds its thread waits in `save`, which is too small a part of the run to be a node of its own.
MadeEvidence noisy_loop(const Made& options) {
    MadeEvidence made;
    const std::uint32_t save = made.add_wait_target(options.kind, "save");
    const std::uint32_t lock = made.add_wait_target(WaitKind::kBarrier, "meet");
    const std::uint32_t work = made.add_node("work");
    const std::uint32_t rounds =
        options.has_rounds ? made.add_node("work", work, spacetime::SpaceKind::kIteration) : kNone;
    const std::uint32_t sweep = made.add_node("sweep", work);
    const std::uint32_t other = made.add_node("other", work);
    Random random(7);
    const std::vector<double> noise = stationary(static_cast<std::size_t>(options.rounds), 0.5, &random);
    const std::vector<double> others = stationary(static_cast<std::size_t>(options.rounds), 0.5, &random);
    std::uint64_t time = 0;
    std::int64_t all_met = 0;
    spacetime::TimeTerms all;
    spacetime::OccurrenceWait paused{save, 0};
    for (int round = 0; round < options.rounds; ++round) {
        const std::int64_t pause = options.pauses(round) ? options.pause : 0;
        const auto user = static_cast<std::int64_t>(2e8 * std::exp(0.6 * noise[static_cast<std::size_t>(round)]));
        const auto met = static_cast<std::int64_t>(3e7 * std::exp(0.8 * others[static_cast<std::size_t>(round)]));
        std::vector<spacetime::OccurrenceWait> waits = {{lock, met}};
        if (pause != 0) {
            waits.insert(waits.begin(), {save, pause});  // most time first
        }
        const spacetime::TimeTerms terms{.user = user, .waiting = met + pause};
        if (rounds != kNone) {
            made.add_occurrence(rounds, {.begin = time, .terms = terms, .waits = waits});
        }
        made.add_occurrence(sweep, {.begin = time, .terms = {.user = user}});
        made.add_occurrence(
            other,
            {.begin = time + static_cast<std::uint64_t>(user), .terms = {.waiting = met + pause}, .waits = waits});
        if (pause != 0) {
            const std::uint64_t begin = time + static_cast<std::uint64_t>(user + met);
            made.evidence.timed_waits.push_back({0, save, begin, begin + static_cast<std::uint64_t>(pause), pause});
        }
        time += static_cast<std::uint64_t>(terms.wall());
        all += terms;
        all_met += met;
        paused.ns += pause;
    }
    made.add_occurrence(work, {.terms = all, .waits = {{lock, all_met}, paused}});
    made.finish();
    made.evidence.run.threads[0].waits = {paused};
    made.evidence.run.ready_ns = {all.waiting, all.user};
    return made;
}

TEST(PeriodicWait, IsFoundByWhereTheWaitsLieInNoisyRounds) {
    const MadeEvidence made = noisy_loop({});
    const Judgement judgement = judge(made.evidence);
    const Finding* finding = find(judgement.findings, "periodic-pause");
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->place.function, "save");
    EXPECT_DOUBLE_EQ(finding->seconds, 5 * 0.070);
    EXPECT_TRUE(finding->tested);
    EXPECT_GE(finding->confidence, 0.95);
    EXPECT_TRUE(finding->is_compared);
    EXPECT_EQ(finding->when.size(), 5U);
    EXPECT_THAT(finding->title, testing::HasSubstr("Every 12 rounds of `work`"));
    EXPECT_THAT(finding->title, testing::HasSubstr("for 70 ms: 350 ms in all"));
    EXPECT_LE(judgement.control.findings, 0.2);
}

// A pipe to another process of the run is full every so often; a file takes what it is given when it likes to.
TEST(PeriodicWait, IsNoneOfAPipeWithinTheRun) {
    const auto is_told = [](recording::FileKind file) {
        MadeEvidence made = noisy_loop({.kind = WaitKind::kWrite});
        made.evidence.run.processes = {{.pid = 1, .parent = 0, .name = "gzip"}};
        made.evidence.wait_targets[0].object = static_cast<std::uint64_t>(file) << recording::kFileKindBit | 1;
        return find(judge(made.evidence).findings, "periodic-pause") != nullptr;
    };
    EXPECT_TRUE(is_told(recording::FileKind::kFile));
    EXPECT_FALSE(is_told(recording::FileKind::kPipe));
}

TEST(PeriodicWait, CountsOccurrencesWhereNoRoundsWereFound) {
    const MadeEvidence made = noisy_loop({.has_rounds = false});
    const Judgement judgement = judge(made.evidence);
    const Finding* finding = find(judgement.findings, "periodic-pause");
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->place.function, "save");
    EXPECT_DOUBLE_EQ(finding->seconds, 5 * 0.070);
}

TEST(PeriodicWait, NeedsAnEvenReturnOfOneThreadsOwnWait) {
    const auto kinds = [](const Made& options) {
        const Judgement judgement = judge(noisy_loop(options).evidence);
        return std::any_of(judgement.findings.begin(), judgement.findings.end(), [](const Finding& finding) {
            return finding.kind == "periodic-pause" && finding.title.find("waits in `save`") != std::string::npos;
        });
    };
    EXPECT_TRUE(
        kinds({.pauses = [](int round) { return round % 12 == 11 && round != 35; }, .rounds = 120}));  // one left out
    EXPECT_FALSE(kinds({.pauses = [](int round) { return round == 20 || round == 40; }}));  // no two distances
    EXPECT_FALSE(kinds({.pauses = [](int round) { return round % 2 == 0; }}));              // takes turns
    EXPECT_FALSE(kinds({.pauses = [](int round) { return round % 30 < 4; }}));              // comes in bunches
    const int irregular[] = {3, 4, 19, 33, 52};
    EXPECT_FALSE(kinds({.pauses = [&](int round) { return std::count(irregular, irregular + 5, round) != 0; }}));
    EXPECT_FALSE(kinds({.kind = WaitKind::kBarrier}));  // for another thread
    EXPECT_FALSE(kinds({.kind = WaitKind::kPoll}));     // for work
    EXPECT_FALSE(kinds({.pause = 10'000 * kMs}));       // it lives by that clock
}

// What chance gives: rounds drawn at random, many times.
TEST(PeriodicWait, AlarmsRarelyWhereRoundsAreDrawnAtRandom) {
    Random random(11);
    int alarms = 0;
    for (int run = 0; run < 100; ++run) {
        const std::uint64_t seed = random.next();
        const auto pauses = [&](int round) {
            return Random(seed + static_cast<std::uint64_t>(round)).below(12) == 0;
        };
        const MadeEvidence made = noisy_loop({.pauses = pauses});
        alarms += find(judge(made.evidence, {.rounds = 0}).findings, "periodic-pause") != nullptr ? 1 : 0;
    }
    EXPECT_LE(alarms, 12);  // of 100 at 5 %, 99.8 % of draws
}

}  // namespace
}  // namespace kymo::findings
