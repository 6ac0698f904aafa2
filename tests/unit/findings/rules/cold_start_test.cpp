#include "made_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

// 60 occurrences of 10 ms, the first of them `first` long.
MadeEvidence occurrences(std::int64_t first, std::uint32_t at = 0) {
    MadeEvidence made;
    const std::uint32_t node = made.add_node("load_table");
    std::uint64_t time = 0;
    for (std::uint32_t i = 0; i < 60; ++i) {
        const std::int64_t user = i == at ? first : 10 * kMs + (i % 5) * kMs / 10;
        made.add_occurrence(node, {.begin = time, .terms = {.user = user}});
        time += static_cast<std::uint64_t>(user);
    }
    return made;
}

TEST(ColdStart, IsTheFirstOccurrence) {
    MadeEvidence made = occurrences(300 * kMs);
    const Judgement judgement = judge(made.finish());
    ASSERT_FALSE(judgement.findings.empty());
    EXPECT_EQ(judgement.findings[0].kind, "cold-start");
    EXPECT_EQ(judgement.findings[0].place.function, "load_table");
    EXPECT_FALSE(judgement.findings[0].tested);
    EXPECT_NEAR(judgement.findings[0].seconds, 0.29, 0.001);
    ASSERT_EQ(judgement.findings[0].also.size(), 1U);
    EXPECT_EQ(judgement.findings[0].also[0].kind, "slow-instance");
}

// The main thread hands out work, and waits longest when it waits first. Where nobody works meanwhile (a file, a
// connection), the first wait is a cold start like any other.
TEST(ColdStart, IsNotTheFirstWaitForThoseWhoWork) {
    const auto is_told = [](bool others_work) {
        MadeEvidence made({}, 3);
        const std::uint32_t node = made.add_node("hand_out");
        std::uint64_t time = 0;
        for (int i = 0; i < 60; ++i) {
            const std::int64_t waiting = i == 0 ? 400 * kMs : 0;
            made.add_occurrence(node, {.begin = time, .terms = {.user = 10 * kMs, .waiting = waiting}});
            time += static_cast<std::uint64_t>(10 * kMs + waiting);
        }
        made.evidence.run.processors = 2;
        made.evidence.run.ready_ns = {others_work ? 0 : 400 * kMs, 0, others_work ? 1000 * kMs : 600 * kMs};
        return find(judge(made.finish()).findings, "cold-start") != nullptr;
    };
    EXPECT_TRUE(is_told(false));
    EXPECT_FALSE(is_told(true));
}

// It waits for another thread, and for it alone: that one may prepare something, this one does not.
TEST(ColdStart, IsNotTheFirstWaitForAnotherThread) {
    const auto is_told = [](recording::WaitKind kind) {
        MadeEvidence made({}, 2);
        const std::uint32_t node = made.add_node("take");
        const std::uint32_t target = made.add_wait_target(kind, "take", 1);
        std::uint64_t time = 0;
        for (int i = 0; i < 60; ++i) {
            MadeOccurrence occurrence{.begin = time, .terms = {.user = 10 * kMs}};
            if (i == 0) {
                occurrence.terms.waiting = 400 * kMs;
                occurrence.waits = {{target, 400 * kMs}};
            }
            made.add_occurrence(node, occurrence);
            time += static_cast<std::uint64_t>(occurrence.terms.wall());
        }
        made.evidence.run.processors = 2;
        made.evidence.run.ready_ns = {400 * kMs, 600 * kMs};
        return find(judge(made.finish()).findings, "cold-start") != nullptr;
    };
    EXPECT_TRUE(is_told(recording::WaitKind::kRead));
    EXPECT_FALSE(is_told(recording::WaitKind::kSemaphore));
    EXPECT_FALSE(is_told(recording::WaitKind::kChild));
}

// Of about 600 ms the first occurrence costs 11 or 14 more.
TEST(ColdStart, OfLessThanAFiftiethIsEveryThreadsOwn) {
    MadeEvidence small = occurrences(21 * kMs);
    EXPECT_EQ(find(judge(small.finish()).findings, "cold-start"), nullptr);
    MadeEvidence large = occurrences(24 * kMs);
    EXPECT_NE(find(judge(large.finish()).findings, "cold-start"), nullptr);
}

TEST(ColdStart, IsNotALaterOne) {
    MadeEvidence made = occurrences(300 * kMs, 30);
    const Judgement judgement = judge(made.finish());
    EXPECT_EQ(find(judgement.findings, "cold-start"), nullptr);
    EXPECT_NE(find(judgement.findings, "slow-instance"), nullptr);
}

// Three passes of a loop over `step` in each of two threads. The first of one thread takes twice as long: two passes
// with nothing seen between them look like one, and hold twice as many steps.
TEST(ColdStart, IsNotTwoOccurrencesThatLookLikeOne) {
    const auto is_told = [](int steps_in_first) {
        MadeEvidence made({}, 2);
        const std::uint32_t loop = made.add_node("run", kNone, spacetime::SpaceKind::kLoop);
        const std::uint32_t step = made.add_node("step", loop);
        for (std::uint32_t thread = 0; thread < 2; ++thread) {
            std::uint64_t time = 0;
            for (int pass = 0; pass < 3; ++pass) {
                const bool is_long = thread == 0 && pass == 0;
                const std::int64_t user = is_long ? 800 * kMs : 400 * kMs;
                const int steps = is_long ? steps_in_first : 40;
                made.add_occurrence(loop, {.thread = thread, .begin = time, .terms = {.user = user}});
                for (int i = 0; i < steps; ++i) {
                    const auto each = static_cast<std::uint64_t>(user / steps);
                    made.add_occurrence(step, {.thread = thread,
                                               .begin = time + static_cast<std::uint64_t>(i) * each,
                                               .terms = {.user = user / steps}});
                }
                time += static_cast<std::uint64_t>(user);
            }
        }
        return find(judge(made.finish()).findings, "cold-start") != nullptr;
    };
    EXPECT_TRUE(is_told(39));
    EXPECT_FALSE(is_told(80));
}

// A function that runs once, early, with faults, beside a step that runs over and over.
MadeEvidence filling(std::int64_t faults, std::uint64_t begin) {
    MadeEvidence made({"page-faults"});
    const std::uint32_t parent = made.add_node("main");
    const std::uint32_t fill = made.add_node("fill_table", parent);
    const std::uint32_t step = made.add_node("step", parent);
    std::uint64_t time = 0;
    bool filled = false;
    for (int i = 0; i < 40; ++i) {
        if (!filled && time >= begin) {
            made.add_occurrence(
                fill, {.begin = time, .terms = {.user = 100 * kMs, .system = 100 * kMs}, .deltas = {faults}});
            time += 200 * kMs;
            filled = true;
        }
        made.add_occurrence(step, {.begin = time, .terms = {.user = 20 * kMs}, .deltas = {i % 2}});
        time += 20 * kMs;
    }
    made.add_occurrence(parent, {.terms = {.user = 900 * kMs, .system = 100 * kMs}, .deltas = {faults + 20}});
    return made;
}

TEST(ColdStart, IsCodeThatRunsOnceAndFillsMemory) {
    MadeEvidence made = filling(20'000, 0);
    const Judgement judgement = judge(made.finish());
    ASSERT_FALSE(judgement.findings.empty());
    EXPECT_EQ(judgement.findings[0].kind, "cold-start");
    EXPECT_EQ(judgement.findings[0].place.function, "fill_table");
    EXPECT_NEAR(judgement.findings[0].seconds, 0.2, 0.001);
}

// Two hundred milliseconds are not for a few hundred faults; and nobody can change a library.
TEST(ColdStart, IsNotCodeWhoseFaultsCostNextToNothing) {
    const auto is_told = [](std::int64_t faults, const char* module) {
        MadeEvidence made = filling(faults, 0);
        made.evidence.nodes[1].place.module = module;
        return find(judge(made.finish()).findings, "cold-start") != nullptr;
    };
    EXPECT_TRUE(is_told(5'500, "program"));
    EXPECT_FALSE(is_told(4'500, "program"));
    EXPECT_FALSE(is_told(5'500, "libc.so.6"));
}

// The first of a function's sixty calls prepares, by computing: few faults, and yet a start.
TEST(ColdStart, IsWhatTheFirstOfManyCallsDoes) {
    const auto is_told = [](std::uint32_t calls) {
        MadeEvidence made({"page-faults"});
        const std::uint32_t main = made.add_node("main");
        const std::uint32_t handle = made.add_node("handle", main);
        const std::uint32_t build = made.add_node("build_index", handle);
        const std::uint32_t step = made.add_node("step", main);
        made.add_occurrence(build, {.terms = {.user = 200 * kMs}, .deltas = {100}});
        std::uint64_t time = 0;
        for (std::uint32_t i = 0; i < 60; ++i) {
            const std::int64_t user = i == 0 ? 201 * kMs : kMs;
            if (i < calls) {
                made.add_occurrence(handle, {.begin = time, .terms = {.user = user}, .deltas = {i == 0 ? 100 : 0}});
            }
            time += static_cast<std::uint64_t>(user);
            made.add_occurrence(step, {.begin = time, .terms = {.user = 19 * kMs}, .deltas = {0}});
            time += 19 * kMs;
        }
        made.add_occurrence(main, {.terms = {.user = static_cast<std::int64_t>(time)}, .deltas = {100}});
        made.finish();
        made.evidence.nodes[handle].folded = true;  // calls are too short for one to be compared with another
        return find(judge(made.evidence).findings, "cold-start") != nullptr;
    };
    EXPECT_TRUE(is_told(60));
    EXPECT_FALSE(is_told(1));
}

// Of a thread of `life_ms`, 800 ms are in the function that it was made for.
TEST(ColdStart, IsNotAThreadsWholeLife) {
    const auto is_told = [](std::int64_t life_ms) {
        MadeEvidence made({"page-faults"}, 2);
        const std::uint32_t main = made.add_node("main");
        const std::uint32_t step = made.add_node("step", main);
        const std::uint32_t work = made.add_node("work", main);
        for (std::uint64_t i = 0; i < 60; ++i) {
            made.add_occurrence(step, {.begin = 20'000'000 * i, .terms = {.user = 20 * kMs}, .deltas = {0}});
        }
        made.add_occurrence(work, {.thread = 1, .terms = {.user = 800 * kMs}, .deltas = {60'000}});
        made.add_occurrence(main, {.terms = {.user = 2000 * kMs}, .deltas = {60'000}});
        made.finish();
        made.evidence.run.threads[1].begin = 0;
        made.evidence.run.threads[1].end = static_cast<std::uint64_t>(life_ms * kMs);
        return find(judge(made.evidence).findings, "cold-start") != nullptr;
    };
    EXPECT_TRUE(is_told(1000));
    EXPECT_FALSE(is_told(990));
}

TEST(ColdStart, NeedsFaultsAndAnEarlyTime) {
    MadeEvidence without = filling(5, 0);
    EXPECT_EQ(find(judge(without.finish()).findings, "cold-start"), nullptr);
    MadeEvidence late = filling(20'000, 600 * kMs);
    EXPECT_EQ(find(judge(late.finish()).findings, "cold-start"), nullptr);
}

// Code visited once, in a loop: of 200 ms of the loop's `loop_ms`. From four fifths on (250 ms) it is what the loop
// does.
bool is_cold_in_loop(std::int64_t loop_ms) {
    MadeEvidence made({"page-faults"});
    const std::uint32_t main = made.add_node("main");
    const std::uint32_t loop = made.add_node("run", main, spacetime::SpaceKind::kLoop);
    const std::uint32_t body = made.add_node("body", loop);
    const std::uint32_t step = made.add_node("step", loop);
    made.add_occurrence(body, {.terms = {.user = 100 * kMs, .system = 100 * kMs}, .deltas = {15'000}});
    const std::int64_t each = (loop_ms - 200) * kMs / 40;
    std::uint64_t time = 200 * static_cast<std::uint64_t>(kMs);
    for (int i = 0; i < 40; ++i) {
        made.add_occurrence(step, {.begin = time, .terms = {.user = each}, .deltas = {0}});
        time += static_cast<std::uint64_t>(each);
    }
    const spacetime::TimeTerms all{.user = (loop_ms - 100) * kMs, .system = 100 * kMs};
    made.add_occurrence(loop, {.terms = all, .deltas = {15'000}});
    made.add_occurrence(main, {.terms = all, .deltas = {15'000}});
    return find(judge(made.finish()).findings, "cold-start") != nullptr;
}

TEST(ColdStart, IsNotWhatALoopDoesInEachRound) {
    EXPECT_FALSE(is_cold_in_loop(250));
    EXPECT_TRUE(is_cold_in_loop(252));
}

}  // namespace
}  // namespace kymo::findings
