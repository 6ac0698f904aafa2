// Rules about threads that wait: each holds on evidence of its cause, and is quiet where the counter-evidence is
// there.
#include "findings/rule.h"
#include "findings/words.h"
#include "made_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::findings {

extern const Rule kLockContention;
extern const Rule kInterpreterLock;
extern const Rule kIoWait;
extern const Rule kBusyWait;
extern const Rule kSerialSection;
extern const Rule kDelayedAcknowledgement;
namespace {

using namespace spacetime;
using recording::WaitKind;
using ::testing::HasSubstr;

double most(const Claim& claim) {
    double ns = 0;
    for (const ThreadTime& time : claim.own) {
        ns = std::max(ns, time.ns);
    }
    return ns;
}

// Two threads, one second, each `waiting_ms` in waits for one target; processors idle for `idle_ms` each.
struct Waiting {
    Waiting(WaitKind kind, std::int64_t waiting_ms, std::int64_t idle_ms, std::uint64_t count) : made({}, 3) {
        RunFacts& run = made.evidence.run;
        run.end = 1'000 * kMs;
        made.add_node("add");
        const std::uint32_t target = made.add_wait_target(kind, "add", 1);
        WaitSum sums;
        sums.ns = 2 * waiting_ms * kMs;
        sums.count = count;
        sums.longest_ns = kMs;
        made.evidence.wait_sums = {sums};
        for (std::uint32_t thread = 1; thread < 3; ++thread) {
            run.threads[thread].end = 1'000 * kMs;
            run.threads[thread].waits = {{target, waiting_ms * kMs}};
            run.threads[thread].total = {.user = (1'000 - waiting_ms) * kMs, .waiting = waiting_ms * kMs};
        }
        run.ready_ns = {idle_ms * kMs, 0, (1'000 - idle_ms) * kMs};
    }
    MadeEvidence made;
};

TEST(LockContention, IsToldWithWhatItCostsAtMost) {
    const Waiting waiting(WaitKind::kMutex, 400, 300, 500);
    const auto claims = claims_of(kLockContention, waiting.made.evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].place->function, "add");
    EXPECT_EQ(claims[0].threads, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(claims[0].targets, std::vector<std::uint32_t>{0});
    EXPECT_DOUBLE_EQ(most(claims[0]), 300.0 * kMs);  // not 400: no more than the processors were idle
}

TEST(LockContention, CostsNothingWhereOthersUseTheProcessors) {
    const Waiting waiting(WaitKind::kMutex, 400, 0, 500);
    const auto claims = claims_of(kLockContention, waiting.made.evidence);
    EXPECT_TRUE(claims.empty() || most(claims[0]) == 0.0);
}

// As in libgomp's critical sections: nobody goes to sleep, and no processor is idle.
TEST(LockContention, IsToldOfThoseThatPollForALock) {
    Waiting waiting(WaitKind::kOmpCritical, 400, 0, 500);
    RunFacts& run = waiting.made.evidence.run;
    for (std::uint32_t thread = 1; thread < 3; ++thread) {
        std::swap(run.threads[thread].waits, run.threads[thread].polled);
        run.threads[thread].total = {.user = 600 * kMs, .spinning = 400 * kMs};
    }
    run.total.spinning = 800 * kMs;
    const auto claims = claims_of(kLockContention, waiting.made.evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_DOUBLE_EQ(most(claims[0]), 400.0 * kMs);  // of two processors
    EXPECT_NE(claims[0].title.find("for the critical section taken in"), std::string::npos) << claims[0].title;
    EXPECT_EQ(words_of(claims[0].evidence.back()), "seconds of it polling on a processor");
    EXPECT_DOUBLE_EQ(claims[0].evidence.back().bad, 0.8);
}

TEST(LockContention, IsNotAGateThatIsOpenedOnceNorABarrier) {
    // Two threads, once or twice each, or three times.
    EXPECT_TRUE(claims_of(kLockContention, Waiting(WaitKind::kMutex, 400, 300, 2).made.evidence).empty());
    EXPECT_TRUE(claims_of(kLockContention, Waiting(WaitKind::kMutex, 400, 300, 5).made.evidence).empty());
    EXPECT_EQ(claims_of(kLockContention, Waiting(WaitKind::kMutex, 400, 300, 6).made.evidence).size(), 1U);
    EXPECT_TRUE(claims_of(kLockContention, Waiting(WaitKind::kBarrier, 400, 300, 500).made.evidence).empty());
}

// CPython's condition is its interpreter lock; another program's, or another kind of wait in it, is not.
TEST(InterpreterLock, IsPythonsCondition) {
    const auto claims = [](WaitKind kind, bool is_pythons, std::uint64_t count = 300) {
        Waiting waiting(kind, 400, 300, count);
        waiting.made.evidence.wait_targets[0].is_pythons = is_pythons;
        return claims_of(kInterpreterLock, waiting.made.evidence);
    };
    const auto told = claims(WaitKind::kCondition, true);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].threads, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_DOUBLE_EQ(most(told[0]), 300.0 * kMs);  // not 400: no more than the processors were idle
    EXPECT_TRUE(claims(WaitKind::kSemaphore, true).empty());
    EXPECT_TRUE(claims(WaitKind::kCondition, true, 9).empty());
    EXPECT_TRUE(claims(WaitKind::kCondition, false).empty());
}

TEST(InterpreterLock, CostsNothingWhereOthersUseTheProcessors) {
    Waiting waiting(WaitKind::kCondition, 400, 0, 300);
    waiting.made.evidence.wait_targets[0].is_pythons = true;
    const auto claims = claims_of(kInterpreterLock, waiting.made.evidence);
    EXPECT_TRUE(claims.empty() || most(claims[0]) == 0.0);
}

TEST(IoWait, IsToldOfTransfers) {
    for (const WaitKind kind : {WaitKind::kRead, WaitKind::kWrite, WaitKind::kSync}) {
        const Waiting waiting(kind, 400, 400, 100);
        const auto claims = claims_of(kIoWait, waiting.made.evidence);
        ASSERT_EQ(claims.size(), 1U);
        EXPECT_DOUBLE_EQ(most(claims[0]), 400.0 * kMs);
    }
}

std::uint64_t open_on(recording::FileKind kind, std::uint32_t descriptor) {
    return descriptor | static_cast<std::uint64_t>(kind) << recording::kFileKindBit;
}

TEST(IoWait, SaysWhatIsReadAndWhatHelpsThere) {
    const auto claim = [](WaitKind kind, recording::FileKind file) {
        Waiting waiting(kind, 400, 400, 100);
        waiting.made.evidence.wait_targets[0].object = open_on(file, 5);
        return claims_of(kIoWait, waiting.made.evidence).at(0);
    };
    const Claim socket = claim(WaitKind::kRead, recording::FileKind::kSocket);
    EXPECT_NE(socket.title.find("for a read from a socket to get"), std::string::npos) << socket.title;
    EXPECT_TRUE(socket.direction.empty());
    const Claim file = claim(WaitKind::kWrite, recording::FileKind::kFile);
    EXPECT_NE(file.title.find("for a write to a file to get"), std::string::npos) << file.title;
    EXPECT_NE(file.direction.find("fsync"), std::string::npos) << file.direction;
}

// A client that waits while the server works for it, and one whose server sleeps.
TEST(IoWait, OfASocketIsNotWhatOtherProcessesWorkMeanwhile) {
    const auto most_of = [](std::int64_t busy_ms) {
        Waiting waiting(WaitKind::kRead, 400, 400, 100);
        Evidence& evidence = waiting.made.evidence;
        evidence.run.processes = {{.pid = 1, .name = "client"}, {.pid = 2, .parent = 0, .name = "server"}};
        evidence.run.threads[2].waits.clear();
        evidence.run.threads[2].process = 1;
        evidence.run.threads[2].total = {.user = busy_ms * kMs};
        evidence.wait_targets[0].object = open_on(recording::FileKind::kSocket, 3);
        const auto claims = claims_of(kIoWait, evidence);
        return claims.empty() ? 0.0 : most(claims[0]);
    };
    EXPECT_DOUBLE_EQ(most_of(0), 400.0 * kMs);
    EXPECT_DOUBLE_EQ(most_of(100), 300.0 * kMs);
    EXPECT_DOUBLE_EQ(most_of(400), 0.0);
}

// A shell reads what its commands print: what they do is what takes time.
TEST(IoWait, IsNotAPipeToAnotherProcessOfTheRun) {
    const auto is_told = [](std::uint32_t of, std::uint32_t descriptor, bool has_child = true) {
        Waiting waiting(WaitKind::kRead, 400, 400, 100);
        Evidence& evidence = waiting.made.evidence;
        evidence.run.processes = {{.pid = 1, .name = "sh"}};
        if (has_child) {
            evidence.run.processes.push_back({.pid = 2, .parent = 0, .name = "wc"});
        }
        evidence.wait_targets[0].process = of;
        evidence.wait_targets[0].object = open_on(recording::FileKind::kPipe, descriptor);
        return !claims_of(kIoWait, evidence).empty();
    };
    EXPECT_FALSE(is_told(0, 3));
    EXPECT_FALSE(is_told(1, 0)) << "its parent, or another child of it, is at the other end";
    EXPECT_TRUE(is_told(0, 0)) << "standard input comes from outside";
    EXPECT_TRUE(is_told(0, 3, false)) << "there is no other process";
}

TEST(IoWait, IsNotAPipeBetweenTwoThreads) {
    const auto is_told = [](WaitKind of_other) {
        Waiting waiting(WaitKind::kRead, 400, 400, 100);
        Evidence& evidence = waiting.made.evidence;
        evidence.run.processes = {{.pid = 1, .name = "feed"}};
        evidence.wait_targets[0].process = 0;
        evidence.wait_targets[0].object = open_on(recording::FileKind::kPipe, 3);
        for (ThreadFacts& thread : evidence.run.threads) {
            thread.process = 0;
        }
        const bool is_first = evidence.run.threads[0].waits.empty();
        evidence.run.threads[is_first ? 0 : 1].waits.clear();
        evidence.run.threads[is_first ? 0 : 1].brief = {{.kind = of_other, .ns = kMs, .count = 1'000}};
        return !claims_of(kIoWait, evidence).empty();
    };
    EXPECT_TRUE(is_told(WaitKind::kSync));
    EXPECT_FALSE(is_told(WaitKind::kWrite)) << "it is written by the other thread";
}

// A client that waits for the server's thread of the same program: the channel's two ends are parties of the
// recording.
TEST(IoWait, IsNotASocketWhoseOtherEndIsInTheRun) {
    struct Ends {
        std::uint64_t inside_ms = 400;  // in calls for another thread of the run
        std::uint64_t outside_ms = 0;
        ChannelDirection direction = ChannelDirection::kSend;
        ChannelKind kind = ChannelKind::kTcpLoopback;
    };
    const auto is_told = [](const Ends& of) {
        Waiting waiting(WaitKind::kWrite, 400, 400, 100);
        RunFacts& run = waiting.made.evidence.run;
        run.processes = {{.pid = 1, .name = "both"}};
        waiting.made.evidence.wait_targets[0].process = 0;
        waiting.made.evidence.wait_targets[0].object = open_on(recording::FileKind::kSocket, 3);
        for (ThreadFacts& thread : run.threads) {
            thread.process = 0;
        }
        run.parties = {Party{.rank = {}, .pid = 1, .thread = 101, .name = "both"},
                       Party{.rank = {}, .pid = 1, .thread = 100, .name = "both"},
                       Party{.rank = {}, .is_outside = true, .name = "10.0.0.1:80"}};
        const auto add = [&](std::size_t peer, std::uint64_t ms) {
            Channel channel;
            channel.kind = of.kind;
            channel.peer = peer;
            channel.direction = of.direction;
            channel.blocked_ns = ms * static_cast<std::uint64_t>(kMs);
            run.channels.push_back(channel);
        };
        add(1, of.inside_ms);
        add(2, of.outside_ms);
        return !claims_of(kIoWait, waiting.made.evidence).empty();
    };
    EXPECT_FALSE(is_told({}));
    EXPECT_FALSE(is_told({.inside_ms = 400, .outside_ms = 40}));
    EXPECT_TRUE(is_told({.inside_ms = 400, .outside_ms = 50})) << "it also sends elsewhere";
    EXPECT_TRUE(is_told({.inside_ms = 0})) << "no time in calls is known";
    EXPECT_TRUE(is_told({.direction = ChannelDirection::kReceive})) << "it waits to send";
    EXPECT_TRUE(is_told({.kind = ChannelKind::kPipe})) << "that is no socket";
}

// A client and its server on one host: each waits for the other's second write, which waits for an acknowledgement.
TEST(DelayedAcknowledgement, IsToldOfBothEndsThatWaitForFortyMilliseconds) {
    struct Client {
        std::uint64_t waits = 10;
        std::int64_t ms_each = 44;
        std::uint64_t bytes_each = 100;
        std::int64_t idle_ms = 500;
        std::int64_t asleep_ms = 0;
        ChannelKind kind = ChannelKind::kTcpLoopback;
    };
    const auto told = [](const Client& client) {
        const auto waits = static_cast<std::int64_t>(client.waits);
        Waiting waiting(WaitKind::kRead, waits * client.ms_each / 2, client.idle_ms, client.waits);
        Evidence& evidence = waiting.made.evidence;
        evidence.wait_sums[0].longest_ns = client.ms_each * kMs;
        evidence.wait_targets[0].process = 0;
        evidence.wait_targets[0].object = open_on(recording::FileKind::kSocket, 3);
        evidence.run.processes = {{.pid = 1, .name = "client"}};
        for (ThreadFacts& thread : evidence.run.threads) {
            thread.process = 0;
        }
        waiting.made.add_wait_target(WaitKind::kSleep, "tick", kNone);
        WaitSum asleep;
        asleep.ns = client.asleep_ms * kMs;
        evidence.wait_sums.push_back(asleep);
        evidence.run.parties = {Party{.rank = {}, .pid = 1, .thread = 101, .name = "client"},
                                Party{.rank = {}, .pid = 2, .thread = 200, .name = "server"}};
        Channel channel;
        channel.kind = client.kind;
        channel.peer = 1;
        channel.direction = ChannelDirection::kReceive;
        channel.messages = client.waits;
        channel.bytes = client.waits * client.bytes_each;
        channel.blocked_ns = client.waits * static_cast<std::uint64_t>(client.ms_each * kMs);
        evidence.run.channels = {channel};
        return claims_of(kDelayedAcknowledgement, evidence);
    };
    const auto claims = told({});
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_THAT(claims[0].title,
                HasSubstr("10 times, 44 ms each, in `add` (program.c:99) for messages of 100 bytes"));
    EXPECT_DOUBLE_EQ(claims[0].shorter_ns, 220.0 * kMs);
    EXPECT_DOUBLE_EQ(told({.idle_ms = 150})[0].shorter_ns, 150.0 * kMs);
    EXPECT_TRUE(told({.waits = 9}).empty()) << "too few";
    EXPECT_TRUE(told({.ms_each = 20}).empty()) << "something else";
    EXPECT_TRUE(told({.ms_each = 80}).empty()) << "something else";
    EXPECT_TRUE(told({.bytes_each = 4'000}).empty()) << "long messages";
    EXPECT_TRUE(told({.idle_ms = 50}).empty()) << "the program works meanwhile";
    EXPECT_TRUE(told({.asleep_ms = 300}).empty()) << "by the clock";
    EXPECT_TRUE(told({.kind = ChannelKind::kUnix}).empty()) << "not acknowledged at all";
}

// As of `tar czf`: tar waits for files, and longer for gzip to take what it has read. Faster files change nothing, as
// far as gzip does not wait.
TEST(IoWait, OfFilesIsHiddenByAFullPipe) {
    const auto most_of = [](std::int64_t full_ms, std::int64_t empty_ms) {
        Waiting waiting(WaitKind::kRead, 300, 700, 100);
        Evidence& evidence = waiting.made.evidence;
        RunFacts& run = evidence.run;
        run.processes = {{.pid = 1, .name = "tar"}, {.pid = 2, .parent = 0, .name = "gzip"}};
        const std::uint32_t write = waiting.made.add_wait_target(WaitKind::kWrite, "flush");
        const std::uint32_t read = waiting.made.add_wait_target(WaitKind::kRead, "fill");
        evidence.wait_targets[0].holder = kNone;
        evidence.wait_targets[0].object = open_on(recording::FileKind::kFile, 5);
        evidence.wait_targets[write].object = open_on(recording::FileKind::kPipe, 4);
        evidence.wait_targets[read].object = open_on(recording::FileKind::kPipe, 0);
        evidence.wait_targets[read].process = 1;
        evidence.wait_sums.resize(3, evidence.wait_sums[0]);
        run.threads[1].waits.push_back({write, full_ms * kMs});
        run.threads[2].process = 1;
        run.threads[2].waits = {{read, empty_ms * kMs}};
        const auto claims = claims_of(kIoWait, evidence);
        return claims.empty() ? 0.0 : most(claims[0]);
    };
    EXPECT_DOUBLE_EQ(most_of(600, 0), 0.0);
    EXPECT_DOUBLE_EQ(most_of(600, 100), 100.0 * kMs);
    EXPECT_DOUBLE_EQ(most_of(600, 500), 300.0 * kMs);
    EXPECT_DOUBLE_EQ(most_of(10, 0), 300.0 * kMs) << "the pipe is hardly ever full";
}

// As of a script that starts one program again and again: one finding, not one a process; and none of one program
// with those of another.
TEST(IoWait, OfOneProgramIsOneFinding) {
    Waiting waiting(WaitKind::kRead, 400, 400, 100);
    Evidence& evidence = waiting.made.evidence;
    WaitTarget other = evidence.wait_targets[0];
    other.process = 2;
    evidence.wait_targets.push_back(other);
    evidence.wait_sums.push_back(evidence.wait_sums[0]);
    evidence.run.threads[1].process = 1;
    evidence.run.threads[1].name = "wc";
    evidence.run.threads[2].process = 2;
    evidence.run.threads[2].name = "wc";
    evidence.run.threads[2].waits[0].target = 1;
    const auto same = claims_of(kIoWait, evidence);
    ASSERT_EQ(same.size(), 1U);
    EXPECT_EQ(same[0].title.substr(0, 28), "2 processes `wc` wait 800 ms") << same[0].title;
    evidence.run.threads[2].name = "sed";
    EXPECT_EQ(claims_of(kIoWait, evidence).size(), 2U);
}

TEST(IoWait, IsNotAServerWithoutRequests) {
    EXPECT_TRUE(claims_of(kIoWait, Waiting(WaitKind::kRead, 950, 950, 20).made.evidence).empty());
    EXPECT_TRUE(claims_of(kIoWait, Waiting(WaitKind::kPoll, 400, 400, 20).made.evidence).empty());
    EXPECT_TRUE(claims_of(kIoWait, Waiting(WaitKind::kMutex, 400, 400, 20).made.evidence).empty());
    // Nobody waits for work in fsync.
    EXPECT_EQ(claims_of(kIoWait, Waiting(WaitKind::kSync, 950, 950, 20).made.evidence).size(), 1U);
}

// Thread 0 polls for 800 ms of its second; 1 and 2 work, and are ready without a processor for `queued_ms` each.
MadeEvidence polling(std::int64_t queued_ms, bool polls = true, std::int64_t work_ms = 0) {
    MadeEvidence made({}, 3);
    const std::uint32_t node = made.add_node("await", kNone, SpaceKind::kLoop);
    made.add_occurrence(node, {.thread = 0, .terms = {.user = 800 * kMs}});
    made.evidence.nodes[node].polls = polls;
    RunFacts& run = made.evidence.run;
    run.end = 1'000 * kMs;
    run.threads[0].total = {.user = (800 + work_ms) * kMs};
    for (std::uint32_t thread = 1; thread < 3; ++thread) {
        run.threads[thread].total = {.user = 600 * kMs, .run_queue = queued_ms * kMs};
    }
    return made;
}

TEST(BusyWait, CostsWhatItKeepsFromOthers) {
    const MadeEvidence made = polling(300);
    const auto claims = claims_of(kBusyWait, made.evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_DOUBLE_EQ(most(claims[0]), 300.0 * kMs);
    EXPECT_EQ(claims[0].threads, std::vector<std::uint32_t>{0});
}

// Two processors, and only for 100 ms three threads of the program ready: the rest of the 600 ms is others' doing.
TEST(BusyWait, IsNotBlamedForOtherPrograms) {
    MadeEvidence made = polling(300);
    made.evidence.run.processors = 2;
    made.evidence.run.ready_ns = {0, 0, 900 * kMs, 100 * kMs};
    auto claims = claims_of(kBusyWait, made.evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].own, (std::vector<ThreadTime>{{1, 50.0 * kMs}, {2, 50.0 * kMs}}));
    made.evidence.run.ready_ns = {0, 0, 1'000 * kMs};
    claims = claims_of(kBusyWait, made.evidence);
    EXPECT_TRUE(claims.empty() || most(claims[0]) == 0.0);
}

TEST(BusyWait, OfAThreadWithOtherWorkIsLostTime) {
    const auto claims = claims_of(kBusyWait, polling(0, true, 200).evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_DOUBLE_EQ(most(claims[0]), 800.0 * kMs);
}

// Threads meet there; only what others lack costs anything.
TEST(BusyWait, OfOpenMPsRunTimeIsAWait) {
    MadeEvidence made = polling(300, true, 200);
    made.evidence.nodes[0].place.module = "libgomp.so.1";
    const auto claims = claims_of(kBusyWait, made.evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_DOUBLE_EQ(most(claims[0]), 300.0 * kMs);
}

TEST(BusyWait, CostsNothingWithProcessorsToSpareAndIsNoLoopThatWorks) {
    const auto claims = claims_of(kBusyWait, polling(0).evidence);
    EXPECT_TRUE(claims.empty() || most(claims[0]) == 0.0);
    EXPECT_TRUE(claims_of(kBusyWait, polling(300, false).evidence).empty());
}

// `serial_ms` in renumber on thread 1, in company of `active` threads; the rest of the second two threads work.
MadeEvidence serial(std::int64_t serial_ms, float active, bool is_parallel = true) {
    MadeEvidence made({}, 3);
    const std::uint32_t run_node = made.add_node("run");
    const std::uint32_t renumber = made.add_node("renumber", run_node);
    const std::uint32_t update = made.add_node("update", run_node);
    for (int i = 0; i < 10; ++i) {
        const auto begin = static_cast<std::uint64_t>(i * 100 * kMs);
        made.add_occurrence(renumber, {.thread = 1, .begin = begin, .terms = {.user = serial_ms / 10 * kMs}});
        for (std::uint32_t thread = 1; thread < 3; ++thread) {
            made.add_occurrence(update,
                                {.thread = thread, .begin = begin, .terms = {.user = (100 - serial_ms / 10) * kMs}});
        }
    }
    auto& occurrences = made.evidence.nodes[renumber].rows;
    occurrences.active_threads.assign(occurrences.size(), active);
    auto& others = made.evidence.nodes[update].rows;
    others.active_threads.assign(others.size(), 2.0F);
    RunFacts& run = made.evidence.run;
    run.end = 1'000 * kMs;
    for (ThreadFacts& thread : run.threads) {
        thread.end = run.end;
    }
    run.threads[1].total = {.user = 1'000 * kMs};
    run.threads[2].total = {.user = is_parallel ? (1'000 - serial_ms) * kMs : 0};
    run.ready_ns = is_parallel ? std::vector<std::int64_t>{0, serial_ms * kMs, (1'000 - serial_ms) * kMs}
                               : std::vector<std::int64_t>{0, 1'000 * kMs};
    return made;
}

TEST(SerialSection, IsToldWithWhatSharingWouldSave) {
    const auto claims = claims_of(kSerialSection, serial(400, 1.0F).evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].node, NodeIndex(1));
    EXPECT_EQ(claims[0].threads, std::vector<std::uint32_t>{1});
    EXPECT_DOUBLE_EQ(most(claims[0]), 200.0 * kMs);  // two processors would need half
}

// The other one works elsewhere, in turns with waits for it: a pipeline's stage has a finding of its own.
TEST(SerialSection, IsNoneOfAStageThatTheOthersWaitFor) {
    const auto told = [](std::uint64_t waits) {
        MadeEvidence made = serial(700, 1.0F);
        const std::uint32_t theirs = made.add_node("decode");
        made.evidence.nodes[1].work = {{1, {.user = 900 * kMs}}};
        made.evidence.nodes[2].work = {{1, {.user = 100 * kMs}}};
        made.evidence.nodes[theirs].work = {{2, {.user = 300 * kMs}}};
        const std::uint32_t target = made.add_wait_target(WaitKind::kCondition, "put", 1);
        made.evidence.run.threads[2].waits = {{target, 700 * kMs}};
        made.evidence.wait_sums.resize(1);
        made.evidence.wait_sums[0].count = waits;
        return claims_of(kSerialSection, made.evidence).size();
    };
    EXPECT_EQ(told(9), 1U);
    EXPECT_EQ(told(500), 0U);
}

TEST(SerialSection, IsNoneOfWorkThatOthersShareOnTheSamePath) {
    MadeEvidence made = serial(400, 1.0F);
    made.add_occurrence(1, {.thread = 2, .begin = 0, .terms = {.user = 90 * kMs}});
    auto& rows = made.evidence.nodes[1].rows;
    rows.active_threads.back() = 1.0F;
    EXPECT_EQ(claims_of(kSerialSection, made.evidence).size(), 1U) << "in turns";
    rows.active_threads.back() = 2.0F;
    EXPECT_TRUE(claims_of(kSerialSection, made.evidence).empty()) << "one has more of it: a load imbalance";
    rows.terms.back().user = 70 * kMs;
    EXPECT_EQ(claims_of(kSerialSection, made.evidence).size(), 1U);
}

TEST(SerialSection, OfARecursionIsOne) {
    const auto told = [](const std::string& callee) {
        MadeEvidence made = serial(400, 1.0F);
        const std::uint32_t inner = made.add_node(callee, 1);
        made.add_occurrence(inner, {.thread = 1, .begin = 0, .terms = {.user = 200 * kMs}});
        made.evidence.nodes[inner].rows.active_threads.back() = 1.0F;
        return claims_of(kSerialSection, made.evidence).size();
    };
    EXPECT_EQ(told("other"), 2U);
    EXPECT_EQ(told("renumber"), 1U);
}

TEST(SerialSection, IsNoneInCompanyNorInASequentialProgram) {
    EXPECT_TRUE(claims_of(kSerialSection, serial(400, 1.9F).evidence).empty());
    EXPECT_TRUE(claims_of(kSerialSection, serial(400, 1.0F, false).evidence).empty());
}

TEST(SerialSection, IsNoneWhereThePeersWaitForADeviceNorBeforeMain) {
    MadeEvidence made = serial(400, 1.0F);
    const std::uint32_t read = made.add_wait_target(WaitKind::kRead, "update");
    made.evidence.run.threads[2].waits = {{read, 150 * kMs}};
    EXPECT_EQ(claims_of(kSerialSection, made.evidence).size(), 1U);
    made.evidence.run.threads[2].waits = {{read, 250 * kMs}};
    EXPECT_TRUE(claims_of(kSerialSection, made.evidence).empty());
    MadeEvidence before = serial(400, 1.0F);
    before.evidence.nodes[1].place.function = "_GLOBAL__sub_I_main";
    EXPECT_TRUE(claims_of(kSerialSection, before.evidence).empty());
    EXPECT_TRUE(claims_of(kSerialSection, serial(80, 1.0F).evidence).empty()) << "40 of 1,000 ms to gain";
}

// The peer has hardly any work of its own, but stands by at the team's barrier.
TEST(SerialSection, HasThePeersThatStandBy) {
    MadeEvidence made = serial(400, 1.0F);
    RunFacts& run = made.evidence.run;
    run.threads[2].total = {.user = 50 * kMs, .spinning = 350 * kMs};
    EXPECT_TRUE(claims_of(kSerialSection, made.evidence).empty());
    const std::uint32_t condition = made.add_wait_target(WaitKind::kCondition, "run");
    run.threads[2].polled = {{condition, 350 * kMs}};
    EXPECT_TRUE(claims_of(kSerialSection, made.evidence).empty());
    for (const WaitKind kind : {WaitKind::kBarrier, WaitKind::kOmpBarrier, WaitKind::kOmpIdle}) {
        const std::uint32_t meeting = made.add_wait_target(kind, "run");
        run.threads[2].polled = {{meeting, 350 * kMs}};
        EXPECT_EQ(claims_of(kSerialSection, made.evidence).size(), 1U);
    }
}

// Each of three threads that share the work lives for a third of the run, then the next one.
TEST(SerialSection, CountsPeersThatLiveMeanwhile) {
    MadeEvidence made = serial(400, 1.0F);
    RunFacts& run = made.evidence.run;
    run.processors = 8;
    run.ready_ns = {0, 400 * kMs, 600 * kMs};
    ThreadFacts next = run.threads[2];
    run.threads[2].end = 300 * kMs;
    next.begin = 300 * kMs;
    next.end = 600 * kMs;
    run.threads.push_back(next);
    next.begin = 600 * kMs;
    next.end = run.end;
    run.threads.push_back(next);
    auto claims = claims_of(kSerialSection, made.evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_THAT(claims[0].title, HasSubstr("one thread works and its peer waits: 400 ms"));
    EXPECT_DOUBLE_EQ(most(claims[0]), 200.0 * kMs) << "shared by two";

    // Two of them together, made after the section has run for the last time.
    run.threads[2].begin = run.threads[3].begin = 980 * kMs;
    run.threads[2].end = run.threads[3].end = run.end;
    run.threads.pop_back();
    claims = claims_of(kSerialSection, made.evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_THAT(claims[0].title, HasSubstr("one thread works and those that work elsewhere do not exist: 400 ms"));
    EXPECT_NEAR(most(claims[0]) / kMs, 266.7, 0.1) << "shared by three";
}

// Who waits or polls for a lock has work to do.
TEST(SerialSection, IsNoneWhereALockKeepsThePeersOut) {
    MadeEvidence made = serial(400, 1.0F);
    const std::uint32_t lock = made.add_wait_target(WaitKind::kOmpCritical, "run");
    made.evidence.run.threads[2].polled = {{lock, 100 * kMs}};
    EXPECT_EQ(claims_of(kSerialSection, made.evidence).size(), 1U);
    made.evidence.run.threads[2].polled = {{lock, 300 * kMs}};
    EXPECT_TRUE(claims_of(kSerialSection, made.evidence).empty());
}

TEST(SerialSection, AProcessorThatAPeerPollsOnIsThereToShareTheWork) {
    MadeEvidence made = serial(400, 1.0F);
    RunFacts& run = made.evidence.run;
    run.ready_ns = {0, 0, 1'000 * kMs};  // polling takes a processor
    EXPECT_TRUE(claims_of(kSerialSection, made.evidence).empty() ||
                most(claims_of(kSerialSection, made.evidence)[0]) == 0.0);
    run.total.spinning = 300 * kMs;
    const auto claims = claims_of(kSerialSection, made.evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_DOUBLE_EQ(most(claims[0]), 150.0 * kMs);  // of two processors
}

}  // namespace
}  // namespace kymo::findings
