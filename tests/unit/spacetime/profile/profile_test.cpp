#include "spacetime/profile/profile.h"

#include "made_recording.h"
#include "spacetime/load/load_files.h"
#include "spacetime/profile/make_profile.h"
#include "spacetime/profile/quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace kymo::spacetime {
namespace {

using testing::kMs;
using testing::MadeFile;
using testing::TemporaryFolder;

constexpr std::int64_t ms(double value) {
    return static_cast<std::int64_t>(value * 1e6);
}

Profile load(const std::filesystem::path& folder, const ProfileOptions& options = {}) {
    const auto recording = recording::Recording::open(folder);
    EXPECT_TRUE(recording.ok()) << (recording.ok() ? "" : recording.error().what);
    auto profile = load_profile(*recording, options);
    EXPECT_TRUE(profile.ok()) << (profile.ok() ? "" : profile.error().what);
    return std::move(profile).value();
}

// The node reached from the root by these offsets, or the root's index when there is none.
std::uint32_t node_at(const Profile& profile, const std::vector<std::uint64_t>& path, std::uint32_t from = 0) {
    std::uint32_t at = from;
    for (const std::uint64_t offset : path) {
        std::uint32_t next = 0;
        for (std::uint32_t i = 1; i < profile.nodes.size(); ++i) {
            const ProfileNode& node = profile.nodes[i];
            if (node.parent == at && node.kind == NodeKind::kFrame && node.offset == offset) {
                next = i;
            }
        }
        if (next == 0) {
            return 0;
        }
        at = next;
    }
    return at;
}

std::uint32_t special(const Profile& profile, NodeKind kind) {
    for (std::uint32_t i = 0; i < profile.nodes.size(); ++i) {
        if (profile.nodes[i].kind == kind) {
            return i;
        }
    }
    return kNone;
}

std::vector<std::int64_t> row(const Profile& profile, std::uint32_t node) {
    const auto costs = profile.self[node];
    return {costs.begin(), costs.end()};
}

class TwoThreads : public ::testing::Test {
  protected:
    TemporaryFolder folder_;
};

TEST_F(TwoThreads, CostsByCallPathAreThoseWorkedOutByHand) {
    testing::write_two_threads(folder_.path());
    const Profile profile = load(folder_.path());
    // user, system, off-CPU, samples, task-clock, page-faults
    EXPECT_EQ(row(profile, node_at(profile, {0x10, 0x20, 0x30})),
              (std::vector<std::int64_t>{ms(2), 0, 0, 2, ms(2), 2}));
    EXPECT_EQ(row(profile, node_at(profile, {0x10, 0x20})),
              (std::vector<std::int64_t>{ms(1), ms(2), ms(1), 1, ms(3), 5}));
    EXPECT_EQ(row(profile, special(profile, NodeKind::kNoPath)),
              (std::vector<std::int64_t>{ms(1), 0, ms(3), 1, ms(1), 0}));
    EXPECT_EQ(row(profile, node_at(profile, {0x50}, special(profile, NodeKind::kPartial))),
              (std::vector<std::int64_t>{ms(1), 0, 0, 1, ms(1), 0}));
    EXPECT_EQ(row(profile, special(profile, NodeKind::kUnsampled)),
              (std::vector<std::int64_t>{ms(1.5), ms(3), ms(9.5), 0, ms(4.5), 1}));
}

TEST_F(TwoThreads, AThreadHangsBelowWhatCreatedIt) {
    testing::write_two_threads(folder_.path());
    const Profile below = load(folder_.path());
    const std::vector<std::int64_t> worker = {ms(2), 0, ms(2), 2, ms(3), 0};
    const std::vector<std::int64_t> unknown = {0, ms(1), 0, 0, 0, 0};
    EXPECT_EQ(row(below, node_at(below, {0x10, 0x25, 0x28, 0x40, 0x30})), worker);
    EXPECT_EQ(row(below, special(below, NodeKind::kUnknownCall)), unknown);
    EXPECT_EQ(below.nodes[special(below, NodeKind::kUnknownCall)].parent, node_at(below, {0x10, 0x25, 0x28, 0x40}));
    EXPECT_EQ(node_at(below, {0x40}), 0U);
    const Profile apart = load(folder_.path(), {.below_creators = false});
    EXPECT_EQ(row(apart, node_at(apart, {0x40, 0x30})), worker);
    EXPECT_EQ(apart.nodes[special(apart, NodeKind::kUnknownCall)].parent, node_at(apart, {0x40}));
    EXPECT_EQ(raw(apart.threads[1].creation_node), node_at(apart, {0x10, 0x25, 0x28}));
}

TEST_F(TwoThreads, ThreadsAddUpToWallTimeAndToTotals) {
    testing::write_two_threads(folder_.path());
    const Profile profile = load(folder_.path());
    ASSERT_EQ(profile.threads.size(), 3U);
    EXPECT_EQ(profile.threads[0].costs, (std::vector<std::int64_t>{ms(4.5), ms(2), ms(13.5), 4, ms(6.5), 8}));
    EXPECT_EQ(profile.threads[1].costs, (std::vector<std::int64_t>{ms(4), ms(4), ms(2), 3, ms(8), 0}));
    for (const ProfileThread& thread : profile.threads) {
        EXPECT_EQ(wall_time(thread.costs), static_cast<std::int64_t>(thread.end - thread.begin));
    }
    EXPECT_EQ(profile.threads[1].creator, 0U);
    EXPECT_EQ(profile.threads[1].name, "worker");
    EXPECT_EQ(profile.processes[0].totals, (std::vector<std::int64_t>{ms(14.5), 9}));
}

// A second pass that books every sample where Profile::streams says gives the profile's own counts again.
TEST_F(TwoThreads, StreamsLeadEverySampleToItsNodeAndThread) {
    testing::write_two_threads(folder_.path());
    const auto recording = recording::Recording::open(folder_.path());
    ASSERT_TRUE(recording.ok());
    const auto profile = load_profile(*recording);
    ASSERT_TRUE(profile.ok());
    std::vector<std::int64_t> by_node(profile->nodes.size());
    std::vector<std::int64_t> by_thread(profile->threads.size());
    for (const ProfileStream& stream : profile->streams) {
        EXPECT_EQ(stream.shift_ns, 0);
        const auto report = recording->files()[stream.file].scan(
            recording::on<recording::Sample>([&](StreamId id, const recording::Sample& sample) {
                if (raw(id) == stream.stream) {
                    const bool has_path = sample.context != 0 && sample.context < stream.nodes.size();
                    ++by_node[has_path ? stream.nodes[sample.context] : stream.no_path];
                    ++by_thread[stream.thread];
                }
            }));
        ASSERT_TRUE(report.ok());
    }
    for (std::uint32_t node = 0; node < by_node.size(); ++node) {
        EXPECT_EQ(by_node[node], profile->self[node][kSamples]) << node;
    }
    for (std::size_t thread = 0; thread < by_thread.size(); ++thread) {
        EXPECT_EQ(by_thread[thread], profile->threads[thread].costs[kSamples]) << thread;
    }
}

TEST_F(TwoThreads, AThreadWithoutMonitorIsKnownFromTheKernelsRecords) {
    testing::write_two_threads(folder_.path());
    const Profile profile = load(folder_.path());
    const ProfileThread& helper = profile.threads[2];
    EXPECT_EQ(helper.tid, 102U);
    EXPECT_EQ(helper.name, "helper");
    EXPECT_FALSE(helper.is_sampled);
    EXPECT_EQ(helper.process, 0U);
    EXPECT_EQ(helper.creator, 0U);
    EXPECT_EQ(helper.costs[kOffCpu], ms(4));
    EXPECT_EQ(processor_time(helper.costs), ms(6));
    EXPECT_EQ(helper.run_queue_ns, ms(1));
    EXPECT_EQ(helper.switches, (SwitchCounts{.voluntary = 1, .involuntary = 1}));
}

TEST_F(TwoThreads, QualityIsCounted) {
    testing::write_two_threads(folder_.path());
    const Profile profile = load(folder_.path());
    EXPECT_EQ(profile.quality.samples, 7U);
    EXPECT_EQ(complete_paths(profile.quality), 5U);
    EXPECT_EQ(partial_paths(profile.quality), 2U);
    EXPECT_EQ(profile.quality.paths[static_cast<std::size_t>(recording::PathEnd::kNoRule)], 1U);
    const auto rate = sampling_rate(profile);
    ASSERT_TRUE(rate);
    EXPECT_DOUBLE_EQ(rate->asked_hz, 1000);
    // 7 ticks in the 8.5 ms of user time that the rule finds (the kernel says 8).
    EXPECT_DOUBLE_EQ(rate->delivered_hz, 7 / 0.0085);
    EXPECT_EQ(profile.samples_by_event, (std::vector<std::uint64_t>{7, 0}));
}

TEST_F(TwoThreads, TheRunIsToldByItsParent) {
    testing::write_two_threads(folder_.path());
    const Profile profile = load(folder_.path());
    EXPECT_EQ(profile.command, (std::vector<std::string>{"./app", "--size", "10 20"}));
    EXPECT_EQ(profile.end - profile.begin, 21 * kMs);
    EXPECT_EQ(profile.wait_status, 3U << 8U);
    EXPECT_EQ(profile.unavailable.size(), 2U);
    EXPECT_TRUE(profile.warnings.empty());
}

TEST_F(TwoThreads, AKilledProgramIsReadUpToItsLastSample) {
    testing::write_two_threads(folder_.path(), false);
    const Profile profile = load(folder_.path());
    EXPECT_EQ(profile.threads[0].costs, (std::vector<std::int64_t>{ms(4), ms(2), ms(4), 4, ms(6), 7}));
    EXPECT_EQ(profile.threads[0].end - profile.threads[0].begin, 10 * kMs);
    EXPECT_FALSE(profile.threads[0].has_ended);
    EXPECT_EQ(special(profile, NodeKind::kUnsampled), kNone);
    EXPECT_THAT(profile.warnings, ::testing::Contains(::testing::HasSubstr("exit status 3")));
}

// What is known of an end that no monitor saw is told, and nothing else.
TEST_F(TwoThreads, HowAProgramEndedIsAsItsParentSawIt) {
    const auto told = [&](std::uint64_t wait_status, bool has_parent) {
        std::filesystem::remove_all(folder_.path());
        std::filesystem::create_directory(folder_.path());
        testing::write_two_threads(folder_.path(), false, wait_status);
        if (!has_parent) {
            std::filesystem::remove(folder_.path() / "launch.krec");
        }
        const Profile profile = load(folder_.path());
        return profile.warnings.empty() ? std::string() : profile.warnings.front();
    };
    EXPECT_THAT(told(0, true), ::testing::HasSubstr("left by a system call of its own, with exit status 0"));
    EXPECT_THAT(told(9, true), ::testing::HasSubstr("was killed by signal 9"));
    EXPECT_THAT(told(0, false), ::testing::HasSubstr("without saying so"));
}

TEST(CalledName, IsTheLinksAndNotTheFiles) {
    EXPECT_EQ(called_name({"redis-server", "--port", "1"}, "/usr/bin/redis-check-rdb"), "redis-server");
    EXPECT_EQ(called_name({"/usr/sbin/httpd"}, "/usr/sbin/apache2"), "httpd");
    EXPECT_EQ(called_name({"-bash"}, "/usr/bin/bash"), "bash");
    EXPECT_EQ(called_name({"", ""}, "/usr/bin/daemon"), "daemon");
    EXPECT_EQ(called_name({"postgres: checkpointer"}, "/usr/lib/postgres"), "postgres");
    EXPECT_EQ(called_name({}, "/usr/bin/xz"), "xz");
}

TEST_F(TwoThreads, WithoutItsParentsFileTheRunIsAsLongAsItsThreads) {
    testing::write_two_threads(folder_.path());
    std::filesystem::remove(folder_.path() / "launch.krec");
    const Profile profile = load(folder_.path());
    EXPECT_EQ(profile.end - profile.begin, 20 * kMs);
    EXPECT_EQ(profile.command, std::vector<std::string>{"./app"});
    EXPECT_FALSE(profile.has_run_end);
}

TEST_F(TwoThreads, TruncatedFilesGiveWhatTheyHold) {
    testing::write_two_threads(folder_.path());
    const auto file = folder_.path() / "process-100-0.krec";
    const auto whole = std::filesystem::file_size(file);
    const auto copy = folder_.path() / "whole";
    std::filesystem::copy_file(file, copy);
    for (std::uintmax_t size = whole; size > 0; size -= std::min<std::uintmax_t>(size, 5000)) {
        std::filesystem::copy_file(copy, file, std::filesystem::copy_options::overwrite_existing);
        std::filesystem::resize_file(file, size);
        const auto recording = recording::Recording::open(folder_.path());
        if (!recording) {
            continue;
        }
        const auto profile = load_profile(*recording);
        if (profile) {
            for (const ProfileThread& thread : profile->threads) {
                EXPECT_EQ(wall_time(thread.costs) + thread.paused_ns,
                          static_cast<std::int64_t>(thread.end - thread.begin));
            }
        }
    }
}

TEST(Profile, SystemTimeIsReadWhereTheMechanismCan) {
    const TemporaryFolder folder;
    {
        MadeFile file(folder.path() / "process-1-0.krec", 1);
        file.event(0, "task-clock", "ns", recording::EventMode::kPeriod, kMs);
        file.event(1, "system-time", "ns", recording::EventMode::kCount, 0);
        for (std::uint32_t stream = 1; stream <= 2; ++stream) {
            recording::Stream row;
            row.stream = stream;
            row.tid = stream;
            row.mechanism = stream;  // 1: perf events, 2: thread timers
            file.own().append(row);
            file.sample(stream, 10 * kMs, 0, {8 * kMs, stream == 1 ? 0 : 3 * kMs});
        }
        file.close();
    }
    const Profile profile = load(folder.path());
    EXPECT_EQ(profile.threads[0].costs[kUser], ms(1));
    EXPECT_EQ(profile.threads[0].costs[kSystem], ms(7));
    EXPECT_EQ(profile.threads[1].costs[kUser], ms(5));
    EXPECT_EQ(profile.threads[1].costs[kSystem], ms(3));
}

TEST(Profile, OfNothingIsAnError) {
    const TemporaryFolder folder;
    {
        MadeFile(folder.path() / "launch.krec", 1).close();
    }
    const auto recording = recording::Recording::open(folder.path());
    ASSERT_TRUE(recording.ok());
    const auto profile = load_profile(*recording);
    ASSERT_FALSE(profile.ok());
    EXPECT_EQ(profile.error().kind, ErrorKind::kMalformed);
}

TEST(Profile, SurvivesRowsThatReferToNothing) {
    const TemporaryFolder folder;
    {
        MadeFile file(folder.path() / "process-1-0.krec", 1);
        file.event(0, "task-clock", "ns", recording::EventMode::kPeriod, kMs);
        file.event(1ULL << 40U, "far", "", recording::EventMode::kCount, 0);
        file.begin_stream(1, 0, 1, "a", 2, 77);   // created by 2, which
        file.begin_stream(2, 0, 2, "b", 1, 1);    // was created by 1
        file.begin_stream(3, 0, 3, "c", 3, 1);    // itself
        file.begin_stream(4, 0, 4, "d", 99, 12);  // by nobody known
        file.context(1, 1ULL << 60U, 0, 0, 1);
        file.context(1, 1, 5, 0, 1);
        file.context(1, 2, 1, 55, 1);
        file.sample(1, kMs, 2, {kMs, 1, 2, 3, 4});
        file.sample(1, 2 * kMs, 1234567, {});
        file.sample(1, kMs, 2, {~0ULL}, 0xffffffff, 1ULL << 50U);  // time runs backwards
        file.sample(9, kMs, 0, {1});
        file.end_stream(1, 3 * kMs, {0, 0});
        file.close();
    }
    const auto recording = recording::Recording::open(folder.path());
    ASSERT_TRUE(recording.ok());
    const auto profile = load_profile(*recording);
    ASSERT_TRUE(profile.ok());
    EXPECT_EQ(profile->threads.size(), 5U);
    EXPECT_THAT(profile->warnings, ::testing::Contains(::testing::HasSubstr("refer to nothing")));
}

// A few bytes cannot ask for gigabytes: numbers that are left out stand in a proportion to those that are there.
TEST(Profile, ContextsThatAreLeftOutAreBounded) {
    const TemporaryFolder folder;
    {
        MadeFile file(folder.path() / "process-1-0.krec", 1);
        for (std::uint32_t stream = 1; stream <= 20; ++stream) {
            file.begin_stream(stream, 0, stream, "a");
            std::uint64_t number = 60'000;
            for (int i = 0; i < 9; ++i, number *= 4) {
                file.context(stream, number, 0, 0, 1);
            }
        }
        file.close();
    }
    const auto file = recording::File::open(folder.path() / "process-1-0.krec");
    ASSERT_TRUE(file.ok());
    const auto data = load_file(*file);
    ASSERT_TRUE(data.ok());
    std::size_t contexts = 0;
    for (const auto& [id, stream] : data->streams) {
        contexts += stream.contexts.size();
    }
    EXPECT_LT(contexts, 67'000U);
    EXPECT_EQ(data->strange_rows, 20U * 9 - 1);
}

// The identity on random recordings: the tree's sum, the threads' sum and the rows' own sums agree.
TEST(Profile, NothingIsLostOrCountedTwice) {
    std::mt19937_64 random(11);
    for (int round = 0; round < 10; ++round) {
        const TemporaryFolder folder;
        std::vector<std::uint64_t> totals(2);
        std::uint64_t wall = 0;
        std::uint64_t samples = 0;
        for (std::uint32_t process = 0; process < 2; ++process) {
            MadeFile file(folder.path() / ("process-" + std::to_string(process) + "-0.krec"), process + 1);
            file.event(process, "task-clock", "ns", recording::EventMode::kPeriod, 1000);
            file.event(1 - process, "page-faults", "", recording::EventMode::kCount, 0);
            for (std::uint32_t stream = 1; stream <= 5; ++stream) {
                std::uint64_t now = random() % 1000;
                const std::uint64_t begin = now;
                file.begin_stream(stream, now, 10 * process + stream, "t", random() % stream, random() % 20);
                std::vector<std::uint64_t> sums(2);
                const std::uint64_t rows = random() % 300;
                for (std::uint64_t i = 1; i <= rows; ++i) {
                    file.context(stream, i, random() % i, random() % 3, random() % 50);
                    now += random() % 4000;
                    const std::vector<std::uint64_t> deltas = {random() % 3000, random() % 3000};
                    sums[0] += deltas[0];
                    sums[1] += deltas[1];
                    file.sample(stream, now, random() % (i + 1), deltas, random() % 8, random() % 2);
                    ++samples;
                }
                // Deltas may exceed the wall time: at the end there is room for what is owed.
                now += 1'000'000;
                sums[0] += random() % 5000;
                sums[1] += random() % 5000;
                file.end_stream(stream, now, sums);
                totals[0] += sums[process];
                totals[1] += sums[1 - process];
                wall += now - begin;
            }
            file.close();
        }
        for (const bool below : {true, false}) {
            const Profile profile = load(folder.path(), {.below_creators = below});
            std::vector<std::int64_t> tree(profile.self.columns());
            for (std::size_t node = 0; node < profile.nodes.size(); ++node) {
                add(tree, profile.self[node]);
                EXPECT_LE(profile.nodes[node].parent, node);
            }
            std::vector<std::int64_t> threads(profile.self.columns());
            for (const ProfileThread& thread : profile.threads) {
                add(threads, thread.costs);
            }
            EXPECT_EQ(tree, threads);
            EXPECT_EQ(wall_time(tree), static_cast<std::int64_t>(wall));
            EXPECT_EQ(processor_time(tree), static_cast<std::int64_t>(totals[0]));
            EXPECT_EQ(tree[kFirstEvent], static_cast<std::int64_t>(totals[0]));
            EXPECT_EQ(tree[kFirstEvent + 1], static_cast<std::int64_t>(totals[1]));
            EXPECT_EQ(tree[kSamples], static_cast<std::int64_t>(samples));
        }
    }
}

}  // namespace
}  // namespace kymo::spacetime
