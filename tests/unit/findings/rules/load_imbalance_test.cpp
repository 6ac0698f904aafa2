#include "made_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

// Two threads, 40 steps between meetings: the first works `a`, the second `b`; the one that is done waits for the
// other.
MadeEvidence steps(std::int64_t a, std::int64_t b, bool does_something_else = false, std::int64_t taken = 0,
                   bool take_turns = false) {
    MadeEvidence made({}, 2);
    const std::uint32_t run = made.add_node("run");
    const std::uint32_t relax = made.add_node("relax_row", run);
    const std::int64_t step_ns = std::max(a, b);
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
        spacetime::TimeTerms all;
        for (std::uint32_t step = 0; step < 40; ++step) {
            const bool is_first = (thread == 0) != (take_turns && step % 2 == 1);
            const std::int64_t own = is_first ? a : b;
            const auto begin = static_cast<std::uint64_t>(step * step_ns);
            made.add_occurrence(relax, {.thread = thread,
                                        .begin = begin,
                                        .terms = {.user = own},
                                        .step = step,
                                        .taken = is_first ? 0 : taken});
            all.user += own + (does_something_else ? step_ns - own : 0);
            all.waiting += does_something_else ? 0 : step_ns - own;
        }
        made.add_occurrence(run, {.thread = thread, .terms = all, .taken = thread == 0 ? 0 : 40 * taken});
    }
    return made;
}

TEST(LoadImbalance, NamesTheThreadWithMoreWork) {
    MadeEvidence made = steps(10 * kMs, 30 * kMs);
    const Judgement judgement = judge(made.finish());
    ASSERT_EQ(judgement.findings.size(), 1U);
    const Finding& finding = judgement.findings[0];
    EXPECT_EQ(finding.kind, "load-imbalance");
    EXPECT_EQ(finding.place.function, "relax_row");
    EXPECT_EQ(finding.threads, std::vector<std::uint32_t>{1});
    EXPECT_NEAR(finding.seconds, 40 * 0.010, 0.005);  // longest − mean
    EXPECT_NEAR(finding.share, 0.40 / 1.2, 0.01);
    EXPECT_FALSE(finding.tested);
}

// One or the other works 20 ms longer in a step: 10 ms are lost. Where so much was found to be taken, half as much
// more may be, and makes half of itself a loss. Where it is always the second, that levels out.
TEST(LoadImbalance, IsNoneWhereTheProcessorMayBeTakenUnseen) {
    const auto is_told = [](std::int64_t taken_ms, bool take_turns) {
        MadeEvidence made = steps(10 * kMs, 30 * kMs, false, taken_ms * kMs, take_turns);
        return find(judge(made.finish()).findings, "load-imbalance") != nullptr;
    };
    EXPECT_TRUE(is_told(15, true));
    EXPECT_FALSE(is_told(25, true));
    EXPECT_TRUE(is_told(25, false));
}

// The peers are off their processors as long as it works longer; but they sleep, and wait for nobody.
TEST(LoadImbalance, IsNoneWhereThePeersSleep) {
    const auto is_told = [](recording::WaitKind kind) {
        MadeEvidence made = steps(10 * kMs, 30 * kMs);
        made.evidence.run.threads[0].waits = {{made.add_wait_target(kind, "pause"), 40 * 20 * kMs}};
        return find(judge(made.finish()).findings, "load-imbalance") != nullptr;
    };
    EXPECT_TRUE(is_told(recording::WaitKind::kBarrier));
    EXPECT_FALSE(is_told(recording::WaitKind::kSleep));
}

// Half as long again on a processor that does the same arithmetic in half as long again, or longer, is even work.
TEST(LoadImbalance, IsNoneWhereTheProcessorIsSlower) {
    const auto is_told = [](double pace, double peers) {
        MadeEvidence made = steps(20 * kMs, 30 * kMs);
        made.evidence.run.threads[0].pace = peers;
        made.evidence.run.threads[1].pace = pace;
        return find(judge(made.finish()).findings, "load-imbalance") != nullptr;
    };
    EXPECT_TRUE(is_told(40, 40));
    EXPECT_TRUE(is_told(54, 40));
    EXPECT_FALSE(is_told(61, 40));
    EXPECT_TRUE(is_told(40, 80)) << "the one that works longer is on the faster one";
    EXPECT_TRUE(is_told(0, 40)) << "not known";
}

// 250 samples in one thread: beside 168 in the other chance may have made them, beside 100 it has not.
TEST(LoadImbalance, IsNoneWhereSamplesAreFew) {
    const auto is_told = [](std::int64_t shorter) {
        MadeEvidence made = steps(shorter * kMs / 40, 250 * kMs / 40);
        return find(judge(made.finish()).findings, "load-imbalance") != nullptr;
    };
    EXPECT_FALSE(is_told(168));
    EXPECT_TRUE(is_told(100));
}

// By its occurrences the first thread works 10 ms a step and the second 30, but the first was not seen in as much.
TEST(LoadImbalance, IsNoneWhereAThreadWorkedUnseen) {
    const auto is_told = [](std::int64_t unseen) {
        MadeEvidence made = steps(10 * kMs, 30 * kMs);
        for (spacetime::SpaceNode& node : made.evidence.nodes) {
            node.work = {{0, {.user = 40 * (10 * kMs + unseen)}}, {1, {.user = 40 * 30 * kMs}}};
        }
        return find(judge(made.finish()).findings, "load-imbalance") != nullptr;
    };
    EXPECT_TRUE(is_told(0));
    EXPECT_TRUE(is_told(10 * kMs));
    EXPECT_FALSE(is_told(20 * kMs));
}

// Ranks wait on the processor, in calls of the message passing interface.
TEST(LoadImbalance, NamesTheRankWithMoreWork) {
    MadeEvidence made({}, 4);
    const std::uint32_t run = made.add_node("main");
    const std::uint32_t compute = made.add_node("compute", run);
    const std::uint32_t barrier = made.add_node("PMPI_Barrier", run);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        made.evidence.run.threads[rank].rank = rank;
        made.evidence.run.threads[rank].creator = kNone;
        made.evidence.run.threads[rank].process = rank;
        const std::int64_t own = rank == 3 ? 40 * kMs : 10 * kMs;
        for (std::uint32_t step = 0; step < 20; ++step) {
            const auto begin = static_cast<std::uint64_t>(step * 40 * kMs);
            made.add_occurrence(compute, {.thread = rank, .begin = begin, .terms = {.user = own}, .step = step});
            if (rank != 3) {
                made.add_occurrence(barrier, {.thread = rank,
                                              .begin = begin + static_cast<std::uint64_t>(own),
                                              .terms = {.user = 40 * kMs - own},
                                              .step = step});
            }
        }
        made.add_occurrence(run, {.thread = rank, .terms = {.user = 20 * 40 * kMs}});
    }
    const Judgement judgement = judge(made.finish());
    ASSERT_FALSE(judgement.findings.empty());
    const Finding& finding = judgement.findings[0];
    EXPECT_EQ(finding.kind, "load-imbalance");
    EXPECT_EQ(finding.place.function, "compute");
    EXPECT_EQ(finding.threads, std::vector<std::uint32_t>{3});
    EXPECT_THAT(finding.title, testing::HasSubstr("rank 3 works 800 ms while its 3 peers work 200 ms on average"));
    EXPECT_THAT(finding.direction, testing::HasSubstr("domain"));
}

TEST(LoadImbalance, IsNotThereWhereThePeersDoSomethingElse) {
    MadeEvidence made = steps(10 * kMs, 30 * kMs, true);
    EXPECT_EQ(find(judge(made.finish()).findings, "load-imbalance"), nullptr);
}

TEST(LoadImbalance, OfEvenThreadsIsAnAdvantage) {
    MadeEvidence made = steps(20 * kMs, 20 * kMs);
    const Judgement judgement = judge(made.finish());
    EXPECT_TRUE(judgement.findings.empty());
    const Finding* good = find(judgement.advantages, "load-imbalance");
    ASSERT_NE(good, nullptr);
}

TEST(LoadImbalance, ChangesSidesFromStepToStep) {
    MadeEvidence made({}, 2);
    const std::uint32_t node = made.add_node("relax_row");
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
        for (std::uint32_t step = 0; step < 40; ++step) {
            const std::int64_t own = (step + thread) % 2 == 0 ? 10 * kMs : 30 * kMs;
            made.add_occurrence(node, {.thread = thread,
                                       .begin = step * 30 * static_cast<std::uint64_t>(kMs),
                                       .terms = {.user = own},
                                       .step = step});
        }
        // It waits outside the node.
        made.evidence.run.threads[thread].total.waiting = 40 * 10 * kMs;
    }
    made.finish();
    for (spacetime::ThreadFacts& thread : made.evidence.run.threads) {
        thread.begin = 0;
        thread.end = 40 * 30 * static_cast<std::uint64_t>(kMs);
    }
    const Judgement judgement = judge(made.evidence);
    EXPECT_NE(find(judgement.findings, "load-imbalance"), nullptr);
}

// Rounds that follow each other without a meeting: the quicker thread begins its next one at once, and where they
// meet after every second one, both have worked as long.
TEST(LoadImbalance, IsNoneBetweenRoundsThatNobodyWaitsFor) {
    MadeEvidence made({}, 2);
    const std::uint32_t node = made.add_node("sweep");
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
        std::uint64_t time = 0;
        for (std::uint32_t step = 0; step < 40; ++step) {
            const std::int64_t own = (step + thread) % 2 == 0 ? 10 * kMs : 30 * kMs;
            made.add_occurrence(node, {.thread = thread, .begin = time, .terms = {.user = own}, .step = step});
            time += static_cast<std::uint64_t>(own);
        }
        made.evidence.run.threads[thread].total.waiting = 40 * 10 * kMs;  // elsewhere
    }
    made.finish();
    for (spacetime::ThreadFacts& thread : made.evidence.run.threads) {
        thread.end += 40 * 10 * static_cast<std::uint64_t>(kMs);
    }
    EXPECT_EQ(find(judge(made.evidence).findings, "load-imbalance"), nullptr);
}

// The other was as long in its step, but others had its processor (or it was slower): it waited for nobody.
TEST(LoadImbalance, IsNoneWhereTheQuickerThreadIsNotIdle) {
    MadeEvidence made({}, 2);
    const std::uint32_t node = made.add_node("relax_row");
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
        for (std::uint32_t step = 0; step < 40; ++step) {
            const std::int64_t own = (step + thread) % 2 == 0 ? 10 * kMs : 30 * kMs;
            made.add_occurrence(node, {.thread = thread,
                                       .begin = step * 30 * static_cast<std::uint64_t>(kMs),
                                       .terms = {.user = own, .run_queue = 30 * kMs - own},
                                       .step = step});
        }
        made.evidence.run.threads[thread].total.waiting = 40 * 10 * kMs;  // elsewhere
    }
    made.finish();
    for (spacetime::ThreadFacts& thread : made.evidence.run.threads) {
        thread.end += 40 * 10 * static_cast<std::uint64_t>(kMs);
    }
    EXPECT_EQ(find(judge(made.evidence).findings, "load-imbalance"), nullptr);
}

// Even work; but the other was long kept from its processor, and who had done its part polled for it meanwhile.
TEST(LoadImbalance, IsNoneWhereOneThreadPollsForTheOther) {
    MadeEvidence made({}, 2);
    const std::uint32_t node = made.add_node("sweep");
    const std::uint32_t poll = made.add_node("do_wait", node, spacetime::SpaceKind::kLoop);
    made.evidence.nodes[poll].polls = true;
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
        for (std::uint32_t step = 0; step < 40; ++step) {
            const std::uint64_t begin = step * 30 * static_cast<std::uint64_t>(kMs);
            made.add_occurrence(
                node, {.thread = thread,
                       .begin = begin,
                       .terms = {.user = (thread == 0 ? 30 : 10) * kMs, .run_queue = (thread == 0 ? 0 : 20) * kMs},
                       .step = step});
            if (thread == 0) {
                made.add_occurrence(poll, {.begin = begin + 10 * static_cast<std::uint64_t>(kMs),
                                           .terms = {.user = 20 * kMs},
                                           .step = step});
            }
        }
        made.evidence.run.threads[thread].total.waiting = 40 * 20 * kMs;  // elsewhere
    }
    made.finish();
    for (spacetime::ThreadFacts& thread : made.evidence.run.threads) {
        thread.end += 40 * 20 * static_cast<std::uint64_t>(kMs);
    }
    EXPECT_EQ(find(judge(made.evidence).findings, "load-imbalance"), nullptr);
}

}  // namespace
}  // namespace kymo::findings
