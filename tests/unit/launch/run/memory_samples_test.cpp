// Memory of processes over time, read from a /proc that the test writes.
#include "launch/run/memory_samples.h"

#include "../temporary_folder.h"
#include "recording/reader.h"
#include "recording/tables.h"
#include "recording/tables/memory.h"
#include "recording/writer.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <sys/utsname.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace kymo::launch {
namespace {

namespace fs = std::filesystem;
namespace rec = recording;

constexpr std::uint64_t kMib = 1024 * 1024;
constexpr std::uint64_t kSecond = 1'000'000'000;

std::string own_host() {
    utsname system{};
    uname(&system);
    return system.nodename;
}

class MemorySamplesTest : public testing::Test {
  protected:
    void SetUp() override {
        fs::create_directories(proc_);
        fs::create_symlink(std::to_string(getpid()), proc_ / "self");
        fs::create_directory(path_);
        auto opened = rec::Folder::open(path_);
        ASSERT_TRUE(opened) << opened.error().what;
        folder_.emplace(std::move(*opened));
        ASSERT_TRUE(log_.create(*folder_));
        scene_.emplace(RunScene{settled_, *folder_, log_, kProgram, 0, false, {}, {}});
    }

    // What the process has from now on; 0: it has ended.
    void set(std::uint64_t pid, std::uint64_t mib) const {
        const std::uint64_t pages = mib * kMib / static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
        fs::create_directories(proc_ / std::to_string(pid));
        std::ofstream(proc_ / std::to_string(pid) / "statm") << pages * 2 << ' ' << pages << ' ' << pages / 4 << "\n";
    }

    // A process's file, as its monitor begins it.
    void write_file(const std::string& name, const rec::Process& process, const std::optional<rec::Rank>& rank = {}) {
        rec::FileWriter& file = files_.emplace_back();
        ASSERT_EQ(file.create((path_ / name).c_str(), {.machine = 62, .pid = 1, .producer = "kymo"}), 0);
        rec::StreamWriter rows;
        rows.open(file, StreamId{0});
        rec::write_schemas(rows);
        rows.append(process);
        if (rank) {
            rows.append(*rank);
        }
    }

    void tick(std::uint64_t now) { samples_.tick(*scene_, now); }

    using Series = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // time, MiB
    // Ends the run.
    std::map<std::uint64_t, Series> series() {
        scene_->is_gone = true;
        RecordOutcome outcome;
        samples_.ended(*scene_, outcome);
        log_.close();
        std::map<std::uint64_t, Series> all;
        const auto file = rec::File::open(path_ / kLaunchFile);
        EXPECT_TRUE(file);
        EXPECT_TRUE(file->scan(rec::on<rec::Memory>([&](StreamId, const rec::Memory& row) {
                                   all[row.pid].emplace_back(row.time, row.resident_bytes / kMib);
                                   EXPECT_EQ(row.shared_bytes, row.resident_bytes / 4);
                               }),
                               rec::on<rec::Unavailable>([&](StreamId, const rec::Unavailable& row) {
                                   missing_.emplace_back(std::string(row.what) + ": " + std::string(row.why));
                               })));
        return all;
    }

    static constexpr pid_t kProgram = 50;

    TemporaryFolder temporary_;
    fs::path proc_ = temporary_.path() / "proc";
    fs::path path_ = temporary_.path() / "out.kymo";
    RecordOptions options_;
    Settled settled_{options_, {}, {}, {}, {}, {}};
    std::optional<rec::Folder> folder_;
    RunLog log_;
    std::optional<RunScene> scene_;
    std::list<rec::FileWriter> files_;
    RecordedProcesses recorded_;
    MemorySamples samples_{recorded_, proc_};
    std::vector<std::string> missing_;
};

TEST_F(MemorySamplesTest, TheProgramIsReadUntilItEnds) {
    set(kProgram, 4);
    tick(0);
    set(kProgram, 64);
    tick(1 * kSecond);
    tick(2 * kSecond);
    set(kProgram, 16);
    tick(3 * kSecond);
    set(kProgram, 0);
    tick(4 * kSecond);
    tick(5 * kSecond);
    EXPECT_EQ(series(),
              (std::map<std::uint64_t, Series>{{50, {{0, 4}, {kSecond, 64}, {3 * kSecond, 16}, {4 * kSecond, 0}}}}));
    EXPECT_THAT(missing_, testing::IsEmpty());
}

TEST_F(MemorySamplesTest, ProcessesWithAFileAreReadByTheKernelsNumber) {
    set(kProgram, 4);
    set(77, 8);
    set(3, 9);  // another process's, which has the number that 77 has for itself
    write_file("process-3-1.krec", {.pid = 3, .kernel_pid = 77});
    tick(0);
    EXPECT_EQ(series()[77], (Series{{0, 8}}));
}

TEST_F(MemorySamplesTest, AProcessWhoseNumberHereIsNotKnownIsNotRead) {
    set(kProgram, 4);
    set(3, 9);
    write_file("process-3-1.krec", {.pid = 3, .kernel_pid = rec::kUnknownNumber});
    tick(0);
    EXPECT_EQ(series().count(3), 0U);
}

TEST_F(MemorySamplesTest, AProcessThatCameLaterIsRead) {
    set(kProgram, 4);
    tick(0);
    set(60, 8);
    write_file("process-60-1.krec", {.pid = 60});
    tick(1 * kSecond);
    EXPECT_EQ(series()[60], (Series{{kSecond, 8}}));
}

TEST_F(MemorySamplesTest, AnExecGoesOnWithTheSeries) {
    set(kProgram, 4);
    write_file("process-50-1.krec", {.pid = 50});
    tick(0);
    write_file("process-50-2.krec", {.pid = 50});
    set(kProgram, 6);
    tick(1 * kSecond);
    EXPECT_EQ(series(), (std::map<std::uint64_t, Series>{{50, {{0, 4}, {kSecond, 6}}}}));
}

// Ranks share a folder: each parent reads those that are its own, and no number means a process of another host.
TEST_F(MemorySamplesTest, ProcessesOfOtherRanksAndHostsAreOthers) {
    settled_.job = Job{.rank = 1, .size = 3, .id = "job"};
    const std::string host = own_host();
    for (const std::uint64_t pid : {50U, 61U, 62U, 63U}) {
        set(pid, 8);
    }
    write_file("process-61-1-rank-1.krec", {.pid = 61}, rec::Rank{.rank = 1, .size = 3, .host = host});
    write_file("process-62-1-rank-2.krec", {.pid = 62}, rec::Rank{.rank = 2, .size = 3, .host = host});
    write_file("process-63-1-rank-1.krec", {.pid = 63}, rec::Rank{.rank = 1, .size = 3, .host = "elsewhere"});
    tick(0);
    EXPECT_EQ(series(), (std::map<std::uint64_t, Series>{{50, {{0, 8}}}, {61, {{0, 8}}}}));
}

TEST_F(MemorySamplesTest, AFileThatIsClosedIsOfAProcessThatHasEnded) {
    set(kProgram, 4);
    set(60, 8);  // by now another one's number
    write_file("process-60-1.krec", {.pid = 60});
    ASSERT_EQ(files_.back().close(), 0);
    tick(0);
    EXPECT_EQ(series().count(60), 0U);
}

TEST_F(MemorySamplesTest, WithoutProcNothingIsKnownAndTheReasonIs) {
    fs::remove(proc_ / "self");
    set(kProgram, 4);
    tick(0);
    EXPECT_EQ(series(), (std::map<std::uint64_t, Series>{}));
    EXPECT_THAT(missing_, testing::ElementsAre(testing::StartsWith("memory over time: ")));
}

TEST_F(MemorySamplesTest, ManyProcessesAreReadInTurnAndTooManyAreTold) {
    set(kProgram, 4);
    constexpr std::uint64_t kFirst = 1000;
    constexpr std::uint64_t kMany = MemorySamples::kMostProcesses + 10;
    for (std::uint64_t pid = kFirst; pid < kFirst + kMany; ++pid) {
        set(pid, 8);
        write_file("process-" + std::to_string(pid) + "-1.krec", {.pid = pid});
    }
    tick(0);
    tick(1 * kSecond);
    const auto all = series();
    ASSERT_EQ(all.size(), MemorySamples::kMostProcesses);  // the program among them
    std::map<std::uint64_t, std::size_t> at;
    for (const auto& [pid, points] : all) {
        ASSERT_EQ(points.size(), 1U) << pid;
        ++at[points[0].first];
    }
    EXPECT_EQ(at, (std::map<std::uint64_t, std::size_t>{{0, MemorySamples::kMostReadings},
                                                        {kSecond, MemorySamples::kMostReadings}}));
    EXPECT_THAT(missing_, testing::ElementsAre(testing::HasSubstr("more than 512 processes")));
}

TEST(MemorySamples, ThePeriodGrowsWithTheRun) {
    constexpr std::uint64_t kMs = 1'000'000;
    EXPECT_EQ(MemorySamples::period(0), 10 * kMs);
    EXPECT_EQ(MemorySamples::period(800 * kMs), 50 * kMs);
    EXPECT_EQ(MemorySamples::period(3600 * kSecond), 100 * kMs);
}

}  // namespace
}  // namespace kymo::launch
