// A stage that bounds a pipeline is told where its neighbours wait for it; not where they do the same work, where
// there is no flow of work, or where sharing it would save nothing.
#include "findings/rule.h"
#include "made_evidence.h"

#include <gtest/gtest.h>

namespace kymo::findings {

extern const Rule kPipelineStage;
namespace {

using namespace spacetime;
using recording::WaitKind;

struct Pipeline {
    std::int64_t stage_ms = 1'000;    // its work, of a second
    std::int64_t neighbour_ms = 200;  // likewise of each neighbour; the rest they wait for the stage
    bool is_same_code = false;
    WaitKind kind = WaitKind::kCondition;
    std::uint64_t waits = 500;
    bool is_held_by_stage = true;
    std::int64_t helping_ms = 0;  // that the stage's thread works in its neighbours' code, elsewhere
};

// Threads: main, which waits for the others' end; reader, stage, writer.
MadeEvidence pipeline(const Pipeline& of) {
    MadeEvidence made({}, 4);
    constexpr std::uint32_t kReader = 1;
    constexpr std::uint32_t kStage = 2;
    const std::uint32_t transform = made.add_node("transform");
    const std::uint32_t decode = made.add_node("decode");
    const std::uint32_t helping = made.add_node("decode", made.add_node("main"));
    made.add_occurrence(transform, {.thread = kStage, .terms = {.user = of.stage_ms * kMs}});
    RunFacts& run = made.evidence.run;
    std::vector<spacetime::ThreadWork> work;
    for (std::uint32_t thread = kReader; thread < 4; ++thread) {
        run.threads[thread].end = 1'000 * kMs;
        if (thread == kStage) {
            run.threads[thread].total = {.user = of.stage_ms * kMs, .waiting = (1'000 - of.stage_ms) * kMs};
            continue;
        }
        made.add_occurrence(of.is_same_code ? transform : decode,
                            {.thread = thread, .terms = {.user = of.neighbour_ms * kMs}});
        work.push_back({thread, {.user = of.neighbour_ms * kMs}});
        const std::uint32_t target =
            made.add_wait_target(of.kind, thread == kReader ? "put" : "get", of.is_held_by_stage ? kStage : kNone);
        const std::int64_t waited = (1'000 - of.neighbour_ms) * kMs;
        run.threads[thread].waits = {{target, waited}};
        run.threads[thread].total = {.user = of.neighbour_ms * kMs, .waiting = waited};
        made.evidence.wait_sums.resize(target + 1);
        made.evidence.wait_sums[target].ns = waited;
        made.evidence.wait_sums[target].count = of.waits;
    }
    made.evidence.nodes[helping].work = {{kStage, {.user = of.helping_ms * kMs}}};
    made.evidence.nodes[transform].work = {{kStage, {.user = of.stage_ms * kMs}}};
    auto& others = made.evidence.nodes[of.is_same_code ? transform : decode].work;
    others.insert(others.end(), work.begin(), work.end());
    std::sort(others.begin(), others.end(), [](const auto& a, const auto& b) { return a.thread < b.thread; });
    run.end = 1'000 * kMs;
    return made;
}

std::size_t told(const Pipeline& of) {
    return claims_of(kPipelineStage, pipeline(of).evidence).size();
}

TEST(PipelineStage, IsToldWithWhatSharingItWouldSave) {
    const auto claims = claims_of(kPipelineStage, pipeline({}).evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].node, NodeIndex(0));
    EXPECT_EQ(claims[0].threads, std::vector<std::uint32_t>{2});
    EXPECT_EQ(claims[0].targets.size(), 2U);
    // 1.4 s of work on two processors.
    EXPECT_DOUBLE_EQ(claims[0].own[0].ns, 300.0 * kMs);
    EXPECT_EQ(claims[0].title,
              "`transform` (program.c:10–15) bounds a pipeline: `worker` (thread 102) works 100 % of its time, and 2 "
              "threads that exchange work with it wait for it, 800 ms each. Shared by more threads, the run would be "
              "about 300 ms shorter.");
}

TEST(PipelineStage, IsKnownByAnyHandOver) {
    EXPECT_EQ(told({.kind = WaitKind::kSemaphore}), 1U);
    EXPECT_EQ(told({.kind = WaitKind::kFutex}), 1U);
    EXPECT_EQ(told({.kind = WaitKind::kMutex}), 0U);    // a lock
    EXPECT_EQ(told({.kind = WaitKind::kJoin}), 0U);     // the end
    EXPECT_EQ(told({.kind = WaitKind::kBarrier}), 0U);  // a step
}

TEST(PipelineStage, IsNoneThatWaitsItself) {
    EXPECT_EQ(told({.stage_ms = 920}), 1U);
    EXPECT_EQ(told({.stage_ms = 850}), 0U);
}

TEST(PipelineStage, HasNeighboursWithWorkOfTheirOwnThatWaitForItAgainAndAgain) {
    EXPECT_EQ(told({.neighbour_ms = 20}), 0U);  // as main, that waits for a worker
    EXPECT_EQ(told({.waits = 2}), 0U);
    EXPECT_EQ(told({.neighbour_ms = 80, .waits = 50}), 0U);
    EXPECT_EQ(told({.neighbour_ms = 80, .waits = 500}), 1U);  // a flow of work
    EXPECT_EQ(told({.is_held_by_stage = false}), 0U);
    EXPECT_EQ(told({.is_same_code = true}), 0U);  // a load imbalance
    EXPECT_EQ(told({.helping_ms = 30}), 1U);
    EXPECT_EQ(told({.helping_ms = 50}), 0U);  // it works alone, and then with them: a serial section
}

TEST(PipelineStage, IsNoneWhereSharingItSavesNothing) {
    EXPECT_EQ(told({.neighbour_ms = 480}), 0U);  // the processors have 1.96 s of work
}

// The stage's thread made its neighbours, in a function into which the stage was inlined: that holds their work, too.
TEST(PipelineStage, MayBeInlinedIntoWhatMakesItsNeighbours) {
    MadeEvidence made = pipeline({});
    const std::uint32_t around = made.add_node("run");
    made.evidence.nodes[around].work = {
        {1, {.user = 200 * kMs}}, {2, {.user = 1'000 * kMs}}, {3, {.user = 200 * kMs}}};
    for (const std::uint32_t decode : {1U, 2U}) {
        made.evidence.nodes[decode].depth = 1;
    }
    SpaceNode& stage = made.evidence.nodes[0];
    stage.kind = SpaceKind::kInlined;
    stage.parent = NodeIndex(around);
    stage.depth = 1;
    const auto claims = claims_of(kPipelineStage, made.evidence);
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].node, NodeIndex(0));
}

// A writer and a server's thread of one process; and a third thread that is as busy as the server's.
TEST(PipelineStage, IsKnownByTheOtherEndOfASocket) {
    const auto told_with = [](std::uint64_t other_end) {
        MadeEvidence made = pipeline({.kind = WaitKind::kWrite, .is_held_by_stage = false});
        RunFacts& run = made.evidence.run;
        run.processes = {{.pid = 1, .name = "both"}};
        for (WaitTarget& target : made.evidence.wait_targets) {
            target.process = 0;
            target.object = 3 | static_cast<std::uint64_t>(recording::FileKind::kSocket) << recording::kFileKindBit;
        }
        for (const std::uint64_t tid : {101U, 102U, 103U}) {
            run.parties.push_back({.rank = {}, .pid = 1, .thread = tid, .name = "both"});
        }
        for (const std::size_t caller : {0U, 2U}) {
            Channel channel;
            channel.kind = ChannelKind::kUnix;
            channel.party = caller;
            channel.peer = other_end - 101;
            channel.direction = ChannelDirection::kSend;
            channel.blocked_ns = 800 * static_cast<std::uint64_t>(kMs);
            run.channels.push_back(channel);
        }
        return claims_of(kPipelineStage, made.evidence).size();
    };
    EXPECT_EQ(told_with(102), 1U);
    EXPECT_EQ(told_with(103), 0U) << "they do not wait for the stage";
}

// Slow rounds of a neighbour that waits for the stage are its doing.
TEST(PipelineStage, IsOneStoryWithTheRoundsThatWaitForIt) {
    MadeEvidence made = pipeline({});
    const std::uint32_t round = made.add_node("round");
    for (std::uint64_t i = 0; i < 40; ++i) {
        const std::int64_t waited = i == 7 || i == 20 || i == 33 ? 100 * kMs : kMs;
        made.add_occurrence(round, {.thread = 1,
                                    .begin = i * 1'000'000 + (i > 7 ? 99 * kMs : 0) + (i > 20 ? 99 * kMs : 0),
                                    .terms = {.user = 4 * kMs, .waiting = waited},
                                    .waits = {{0, waited}}});
    }
    made.finish();
    const Judgement judgement = judge(made.evidence);
    const Finding* stage = find(judgement.findings, "pipeline-stage");
    ASSERT_NE(stage, nullptr);
    EXPECT_EQ(find(judgement.findings, "slow-instance"), nullptr);
}

}  // namespace
}  // namespace kymo::findings
