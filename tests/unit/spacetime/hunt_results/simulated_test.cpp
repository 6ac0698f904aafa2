// Hardware events without hardware: simulated counters overflow into a recording, and the hunt in it must name
// exactly the instructions that cause the share asked for, with the shares that the simulation counted.
#include "simulated.h"

#include "made_recording.h"
#include "spacetime/hunt_results/replay.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <map>

namespace kymo::spacetime {
namespace {

using kymo::testing::EventStream;
using kymo::testing::kMs;
using kymo::testing::MadeFile;
using kymo::testing::TemporaryFolder;

struct Counter {
    std::string name;
    std::uint64_t config = 0;
    std::uint64_t precise = 0;
    std::size_t period = 1;
};

// A counter that overflows at every `period`-th event, and a clock beside it whose samples are none of the hunt's.
void write_run(const std::filesystem::path& folder, const EventStream& events, const Counter& counter) {
    MadeFile file(folder / "process-7-0.krec", 7);
    file.own().append(recording::Run{.time = 0});
    file.own().append(recording::Process{.time = 0, .pid = 7, .executable = "/app"});
    file.event(0, "task-clock", "ns", recording::EventMode::kPeriod, kMs);
    file.own().append(recording::Event{.index = 1,
                                       .name = counter.name,
                                       .mode = static_cast<std::uint64_t>(recording::EventMode::kPeriod),
                                       .value = counter.period,
                                       .kernel_type = PERF_TYPE_HARDWARE,
                                       .kernel_config = counter.config,
                                       .precise = counter.precise});
    file.own().append(recording::Image{.image = 1, .path = "/nonexistent/app"});
    file.begin_stream(1, 0, 70, "app");
    file.context(1, 1, 0, 1, 0x100);  // main
    std::map<std::uint64_t, std::uint64_t> contexts;
    for (std::size_t i = counter.period - 1; i < events.size(); i += counter.period) {
        const auto [at, fresh] = contexts.emplace(events[i], contexts.size() + 2);
        if (fresh) {
            file.context(1, at->second, 1, 1, events[i]);
        }
        file.sample(1, i * 1000, at->second, {1000, counter.period}, 0, 1);
        if (i % 64 == 0) {
            file.sample(1, i * 1000, 1, {1000, 0}, 0, 0);
        }
    }
    file.close();
}

std::map<std::uint64_t, double> shares_of(const EventStream& events) {
    std::map<std::uint64_t, double> shares;
    for (const std::uint64_t at : events) {
        shares[at] += 1.0 / static_cast<double>(events.size());
    }
    return shares;
}

// Every source above the share is found, with its share; none at or below the share to refuse.
void expect_known_heavy_hitters(const EventStream& events, const Counter& counter, const Replay& replay) {
    const TemporaryFolder folder;
    write_run(folder.path(), events, counter);
    const auto recording = recording::Recording::open(folder.path());
    ASSERT_TRUE(recording);
    const auto results = replay_hunt(recording->files(), replay);
    ASSERT_TRUE(results) << results.error().what;
    EXPECT_EQ(results->hunt.events, events.size() / counter.period);
    std::map<std::uint64_t, double> found;
    for (const HeavyHitter& hitter : results->heavy_hitters) {
        EXPECT_EQ(hitter.image.path, "/nonexistent/app");
        EXPECT_EQ(hitter.pid, 7U);
        EXPECT_EQ(hitter.tid, 70U);
        EXPECT_TRUE(found.emplace(hitter.offset, hitter.share.value).second) << "one hitter a source";
    }
    for (const auto& [at, share] : shares_of(events)) {
        if (share >= replay.wish.share) {
            ASSERT_TRUE(found.contains(at)) << std::hex << at << " causes " << share;
            EXPECT_NEAR(found[at], share, 0.03) << std::hex << at;
        } else if (share <= replay.wish.refuse) {
            EXPECT_FALSE(found.contains(at)) << std::hex << at << " causes only " << share;
        }
    }
}

class SimulatedCounters : public ::testing::TestWithParam<pairs::Form> {
  protected:
    static Replay replay_of(const std::string& event) {
        Replay replay;
        replay.event = event;
        replay.wish.form = GetParam();
        return replay;
    }
};
INSTANTIATE_TEST_SUITE_P(Forms, SimulatedCounters, ::testing::Values(pairs::Form::kSequential, pairs::Form::kPair),
                         [](const auto& form) { return form.param == pairs::Form::kPair ? "Pair" : "Sequential"; });

TEST_P(SimulatedCounters, CacheMisses) {
    const EventStream events = kymo::testing::simulated_cache_misses(100'000);
    const auto shares = shares_of(events);
    ASSERT_GT(shares.at(kymo::testing::kStrided), 0.6);
    ASSERT_GT(shares.at(kymo::testing::kScattered), 0.15);
    ASSERT_LT(shares.contains(kymo::testing::kHot) ? shares.at(kymo::testing::kHot) : 0, 0.02);
    for (const std::size_t period : {1, 13}) {
        const Counter counter{"cache-misses", PERF_COUNT_HW_CACHE_MISSES, 2, period};
        expect_known_heavy_hitters(events, counter, replay_of("cache-misses"));
    }
}

TEST_P(SimulatedCounters, BranchMisses) {
    const EventStream events = kymo::testing::simulated_branch_misses(100'000);
    const auto shares = shares_of(events);
    ASSERT_GT(shares.at(kymo::testing::kDataBranch), 0.7);
    ASSERT_LT(shares.at(kymo::testing::kLoopBranch), 0.001);
    for (const std::size_t period : {1, 13}) {
        const Counter counter{"branch-misses", PERF_COUNT_HW_BRANCH_MISSES, 0, period};
        expect_known_heavy_hitters(events, counter, replay_of("branch-misses"));
    }
}

TEST(Precision, FollowsTheEvent) {
    const TemporaryFolder folder;
    for (const auto& [precise, said] :
         {std::pair(0, recording::HuntPrecision::kSkid), std::pair(1, recording::HuntPrecision::kConstant),
          std::pair(2, recording::HuntPrecision::kPrecise)}) {
        const auto run = folder.path() / std::to_string(precise);
        std::filesystem::create_directory(run);
        const EventStream events = kymo::testing::simulated_branch_misses(100);
        write_run(run, events,
                  {"branch-misses", PERF_COUNT_HW_BRANCH_MISSES, static_cast<std::uint64_t>(precise), 1});
        const auto recording = recording::Recording::open(run);
        Replay replay;
        replay.event = "branch-misses";
        const auto results = replay_hunt(recording->files(), replay);
        ASSERT_TRUE(results);
        EXPECT_EQ(results->hunt.precision, said);
        replay.event = "task-clock";
        EXPECT_EQ(replay_hunt(recording->files(), replay)->hunt.events, (events.size() + 63) / 64)
            << "the clock's samples alone";
    }
}

}  // namespace
}  // namespace kymo::spacetime
