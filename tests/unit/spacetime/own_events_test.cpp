// What events counted while the monitor was at work: its own time is no one's, the program's counts stay the
// program's, and the clock's sum is user and system time.
#include "made_recording.h"
#include "spacetime/profile/make_profile.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {
namespace own_events {

namespace rec = recording;
using testing::kMs;
using testing::MadeFile;
using testing::TemporaryFolder;

constexpr std::uint64_t kUs = 1000;

TEST(OwnEvents, AreTheMonitorsByItsMeasuredTimeAndTheClockAddsUp) {
    const TemporaryFolder folder;
    {
        MadeFile file(folder.path() / "process-100-0.krec", 100);
        file.begin_process();
        file.event(1, "page-faults", "", rec::EventMode::kCount, 0);
        file.event(2, "metric:rows", "", rec::EventMode::kCount, 0);
        file.begin_stream(1, 0, 100, "made");
        file.context(1, 1, 0, 1, 0x10);
        file.context(1, 2, 0, 1, 0x20);
        const auto sample = [&](std::uint64_t time, std::uint64_t context, std::uint64_t faults, std::uint64_t own_ns,
                                std::uint64_t flags) {
            const std::array<std::uint64_t, 3> deltas = {kMs, faults, 100 * faults};
            file.stream(1).append(
                rec::Sample{.time = time, .context = context, .flags = flags, .deltas = deltas, .own_ns = own_ns});
        };
        sample(1 * kMs, 1, 10, 0, 0);
        sample(2 * kMs, 2, 40, 250 * kUs, rec::kOwnWork);  // at work for a quarter of the time
        sample(3 * kMs, 1, 4, 100 * kUs, 0);               // the program again; the work was before it
        file.end_stream(1, 3 * kMs + 500 * kUs, {3 * kMs + 500 * kUs, 60, 6000});
        file.close();
    }
    const auto recording = rec::Recording::open(folder.path());
    ASSERT_TRUE(recording);
    const auto profile = load_profile(*recording);
    ASSERT_TRUE(profile);
    const auto of = [&profile](const char* name) {
        const auto found = std::find_if(profile->events.begin(), profile->events.end(),
                                        [&](const auto& event) { return event.name == name; });
        return static_cast<std::size_t>(found - profile->events.begin());
    };
    const std::size_t clock = of("task-clock");
    const std::size_t faults = of("page-faults");
    const std::size_t rows = of("metric:rows");
    std::int64_t processor = 0;
    std::int64_t counted = 0;
    for (std::size_t node = 0; node < profile->nodes.size(); ++node) {
        const auto& self = profile->self[node];
        processor += processor_time(self);
        counted += self[kFirstEvent + clock];
        if (profile->nodes[node].offset == 0x10) {
            EXPECT_EQ(self[kFirstEvent + faults], 14);
            EXPECT_EQ(self[kFirstEvent + clock], static_cast<std::int64_t>(1900 * kUs));
        } else if (profile->nodes[node].offset == 0x20) {
            EXPECT_EQ(self[kFirstEvent + faults], 30);
            EXPECT_EQ(self[kFirstEvent + rows], 4000) << "the program's alone";
            EXPECT_EQ(self[kFirstEvent + clock], static_cast<std::int64_t>(750 * kUs));
        }
    }
    EXPECT_EQ(counted, static_cast<std::int64_t>(3150 * kUs));
    EXPECT_EQ(counted, processor);
    EXPECT_EQ(profile->own_work.at(kFirstEvent + faults), 10);
    EXPECT_EQ(profile->own_work.at(kFirstEvent + rows), 0);
    EXPECT_EQ(profile->own_work.at(kFirstEvent + clock), static_cast<std::int64_t>(350 * kUs));
}

}  // namespace own_events
}  // namespace
}  // namespace kymo::spacetime
