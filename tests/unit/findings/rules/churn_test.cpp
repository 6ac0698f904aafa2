// Rules about what is done over and over: each holds on evidence of its cause, and is quiet on the counter-evidence.
#include "findings/rule.h"
#include "made_evidence.h"

#include <gtest/gtest.h>

namespace kymo::findings {

extern const Rule kAllocationChurnLarge;
extern const Rule kAllocationChurnSmall;
extern const Rule kSyscallStorm;
extern const Rule kThreadChurn;
extern const Rule kProcessChurn;
extern const Rule kOversubscription;
namespace {

using namespace spacetime;
using recording::WaitKind;

// One thread, 60 steps of evaluate: 10 ms in the program, 10 in the kernel, `faults` each, new memory `mappings`
// times.
MadeEvidence allocating(std::int64_t faults, std::uint64_t mappings, std::uint64_t peak_bytes) {
    MadeEvidence made({"page-faults"});
    const std::uint32_t node = made.add_node("evaluate");
    for (int i = 0; i < 60; ++i) {
        made.add_occurrence(node, {.begin = static_cast<std::uint64_t>(i * 20 * kMs),
                                   .terms = {.user = 10 * kMs, .system = 10 * kMs},
                                   .deltas = {faults}});
    }
    made.finish();
    made.evidence.run.threads[0].mappings = mappings;
    made.evidence.run.peak_bytes = peak_bytes;
    return made;
}

TEST(AllocationChurn, OfLargePiecesIsToldByMappingsAndFaults) {
    const auto claims = claims_of(kAllocationChurnLarge, allocating(10'000, 60, 50'000'000).evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].node, NodeIndex(0));
    ASSERT_EQ(claims[0].own.size(), 1U);
    EXPECT_DOUBLE_EQ(claims[0].own[0].ns, 600.0 * kMs);
    // Few faults explain only so much of the kernel's time.
    const auto few = claims_of(kAllocationChurnLarge, allocating(100, 60, 5'000'000).evidence);
    ASSERT_EQ(few.size(), 1U);
    EXPECT_DOUBLE_EQ(few[0].own[0].ns, 60 * 100 * 20'000.0);
}

// Pages that a copy of the process shares are copied when they are written.
TEST(AllocationChurn, IsNotWritingBesideACopyOfTheProcess) {
    const auto told = [](const char* child, std::uint64_t ends) {
        MadeEvidence made = allocating(10'000, 60, 50'000'000);
        made.evidence.run.processes = {{.pid = 10, .name = "store", .begin = 0, .end = 1'200 * kMs},
                                       {.pid = 11, .parent = 0, .name = child, .begin = 0, .end = ends * kMs}};
        return claims_of(kAllocationChurnLarge, made.evidence).size();
    };
    EXPECT_EQ(told("store", 800), 0U);
    EXPECT_EQ(told("store", 100), 1U);
    EXPECT_EQ(told("gzip", 800), 1U);
}

TEST(AllocationChurn, IsNotGrowthNorFaultsWithoutNewMemory) {
    EXPECT_TRUE(claims_of(kAllocationChurnLarge, allocating(10'000, 60, 2'400'000'000).evidence).empty());
    EXPECT_TRUE(claims_of(kAllocationChurnLarge, allocating(10'000, 3, 50'000'000).evidence).empty());
    EXPECT_TRUE(claims_of(kAllocationChurnLarge, allocating(2, 60, 50'000).evidence).empty());
}

// The allocator beneath one function, `free_ms` of it to give memory back.
AccountRow in_allocator(std::int64_t allocator_ms, std::int64_t free_ms) {
    return {.time_class = TimeClass::kRunTime,
            .family = TaxFamily::kAllocation,
            .detail = {},
            .place = {.function = "build_list", .module = "app", .file = {}, .line = 1},
            .ns = allocator_ms * kMs,
            .shorter_ns = allocator_ms * kMs,
            .released_ns = free_ms * kMs,
            .threads = {{0, allocator_ms * kMs}},
            .held_by = {}};
}

MadeEvidence small_pieces(const AccountRow& row) {
    MadeEvidence made;
    const std::uint32_t build = made.add_node("build_list");
    made.add_occurrence(build, {.terms = {.user = 1'000 * kMs}});
    made.finish();
    made.evidence.account.rows = {row};
    return made;
}

TEST(AllocationChurn, OfSmallPiecesIsToldByTimeInTheAllocator) {
    const auto claims = claims_of(kAllocationChurnSmall, small_pieces(in_allocator(300, 60)).evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].place->function, "build_list");
    EXPECT_DOUBLE_EQ(claims[0].own[0].ns, 300.0 * kMs);
    EXPECT_DOUBLE_EQ(claims[0].shorter_ns, 300.0 * kMs);
    EXPECT_TRUE(claims_of(kAllocationChurnSmall, small_pieces(in_allocator(20, 10)).evidence).empty());
    AccountRow copying = in_allocator(300, 60);
    copying.family = TaxFamily::kCopying;
    EXPECT_TRUE(claims_of(kAllocationChurnSmall, small_pieces(copying).evidence).empty());
}

// A document that is read whole: what is taken is kept.
TEST(AllocationChurn, IsNotMemoryThatIsKept) {
    EXPECT_TRUE(claims_of(kAllocationChurnSmall, small_pieces(in_allocator(300, 0)).evidence).empty());
    EXPECT_TRUE(claims_of(kAllocationChurnSmall, small_pieces(in_allocator(300, 30)).evidence).empty());
    EXPECT_FALSE(claims_of(kAllocationChurnSmall, small_pieces(in_allocator(300, 45)).evidence).empty());
}

TEST(AllocationChurn, OfSmallPiecesIsAFiftiethOfTheRun) {
    MadeEvidence made = small_pieces(in_allocator(120, 60));
    made.evidence.run.end = made.evidence.run.begin + 8'000 * kMs;
    EXPECT_TRUE(claims_of(kAllocationChurnSmall, made.evidence).empty());
}

// A thread with `system_ms` of a second in the kernel, `faults`, switches, and counted brief writes.
MadeEvidence calling(std::int64_t system_ms, std::int64_t faults, std::uint64_t switches, std::uint64_t writes,
                     std::int64_t writes_ms, const char* wrapper = "write") {
    MadeEvidence made({"page-faults"});
    const std::uint32_t store = made.add_node("store");
    const std::uint32_t write = made.add_node(wrapper, store);
    made.evidence.nodes[write].place.module = "libc.so.6";
    made.add_occurrence(write, {.terms = {.user = 100 * kMs, .system = system_ms / 2 * kMs}});
    made.add_occurrence(
        store, {.terms = {.user = (1'000 - system_ms) * kMs, .system = system_ms * kMs}, .deltas = {faults}});
    made.finish();
    ThreadFacts& thread = made.evidence.run.threads[0];
    thread.voluntary = switches;
    if (writes != 0) {
        thread.brief = {{WaitKind::kWrite, writes_ms * kMs, writes}};
    }
    return made;
}

TEST(SyscallStorm, IsToldByCountedTransfers) {
    const auto claims = claims_of(kSyscallStorm, calling(200, 100, 10, 1'000'000, 300).evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].node, NodeIndex(0));
    EXPECT_DOUBLE_EQ(claims[0].own[0].ns, 300.0 * kMs);
}

TEST(SyscallStorm, IsNotTheStartOfALibrary) {
    MadeEvidence made = calling(200, 100, 10, 0, 0);
    AccountRow start;
    start.time_class = TimeClass::kStartEnd;
    start.ns = 300 * kMs;
    start.threads = {{0, start.ns}};
    made.evidence.account.rows = {start};
    EXPECT_TRUE(claims_of(kSyscallStorm, made.evidence).empty());
    AccountRow calls = start;
    calls.time_class = TimeClass::kSystemCall;
    calls.ns = 100 * kMs;
    calls.threads = {{0, calls.ns}};
    made.evidence.account.rows.push_back(calls);
    const auto claims = claims_of(kSyscallStorm, made.evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_DOUBLE_EQ(claims[0].own[0].ns, 100.0 * kMs);
}

TEST(SyscallStorm, IsNotWhatTheSamplingCosts) {
    // 80 of 1,000 ms in the kernel, 15 of which the start may have been; ten thousand samples of five microseconds
    // each leave 15 of the rest.
    MadeEvidence made = calling(80, 0, 0, 0, 0);
    EXPECT_EQ(claims_of(kSyscallStorm, made.evidence).size(), 1U);
    made.evidence.run.threads[0].samples = 10'000;
    EXPECT_TRUE(claims_of(kSyscallStorm, made.evidence).empty());
}

TEST(SyscallStorm, IsToldByTheKernelsTimeWhereCallsAreNotCounted) {
    const auto claims = claims_of(kSyscallStorm, calling(400, 100, 10, 0, 0, "lseek64").evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].node, NodeIndex(0));
    EXPECT_DOUBLE_EQ(claims[0].own[0].ns, 400.0 * kMs - 100 * 20'000.0 - 10 * 10'000.0 - 15.0 * kMs);
}

TEST(SyscallStorm, IsNotWhereTheProgramsOwnCodeTakesTheKernelsTime) {
    MadeEvidence made = calling(400, 100, 10, 0, 0, "decoy");
    made.evidence.nodes[1].place.module = "program";
    EXPECT_TRUE(claims_of(kSyscallStorm, made.evidence).empty());
}

// Forty thousand switches of ten microseconds would explain all of the kernel's time, but it is for the yields.
TEST(SyscallStorm, IsYielding) {
    const auto claims = claims_of(kSyscallStorm, calling(400, 0, 40'000, 0, 0, "__sched_yield").evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_DOUBLE_EQ(claims[0].own[0].ns, 200.0 * kMs);
    EXPECT_TRUE(claims_of(kSyscallStorm, calling(400, 0, 40'000, 0, 0, "poll").evidence).empty());
}

TEST(SyscallStorm, IsNotTheProgramsStart) {
    MadeEvidence made = calling(60, 0, 0, 0, 0);
    EXPECT_TRUE(claims_of(kSyscallStorm, made.evidence).empty());
    made.evidence.run.threads[0].creator = 0;
    EXPECT_EQ(claims_of(kSyscallStorm, made.evidence).size(), 1U);
}

// A library's function that is none of the C library's calls: what calls it is named.
TEST(SyscallStorm, InsideALibraryIsItsCallers) {
    const auto claims = claims_of(kSyscallStorm, calling(400, 100, 10, 0, 0, "flush").evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].node, NodeIndex(0));
}

// What another thread does in the kernel, and more of it, is not where this one's calls are.
TEST(SyscallStorm, IsWhereItsOwnThreadCalls) {
    MadeEvidence made({"page-faults"}, 2);
    const std::uint32_t reader = made.add_node("reader");
    const std::uint32_t compute = made.add_node("compute");
    const std::uint32_t writer = made.add_node("writer");
    made.add_occurrence(reader, {.thread = 0, .terms = {.user = 100 * kMs, .system = 400 * kMs}, .deltas = {0}});
    made.add_occurrence(compute, {.thread = 0, .terms = {.user = 500 * kMs}, .deltas = {0}});
    made.add_occurrence(writer, {.thread = 1, .terms = {.user = 400 * kMs, .system = 600 * kMs}, .deltas = {0}});
    made.finish();
    made.evidence.run.threads[0].brief = {{WaitKind::kRead, 300 * kMs, 1'000'000}};
    made.evidence.run.threads[1].voluntary = 60'000;  // explain its time in the kernel
    const auto claims = claims_of(kSyscallStorm, made.evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].threads, std::vector<std::uint32_t>{0});
    EXPECT_EQ(claims[0].node, NodeIndex(reader));
}

TEST(SyscallStorm, IsNotWaitingForMessages) {
    MadeEvidence made = calling(400, 100, 10, 0, 0, "MPI_Sendrecv");
    made.evidence.nodes[1].place.module = "libmpi.so.40";
    EXPECT_TRUE(claims_of(kSyscallStorm, made.evidence).empty());
}

TEST(SyscallStorm, IsNotFaultsSwitchesNorAFewCalls) {
    EXPECT_TRUE(claims_of(kSyscallStorm, calling(400, 100'000, 10, 0, 0).evidence).empty());
    EXPECT_TRUE(claims_of(kSyscallStorm, calling(400, 100, 50'000, 0, 0).evidence).empty());
    EXPECT_TRUE(claims_of(kSyscallStorm, calling(20, 100, 10, 500, 4).evidence).empty());
}

// `count` threads, one after another, each alive for `life_ns` of which it computes `user_ns`.
MadeEvidence swarm(std::size_t count, std::uint64_t life_ns, std::int64_t user_ns) {
    MadeEvidence made({}, count + 1);
    RunFacts& run = made.evidence.run;
    for (std::size_t i = 1; i <= count; ++i) {
        ThreadFacts& thread = run.threads[i];
        thread.begin = (i - 1) * life_ns;
        thread.end = i * life_ns;
        thread.created_at.function = "render_all";
        thread.total.user = user_ns;
    }
    run.end = run.threads[0].end = count * life_ns;
    return made;
}

TEST(ThreadChurn, IsToldAtThePlaceThatMakesThem) {
    const auto claims = claims_of(kThreadChurn, swarm(1'000, 200'000, 40'000).evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].place->function, "render_all");
    EXPECT_EQ(claims[0].own[0].thread, 0U);
    EXPECT_DOUBLE_EQ(claims[0].own[0].ns, 200e6 - 1'000 * 40'000.0 / 2);
}

// Each lives for 0.2 ms; on two processors they could do 0.4 ms of work meanwhile.
TEST(ThreadChurn, IsNotWhereTheirWorkFillsTheProcessors) {
    EXPECT_EQ(claims_of(kThreadChurn, swarm(1'000, 200'000, 350'000).evidence).size(), 1U);
    EXPECT_TRUE(claims_of(kThreadChurn, swarm(1'000, 200'000, 370'000).evidence).empty());
}

// What the maker computed before and after has no part in it.
TEST(ThreadChurn, IsToldWhateverElseTheirMakerDid) {
    MadeEvidence made = swarm(1'000, 200'000, 40'000);
    made.evidence.run.threads[0].total.user = 10'000'000'000;
    const auto claims = claims_of(kThreadChurn, made.evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_DOUBLE_EQ(claims[0].own[0].ns, 200e6 - 1'000 * 40'000.0 / 2);
}

TEST(ThreadChurn, IsNotAFewThreadsNorLongLives) {
    EXPECT_TRUE(claims_of(kThreadChurn, swarm(8, 200'000, 40'000).evidence).empty());
    EXPECT_TRUE(claims_of(kThreadChurn, swarm(1'000, 50'000'000, 40'000'000).evidence).empty());
}

// A process that waits, in `convert`, for `count` others, each two images of one pid (a fork and an exec), that live
// for `life` and compute for `user` of it, ns.
MadeEvidence starting(std::size_t count, std::uint64_t life, std::int64_t user) {
    MadeEvidence made;
    const std::uint32_t target = made.add_wait_target(WaitKind::kChild, "convert");
    RunFacts& run = made.evidence.run;
    run.processes.push_back({.pid = 1, .name = "parent", .begin = 0, .end = count * life});
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t begin = i * life;
        run.processes.push_back({.pid = 10 + i, .parent = 0, .name = "parent", .begin = begin, .end = begin + 1'000});
        run.processes.push_back(
            {.pid = 10 + i, .parent = 0, .name = "convert", .begin = begin + 1'000, .end = begin + life});
        ThreadFacts thread;
        thread.process = static_cast<std::uint32_t>(run.processes.size() - 1);
        thread.total.user = user;
        run.threads.push_back(thread);
    }
    made.evidence.wait_sums.assign(1, {});
    made.evidence.wait_sums[0].ns = static_cast<std::int64_t>(count * life);
    made.evidence.wait_sums[0].count = count;
    run.threads[0].waits = {{target, made.evidence.wait_sums[0].ns}};
    return made;
}

TEST(ProcessChurn, IsToldWhereTheyAreWaitedFor) {
    const auto claims = claims_of(kProcessChurn, starting(200, 2'000'000, 500'000).evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].place->function, "convert");
    ASSERT_EQ(claims[0].own.size(), 1U);
    EXPECT_DOUBLE_EQ(claims[0].own[0].ns, 200 * 1'500'000.0);
}

TEST(ProcessChurn, IsNotAFewProcessesNorLongOnesNorTheirWork) {
    EXPECT_TRUE(claims_of(kProcessChurn, starting(8, 2'000'000, 0).evidence).empty());
    EXPECT_TRUE(claims_of(kProcessChurn, starting(200, 50'000'000, 0).evidence).empty());
    EXPECT_TRUE(claims_of(kProcessChurn, starting(200, 2'000'000, 2'000'000).evidence).empty());
}

TEST(ProcessChurn, CountsReadsOfWhatTheyWrite) {
    MadeEvidence made = starting(200, 2'000'000, 500'000);
    made.evidence.wait_targets[0].kind = WaitKind::kRead;
    // The fiftieth child's, and one long after them all.
    made.evidence.timed_waits = {
        {.thread = 0, .target = 0, .begin = 98'500'000, .end = 100'000'000, .ns = 1'500'000},
        {.thread = 0, .target = 0, .begin = 500'000'000, .end = 501'000'000, .ns = 1'000'000}};
    for (ThreadFacts& thread : made.evidence.run.threads) {
        thread.total.user = 0;
    }
    const auto claims = claims_of(kProcessChurn, made.evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_DOUBLE_EQ(claims[0].own[0].ns, 1'500'000);
}

TEST(ProcessChurn, LeavesOutWaitsForOthersThatLiveLonger) {
    MadeEvidence made = starting(200, 2'000'000, 0);
    for (std::uint64_t i = 0; i < 200; ++i) {
        made.evidence.timed_waits.push_back(
            {.thread = 0, .target = 0, .begin = i * 2'000'000, .end = (i + 1) * 2'000'000, .ns = 2'000'000});
    }
    made.evidence.timed_waits.push_back({.thread = 0, .target = 0, .begin = 1, .end = 1, .ns = 5'000'000'000});
    EXPECT_DOUBLE_EQ(claims_of(kProcessChurn, made.evidence)[0].own[0].ns, 200 * 2'000'000.0);
}

// Children of vfork() are over before anybody waits for them: what starts them waits.
TEST(ProcessChurn, IsToldByWhatStartsThemWhereNobodyWaits) {
    MadeEvidence made = starting(200, 2'000'000, 0);
    made.evidence.run.threads[0].waits.clear();
    const std::uint32_t caller = made.add_node("render_all");
    const std::uint32_t start = made.add_node("__vfork", caller);
    made.evidence.nodes[start].place.module = "libc.so.6";
    made.add_occurrence(start, {.terms = {.system = 100 * kMs, .waiting = 60 * kMs}});
    made.evidence.run.threads[0].process = 0;
    const auto claims = claims_of(kProcessChurn, made.evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].node, NodeIndex(caller));
    EXPECT_DOUBLE_EQ(claims[0].own[0].ns, 160.0 * kMs);
}

// A team of `members` at one barrier, over a second of two processors.
MadeEvidence team(std::size_t members, std::int64_t system_ms, std::uint64_t switches_each,
                  std::int64_t idle_ms = 0) {
    MadeEvidence made({}, members);
    RunFacts& run = made.evidence.run;
    const std::uint32_t target = made.add_wait_target(WaitKind::kBarrier, "run");
    for (ThreadFacts& thread : run.threads) {
        thread.waits = {{target, 100 * kMs}};
        thread.voluntary = switches_each;
        thread.total.user = 1'000 * kMs / static_cast<std::int64_t>(members);
    }
    run.end = 1'000 * kMs;
    run.total.system = system_ms * kMs;
    run.ready_ns = {idle_ms * kMs, 0, (1'000 - idle_ms) * kMs};
    return made;
}

TEST(Oversubscription, IsToldOfATeamLargerThanTheMachine) {
    const auto claims = claims_of(kOversubscription, team(16, 800, 5'000).evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].threads.size(), 16U);
    EXPECT_DOUBLE_EQ(claims[0].own[0].ns, 400.0 * kMs);
    // No more than the switches can have cost.
    EXPECT_DOUBLE_EQ(claims_of(kOversubscription, team(16, 800, 100).evidence)[0].own[0].ns, 16 * 100 * 20'000.0 / 2);
}

// Five threads in turn on two processors, and mostly in the kernel: they pass something on.
TEST(Oversubscription, IsNotACrowdThatOthersWake) {
    const auto is_told = [](std::int64_t system_ms) {
        MadeEvidence made({}, 5);
        RunFacts& run = made.evidence.run;
        for (ThreadFacts& thread : run.threads) {
            thread.total.user = 100 * kMs;
            thread.total.system = system_ms * kMs;
            thread.total.run_queue = 200 * kMs;
            thread.voluntary = 50'000;
        }
        run.end = 1'000 * kMs;
        run.total.system = 5 * system_ms * kMs;
        run.ready_ns = {0, 0, 500 * kMs, 500 * kMs};
        return !claims_of(kOversubscription, made.evidence).empty();
    };
    EXPECT_TRUE(is_told(80));
    EXPECT_FALSE(is_told(300));
}

TEST(Oversubscription, IsNotATeamThatFits) {
    EXPECT_TRUE(claims_of(kOversubscription, team(2, 800, 5'000).evidence).empty());
}

}  // namespace
}  // namespace kymo::findings
