#include "findings/cases/sides.h"
#include "findings/rule.h"
#include "made_evidence.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace kymo::findings {

extern const Rule kSlowInstance;
namespace {

// Three of sixty occurrences wait 200 ms more: 600 ms. Idle processors could take in a fifth of it (120 ms), or not.
TEST(SlowInstance, IsNoneWhereAThreadWaitsForOthersThatWork) {
    const auto is_told = [](std::int64_t idle_ms) {
        MadeEvidence made;
        const std::uint32_t node = made.add_node("hand_out");
        std::uint64_t time = 0;
        for (int i = 0; i < 60; ++i) {
            const std::int64_t waiting = i == 7 || i == 31 || i == 40 ? 200 * kMs : 0;
            made.add_occurrence(node, {.begin = time, .terms = {.user = 10 * kMs, .waiting = waiting}});
            time += static_cast<std::uint64_t>(10 * kMs + waiting);
        }
        made.evidence.run.ready_ns = {0, idle_ms * kMs, 500 * kMs};  // one of two processors idle
        return find(judge(made.finish()).findings, "slow-instance") != nullptr;
    };
    EXPECT_FALSE(is_told(239));  // spare: half of it, 119.5 ms
    EXPECT_TRUE(is_told(241));
}

// Three of sixty occurrences wait 200 ms more. In code that waits to be signalled as a rule, that is when there was
// no work; behind a pipe to another process of the run, it is what that one did.
TEST(SlowInstance, IsNoneWhereWaitingIsWhatOthersMakeIt) {
    const auto is_told = [](recording::WaitKind kind, std::uint64_t object, std::int64_t usual_ms) {
        MadeEvidence made;
        const std::uint32_t node = made.add_node("take");
        const std::uint32_t target = made.add_wait_target(kind, "take");
        made.evidence.wait_targets[target].object = object;
        made.evidence.run.processes = {{.pid = 1, .parent = 0, .name = "sort"}};
        std::uint64_t time = 0;
        for (int i = 0; i < 60; ++i) {
            const std::int64_t waiting = usual_ms * kMs + (i == 7 || i == 31 || i == 40 ? 200 * kMs : 0);
            MadeOccurrence occurrence{.begin = time, .terms = {.user = 10 * kMs, .waiting = waiting}};
            occurrence.waits = {{target, waiting}};
            made.add_occurrence(node, occurrence);
            time += static_cast<std::uint64_t>(10 * kMs + waiting);
        }
        made.evidence.run.ready_ns = {0, static_cast<std::int64_t>(time)};
        return find(judge(made.finish()).findings, "slow-instance") != nullptr;
    };
    const auto pipe = static_cast<std::uint64_t>(recording::FileKind::kPipe) << recording::kFileKindBit;
    const auto file = static_cast<std::uint64_t>(recording::FileKind::kFile) << recording::kFileKindBit;
    EXPECT_TRUE(is_told(recording::WaitKind::kCondition, 0, 5));
    EXPECT_FALSE(is_told(recording::WaitKind::kCondition, 0, 15));
    EXPECT_TRUE(is_told(recording::WaitKind::kWrite, file | 1, 5));
    EXPECT_FALSE(is_told(recording::WaitKind::kWrite, pipe | 1, 5));
}

// Three of sixty occurrences of 5 ms with 2 ms between take longer. With one sample bridged they may be two
// occurrences and the time between them: 12 ms, and with the fifth that counts as slower, 14.4.
TEST(SlowInstance, IsNoneWhereTwoOccurrencesLookLikeOne) {
    const auto is_told = [](std::int64_t slow_us, std::size_t bridged_rows, std::int64_t lacking_us = 0) {
        MadeEvidence made;
        const std::uint32_t node = made.add_node("compute");
        std::uint64_t time = 0;
        for (int i = 0; i < 60; ++i) {
            const bool is_slow = i == 7 || i == 31 || i == 40;
            const std::int64_t user = is_slow ? slow_us * 1'000 : 5 * kMs;
            const std::int64_t lacking = is_slow ? lacking_us * 1'000 : 0;
            made.add_occurrence(node, {.begin = time, .terms = {.user = user, .run_queue = lacking}});
            made.evidence.nodes[node].rows.bridged.back() = is_slow && bridged_rows > 0 ? 1 : 0;
            bridged_rows -= is_slow && bridged_rows > 0 ? 1 : 0;
            time += static_cast<std::uint64_t>(user + lacking + 2 * kMs);
        }
        spacetime::SpaceIntervals intervals;
        intervals.node = node;
        intervals.median_gap_ns = 2 * kMs;
        made.evidence.intervals.push_back(intervals);
        return find(judge(made.finish()).findings, "slow-instance") != nullptr;
    };
    EXPECT_TRUE(is_told(12'000, 0));
    EXPECT_TRUE(is_told(12'000, 1));  // two of the three are slow all the same
    EXPECT_FALSE(is_told(12'000, 2));
    EXPECT_FALSE(is_told(14'300, 3));
    EXPECT_TRUE(is_told(14'500, 3));  // longer than two
    // That a processor was lacking meanwhile makes them no longer: 9.3 ms of the excess are theirs.
    EXPECT_FALSE(is_told(14'300, 3, 3'000));
}

// Three of sixty rounds wait 10 ms more, and for so much of it the one they wait for lacked a processor.
TEST(SlowInstance, IsNoneWhereTheOneWaitedForLackedAProcessor) {
    const auto is_told = [](std::int64_t lacking_us, std::int64_t always_us) {
        MadeEvidence made({}, 2);
        const std::uint32_t node = made.add_node("run");
        const std::uint32_t barrier = made.add_wait_target(recording::WaitKind::kBarrier, "run", 1);
        std::uint64_t time = 0;
        for (int i = 0; i < 60; ++i) {
            const bool is_slow = i == 7 || i == 31 || i == 40;
            const std::int64_t waiting = is_slow ? 11 * kMs : kMs;
            made.add_occurrence(node, {.begin = time,
                                       .terms = {.user = 8 * kMs, .waiting = waiting},
                                       .waits = {{barrier, waiting}},
                                       .held_up = (is_slow ? lacking_us : always_us) * 1'000});
            time += static_cast<std::uint64_t>(8 * kMs + waiting);
        }
        return find(judge(made.finish()).findings, "slow-instance") != nullptr;
    };
    EXPECT_TRUE(is_told(0, 0));
    EXPECT_TRUE(is_told(4'900, 0));
    EXPECT_FALSE(is_told(5'100, 0));
    EXPECT_TRUE(is_told(5'500, 600));  // of the usual ones as well: 4.9 ms more
}

// Five of sixty occurrences take 10 ms longer, and so much of it somebody else had the processor unsaid.
TEST(SlowInstance, IsNoneWhereTheProcessorWasTakenUnsaid) {
    const auto is_told = [](std::int64_t taken_us, std::int64_t always_us) {
        MadeEvidence made;
        const std::uint32_t node = made.add_node("compute");
        std::uint64_t time = 0;
        for (int i = 0; i < 60; ++i) {
            const bool is_slow = i == 7 || i == 31 || i == 40 || i == 49 || i == 53;
            const std::int64_t user = is_slow ? 20 * kMs : 10 * kMs;
            made.add_occurrence(
                node, {.begin = time, .terms = {.user = user}, .taken = (is_slow ? taken_us : always_us) * 1'000});
            time += static_cast<std::uint64_t>(user);
        }
        return find(judge(made.finish()).findings, "slow-instance") != nullptr;
    };
    EXPECT_TRUE(is_told(0, 0));
    EXPECT_TRUE(is_told(3'000, 0));  // found: 15 ms; so half of that and √15 ms more may be, of an excess of 50
    EXPECT_FALSE(is_told(8'000, 0));
    EXPECT_TRUE(is_told(3'000, 200));
    EXPECT_FALSE(is_told(3'000, 600));  // wherever it was
}

// Of occurrences of 10 ms some take 12 ms longer, in a run of so many: by user time, with nothing that tells what it
// was spent on.
TEST(SlowInstance, OfAnOccurrenceOrTwoMayBeTheProcessor) {
    const auto is_told = [](int occurrences, int slow, bool waits, bool is_off = false) {
        MadeEvidence made;
        const std::uint32_t node = made.add_node("compute");
        const std::uint32_t lock = made.add_wait_target(recording::WaitKind::kSleep, "compute");
        std::uint64_t time = 0;
        for (int i = 0; i < occurrences; ++i) {
            const std::int64_t more = i % 7 == 3 && i / 7 < slow ? 12 * kMs : 0;
            MadeOccurrence occurrence{.begin = time, .terms = {.user = 10 * kMs}};
            (waits ? occurrence.terms.waiting : is_off ? occurrence.terms.other : occurrence.terms.user) += more;
            if (waits && more != 0) {
                occurrence.waits = {{lock, more}};
            }
            made.add_occurrence(node, occurrence);
            time += static_cast<std::uint64_t>(10 * kMs + more);
        }
        return find(judge(made.finish()).findings, "slow-instance") != nullptr;
    };
    EXPECT_FALSE(is_told(60, 1, false));        // 12 of 612 ms: 1.96 %
    EXPECT_TRUE(is_told(58, 1, false));         // 12 of 592 ms: 2.03 %
    EXPECT_TRUE(is_told(60, 1, true));          // time off the processor is no slow processor's
    EXPECT_FALSE(is_told(60, 1, false, true));  // but where nothing is known of why it was off
    EXPECT_TRUE(is_told(58, 1, false, true));
    EXPECT_FALSE(is_told(120, 2, false));
    EXPECT_TRUE(is_told(200, 3, false));  // three can be tested
}

// Of occurrences of 10 ms in each of two threads six take 10 ms longer: from so many numbers on, three after the
// other with so many usual ones between, in both threads.
TEST(SlowInstance, AtAMomentOrTwoMayBeTheProcessor) {
    const auto is_told = [](std::vector<int> begins, int between, int occurrences) {
        MadeEvidence made({}, 2);
        const std::uint32_t node = made.add_node("compute");
        for (const std::uint32_t thread : {0U, 1U}) {
            std::uint64_t time = 0;
            for (int i = 0; i < occurrences; ++i) {
                const bool is_slow = std::any_of(begins.begin(), begins.end(), [&](int begin) {
                    return i >= begin && i <= begin + 2 * (between + 1) && (i - begin) % (between + 1) == 0;
                });
                const std::int64_t user = is_slow ? 20 * kMs : 10 * kMs;
                made.add_occurrence(node, {.thread = thread, .begin = time, .terms = {.user = user}});
                time += static_cast<std::uint64_t>(user);
            }
        }
        return find(judge(made.finish()).findings, "slow-instance") != nullptr;
    };
    EXPECT_FALSE(is_told({31}, 0, 300));
    EXPECT_FALSE(is_told({31, 90}, 0, 300));
    EXPECT_TRUE(is_told({31, 90, 140}, 0, 300));  // three moments
    EXPECT_FALSE(is_told({31}, 1, 300));
    EXPECT_TRUE(is_told({31}, 8, 250));       // more than four usual ones between: three moments
    EXPECT_FALSE(is_told({31, 90}, 0, 115));  // 2 × 60 of 2 × 1,210 ms: 4.96 %
    EXPECT_TRUE(is_told({31, 90}, 0, 113));   // 5.04 %
}

// One occurrence of a hundred takes 30 ms longer, in a run of about a second; the host took so much from the
// processors.
TEST(SlowInstance, MayBeWhatTheHostTook) {
    const auto is_told = [](const spacetime::TimeTerms& more, std::uint32_t holder, std::int64_t steal_ms) {
        MadeEvidence made({}, 2);
        const std::uint32_t node = made.add_node("compute");
        const std::uint32_t barrier = made.add_wait_target(recording::WaitKind::kBarrier, "compute", holder);
        std::uint64_t time = 0;
        for (int i = 0; i < 100; ++i) {
            MadeOccurrence occurrence{.begin = time, .terms = {.user = 10 * kMs}};
            if (i == 31) {
                occurrence.terms += more;
                occurrence.waits = {{barrier, more.waiting}};
            }
            made.add_occurrence(node, occurrence);
            time += static_cast<std::uint64_t>(occurrence.terms.wall());
        }
        made.evidence.run.steal_ns = steal_ms * kMs;
        return find(judge(made.finish()).findings, "slow-instance") != nullptr;
    };
    EXPECT_TRUE(is_told({.user = 30 * kMs}, 1, 29));
    EXPECT_FALSE(is_told({.user = 30 * kMs}, 1, 30));
    EXPECT_FALSE(is_told({.system = 30 * kMs}, 1, 30));   // as a late timer makes it look
    EXPECT_FALSE(is_told({.waiting = 30 * kMs}, 1, 30));  // from the thread that this one waits for
    EXPECT_TRUE(is_told({.waiting = 30 * kMs}, kNone, 30));
    EXPECT_TRUE(is_told({.waiting = 30 * kMs}, 1, 29));
}

// Rounds of three calls of 20 ms. One of the rounds takes longer: it calls as often, and in one of its calls a sample
// of other code was bridged, or more. Half as many calls as time are near enough to be several rounds.
TEST(SlowInstance, IsNoneWhereTwoRoundsLookLikeOne) {
    const auto is_told = [](std::int64_t more_ms, std::uint64_t bridged) {
        MadeEvidence made;
        const std::uint32_t loop = made.add_node("run", kNone, spacetime::SpaceKind::kLoop);
        const std::uint32_t round = made.add_node("run", loop, spacetime::SpaceKind::kIteration);
        const std::uint32_t call = made.add_node("compute", loop);
        std::uint64_t time = 0;
        for (int i = 0; i < 30; ++i) {
            const bool is_slow = i == 11;
            const std::int64_t user = (60 + (is_slow ? more_ms : 0)) * kMs;
            made.add_occurrence(loop, {.begin = time, .terms = {.user = user}});
            made.add_occurrence(round, {.begin = time, .terms = {.user = user}});
            for (std::uint64_t k = 0; k < 3; ++k) {
                made.add_occurrence(call, {.begin = time + 20 * k * kMs, .terms = {.user = 20 * kMs}});
                made.evidence.nodes[call].rows.bridged.back() = is_slow && k == 0 ? bridged : 0;
            }
            time += static_cast<std::uint64_t>(user);
        }
        made.finish();
        Case subject;
        subject.evidence = &made.evidence;
        subject.contrast = Contrast::kOccurrences;
        subject.node = NodeIndex(round);
        std::vector<char> label(30, 0);
        label[11] = 1;
        fill_sides(label, &subject);
        std::vector<Claim> claims;
        kSlowInstance.look(subject, &claims);
        return !claims.empty();
    };
    EXPECT_FALSE(is_told(60, 0));
    EXPECT_TRUE(is_told(61, 0));
    EXPECT_TRUE(is_told(181, 3));
    EXPECT_FALSE(is_told(179, 3));
    EXPECT_FALSE(is_told(601, 5));  // so many were bridged that others may have had no sample
}

}  // namespace
}  // namespace kymo::findings
