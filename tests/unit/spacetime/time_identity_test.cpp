// The time identity on generated recordings: whatever samples, switch records and waits say, every stream's wall time
// is the sum of its states, of its costs by call path, and of both over any partition of space and time, bit for bit.
#include "made_recording.h"
#include "spacetime/profile/make_profile.h"
#include "spacetime/profile/profile.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace kymo::spacetime {
namespace {

namespace rec = recording;
using State = ThreadState;
using testing::MadeFile;
using testing::TemporaryFolder;

constexpr std::uint64_t kUs = 1000;

// What a thread of the generated program does, and what the three sources see of it: each reads its own clock a
// little earlier or later, and rows get lost.
class MadeThread {
  public:
    MadeThread(std::mt19937_64& random, MadeFile& process, MadeFile& launch, std::uint32_t stream, bool has_switches)
        : random_(random), process_(process), launch_(launch), stream_(stream), has_switches_(has_switches) {}

    void live(std::uint64_t begin) {
        now_ = begin;
        process_.begin_stream(stream_, begin, tid(), "made", 0, 0);
        process_.context(stream_, 1, 0, 1, 0x10);
        process_.context(stream_, 2, 1, 1, 0x20);
        process_.context(stream_, 3, 1, 1, 0x30);
        for (std::uint64_t step = up_to(120); step > 0; --step) {
            switch (up_to(5)) {
                case 0:
                    sleep(up_to(1), up_to(2000 * kUs));
                    break;
                case 1:
                    wait(0);
                    break;
                case 2:
                    row(now_, up_to(3 * kUs), up_to(2));  // too short a wait for any switch
                    break;
                default:
                    run(up_to(3000 * kUs));
            }
        }
        if (up_to(3) == 0) {
            const std::uint64_t from = now_;
            sleep(false, up_to(50'000 * kUs));
            row(from, now_ - from, 3, rec::kWaitOpen);
        }
        if (up_to(4) != 0) {
            now_ += 100 * kUs;  // room for what the clocks owe
            total_ += up_to(50 * kUs);
            process_.end_stream(stream_, now_, {total_, 0});
        }
    }

    std::uint64_t tid() const { return 100 + stream_; }

  private:
    std::uint64_t up_to(std::uint64_t most) { return random_() % (most + 1); }
    std::uint64_t skewed(std::uint64_t time) { return time + up_to(6 * kUs) - std::min(time, 3 * kUs); }

    void run(std::uint64_t ns) {
        while (ns > 0) {
            const std::uint64_t part = std::min<std::uint64_t>(ns, 1000 * kUs - on_);
            now_ += part;
            on_ += part;
            ns -= part;
            if (on_ == 1000 * kUs) {
                sample();
            }
        }
    }

    void sample() {
        const std::uint64_t delta = on_ + up_to(2 * kUs);
        total_ += delta;
        on_ = 0;
        if (up_to(20) == 0) {
            return;  // lost: its time is in the totals
        }
        process_.sample(stream_, now_, up_to(3), {delta, up_to(3)}, up_to(30) == 0 ? rec::kAfterPause : 0);
    }

    void sleep(bool is_ready, std::uint64_t ns) {
        if (has_switches_ && up_to(15) != 0) {
            rec::Switch off;
            off.time = skewed(now_);
            off.tid = tid();
            off.duration = ns + up_to(4 * kUs);
            off.preempted = is_ready ? 1 : 0;
            off.open = up_to(100) == 0 ? 1 : 0;
            launch_.own().append(off);
        }
        now_ += ns;
    }

    // With the kernel's work before and after, preemption, a sample, and another wait inside it.
    void wait(int depth) {
        const std::uint64_t begin = now_;
        run(up_to(20 * kUs));
        sleep(up_to(4) == 0, up_to(4000 * kUs));
        if (depth < 3 && up_to(2) == 0) {
            wait(depth + 1);
        }
        run(up_to(20 * kUs));
        sleep(false, up_to(40 * kUs));
        row(begin, now_ - begin, up_to(3));
    }

    void row(std::uint64_t begin, std::uint64_t ns, std::uint64_t context, std::uint64_t flags = 0) {
        if (up_to(15) == 0) {
            return;
        }
        rec::Wait wait;
        wait.time = begin;
        wait.duration = ns;
        wait.kind = 1 + up_to(15);
        wait.object = up_to(5);
        wait.context = context;
        wait.flags = flags;
        process_.stream(stream_).append(wait);
    }

    std::mt19937_64& random_;
    MadeFile& process_;
    MadeFile& launch_;
    std::uint32_t stream_;
    bool has_switches_;
    std::uint64_t now_ = 0;
    std::uint64_t on_ = 0;  // since the last sample
    std::uint64_t total_ = 0;
};

void write_recording(const std::filesystem::path& folder, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    MadeFile launch(folder / "launch.krec", 99);
    MadeFile process(folder / "process-100-0.krec", 100);
    rec::Process about;
    about.pid = 100;
    about.mechanism = static_cast<std::uint64_t>(rec::Mechanism::kPerfEvents);
    process.own().append(about);
    process.event(0, "task-clock", "ns", rec::EventMode::kPeriod, 1000 * kUs);
    process.event(1, "page-faults", "", rec::EventMode::kCount, 0);
    for (std::uint32_t stream = 1; stream <= 4; ++stream) {
        MadeThread(random, process, launch, stream, stream % 2 == 1).live(1'000'000 + random() % 100'000);
    }
    launch.close();
    process.close();
}

void expect_costs_are_states(const ProfileThread& thread) {
    const StateSums sums = thread.states.sums();
    EXPECT_EQ(sums.user(), thread.costs[kUser]);
    EXPECT_EQ(sums[State::kSystem], thread.costs[kSystem]);
    EXPECT_EQ(sums.off_processor(), thread.costs[kOffCpu]);
    EXPECT_EQ(sums[State::kPaused], thread.paused_ns);
    EXPECT_EQ(thread.states.begin(), thread.begin);
    EXPECT_EQ(thread.states.end(), thread.end);
    EXPECT_EQ(sums.wall(), static_cast<std::int64_t>(thread.end - thread.begin));
}

TEST(TimeIdentity, HoldsForEveryStreamOfGeneratedRecordings) {
    std::int64_t waiting = 0;
    std::int64_t ready = 0;
    std::int64_t off = 0;
    std::size_t known_places = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const TemporaryFolder folder;
        write_recording(folder.path(), seed);
        const auto recording = rec::Recording::open(folder.path());
        ASSERT_TRUE(recording);
        const auto profile = load_profile(*recording);
        ASSERT_TRUE(profile);
        ASSERT_EQ(profile->threads.size(), 4U);
        std::int64_t wall = 0;
        for (const ProfileThread& thread : profile->threads) {
            expect_costs_are_states(thread);
            wall += static_cast<std::int64_t>(thread.end - thread.begin) - thread.paused_ns;
            waiting += thread.states.sums()[State::kWaiting];
            ready += thread.states.sums()[State::kReady];
            off += thread.states.sums()[State::kOff];
            for (const ThreadWait& wait : thread.waits) {
                known_places += wait.context != 0 ? 1 : 0;
                const std::uint64_t offset = profile->nodes.at(wait.context).offset;
                EXPECT_TRUE(wait.context == 0 || offset == 0x10 || offset == 0x20 || offset == 0x30);
            }
            std::mt19937_64 random(seed);
            StateSums parts;
            for (std::uint64_t from = thread.begin; from < thread.end;) {
                const std::uint64_t to = from + random() % 3'000'000;
                parts += thread.states.filling(from, to).states;
                from = to;
            }
            EXPECT_EQ(parts, thread.states.sums());
        }
        std::int64_t by_path = 0;
        for (std::size_t node = 0; node < profile->nodes.size(); ++node) {
            for (const CostColumn column : {kUser, kSystem, kOffCpu}) {
                EXPECT_GE(profile->self[node][column], 0);
                by_path += profile->self[node][column];
            }
        }
        EXPECT_EQ(by_path, wall);
    }
    // The generator reaches all of them.
    EXPECT_GT(waiting, 0);
    EXPECT_GT(ready, 0);
    EXPECT_GT(off, 0);
    EXPECT_GT(known_places, 0U);
}

// A second pass over the samples, as analyses make it, cuts space and time into cells that add up to the same.
TEST(TimeIdentity, CellsOfSpaceAndTimeAddUpToTheWhole) {
    for (std::uint64_t seed = 100; seed < 120; ++seed) {
        const TemporaryFolder folder;
        write_recording(folder.path(), seed);
        const auto recording = rec::Recording::open(folder.path());
        ASSERT_TRUE(recording);
        const auto profile = load_profile(*recording);
        ASSERT_TRUE(profile);
        const auto& file = *std::find_if(recording->files().begin(), recording->files().end(), [](const auto& each) {
            return each.path().filename() == "process-100-0.krec";
        });
        std::map<std::uint32_t, StreamTime> times;
        std::map<std::uint32_t, StateSums> sums;
        std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, StateSums> cells;
        const auto thread_of = [&](std::uint32_t stream) -> const ProfileThread& {
            return *std::find_if(profile->threads.begin(), profile->threads.end(),
                                 [&](const ProfileThread& each) { return each.tid == 100 + stream; });
        };
        const auto report = file.scan(rec::on<rec::Sample>([&](StreamId id, const rec::Sample& row) {
            const ProfileThread& thread = thread_of(raw(id));
            const auto [time, is_new] =
                times.try_emplace(raw(id), thread.roles, thread.begin, thread.offs, thread.waits);
            for (const StateInterval& interval : time->second.add(row)) {
                const auto ns = static_cast<std::int64_t>(interval.end - interval.begin);
                cells[{raw(id), row.context, interval.begin / 700'000}][interval.state] += ns;
                sums[raw(id)][interval.state] += ns;
            }
        }));
        ASSERT_TRUE(report);
        std::map<std::uint32_t, StateSums> by_cells;
        for (const auto& [cell, states] : cells) {
            by_cells[std::get<0>(cell)] += states;
        }
        for (const auto& [stream, time] : times) {
            const ProfileThread& thread = thread_of(stream);
            EXPECT_EQ(by_cells[stream], thread.states.sums(thread.begin, time.last()));
            EXPECT_EQ(by_cells[stream].wall(), static_cast<std::int64_t>(time.last() - thread.begin));
        }
    }
}

// A full file, or --max-size: what came after the last row was measured, but it is not known where it was spent.
TEST(UnwrittenRows, OfThemNothingIsKnown) {
    constexpr std::uint64_t kMs = 1000 * kUs;
    const TemporaryFolder folder;
    MadeFile process(folder.path() / "process-1-0.krec", 1);
    process.event(0, "task-clock", "ns", rec::EventMode::kPeriod, kMs);
    process.begin_stream(1, 0, 100, "t");
    process.context(1, 1, 0, 1, 0x10);
    for (std::uint64_t i = 1; i <= 3; ++i) {
        process.sample(1, i * kMs, 1, {kMs});
    }
    const std::vector<std::uint64_t> totals{90 * kMs};
    rec::StreamEnd end;
    end.time = 100 * kMs;
    end.stream = 1;
    end.totals = totals;
    end.unwritten = 80;
    process.stream(1).append(end);
    process.close();
    const auto recording = rec::Recording::open(folder.path());
    ASSERT_TRUE(recording);
    const auto profile = load_profile(*recording);
    ASSERT_TRUE(profile);
    const ProfileThread& thread = profile->threads.at(0);
    EXPECT_EQ(thread.costs[kUser], static_cast<std::int64_t>(3 * kMs));
    EXPECT_EQ(thread.costs[kSystem], 0);
    EXPECT_EQ(thread.costs[kOffCpu], 0);
    EXPECT_EQ(thread.paused_ns, static_cast<std::int64_t>(97 * kMs));
}

}  // namespace
}  // namespace kymo::spacetime
