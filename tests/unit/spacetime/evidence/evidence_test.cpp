// Evidence from a recording made by hand: every figure follows from the samples below.
#include "spacetime/evidence/evidence.h"

#include "made_recording.h"
#include "spacetime/evidence/make_evidence.h"
#include "spacetime/profile/make_profile.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

using testing::kMs;

// An image of no known code, so that functions are named by their offsets.
void add_app(testing::MadeFile& file) {
    recording::Image image;
    image.image = 1;
    image.path = "/nonexistent/app";
    image.build_id = "0123";
    file.own().append(image);
}

// One thread, a sample a millisecond, all user time: 12 rounds of work (10 ms, in round 7 50 ms) and rest (5 ms),
// called from main; before them 20 ms of setup. In the slow round one page fault a sample, otherwise none.
class ThreePhases : public ::testing::Test {
  protected:
    static constexpr std::uint64_t kRounds = 12;
    void SetUp() override {
        {
            testing::MadeFile launch(folder_.path() / "launch.krec", 99);
            recording::Run run;
            run.time = 0;
            run.command = std::string_view("./app\0", 6);
            run.processors = 2;
            launch.own().append(run);
            recording::RunEnd end;
            end.time = 240 * kMs;
            launch.own().append(end);
            launch.close();
        }
        testing::MadeFile file(folder_.path() / "process-100-0.krec", 100);
        recording::Process process;
        process.pid = 100;
        process.executable = "/opt/app";
        process.mechanism = static_cast<std::uint64_t>(recording::Mechanism::kPerfEvents);
        file.own().append(process);
        file.event(0, "task-clock", "ns", recording::EventMode::kPeriod, kMs);
        file.event(1, "page-faults", "", recording::EventMode::kCount, 0);
        add_app(file);
        file.begin_stream(1, 0, 100, "app");
        file.context(1, 1, 0, 1, 0x10);  // main
        file.context(1, 2, 1, 1, 0x20);  // setup
        file.context(1, 3, 1, 1, 0x30);  // work
        file.context(1, 4, 1, 1, 0x40);  // rest
        std::uint64_t now = 0;
        const auto spend = [&](std::uint64_t context, std::uint64_t ms, std::uint64_t faults) {
            for (std::uint64_t i = 0; i < ms; ++i) {
                now += kMs;
                file.sample(1, now, context, {kMs, faults});
            }
        };
        spend(2, 20, 0);
        for (std::uint64_t round = 0; round < kRounds; ++round) {
            spend(3, round == 7 ? 50 : 10, round == 7 ? 1 : 0);
            spend(4, 5, 0);
        }
        end_ = now;
        file.end_stream(1, now, {now, 50});
        recording::ProcessEnd end;
        end.time = now;
        file.own().append(end);
        file.close();

        auto recording = recording::Recording::open(folder_.path());
        ASSERT_TRUE(recording);
        auto profile = load_profile(*recording);
        ASSERT_TRUE(profile);
        NamedRun named = name_run(*profile);
        auto evidence = make_evidence(*recording, *profile, named);
        ASSERT_TRUE(evidence);
        evidence_ = std::move(*evidence);
    }

    std::uint32_t node(const std::string& function, SpaceKind kind = SpaceKind::kFunction) const {
        for (std::uint32_t i = 0; i < evidence_.nodes.size(); ++i) {
            if (evidence_.nodes[i].place.function == function && evidence_.nodes[i].kind == kind) {
                return i;
            }
        }
        ADD_FAILURE() << "no node " << function;
        return 0;
    }

    testing::TemporaryFolder folder_;
    std::uint64_t end_ = 0;
    Evidence evidence_;
};

TEST_F(ThreePhases, OccurrencesHaveTheirTimesAndTerms) {
    const SpaceNode& work = evidence_.nodes[node("app+0x30")];
    EXPECT_EQ(work.occurrences, kRounds);
    EXPECT_EQ(work.total.user, static_cast<std::int64_t>(160 * kMs));
    EXPECT_EQ(work.total.wall(), work.total.user);
    EXPECT_EQ(work.deltas, (std::vector<std::int64_t>{static_cast<std::int64_t>(160 * kMs), 50}));
    EXPECT_EQ(work.median_samples, 10U);
    EXPECT_FALSE(work.folded);
    ASSERT_EQ(work.rows.size(), kRounds);
    EXPECT_EQ(work.rows.begin[0], 20 * kMs);
    EXPECT_EQ(work.rows.end[0], 30 * kMs);
    EXPECT_EQ(work.rows.duration(7), 50 * kMs);
    EXPECT_EQ(work.rows.deltas_of(7)[1], 50);
    EXPECT_EQ(work.rows.deltas_of(6)[1], 0);
    EXPECT_EQ(work.rows.order[7], 7U);
    EXPECT_NEAR(work.rows.active_threads[7], 1, 0.01);
}

TEST_F(ThreePhases, TimesAddUp) {
    std::int64_t top = 0;
    for (const SpaceNode& at : evidence_.nodes) {
        if (at.parent == kNone && at.kind != SpaceKind::kIteration) {
            top += at.total.wall();
        }
        for (std::size_t row = 0; row < at.rows.size(); ++row) {
            EXPECT_EQ(at.rows.terms[row].wall(), static_cast<std::int64_t>(at.rows.duration(row)));
        }
    }
    EXPECT_EQ(top, static_cast<std::int64_t>(end_));
    EXPECT_EQ(evidence_.run.total.wall(), static_cast<std::int64_t>(end_));
    for (const SpaceNode& each : evidence_.nodes) {
        std::int64_t work = 0;
        for (const auto& [thread, ns] : each.work) {
            work += ns.all();
        }
        const bool is_made = each.kind == SpaceKind::kIteration || each.kind == SpaceKind::kMark;
        EXPECT_EQ(work, is_made ? 0 : each.total.user + each.total.system) << each.place.function;
    }
}

TEST_F(ThreePhases, IterationsAreFoundWithoutMarks) {
    const std::uint32_t main = node("app+0x10");
    EXPECT_EQ(evidence_.nodes[main].role, Role::kMainLoop);
    EXPECT_EQ(evidence_.nodes[main].rounds, kRounds);
    ASSERT_NE(evidence_.nodes[main].iteration, kNone);
    const SpaceNode& rounds = evidence_.nodes[main].iteration.in(evidence_.nodes);
    EXPECT_EQ(rounds.kind, SpaceKind::kIteration);
    ASSERT_EQ(rounds.rows.size(), kRounds);
    EXPECT_EQ(rounds.rows.duration(6), 15 * kMs);
    EXPECT_EQ(rounds.rows.duration(7), 55 * kMs);
    EXPECT_EQ(rounds.rows.deltas_of(7)[1], 50);
    EXPECT_EQ(rounds.rows.terms[7].user, static_cast<std::int64_t>(55 * kMs));
    const SpaceNode& work = evidence_.nodes[node("app+0x30")];
    EXPECT_EQ(work.role, Role::kPhase);
    EXPECT_EQ(work.rows.step[7], 7U);
    const SpaceNode& setup = evidence_.nodes[node("app+0x20")];
    EXPECT_EQ(setup.rows.step[0], kStreamEdge);
}

TEST_F(ThreePhases, GapsWithWhatFilledThem) {
    const std::uint32_t rest = node("app+0x40");
    const auto at = std::find_if(evidence_.intervals.begin(), evidence_.intervals.end(),
                                 [&](const SpaceIntervals& interval) { return interval.node == rest; });
    ASSERT_NE(at, evidence_.intervals.end());
    EXPECT_EQ(at->gaps.count, kRounds - 1);
    EXPECT_EQ(at->gaps.longest, 50 * kMs);
    EXPECT_EQ(at->gaps.shortest, 10 * kMs);
    ASSERT_FALSE(at->longest.empty());
    const LongGap& gap = at->longest.front();
    EXPECT_EQ(gap.begin, 20 * kMs + std::int64_t{7} * 15 * kMs);
    EXPECT_EQ(gap.deltas[1], 50);
    ASSERT_FALSE(gap.filled.empty());
    EXPECT_EQ(gap.filled[0].node, node("app+0x30"));
    EXPECT_EQ(gap.filled[0].ns, static_cast<std::int64_t>(50 * kMs));
}

TEST_F(ThreePhases, PatternsByNeighbour) {
    const std::uint32_t work = node("app+0x30");
    std::uint64_t after_setup = 0;
    std::uint64_t after_rest = 0;
    for (const CodePattern& pattern : evidence_.patterns) {
        if (pattern.node == work && pattern.after == kAnyNeighbour) {
            after_setup += pattern.before == node("app+0x20") ? pattern.durations.count : 0;
            after_rest += pattern.before == node("app+0x40") ? pattern.durations.count : 0;
        }
    }
    EXPECT_EQ(after_setup, 1U);
    EXPECT_EQ(after_rest, kRounds - 1);
}

// Without code each address is a space of one instruction: weights are samples.
TEST_F(ThreePhases, HeavySpacesOfUnknownCode) {
    ASSERT_FALSE(evidence_.spaces.empty());
    double weight = 0;
    for (const HeavySpace& space : evidence_.spaces) {
        EXPECT_LE(space.time_low, space.time_share);
        EXPECT_GE(space.time_high, space.time_share);
        weight += space.weight;
    }
    EXPECT_NEAR(weight, 1, 1e-9);
    EXPECT_EQ(evidence_.same_spaces.size(), evidence_.spaces.size());
}

// Samples of two events: a page fault a sample in code that takes hardly any time, 10 ms of work between.
// The same code as spaces: each of its samples ends a pair that lies in it.
TEST_F(ThreePhases, HeavyCodeHasALifeInTime) {
    const auto group_at = [&](std::uint64_t offset) {
        const auto found =
            std::find_if(evidence_.same_spaces.begin(), evidence_.same_spaces.end(), [&](const SameSpaces& group) {
                return evidence_.spaces[group.members[0]].place.ranges[0].begin == offset;
            });
        EXPECT_NE(found, evidence_.same_spaces.end()) << offset;
        return static_cast<std::uint32_t>(found - evidence_.same_spaces.begin());
    };
    const std::uint32_t work = group_at(0x30);
    const std::uint32_t rest = group_at(0x40);
    const SameSpaces& group = evidence_.same_spaces[work];
    EXPECT_EQ(group.life.occurrences, kRounds);
    EXPECT_FALSE(group.life.folded);
    EXPECT_EQ(group.life.total.user, static_cast<std::int64_t>(160 * kMs));
    EXPECT_EQ(group.life.deltas[1], 50) << "the faults of the slow round, all of them";
    EXPECT_EQ(group.life.durations.longest, 50 * kMs);
    EXPECT_EQ(group.gaps.gaps.count, kRounds - 1);
    EXPECT_EQ(group.gaps.gaps.longest, 5 * kMs);
    ASSERT_FALSE(group.gaps.longest.empty());
    ASSERT_EQ(group.gaps.longest[0].filled.size(), 1U);
    EXPECT_EQ(group.gaps.longest[0].filled[0].node, rest);
    EXPECT_EQ(group.gaps.longest[0].filled[0].ns, static_cast<std::int64_t>(5 * kMs));
    const auto between = std::find_if(group.patterns.begin(), group.patterns.end(), [&](const CodePattern& pattern) {
        return pattern.before == rest && pattern.after == rest;
    });
    ASSERT_NE(between, group.patterns.end());
    EXPECT_EQ(between->durations.count, kRounds - 1);
    EXPECT_TRUE(evidence_.same_spaces[rest].life.folded) << "5 samples are too few to compare";
}

// A thread of 50 rounds of 10 ms. In each, 50 page faults within half a millisecond, each of them a sample, in code
// where the clock's samples meet it `met` times, and work for the rest, which the clock's samples meet.
class OfTwoEvents {
  public:
    explicit OfTwoEvents(int met) {
        {
            testing::MadeFile file(folder_.path() / "process-100-0.krec", 100);
            file.event(0, "task-clock", "ns", recording::EventMode::kPeriod, kMs);
            file.event(1, "page-faults", "", recording::EventMode::kPeriod, 1);
            add_app(file);
            file.begin_stream(1, 0, 100, "app");
            file.context(1, 1, 0, 1, 0x10);  // main
            file.context(1, 2, 1, 1, 0x20);  // work
            file.context(1, 3, 1, 1, 0x30);  // touches memory
            std::uint64_t now = 0;
            for (int round = 0; round < kRounds; ++round) {
                for (int i = 0; i < 50; ++i) {
                    now += kMs / 100;
                    file.sample(1, now, 3, {kMs / 100, 1}, 0, 1);
                }
                now += kMs / 2;
                file.sample(1, now, met > 0 ? 3 : 2, {kMs / 2, 0});
                for (int i = 1; i < 10; ++i) {
                    now += kMs;
                    file.sample(1, now, i < met ? 3 : 2, {kMs, 0});
                }
            }
            file.end_stream(1, now, {now, 2500});
            file.close();
        }
        recording = recording::Recording::open(folder_.path());
        profile = load_profile(*recording);
        NamedRun named = name_run(*profile);
        evidence = make_evidence(*recording, *profile, named);
    }
    // User time, ms, of the code at an offset.
    std::int64_t user_ms(std::uint64_t offset) const {
        std::int64_t ns = 0;
        for (std::size_t i = 0; i < profile->nodes.size(); ++i) {
            ns += profile->nodes[i].offset == offset ? profile->self[i][kUser] : 0;
        }
        return ns / static_cast<std::int64_t>(kMs);
    }

    static constexpr int kRounds = 50;
    Result<recording::Recording> recording = Error{};
    Result<Profile> profile = Error{};
    Result<Evidence> evidence = Error{};

  private:
    testing::TemporaryFolder folder_;
};

TEST(Weights, AreOfTheClockAndNotOfOtherSamples) {
    const OfTwoEvents run(0);
    EXPECT_EQ(clock_event(*run.profile), 0U);
    ASSERT_TRUE(run.evidence);
    // The clock was in the work each time: it weighs all there is, and holds the faults between its samples.
    ASSERT_EQ(run.evidence->spaces.size(), 1U);
    EXPECT_NEAR(run.evidence->spaces[0].weight, 1, 1e-9);
    EXPECT_EQ(run.evidence->spaces[0].deltas.at(1), 2450);
    // And has all the time, though each round's first half millisecond ends in samples of faults.
    EXPECT_EQ(run.user_ms(0x30), 0);
    EXPECT_EQ(run.user_ms(0x20), 500);
}

TEST(Weights, OfFunctionsAddUpToOneHoweverOftenOtherEventsAreSampled) {
    const OfTwoEvents run(2);
    ASSERT_TRUE(run.evidence);
    double roots = 0;
    double touching = -1;
    for (const SpaceNode& node : run.evidence->nodes) {
        roots += node.parent == kNone ? node.weight : 0;
        touching = node.place.function == "app+0x30" ? node.weight : touching;
    }
    EXPECT_NEAR(roots, 1, 1e-9);
    // Of the pairs, of one instruction at each end, one in five ends there; and the run's first sample ends none.
    EXPECT_NEAR(touching, 99.0 / 499, 1e-9);
    EXPECT_EQ(run.user_ms(0x30), 100);
}

// A thread of 60 rounds: 2 ms of work in two samples, 6 ms of rest in six. In each piece of work it lacks a processor
// for `ready_ms`, between its samples: other programs' doing.
Evidence evidence_beside_others(std::uint64_t ready_ms) {
    const testing::TemporaryFolder folder;
    {
        testing::MadeFile launch(folder.path() / "launch.krec", 99);
        testing::MadeFile file(folder.path() / "process-100-0.krec", 100);
        file.event(0, "task-clock", "ns", recording::EventMode::kPeriod, kMs);
        add_app(file);
        file.begin_stream(1, 0, 100, "app");
        file.context(1, 1, 0, 1, 0x10);  // main
        file.context(1, 2, 1, 1, 0x20);  // work
        file.context(1, 3, 1, 1, 0x30);  // rest
        recording::Run run;
        run.command = std::string_view("./app\0", 6);
        run.processors = 2;
        launch.own().append(run);
        std::uint64_t now = 0;
        std::uint64_t user = 0;
        const auto spend = [&](std::uint64_t context, int samples) {
            for (int i = 0; i < samples; ++i) {
                now += kMs;
                user += kMs;
                file.sample(1, now, context, {kMs});
            }
        };
        for (int round = 0; round < 60; ++round) {
            spend(2, 1);
            if (ready_ms != 0) {
                recording::Switch off;
                off.time = now + kMs / 10;
                off.tid = 100;
                off.duration = ready_ms * kMs;
                off.preempted = 1;
                launch.own().append(off);
                now += ready_ms * kMs;
            }
            spend(2, 1);
            spend(3, 6);
        }
        file.end_stream(1, now, {user}, user);
        file.close();
        recording::RunEnd end;
        end.time = now;
        launch.own().append(end);
        launch.close();
    }
    const auto recording = recording::Recording::open(folder.path());
    const auto profile = load_profile(*recording);
    NamedRun named = name_run(*profile);
    auto evidence = make_evidence(*recording, *profile, named);
    EXPECT_TRUE(evidence);
    return std::move(*evidence);
}

// What is folded is a matter of the program and its sampling, not of who else wants the processors.
TEST(Folding, DoesNotDependOnOtherProgramsOnTheMachine) {
    for (const std::uint64_t ready_ms : {0, 1, 5, 40}) {
        const Evidence evidence = evidence_beside_others(ready_ms);
        const auto work = std::find_if(evidence.nodes.begin(), evidence.nodes.end(), [](const SpaceNode& node) {
            return node.kind == SpaceKind::kFunction && node.place.function == "app+0x20";
        });
        ASSERT_NE(work, evidence.nodes.end()) << ready_ms;
        EXPECT_TRUE(work->folded) << "two samples an occurrence; without a processor for ms: " << ready_ms;
        EXPECT_EQ(work->median_samples, 2U);
        EXPECT_EQ(work->total.run_queue, static_cast<std::int64_t>(60 * ready_ms * kMs));
    }
}

TEST(Folding, WhatMostlyWaitsNeedsNoSamples) {
    const auto of = [](std::int64_t user, std::int64_t run_queue, std::int64_t waiting, std::int64_t other) {
        return TimeTerms{.user = user, .run_queue = run_queue, .waiting = waiting, .other = other};
    };
    EXPECT_TRUE(of(40, 0, 60, 0).mostly_waits());
    EXPECT_FALSE(of(60, 0, 40, 0).mostly_waits());
    for (const std::int64_t others : {0, 10, 1000}) {  // whether the kernel tells what it was for or not
        EXPECT_TRUE(of(40, others, 60, 0).mostly_waits());
        EXPECT_FALSE(of(60, others, 40, 0).mostly_waits());
        EXPECT_FALSE(of(60, 0, 40, others).mostly_waits());
    }
}

}  // namespace
}  // namespace kymo::spacetime
