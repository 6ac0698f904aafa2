// Rules about where threads run: sharing a processor, and a machine that is not the program's alone.
#include "made_evidence.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <utility>

namespace kymo::findings {
namespace {

// Two threads for a second, each ready half of the time without a processor.
MadeEvidence queueing(bool on_one_processor, std::vector<std::int64_t> ready_ms) {
    MadeEvidence made({}, 3);
    const std::uint32_t node = made.add_node("solve");
    // A third thread is on the other processor, so that there is one.
    const std::uint32_t main = made.add_node("main");
    made.add_occurrence(main, {.thread = 2, .begin = 0, .terms = {.user = 10 * kMs}, .processor = 1});
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
        for (std::uint32_t i = 0; i < 50; ++i) {
            made.add_occurrence(node, {.thread = thread,
                                       .begin = i * 20 * static_cast<std::uint64_t>(kMs),
                                       .terms = {.user = 10 * kMs, .run_queue = 10 * kMs},
                                       .processor = on_one_processor ? 0 : (i + thread) % 2});
        }
    }
    for (const std::int64_t ms : ready_ms) {
        made.evidence.run.ready_ns.push_back(ms * kMs);
    }
    return made;
}

TEST(ThreadMigration, IsThreadsThatShareAProcessor) {
    MadeEvidence made = queueing(true, {0, 0, 1000});
    const Judgement judgement = judge(made.finish());
    ASSERT_FALSE(judgement.findings.empty());
    EXPECT_EQ(judgement.findings[0].kind, "thread-migration");
    EXPECT_EQ(judgement.findings[0].place.function, "solve");
    EXPECT_EQ(judgement.findings[0].threads, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_NEAR(judgement.findings[0].seconds, 1.0, 0.001);
    EXPECT_NEAR(judgement.findings[0].share, 0.5, 0.001);
}

// Each is in one piece of code from beginning to end, one of them in a process that begins later.
TEST(ThreadMigration, IsOfThreadsWithOneOccurrenceEach) {
    const auto judged = [](std::uint32_t second_processor) {
        MadeEvidence made({}, 2);
        const std::uint32_t node = made.add_node("solve");
        for (std::uint32_t thread = 0; thread < 2; ++thread) {
            made.add_occurrence(node, {.thread = thread,
                                       .begin = thread * 10 * static_cast<std::uint64_t>(kMs),
                                       .terms = {.user = 500 * kMs, .run_queue = 500 * kMs},
                                       .processor = thread == 0 ? 0 : second_processor});
        }
        made.evidence.run.ready_ns = {0, 0, 1000 * kMs};
        return judge(made.finish());
    };
    const Judgement judgement = judged(0);
    ASSERT_FALSE(judgement.findings.empty());
    EXPECT_EQ(judgement.findings[0].kind, "thread-migration");
    EXPECT_NEAR(judgement.findings[0].seconds, 1.0, 0.001);
    EXPECT_EQ(find(judgement.findings, "outside-interference"), nullptr);
    EXPECT_EQ(find(judged(1).findings, "thread-migration"), nullptr);
}

// Eight times two short threads after one another: the second of each two begins when the first has had its turn, and
// hardly waits.
TEST(ThreadMigration, IsOfShortThreadsOfWhichOneInTwoWaits) {
    MadeEvidence made({}, 17);
    const std::uint32_t main = made.add_node("main");
    made.add_occurrence(main, {.thread = 0, .terms = {.user = 5 * kMs, .waiting = 1600 * kMs}});
    const std::uint32_t node = made.add_node("path");
    for (std::uint32_t thread = 1; thread < 17; ++thread) {
        const bool is_first = thread % 2 == 1;
        made.add_occurrence(node, {.thread = thread,
                                   .begin = (thread - 1) * 100 * static_cast<std::uint64_t>(kMs),
                                   .terms = {.user = 100 * kMs, .run_queue = is_first ? 100 * kMs : 3 * kMs}});
    }
    made.evidence.run.ready_ns = {0, 0, 1600 * kMs};
    const Judgement judgement = judge(made.finish());
    ASSERT_FALSE(judgement.findings.empty());
    EXPECT_EQ(judgement.findings[0].kind, "thread-migration");
    EXPECT_EQ(judgement.findings[0].place.function, "path");
    EXPECT_EQ(judgement.findings[0].threads, (std::vector<std::uint32_t>{1, 3, 5, 7, 9, 11, 13, 15}));
    EXPECT_NEAR(judgement.findings[0].seconds, 0.824, 0.001);
}

// One thread works, and another program has a quarter of its processor; what else stays there rests.
TEST(ThreadMigration, IsNotOfAThreadThatWaitsForOthers) {
    MadeEvidence made({}, 2);
    const std::uint32_t main = made.add_node("main");
    made.add_occurrence(main, {.thread = 0, .terms = {.user = 6 * kMs, .waiting = 994 * kMs}});
    const std::uint32_t node = made.add_node("solve");
    made.add_occurrence(node, {.thread = 1, .terms = {.user = 750 * kMs, .run_queue = 250 * kMs}});
    made.evidence.run.ready_ns = {0, 1000 * kMs};
    const Judgement judgement = judge(made.finish());
    EXPECT_EQ(find(judgement.findings, "thread-migration"), nullptr);
    EXPECT_NE(find(judgement.findings, "outside-interference"), nullptr);
}

// A tenth of its samples elsewhere: nothing holds it there.
TEST(ThreadMigration, IsNotOfThreadsThatMove) {
    MadeEvidence made = queueing(true, {0, 0, 1000});
    made.evidence.run.threads[0].processors.push_back({1, 100});
    EXPECT_EQ(find(judge(made.finish()).findings, "thread-migration"), nullptr);
}

// As on any virtual machine.
TEST(ThreadMigration, IsFirstThoughAFewTicksComeLate) {
    MadeEvidence made = queueing(true, {0, 0, 1000});
    made.evidence.run.threads[0].taken = 4 * kMs;
    const Judgement judgement = judge(made.finish());
    ASSERT_FALSE(judgement.findings.empty());
    EXPECT_EQ(judgement.findings[0].kind, "thread-migration");
}

// Threads lack processors for 400 ms of a run of about a second, and one occurrence of a hundred waits a little
// longer.
TEST(OutsideInterference, HidesUntestedDifferencesATwentiethAsLarge) {
    const auto is_told = [](std::int64_t more_ms, std::size_t slow, bool is_disturbed) {
        constexpr std::array<int, 6> kSlow = {4, 15, 21, 40, 58, 77};
        MadeEvidence made;
        const std::uint32_t node = made.add_node("step");
        const std::uint32_t sleep = made.add_wait_target(recording::WaitKind::kSleep, "step");
        std::uint64_t time = 0;
        for (int i = 0; i < 100; ++i) {
            const std::int64_t more =
                std::find(kSlow.begin(), kSlow.begin() + slow, i) != kSlow.begin() + slow ? more_ms * kMs : 0;
            const std::int64_t queue = is_disturbed ? 4 * kMs : 0;
            MadeOccurrence occurrence{.begin = time, .terms = {.user = 6 * kMs, .run_queue = queue, .waiting = more}};
            if (more != 0) {
                occurrence.waits = {{sleep, more}};
            }
            made.add_occurrence(node, occurrence);
            time += static_cast<std::uint64_t>(6 * kMs + queue + more);
        }
        made.evidence.run.ready_ns = {0, static_cast<std::int64_t>(time)};
        const Judgement judgement = judge(made.finish());
        EXPECT_EQ(find(judgement.findings, "outside-interference") != nullptr, is_disturbed);
        return find(judgement.findings, "slow-instance") != nullptr;
    };
    EXPECT_TRUE(is_told(19, 1, false));
    EXPECT_FALSE(is_told(19, 1, true));
    EXPECT_TRUE(is_told(21, 1, true));
    EXPECT_TRUE(is_told(19, 6, true));  // enough to be tested
}

TEST(OutsideInterference, IsWaitingForProcessorsThatOthersHave) {
    MadeEvidence made = queueing(false, {0, 0, 1000});
    const Judgement judgement = judge(made.finish());
    ASSERT_EQ(judgement.findings.size(), 1U);
    EXPECT_EQ(judgement.findings[0].kind, "outside-interference");
    EXPECT_EQ(judgement.findings[0].place, spacetime::Place{});
    EXPECT_FALSE(judgement.findings[0].when.empty());
}

// A thread that is woken a hundred thousand times a second is ready for some microseconds each time.
TEST(OutsideInterference, IsNotTheTimeThatWakingTakes) {
    const auto is_told = [](std::uint64_t switches) {
        MadeEvidence made = queueing(false, {0, 0, 1000});
        made.evidence.run.threads[0].voluntary = switches / 2;
        made.evidence.run.threads[1].voluntary = switches / 2;
        return find(judge(made.finish()).findings, "outside-interference") != nullptr;
    };
    EXPECT_TRUE(is_told(1'000));
    EXPECT_FALSE(is_told(100'000));  // 10 µs each
}

// A program that starts others: while they are loaded they use processors, and nothing measures it.
TEST(OutsideInterference, IsNotTheLoadingOfItsOwnProcesses) {
    const auto is_told = [](std::uint64_t processes) {
        MadeEvidence made = queueing(false, {0, 0, 1000});
        made.finish();
        spacetime::RunFacts& run = made.evidence.run;
        run.processes = {{.pid = 1, .name = "sh", .begin = run.threads[0].begin, .end = run.threads[0].end}};
        for (std::uint64_t i = 0; i < processes; ++i) {
            const std::uint64_t begin = i * 20 * kMs;
            run.processes.push_back(
                {.pid = 2 + i, .parent = 0, .name = "true", .begin = begin, .end = begin + 10 * kMs});
        }
        return find(judge(made.evidence).findings, "outside-interference") != nullptr;
    };
    EXPECT_TRUE(is_told(10));
    EXPECT_FALSE(is_told(100));
}

// A hundred occurrences of 10 ms; in each the host had the processor for so much of it, and did not say so.
TEST(OutsideInterference, IsAProcessorTakenUnsaid) {
    const auto judged = [](std::int64_t taken_us) {
        MadeEvidence made;
        const std::uint32_t node = made.add_node("step");
        for (std::uint64_t i = 0; i < 100; ++i) {
            const std::int64_t taken = taken_us * 1'000;
            made.add_occurrence(
                node,
                {.begin = i * 10 * kMs, .terms = {.user = 10 * kMs - taken, .run_queue = taken}, .taken = taken});
        }
        made.evidence.run.processors = 2;
        made.finish();
        // The thread's own sums have it as work.
        spacetime::RunFacts& run = made.evidence.run;
        for (spacetime::TimeTerms* total : {&run.total, &run.threads[0].total}) {
            total->user += std::exchange(total->run_queue, 0);
        }
        return judge(made.evidence);
    };
    EXPECT_TRUE(judged(400).findings.empty());
    const Judgement judgement = judged(4'000);
    ASSERT_EQ(judgement.findings.size(), 1U);
    EXPECT_EQ(judgement.findings[0].kind, "outside-interference");
    EXPECT_NEAR(judgement.findings[0].seconds, 0.4, 0.05);
    EXPECT_NE(judgement.findings[0].title.find("does not account for took processors"), std::string::npos)
        << judgement.findings[0].title;
    EXPECT_FALSE(judgement.findings[0].when.empty());
}

TEST(OutsideInterference, IsNotTheProgramsOwnCrowd) {
    // Always six threads ready on two processors: four of them must wait.
    MadeEvidence made = queueing(false, {0, 0, 0, 0, 0, 0, 1000});
    EXPECT_EQ(find(judge(made.finish()).findings, "outside-interference"), nullptr);
    MadeEvidence held = queueing(true, {0, 0, 0, 0, 0, 0, 1000});
    EXPECT_EQ(find(judge(held.finish()).findings, "thread-migration"), nullptr);
}

TEST(OutsideInterference, OfOccurrencesThatWerePreemptedIsNoSlownessOfTheCode) {
    MadeEvidence made;
    const std::uint32_t node = made.add_node("step");
    std::uint64_t time = 0;
    for (int i = 0; i < 100; ++i) {
        const std::int64_t queue = i == 20 || i == 33 || i == 34 || i == 81 ? 12 * kMs : 0;
        made.add_occurrence(node, {.begin = time, .terms = {.user = 10 * kMs, .run_queue = queue}});
        time += static_cast<std::uint64_t>(10 * kMs + queue);
    }
    EXPECT_TRUE(judge(made.finish()).findings.empty());
}

}  // namespace
}  // namespace kymo::findings
