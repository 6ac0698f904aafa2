// Rules about where threads run: sharing a processor, and a machine that is not the program's alone.
#include "made_evidence.h"

#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

// Two threads for a second, each ready half of the time without a processor.
MadeEvidence queueing(bool on_one_processor, std::vector<std::int64_t> ready_ms) {
    MadeEvidence made({}, 3);
    const std::uint32_t node = made.add_node("solve");
    // A third thread is on the other processor, so that there is one.
    const std::uint32_t main = made.add_node("main");
    made.add_visit(main, {.thread = 2, .begin = 0, .terms = {.user = 10 * kMs}, .processor = 1});
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
        for (std::uint32_t i = 0; i < 50; ++i) {
            made.add_visit(node, {.thread = thread,
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

TEST(OutsideInterference, IsWaitingForProcessorsThatOthersHave) {
    MadeEvidence made = queueing(false, {0, 0, 1000});
    const Judgement judgement = judge(made.finish());
    ASSERT_EQ(judgement.findings.size(), 1U);
    EXPECT_EQ(judgement.findings[0].kind, "outside-interference");
    EXPECT_EQ(judgement.findings[0].place, spacetime::Place{});
    EXPECT_FALSE(judgement.findings[0].when.empty());
}

TEST(OutsideInterference, IsNotTheProgramsOwnCrowd) {
    // Always six threads ready on two processors: four of them must wait.
    MadeEvidence made = queueing(false, {0, 0, 0, 0, 0, 0, 1000});
    EXPECT_EQ(find(judge(made.finish()).findings, "outside-interference"), nullptr);
    MadeEvidence held = queueing(true, {0, 0, 0, 0, 0, 0, 1000});
    EXPECT_EQ(find(judge(held.finish()).findings, "thread-migration"), nullptr);
}

TEST(OutsideInterference, OfVisitsThatWerePreemptedIsNoSlownessOfTheCode) {
    MadeEvidence made;
    const std::uint32_t node = made.add_node("step");
    std::uint64_t time = 0;
    for (int i = 0; i < 100; ++i) {
        const std::int64_t queue = i == 20 || i == 33 || i == 34 || i == 81 ? 12 * kMs : 0;
        made.add_visit(node, {.begin = time, .terms = {.user = 10 * kMs, .run_queue = queue}});
        time += static_cast<std::uint64_t>(10 * kMs + queue);
    }
    EXPECT_TRUE(judge(made.finish()).findings.empty());
}

}  // namespace
}  // namespace kymo::findings
