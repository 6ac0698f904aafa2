// Two recordings made by hand of one program: what the second says of the spaces, gaps and patterns of the first.
#include "made_recording.h"
#include "spacetime/evidence/make_evidence.h"
#include "spacetime/look/kept_code.h"
#include "spacetime/look/second_look.h"
#include "spacetime/profile/make_profile.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

using testing::kMs;
namespace rec = recording;

struct Plan {
    std::uint64_t begin = 0;
    std::uint64_t rounds = 10;
    std::uint64_t work_ms = 10;
    std::uint64_t faults = 0;  // of each sample in work
    std::uint64_t setup_ms = 20;
    std::string build_id = "0123";
    bool is_look = false;
};

// One thread, a sample a millisecond: setup, then rounds of work and rest (5 ms), all called from main.
class Made {
  public:
    explicit Made(const Plan& plan) {
        testing::MadeFile launch(folder_.path() / "launch.krec", 99);
        rec::Run run;
        run.time = plan.begin;
        run.command = std::string_view("./app\0-x\0", 9);
        run.directory = "/tmp";
        run.processors = 2;
        launch.own().append(run);
        if (plan.is_look) {
            rec::Look look;
            look.recording = "/tmp/first.kymo";
            look.begin = 7;
            look.events = std::string_view("page-faults:period=1\0cache-misses\0", 34);
            launch.own().append(look);
        }
        testing::MadeFile file(folder_.path() / "process-100-0.krec", 100);
        rec::Process process;
        process.time = plan.begin;
        process.pid = 100;
        process.executable = "/opt/app";
        process.mechanism = static_cast<std::uint64_t>(rec::Mechanism::kPerfEvents);
        file.own().append(process);
        file.event(0, "task-clock", "ns", rec::EventMode::kPeriod, kMs);
        file.event(1, "page-faults", "", rec::EventMode::kCount, 0);
        rec::Image image;
        image.image = plan.is_look ? 5 : 1;  // numbers are each recording's own
        image.path = "/nonexistent/app";
        image.build_id = plan.build_id;
        file.own().append(image);
        file.begin_stream(1, plan.begin, 100, "app");
        const auto context = [&](std::uint64_t number, std::uint64_t parent, std::uint64_t offset) {
            file.context(1, number, parent, image.image, offset);
        };
        const std::uint64_t last = plan.is_look ? 2 : 4;
        context(1, 0, 0x10);                     // main
        context(last, 1, 0x40);                  // rest
        context(3, 1, 0x30);                     // work
        context(plan.is_look ? 4 : 2, 1, 0x20);  // setup
        std::uint64_t now = plan.begin;
        std::uint64_t faults = 0;
        const auto spend = [&](std::uint64_t at, std::uint64_t ms, std::uint64_t each) {
            for (std::uint64_t i = 0; i < ms; ++i) {
                now += kMs;
                faults += each;
                file.sample(1, now, at, {kMs, each});
            }
        };
        spend(plan.is_look ? 4 : 2, plan.setup_ms, 0);
        for (std::uint64_t round = 0; round < plan.rounds; ++round) {
            spend(3, plan.work_ms, plan.faults);
            spend(last, 5, 0);
        }
        file.end_stream(1, now, {now - plan.begin, faults});
        if (plan.is_look) {
            file.own().append(rec::LeftOut{.stream = 1, .samples = 30});
            file.own().append(rec::LeftOut{.stream = 2, .samples = 12});
        }
        rec::ProcessEnd end;
        end.time = now;
        file.own().append(end);
        file.close();
        rec::RunEnd run_end;
        run_end.time = now;
        launch.own().append(run_end);
        launch.close();
    }

    Evidence evidence(const Evidence* looked_at = nullptr) const {
        const auto recording = rec::Recording::open(folder_.path());
        const auto profile = load_profile(*recording);
        NamedRun named = name_run(*profile);
        auto evidence =
            make_evidence(*recording, *profile, named, {.sums_code = looked_at == nullptr, .looked_at = looked_at});
        return std::move(*evidence);
    }
    rec::Recording recording() const {
        auto recording = rec::Recording::open(folder_.path());
        return std::move(*recording);
    }

  private:
    testing::TemporaryFolder folder_;
};

std::uint32_t node_of(const Evidence& evidence, const std::string& function) {
    for (std::uint32_t i = 0; i < evidence.nodes.size(); ++i) {
        if (evidence.nodes[i].place.function == function && evidence.nodes[i].kind == SpaceKind::kFunction) {
            return i;
        }
    }
    return kNone;
}

const LookedAt* find(const std::vector<LookedAt>& list, std::uint32_t node, std::uint32_t before = kNone,
                     std::uint32_t after = kNone) {
    const auto at = std::find_if(list.begin(), list.end(), [&](const LookedAt& one) {
        return raw(one.node) == node && one.before == before && one.after == after;
    });
    return at == list.end() ? nullptr : &*at;
}

LookedFor looked_for_in(const recording::Recording& recording) {
    return looked_for(recording::read_each<LookRows>(recording.files()).value());
}

TEST(SecondLook, TheRowsSayWhatItIsFor) {
    const Made later({.begin = 50 * kMs, .is_look = true});
    const LookedFor found = looked_for_in(later.recording());
    EXPECT_TRUE(found.is_look);
    EXPECT_EQ(found.recording, "/tmp/first.kymo");
    EXPECT_EQ(found.begin, 7U);
    EXPECT_EQ(found.events, (std::vector<std::string>{"page-faults:period=1", "cache-misses"}));
    EXPECT_EQ(found.left_out, 42U);
    const auto identity = load_run_identity(later.recording());
    ASSERT_TRUE(identity);
    EXPECT_EQ(identity->begin, 50 * kMs);
    EXPECT_EQ(identity->command, (std::vector<std::string>{"./app", "-x"}));
    EXPECT_EQ(identity->directory, "/tmp");
    EXPECT_FALSE(looked_for_in(Made({}).recording()).is_look);
}

TEST(SecondLook, EventsOfBothOnSpacesGapsAndPatterns) {
    const Evidence first = Made({}).evidence();
    // Half as much work, 3 faults in each of its samples; everything has other numbers.
    const Evidence second =
        Made({.begin = 900 * kMs, .rounds = 8, .work_ms = 5, .faults = 3, .is_look = true}).evidence(&first);
    const SecondLook look = join_looks(LookedFor(), first, second);
    const std::uint32_t work = node_of(first, "app+0x30");
    const std::uint32_t rest = node_of(first, "app+0x40");
    ASSERT_NE(work, kNone);
    ASSERT_NE(rest, kNone);
    const LookedAt* space = find(look.spaces, work);
    ASSERT_NE(space, nullptr);
    EXPECT_EQ(space->first.count, 10U);
    EXPECT_EQ(space->first.ns, static_cast<std::int64_t>(100 * kMs));
    EXPECT_EQ(space->first.deltas[1], 0);
    ASSERT_TRUE(space->second.is_seen);
    EXPECT_EQ(space->second.count, 8U);
    EXPECT_EQ(space->second.ns, static_cast<std::int64_t>(40 * kMs));
    EXPECT_EQ(space->second.longest_ns, 5 * kMs);
    EXPECT_EQ(space->second.deltas[1], 8 * 5 * 3);

    // Work fills the gaps of rest: seven between eight occurrences.
    const LookedAt* gaps = find(look.intervals, rest);
    ASSERT_NE(gaps, nullptr);
    EXPECT_EQ(gaps->first.count, 9U);
    EXPECT_EQ(gaps->second.count, 7U);
    EXPECT_EQ(gaps->second.deltas[1], 7 * 5 * 3);
    EXPECT_EQ(gaps->second.ns, static_cast<std::int64_t>(7 * 5 * kMs));

    // After rest, before rest: all but the first.
    const LookedAt* pattern = find(look.patterns, work, rest, rest);
    ASSERT_NE(pattern, nullptr);
    EXPECT_EQ(pattern->first.count, 9U);
    EXPECT_EQ(pattern->second.count, 7U);
    EXPECT_EQ(pattern->second.deltas[1], 7 * 5 * 3);

    // Heavy code: each address is a space of one instruction, since there is no code to decode. A pair's deltas are
    // shared by the space that it ends in and, where it comes from another one, the one it comes from.
    std::int64_t faults = 0;
    for (const LookedAt& at : look.spaces) {
        if (at.space != kNone) {
            EXPECT_TRUE(at.second.is_seen);
            faults += at.second.deltas[1];
        }
    }
    EXPECT_EQ(faults, 8 * 5 * 3);
}

TEST(SecondLook, WhatIsTooSmallTheSecondTimeIsKeptAllTheSame) {
    const Evidence first = Made({}).evidence();
    const Plan long_run{.rounds = 100, .work_ms = 40, .setup_ms = 3, .is_look = true};  // setup: 0.07 %
    EXPECT_EQ(node_of(Made(long_run).evidence(), "app+0x20"), kNone);
    const Evidence second = Made(long_run).evidence(&first);
    const SecondLook look = join_looks(LookedFor(), first, second);
    const LookedAt* setup = find(look.spaces, node_of(first, "app+0x20"));
    ASSERT_NE(setup, nullptr);
    ASSERT_TRUE(setup->second.is_seen);
    EXPECT_EQ(setup->second.ns, static_cast<std::int64_t>(3 * kMs));
}

TEST(SecondLook, AnotherBuildHasNoneOfTheSpaces) {
    const Evidence first = Made({}).evidence();
    const Evidence second = Made({.build_id = "4567", .is_look = true}).evidence(&first);
    for (const LookedAt& at : join_looks(LookedFor(), first, second).spaces) {
        if (at.space != kNone) {
            EXPECT_FALSE(at.second.is_seen);
        }
    }
}

// main holds everything and has neither gaps nor neighbours. (Without code to decode, functions have no ranges: what
// is kept is the heavy spaces' addresses.)
TEST(KeptCode, HeavySpacesByBuildId) {
    const Evidence first = Made({}).evidence();
    const std::vector<KeptCodeOfImage> kept = kept_code(first);
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(kept[0].build_id, "0123");
    EXPECT_EQ(kept[0].ranges, (std::vector<ByteRange>{{0x20, 0x21}, {0x30, 0x31}, {0x40, 0x41}}));
    EXPECT_TRUE(kept_code(Evidence{}).empty());
}

}  // namespace
}  // namespace kymo::spacetime
