// Rules over the account's rows: each holds on its time, and is quiet where the counter-evidence is there.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "made_evidence.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace kymo::findings {

extern const Rule kLockTime;
extern const Rule kPollingSleep;
extern const Rule kPrematureWait;
extern const Rule kDivisionWork;
extern const Rule kAtomicWork;
extern const Rule kCopyTax;
extern const Rule kAllocationTax;
extern const Rule kCallPolling;
extern const Rule kIdleTeam;
extern const Rule kGrowth;
extern const Rule kPageFaultTime;
extern const Rule kLockPolling;
extern const Rule kPauseInWork;
extern const Rule kUnevenChildren;
extern const Rule kThunderingHerd;
extern const Rule kBarrierOverhead;
extern const Rule kTaskTax;
extern const Rule kUnevenPeers;
extern const Rule kSmallCalls;
extern const Rule kStridedWork;
extern const Rule kTasksInMaker;

namespace account_rules {
namespace {

using namespace spacetime;
using recording::WaitKind;

// A run of a second with four threads.
class MadeRun {
  public:
    MadeRun() : made_({}, 5) {
        made_.evidence.run.end = 1'000 * kMs;
        for (ThreadFacts& thread : made_.evidence.run.threads) {
            thread.end = 1'000 * kMs;
        }
    }

    // Time of threads 1 … `threads` in one function.
    AccountRow& add(TimeClass time_class, std::int64_t ms, std::int64_t shorter_ms, std::uint32_t threads = 1,
                    const std::string& function = "step") {
        AccountRow row;
        row.time_class = time_class;
        row.place = {function, "", "program.c", 7};
        row.ns = ms * kMs;
        row.shorter_ns = shorter_ms * kMs;
        for (std::uint32_t thread = 1; thread <= threads; ++thread) {
            row.threads.push_back({thread, ms * kMs / threads});
        }
        evidence().account.rows.push_back(std::move(row));
        return evidence().account.rows.back();
    }

    // A wait of `ms` in all, at `step`.
    void add_wait(WaitKind kind, std::int64_t ms, std::uint64_t count, std::uint32_t holder = kNone,
                  std::int64_t held_up_ms = 0) {
        made_.add_wait_target(kind, "step", holder);
        WaitSum sum;
        sum.ns = ms * kMs;
        sum.count = count;
        sum.held_up_ns = held_up_ms * kMs;
        evidence().wait_sums.push_back(sum);
    }

    std::vector<Claim> claims(const Rule& rule) { return claims_of(rule, evidence()); }
    Evidence& evidence() { return made_.evidence; }

  private:
    MadeEvidence made_;
};

TEST(LockTime, AddsWaitingAndTakingLocks) {
    MadeRun run;
    run.add(TimeClass::kLockWait, 300, 80, 2);
    run.add(TimeClass::kRunTime, 200, 90, 2).family = TaxFamily::kLocking;
    run.add(TimeClass::kLockWait, 50, 10, 2, "elsewhere");
    run.add_wait(WaitKind::kMutex, 300, 50, 2);
    run.add_wait(WaitKind::kSleep, 300, 50);
    const auto claims = run.claims(kLockTime);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].place->function, "step");
    EXPECT_DOUBLE_EQ(claims[0].shorter_ns, 170.0 * kMs);
    EXPECT_EQ(claims[0].targets, std::vector<std::uint32_t>{0});
    EXPECT_NE(claims[0].title.find("300 ms in all, and spend 200 ms in taking"), std::string::npos)
        << claims[0].title;
}

TEST(LockTime, IsNotWhatOthersUseMeanwhileNorWhatTakingAFreeLockCosts) {
    MadeRun busy;
    busy.add(TimeClass::kLockWait, 900, 20, 2);
    EXPECT_TRUE(busy.claims(kLockTime).empty());
    MadeRun free;
    free.add(TimeClass::kLockWait, 10, 5, 2);
    free.add(TimeClass::kRunTime, 400, 200, 2).family = TaxFamily::kLocking;
    EXPECT_TRUE(free.claims(kLockTime).empty());
}

TEST(ThunderingHerd, IsOfConditionsWhoseWaitsEndInVain) {
    MadeRun run;
    run.add(TimeClass::kRunTime, 300, 200, 1, "give").family = TaxFamily::kLocking;
    run.evidence().account.rows.back().detail = "pthread_cond_broadcast";
    run.add(TimeClass::kSpinning, 100, 50, 4);
    run.add(TimeClass::kThreadWait, 3'000, 900, 4);
    run.add_wait(WaitKind::kCondition, 3'000, 10'000);
    EXPECT_TRUE(run.claims(kThunderingHerd).empty());
    run.evidence().wait_sums[0].in_vain = 8'000;
    const auto claims = run.claims(kThunderingHerd);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].place->function, "step");
    EXPECT_DOUBLE_EQ(claims[0].shorter_ns, 0.8 * 250 * kMs);
    EXPECT_NE(claims[0].title.find("4 threads wait for one condition in `step` (program.c:7); 8,000 of their 10,000 "
                                   "waits end in vain"),
              std::string::npos)
        << claims[0].title;
    run.evidence().wait_sums[0].in_vain = 4'000;
    EXPECT_TRUE(run.claims(kThunderingHerd).empty()) << "most have work to do";
}

TEST(ThunderingHerd, IsNotOneThreadWithATimeLimit) {
    MadeRun run;
    run.add(TimeClass::kSpinning, 300, 250);
    run.add_wait(WaitKind::kCondition, 600, 1'000);
    run.evidence().wait_sums[0].in_vain = 990;
    EXPECT_TRUE(run.claims(kThunderingHerd).empty());
}

TEST(LockPolling, IsOfThreadsThatDoNothingElse) {
    MadeRun run;
    run.add(TimeClass::kRunTime, 400, 200).family = TaxFamily::kLocking;
    run.evidence().run.threads[1].total.user = 700 * kMs;
    EXPECT_TRUE(run.claims(kLockPolling).empty()) << "it works as well";
    run.evidence().run.threads[1].total.user = 450 * kMs;
    const auto claims = run.claims(kLockPolling);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_DOUBLE_EQ(claims[0].shorter_ns, 200.0 * kMs);
    EXPECT_NE(claims[0].title.find("takes and releases a lock in `step` (program.c:7) and nothing else: it polls"),
              std::string::npos)
        << claims[0].title;
}

TEST(CallPolling, IsProcessorTimeInCallsThatWaitForProcesses) {
    MadeRun run;
    run.add(TimeClass::kSystemCall, 300, 150).detail = "write";
    EXPECT_TRUE(run.claims(kCallPolling).empty());
    run.add(TimeClass::kSystemCall, 300, 150, 1, "await").detail = "wait4";
    const auto claims = run.claims(kCallPolling);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].place->function, "await");
    EXPECT_NE(claims[0].title.find("spends 300 ms of processor time in `wait4` in `await` (program.c:7): the call "
                                   "returns at once, and it asks again"),
              std::string::npos)
        << claims[0].title;
    run.evidence().run.processes.resize(1'500);
    EXPECT_TRUE(run.claims(kCallPolling).empty()) << "that many take as long to collect";
}

TEST(CallPolling, IsProcessorTimeInCallsThatWaitForATime) {
    MadeRun run;
    AccountRow& asking = run.add(TimeClass::kRunTime, 300, 150, 1, "await");
    asking.family = TaxFamily::kTasks;
    asking.detail = "std::__future_base::_State_baseV2::wait";
    EXPECT_TRUE(run.claims(kCallPolling).empty());
    EXPECT_EQ(run.claims(kTaskTax).size(), 1U);
    run.evidence().account.rows[0].detail += "_for";
    EXPECT_EQ(run.claims(kCallPolling).size(), 1U);
    EXPECT_TRUE(run.claims(kTaskTax).empty()) << "tasks are not what takes the time";
}

// The main thread takes part in the work of the thread that it made: two call paths.
// A task for each node of a tree: making them takes a third of the time, and who waits for them polls where it makes
// them. Where it waits elsewhere, the making is not what holds it up.
TEST(TaskTax, HoldsWhereThoseWhoMakeTasksWaitForThem) {
    const auto told = [](const std::string& waits_in, const std::string& wait) {
        MadeRun run;
        run.add(TimeClass::kRunTime, 600, 500, 2).family = TaxFamily::kTasks;
        run.add(TimeClass::kSpinning, 700, 300, 2, waits_in).detail = wait;
        run.add(TimeClass::kWork, 500, 400, 2, "visit");
        return run.claims(kTaskTax).size();
    };
    EXPECT_EQ(told("step", "omp tasks"), 1U);
    EXPECT_EQ(told("step", "omp barrier"), 0U);
    EXPECT_EQ(told("other", "omp tasks"), 0U);
}

TEST(UnevenPeers, AreThreadsThatWaitForOneOnAnotherPath) {
    const auto made = [](std::int64_t own_ms, const char* theirs) {
        MadeEvidence made({}, 3);
        const std::uint32_t main = made.add_node("main");
        const std::uint32_t part = made.add_node("part", main);
        const std::uint32_t other = made.add_node(theirs);
        made.add_occurrence(other, {.thread = 2, .terms = {.user = 900 * kMs}});
        made.add_occurrence(part, {.thread = 1, .terms = {.user = own_ms * kMs}});
        made.add_occurrence(main, {.thread = 1, .terms = {.user = own_ms * kMs, .waiting = (900 - own_ms) * kMs}});
        made.finish();
        made.evidence.run.threads[1].total = {.user = own_ms * kMs, .waiting = (900 - own_ms) * kMs};
        made.evidence.run.threads[2].total = {.user = 900 * kMs};
        for (SpaceNode& node : made.evidence.nodes) {
            node.samples = 900;
        }
        AccountRow wait;
        wait.time_class = TimeClass::kBarrierWait;
        wait.place = {"part", "", "program.c", 7};
        wait.held_by = {"part", made.evidence.nodes[other].place.module, "program.c", 5};
        wait.ns = (900 - own_ms) * kMs;
        wait.shorter_ns = wait.ns / 2;
        wait.threads = {{1, wait.ns}};
        made.evidence.account.rows.push_back(wait);
        return claims_of(kUnevenPeers, made.evidence);
    };
    const auto claims = made(300, "part");
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].threads, std::vector<std::uint32_t>{2});
    EXPECT_DOUBLE_EQ(claims[0].own[0].ns, 300.0 * kMs);
    EXPECT_NE(claims[0].title.find("works 900 ms while its peer works 300 ms on average and waits for it"),
              std::string::npos)
        << claims[0].title;
    EXPECT_TRUE(made(850, "part").empty()) << "even work";
    EXPECT_TRUE(made(300, "other").empty()) << "each does something else";
    EXPECT_TRUE(made(100, "part").empty()) << "it hardly takes part";
}

TEST(BarrierOverhead, IsOfShortWaitsOfAll) {
    const auto made = [](std::uint64_t count, const char* how, std::int64_t slept_ms) {
        MadeRun run;
        run.add(TimeClass::kBarrierWait, 400, 200, 2).detail = how;
        run.add(TimeClass::kSpinning, 400, 200, 2).detail = how;
        run.add_wait(WaitKind::kBarrier, slept_ms, count);
        return run;
    };
    const auto claims = made(10'000, "barrier", 400).claims(kBarrierOverhead);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_DOUBLE_EQ(claims[0].shorter_ns, 400.0 * kMs);
    EXPECT_NE(claims[0].title.find("2 threads meet in `step` (program.c:7) again and again, 800 ms in all: they wait "
                                   "there 10,000 times, 40 µs each"),
              std::string::npos)
        << claims[0].title;
    EXPECT_TRUE(made(1'000, "barrier", 400).claims(kBarrierOverhead).empty()) << "400 µs each: for others' work";
    EXPECT_TRUE(made(100, "barrier", 10).claims(kBarrierOverhead).empty());
    MadeRun crowded = made(10'000, "barrier", 400);
    crowded.evidence().run.processors = 1;
    EXPECT_TRUE(crowded.claims(kBarrierOverhead).empty()) << "they wait for the processor";
    EXPECT_EQ(made(100, "std::barrier::arrive_and_wait", 10).claims(kBarrierOverhead).size(), 1U) << "it polls";
    MadeRun uneven = made(10'000, "barrier", 400);
    uneven.evidence().account.rows[0].threads[0].ns += 390 * kMs;
    uneven.evidence().account.rows[0].threads[1].ns -= 195 * kMs;
    uneven.evidence().account.rows[1].threads[1].ns -= 100 * kMs;
    EXPECT_TRUE(uneven.claims(kBarrierOverhead).empty()) << "one hardly waits";
}

TEST(IdleTeam, IsOneWhoseWorkIsOneThreads) {
    MadeRun run;
    run.evidence().run.processors = 4;
    run.add(TimeClass::kWork, 500, 500, 4, "tasks");  // in turns
    run.add(TimeClass::kBarrierWait, 1'200, 300, 4, "region").detail = "omp barrier";
    run.add(TimeClass::kSpinning, 300, 75, 4, "region").detail = "omp barrier";
    const auto claims = run.claims(kIdleTeam);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].place->function, "region");
    EXPECT_DOUBLE_EQ(claims[0].shorter_ns, 500.0 * 3 / 4 * kMs);
    EXPECT_NE(claims[0].title.find("4 threads meet in the parallel regions of `region` (program.c:7), and one at a "
                                   "time works: they wait for 1.5 s, and work for 500 ms"),
              std::string::npos)
        << claims[0].title;
    run.add(TimeClass::kWork, 100, 25, 4, "elsewhere");
    EXPECT_TRUE(run.claims(kIdleTeam).empty()) << "the others work as well";
}

// `relax` makes tasks and runs them itself for 600 of 1000 ms; the others of its team wait.
MadeEvidence tasks_in_maker(float at_work, const std::string& call) {
    MadeEvidence made({}, 3);
    made.evidence.run.end = 1'000 * kMs;
    made.evidence.run.processors = 2;
    const std::uint32_t maker = made.add_node("relax(int)");
    const std::uint32_t task = made.add_node("relax(int) [clone ._omp_fn.0]", maker);
    made.add_occurrence(task, {.thread = 1, .begin = 0, .terms = {.user = 600 * kMs}});
    made.evidence.nodes[task].rows.active_threads = {at_work};
    const std::uint32_t target = made.add_wait_target(WaitKind::kOmpBarrier, "relax", 1);
    made.evidence.run.threads[1].total = {.user = 1'000 * kMs};
    made.evidence.run.threads[2].total = {.user = 400 * kMs};
    made.evidence.run.threads[2].waits = {{target, 600 * kMs}};
    made.evidence.run.ready_ns = {0, 600 * kMs, 400 * kMs};
    for (ThreadFacts& thread : made.evidence.run.threads) {
        thread.end = 1'000 * kMs;
    }
    AccountRow row;
    row.time_class = TimeClass::kRunTime;
    row.family = TaxFamily::kTasks;
    row.detail = call;
    row.place = {"relax(int)", "", "program.c", 7};
    row.ns = 50 * kMs;
    row.threads = {{1, row.ns}};
    made.evidence.account.rows.push_back(row);
    return made;
}

TEST(TasksInMaker, AreThoseThatItRunsWhileItsTeamWaits) {
    MadeEvidence made = tasks_in_maker(1, "GOMP_taskloop");
    const auto claims = claims_of(kTasksInMaker, made.evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].node, NodeIndex(0));
    EXPECT_NE(
        claims[0].title.find("makes tasks that run at once, in the thread that makes them, while its peer waits: "
                             "600 ms of the run in all. Shared among 2 threads it would take 300 ms less."),
        std::string::npos)
        << claims[0].title;
    EXPECT_TRUE(claims_of(kTasksInMaker, tasks_in_maker(2, "GOMP_taskloop").evidence).empty())
        << "others work as well";
    EXPECT_TRUE(claims_of(kTasksInMaker, tasks_in_maker(1, "GOMP_taskwait").evidence).empty()) << "it makes none";
}

// Memory that is taken for a copy belongs to the copy.
TEST(CopyTax, HasTheMemoryOfContainersThatAreCopiedWhole) {
    const auto made = [](std::int64_t copying_ms, const std::string& by) {
        MadeRun run;
        run.add(TimeClass::kWork, 1'000, 500, 2, "work");
        AccountRow& copying = run.add(TimeClass::kRunTime, copying_ms, copying_ms / 2, 2);
        copying.family = TaxFamily::kCopying;
        copying.detail = by;
        AccountRow& memory = run.add(TimeClass::kRunTime, 600, 300, 2);
        memory.family = TaxFamily::kAllocation;
        memory.released_ns = 200 * kMs;
        return run;
    };
    MadeRun copied = made(300, "std::vector<unsigned int, std::allocator<unsigned int> >::vector");
    const auto claims = copied.claims(kCopyTax);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_DOUBLE_EQ(claims[0].shorter_ns, 450.0 * kMs);
    EXPECT_TRUE(copied.claims(kAllocationTax).empty());
    EXPECT_EQ(made(300, "std::vector::vector").claims(kCopyTax).size(), 1U) << "inlined";
    EXPECT_EQ(made(300, "std::vector::push_back").claims(kAllocationTax).size(), 1U) << "growing is something else";
    EXPECT_EQ(made(100, "std::vector::vector").claims(kAllocationTax).size(), 1U) << "little is in them";
}

// What destroys the copy, at its scope's end, belongs to it as well; not what destroys something else there.
TEST(CopyTax, HasTheCopysDestruction) {
    const auto copying_ms = [](const std::string& destroyed, const std::string& in) {
        MadeRun run;
        AccountRow& copying = run.add(TimeClass::kRunTime, 300, 300);
        copying.family = TaxFamily::kCopying;
        copying.detail = "std::unordered_map<int, int>::unordered_map";
        AccountRow& memory = run.add(TimeClass::kRunTime, 200, 200, 1, in);
        memory.family = TaxFamily::kAllocation;
        memory.detail = destroyed;
        memory.place.line = 9;
        return run.claims(kCopyTax).at(0).shorter_ns / kMs;
    };
    EXPECT_DOUBLE_EQ(copying_ms("std::unordered_map<int, int>::~unordered_map", "step"), 500);
    EXPECT_DOUBLE_EQ(copying_ms("std::map<int, int>::~map", "step"), 300);
    EXPECT_DOUBLE_EQ(copying_ms("std::unordered_map<int, int>::~unordered_map", "other"), 300);
    EXPECT_DOUBLE_EQ(copying_ms("operator new", "step"), 300);
}

// One function calls the other: each has its own time, and a finding of its own.
TEST(Tax, OfTwoFunctionsIsTwoFindings) {
    const auto found = [](const char* second) {
        MadeEvidence made;
        const std::uint32_t post = made.add_node("post");
        const std::uint32_t key = made.add_node("key_of", post);
        made.add_occurrence(key, {.terms = {.user = 300 * kMs}});
        made.add_occurrence(post, {.terms = {.user = 1'000 * kMs}});
        made.finish();
        for (const auto& [function, family] :
             {std::pair("post", TaxFamily::kHashing), std::pair(second, TaxFamily::kFormatting)}) {
            AccountRow row;
            row.time_class = TimeClass::kRunTime;
            row.family = family;
            row.place = {function, "", "program.c", 7};
            row.ns = 300 * kMs;
            row.shorter_ns = row.ns;
            row.threads = {{0, row.ns}};
            made.evidence.account.rows.push_back(row);
        }
        return judge(made.evidence).findings.size();
    };
    EXPECT_EQ(found("key_of"), 2U);
    EXPECT_EQ(found("post"), 1U) << "the other one is told with it";
}

// A store to each page of fresh memory has a large step, but it is the page faults that take its time.
TEST(Tax, OfStridesIsNotThatOfPageFaults) {
    const auto found = [](std::int64_t faults) {
        MadeEvidence made({"page-faults"});
        const std::uint32_t step = made.add_node("step");
        made.add_occurrence(step, {.terms = {.user = 500 * kMs}, .deltas = {faults}});
        made.finish();
        AccountRow row;
        row.time_class = TimeClass::kWork;
        row.family = TaxFamily::kStridedAccess;
        row.place = {"step", "", "program.c", 12};
        row.ns = 500 * kMs;
        row.shorter_ns = row.ns;
        row.threads = {{0, row.ns}};
        made.evidence.account.rows.push_back(row);
        return claims_of(kStridedWork, made.evidence).size();
    };
    EXPECT_EQ(found(100'000), 1U);
    EXPECT_EQ(found(200'000), 0U);
}

TEST(PollingSleep, IsToldWhereNothingElseWorks) {
    MadeRun run;
    run.add(TimeClass::kTimer, 700, 600);
    run.add(TimeClass::kWork, 400, 300, 2, "work");
    run.add_wait(WaitKind::kSleep, 700, 70);
    EXPECT_TRUE(run.claims(kPollingSleep).empty()) << "a timer's thread: nothing waits for it";
    run.add_wait(WaitKind::kCondition, 400, 70, 1);
    const auto claims = run.claims(kPollingSleep);
    ASSERT_EQ(claims.size(), 1U);
    run.evidence().wait_sums.back().ns = 0;
    run.evidence().run.threads[1].total.user = 110 * kMs;
    EXPECT_EQ(run.claims(kPollingSleep).size(), 1U) << "it works itself";
    EXPECT_DOUBLE_EQ(claims[0].shorter_ns, 600.0 * kMs);
    EXPECT_NE(claims[0].title.find("sleeps in `step` (program.c:7) 70 times, 700 ms in all; for 600 ms of it"),
              std::string::npos)
        << claims[0].title;
}

TEST(PollingSleep, IsToldOfOneThatMakesTheThreadsThatWork) {
    MadeRun run;
    run.add(TimeClass::kTimer, 700, 600);
    run.add(TimeClass::kWork, 400, 300, 2, "work");
    run.add_wait(WaitKind::kSleep, 700, 70);
    ThreadFacts& made = run.evidence().run.threads[2];
    made.creator = 1;
    made.total.user = 300 * kMs;
    EXPECT_TRUE(run.claims(kPollingSleep).empty()) << "at the begin: a timer beside a pool";
    made.begin = 500 * kMs;
    EXPECT_EQ(run.claims(kPollingSleep).size(), 1U);
}

TEST(PollingSleep, IsFoundForOneThatStartsTheProcessesThatWork) {
    MadeRun run;
    run.add(TimeClass::kTimer, 700, 600);
    run.add(TimeClass::kWork, 400, 300, 2, "work");
    run.add_wait(WaitKind::kSleep, 700, 70);
    run.evidence().run.processes = {{.pid = 1, .name = "a"},
                                    {.pid = 2, .parent = 0, .name = "a", .begin = 500 * kMs}};
    run.evidence().run.threads[2].process = 1;
    run.evidence().run.threads[2].total.user = 300 * kMs;
    EXPECT_EQ(run.claims(kPollingSleep).size(), 1U);
    run.evidence().run.processes[1].parent = kNone;
    EXPECT_TRUE(run.claims(kPollingSleep).empty()) << "another one started it";
}

TEST(PollingSleep, IsNotToldOfAProgramThatIsThereToWait) {
    MadeRun idle;
    idle.add(TimeClass::kTimer, 950, 900);
    idle.add(TimeClass::kWork, 50, 50, 1, "work");
    idle.add_wait(WaitKind::kSleep, 950, 70);
    EXPECT_TRUE(idle.claims(kPollingSleep).empty());
    const auto told_of_brief = [](std::uint64_t count, std::int64_t worked_ms) {
        MadeRun brief;  // two that look for messages of each other every some 100 µs
        brief.add(TimeClass::kTimer, 1'900, 900, 2);
        brief.add(TimeClass::kWork, worked_ms, worked_ms, 2, "work");
        brief.add_wait(WaitKind::kSleep, 1'900, count);
        brief.evidence().run.threads[1].total.user = worked_ms * kMs;
        return brief.claims(kPollingSleep).size();
    };
    EXPECT_EQ(told_of_brief(4'000, 20), 1U);
    EXPECT_EQ(told_of_brief(1'900, 20), 0U) << "of a millisecond each: a rate";
    EXPECT_EQ(told_of_brief(4'000, 5), 0U) << "it does nothing";
    MadeRun last;  // the end waits for a sleep to be over
    last.add(TimeClass::kTimer, 600, 150);
    last.add(TimeClass::kWork, 850, 850, 1, "work");
    last.add_wait(WaitKind::kSleep, 600, 6);
    last.add_wait(WaitKind::kJoin, 150, 1, 1);
    EXPECT_TRUE(last.claims(kPollingSleep).empty());
    MadeRun pauses;  // in its work
    pauses.add(TimeClass::kTimer, 300, 300);
    pauses.add(TimeClass::kWork, 700, 700, 1, "work");
    pauses.add_wait(WaitKind::kSleep, 300, 30);
    pauses.evidence().run.threads[1].total.user = 700 * kMs;
    EXPECT_TRUE(pauses.claims(kPollingSleep).empty());
    const auto paused = pauses.claims(kPauseInWork);
    ASSERT_EQ(paused.size(), 1U);
    EXPECT_NE(paused[0].title.find("sleeps between pieces of work, in `step`"), std::string::npos) << paused[0].title;
    MadeRun covered;  // others work meanwhile
    covered.add(TimeClass::kTimer, 950, 50);
    covered.add(TimeClass::kWork, 900, 900, 1, "work");
    covered.add_wait(WaitKind::kSleep, 950, 70);
    EXPECT_TRUE(covered.claims(kPollingSleep).empty());
}

TEST(PrematureWait, IsForSeveralOneAfterTheOther) {
    MadeRun run;
    run.add(TimeClass::kThreadWait, 900, 450);
    run.add_wait(WaitKind::kJoin, 300, 1, 2);
    run.add_wait(WaitKind::kJoin, 300, 1, 3);
    run.add_wait(WaitKind::kJoin, 300, 1, 4);
    run.add_wait(WaitKind::kJoin, 1, 0);  // for whom is not known
    const auto claims = run.claims(kPrematureWait);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].targets, (std::vector<std::uint32_t>{0, 1, 2, 3}));
    EXPECT_NE(claims[0].title.find("waits 3 times for 3 others, one after the other, 900 ms in all"),
              std::string::npos)
        << claims[0].title;
}

TEST(PrematureWait, IsAlsoByConditions) {
    MadeRun run;
    run.add(TimeClass::kThreadWait, 900, 450);
    run.add_wait(WaitKind::kCondition, 450, 8, 2);
    run.add_wait(WaitKind::kCondition, 450, 8, 3);
    EXPECT_EQ(run.claims(kPrematureWait).size(), 1U);
}

TEST(PrematureWait, IsAlsoForChildrenThatAreNotKnown) {
    MadeRun run;
    run.add(TimeClass::kChildWait, 900, 450);
    run.add_wait(WaitKind::kChild, 900, 9);
    run.evidence().wait_sums.back().longest_ns = 120 * kMs;
    EXPECT_EQ(run.claims(kPrematureWait).size(), 1U);
    run.evidence().wait_sums.back().longest_ns = 700 * kMs;  // one of them is what takes long
    EXPECT_TRUE(run.claims(kPrematureWait).empty());
}

TEST(PageFaultTime, IsToldOfMemoryFaultedInAgainAndOfCopies) {
    MadeRun run;
    run.add(TimeClass::kPageFaults, 300, 200);
    run.evidence().run.counters = {"page-faults"};
    run.evidence().run.deltas = {10'000};
    EXPECT_TRUE(run.claims(kPageFaultTime).empty()) << "how much it held is not known";
    run.evidence().run.peak_bytes = 30'000'000;
    EXPECT_TRUE(run.claims(kPageFaultTime).empty()) << "each page once or little more";
    run.evidence().run.peak_bytes = 70'000'000;  // more than half of it, and it is much
    ASSERT_EQ(run.claims(kPageFaultTime).size(), 1U);
    EXPECT_EQ(
        run.claims(kPageFaultTime)[0].title,
        "The kernel handles page faults of `step` (program.c:7) for 300 ms in all, each page once, of memory that "
        "it keeps.");
    run.evidence().run.peak_bytes = 100'000'000;
    EXPECT_TRUE(run.claims(kPageFaultTime).empty()) << "most of it came in larger pages";
    run.evidence().run.peak_bytes = 3'000'000;
    ASSERT_EQ(run.claims(kPageFaultTime).size(), 1U);
    EXPECT_EQ(run.claims(kPageFaultTime)[0].title,
              "The kernel handles page faults of `step` (program.c:7) for 300 ms in all.");
    run.evidence().run.processes = {{.name = "a"}, {.name = "b"}};
    EXPECT_TRUE(run.claims(kPageFaultTime).empty()) << "several processes: each has its own";
    run.evidence().run.processes = {{.name = "a"}, {.parent = 0, .name = "a"}};
    run.evidence().run.threads[1].process = 1;
    ASSERT_EQ(run.claims(kPageFaultTime).size(), 1U);
    EXPECT_NE(run.claims(kPageFaultTime)[0].title.find("copies of another"), std::string::npos);
}

TEST(PrematureWait, IsNotForOneNorForThoseWithoutAProcessorOrUnknown) {
    MadeRun one;  // its own work is what takes long
    one.add(TimeClass::kThreadWait, 900, 450);
    one.add_wait(WaitKind::kJoin, 800, 1, 2);
    one.add_wait(WaitKind::kJoin, 100, 1, 3);
    EXPECT_TRUE(one.claims(kPrematureWait).empty());
    MadeRun without_processor;
    without_processor.add(TimeClass::kThreadWait, 900, 450);
    without_processor.add_wait(WaitKind::kJoin, 450, 1, 2, 200);
    without_processor.add_wait(WaitKind::kJoin, 450, 1, 3, 200);
    EXPECT_TRUE(without_processor.claims(kPrematureWait).empty());
    MadeRun unknown;
    unknown.add(TimeClass::kThreadWait, 900, 450);
    unknown.add_wait(WaitKind::kCondition, 400, 1);
    unknown.add_wait(WaitKind::kJoin, 500, 1, 3);
    EXPECT_TRUE(unknown.claims(kPrematureWait).empty());
    MadeRun team;  // idle workers wait, too: what they wait for is one thread's work
    team.add(TimeClass::kThreadWait, 900, 450, 3);
    team.add_wait(WaitKind::kCondition, 450, 9, 2);
    team.add_wait(WaitKind::kCondition, 450, 9, 3);
    EXPECT_TRUE(team.claims(kPrematureWait).empty());
}

TEST(SlowInstructions, AreToldFromAFifthOnAndTaxFromATenth) {
    MadeRun run;
    run.add(TimeClass::kWork, 850, 425, 2);
    run.add(TimeClass::kWork, 150, 150, 2).family = TaxFamily::kDivision;
    run.add(TimeClass::kRunTime, 150, 150, 2).family = TaxFamily::kCopying;
    EXPECT_TRUE(run.claims(kDivisionWork).empty());
    EXPECT_EQ(run.claims(kCopyTax).size(), 1U);
    run.add(TimeClass::kWork, 250, 250, 2).family = TaxFamily::kDivision;
    const auto claims = run.claims(kDivisionWork);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_DOUBLE_EQ(claims[0].shorter_ns, 280.0 * kMs);  // seven tenths of 400 ms
    EXPECT_EQ(claims[0].title.substr(0, 4), "29 %");      // 400 of 1,400 ms
    EXPECT_NE(claims[0].title.find("is dividing, 62 % of it in `step`"), std::string::npos) << claims[0].title;
}

// One change repairs one place: a family that is spread over several is less sure than one in a single place.
TEST(RunTimeTax, IsAsSureAsItsPlaceHasOfIt) {
    MadeRun run;
    run.add(TimeClass::kRunTime, 200, 200, 1).family = TaxFamily::kCopying;
    EXPECT_DOUBLE_EQ(run.claims(kCopyTax).at(0).own_sure, 0.9);
    run.add(TimeClass::kRunTime, 50, 50, 1, "other").family = TaxFamily::kCopying;
    EXPECT_DOUBLE_EQ(run.claims(kCopyTax).at(0).own_sure, 0.9 * 0.8);
    for (const char* const function : {"third", "fourth", "fifth"}) {
        run.add(TimeClass::kRunTime, 150, 150, 1, function).family = TaxFamily::kCopying;
    }
    EXPECT_DOUBLE_EQ(run.claims(kCopyTax).at(0).own_sure, 0.9 * 0.5);
}

// Calls that ask count by the account; what transfers or maps may take its time for much.
TEST(SmallCalls, CountWhereTheyAskLittle) {
    for (const auto& [call, is_told] :
         {std::pair("fstatat64", true), std::pair("__GI___open64", true), std::pair("read", false),
          std::pair("munmap", false), std::pair("wait4", false)}) {
        MadeRun run;
        run.add(TimeClass::kSystemCall, 150, 150).detail = call;
        EXPECT_EQ(run.claims(kSmallCalls).size(), is_told ? 1U : 0U) << call;
    }
    MadeRun little;
    little.add(TimeClass::kSystemCall, 90, 90).detail = "stat";
    EXPECT_TRUE(little.claims(kSmallCalls).empty());
}

TEST(SlowInstructions, AtomicsOfOneThreadAreNotContended) {
    MadeRun one;
    one.add(TimeClass::kWork, 800, 800, 1).family = TaxFamily::kAtomics;
    EXPECT_TRUE(one.claims(kAtomicWork).empty());
    MadeRun two;
    two.add(TimeClass::kWork, 800, 400, 2).family = TaxFamily::kAtomics;
    EXPECT_EQ(two.claims(kAtomicWork).size(), 1U);
}

// Of a function that runs on two threads and takes more and more of each of the run's parts.
void add_growing(MadeRun* run, double rest) {
    Evidence& evidence = run->evidence();
    FunctionInTime step{.function = "step", .module = "", .ns = {}};
    std::int64_t all = 0;
    for (std::size_t batch = 0; batch < kTimeBatches; ++batch) {
        const auto own = static_cast<double>(batch) / static_cast<double>(kTimeBatches);
        step.ns[batch] = static_cast<std::int64_t>(own * kMs);
        evidence.account.busy[batch] = static_cast<std::int64_t>((own + rest) * kMs);
        all += step.ns[batch];
    }
    evidence.account.in_time.push_back(step);
    run->add(TimeClass::kWork, all / kMs, 500, 2);
}

TEST(GrowthRule, IsToldOfWhatTakesLongerBesideEqualOtherWork) {
    MadeRun run;
    add_growing(&run, 0.5);
    const auto claims = run.claims(kGrowth);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].place->function, "step");
    // Beside the first eighth a sixteenth of the last batch's, on average a half: seven eighths are more.
    EXPECT_NEAR(claims[0].shorter_ns / kMs, 437.5, 10);
    EXPECT_NE(claims[0].title.find("takes longer and longer"), std::string::npos) << claims[0].title;
}

TEST(GrowthRule, IsNotToldWithoutOtherWorkToMeasureBy) {
    MadeRun run;
    add_growing(&run, 0.01);
    EXPECT_TRUE(run.claims(kGrowth).empty());
}

// Two rounds of two forked processes each: 300 ms and 100 ms.
void add_children(MadeRun* run, std::int64_t shorter_ms) {
    RunFacts& facts = run->evidence().run;
    facts.processors = 2;
    facts.processes = {{.name = "a"}};
    for (std::uint32_t child = 1; child <= 4; ++child) {
        facts.processes.push_back({.parent = 0, .name = "a"});
        ThreadFacts& thread = facts.threads[child];
        const std::int64_t ms = child % 2 == 1 ? 300 : shorter_ms;
        thread.process = child;
        thread.creator = kNone;
        thread.begin = child <= 2 ? 0 : 400 * kMs;
        thread.end = thread.begin + static_cast<std::uint64_t>(ms * kMs);
        thread.total.user = ms * kMs;
        run->add(TimeClass::kWork, ms, ms / 2, 1);
        run->evidence().account.rows.back().threads = {{child, ms * kMs}};
    }
}

TEST(UnevenChildren, AreToldWhereTheLongestWorksForMuchLonger) {
    MadeRun run;
    add_children(&run, 100);
    const auto claims = run.claims(kUnevenChildren);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_DOUBLE_EQ(claims[0].shorter_ns, 200.0 * kMs);
    EXPECT_EQ(claims[0].threads, (std::vector<std::uint32_t>{1, 3}));
    EXPECT_NE(claims[0].title.find("In 2 rounds, one of those that are made together works 300 ms"),
              std::string::npos)
        << claims[0].title;
    run.evidence().run.threads[1].pace = run.evidence().run.threads[3].pace = 3;  // on a slow processor
    run.evidence().run.threads[2].pace = run.evidence().run.threads[4].pace = 1;
    EXPECT_TRUE(run.claims(kUnevenChildren).empty());
}

TEST(UnevenChildren, AreNotToldOfEqualOnesNorOfThoseThatWaitNorOfOtherPrograms) {
    MadeRun equal;
    add_children(&equal, 250);
    EXPECT_TRUE(equal.claims(kUnevenChildren).empty());
    MadeRun waiting;
    add_children(&waiting, 100);
    waiting.evidence().run.threads[1].total.user = waiting.evidence().run.threads[3].total.user = 200 * kMs;
    EXPECT_TRUE(waiting.claims(kUnevenChildren).empty());
    MadeRun others;
    add_children(&others, 100);
    for (std::uint32_t child = 1; child <= 4; ++child) {
        others.evidence().run.processes[child].name = "b";
    }
    EXPECT_TRUE(others.claims(kUnevenChildren).empty());
}

// Half of a short run is the start of MPI: what takes a tenth of the rest is worth a finding. A start that one of
// those who work does not have is not taken off.
TEST(AccountRows, CountAgainstTheRunWithoutItsStart) {
    const auto told = [](std::uint32_t starters) {
        MadeRun run;
        RunFacts& facts = run.evidence().run;
        for (std::uint32_t thread = 1; thread <= 2; ++thread) {
            facts.threads[thread].total = {.user = 500 * kMs, .waiting = 500 * kMs};
        }
        facts.threads[3].total = {.user = 20 * kMs};  // a helper of the library's
        facts.total = {.user = 1'020 * kMs};
        run.add(TimeClass::kStartEnd, 500 * starters, 200, starters);
        run.add(TimeClass::kSystemCall, 60, 60).detail = "stat";
        return run.claims(kSmallCalls).size();
    };
    EXPECT_EQ(told(2), 1U);
    EXPECT_EQ(told(1), 0U);
}

TEST(AccountRows, AreAddedUpByFunction) {
    MadeRun run;
    run.add(TimeClass::kTimer, 100, 10, 1, "a");
    run.add(TimeClass::kTimer, 200, 20, 2, "b");
    run.add(TimeClass::kTimer, 50, 30, 1, "a");
    run.add(TimeClass::kTimer, 70, 60, 1, "");
    run.add(TimeClass::kWork, 70, 60, 1, "a");
    const auto sums = sums_by_function(run.evidence().account,
                                       [](const AccountRow& row) { return row.time_class == TimeClass::kTimer; });
    ASSERT_EQ(sums.size(), 2U);
    EXPECT_EQ(sums[0].most->place.function, "a");
    EXPECT_EQ(sums[0].ns, 150 * kMs);
    EXPECT_EQ(sums[0].shorter_ns, 40 * kMs);
    EXPECT_EQ(sums[0].most->ns, 100 * kMs);
    EXPECT_EQ(processor_ns(run.evidence().account), 70 * kMs);
}

}  // namespace
}  // namespace account_rules
}  // namespace kymo::findings
