// Files that perf itself makes here, against what perf itself says of them. Skipped where there is no perf, or where
// it may not measure.
#include "collector.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <tuple>
#include <unistd.h>

namespace kymo::import::perf {
namespace {

namespace fs = std::filesystem;

// Samples, and the sum of their periods, by event.
using Totals = std::map<std::string, std::pair<std::uint64_t, std::uint64_t>>;
// A sample's time, thread, processor and instruction.
using Line = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint64_t>;

constexpr const char* kProgram =
    "sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; ls /usr/bin >/dev/null; sleep 0.01'";

std::string output_of(const std::string& command) {
    std::string to;
    FILE* const pipe = ::popen(command.c_str(), "r");
    char part[4'096];
    for (std::size_t got = 1; pipe != nullptr && got > 0;) {
        got = std::fread(part, 1, sizeof part, pipe);
        to.append(part, got);
    }
    if (pipe != nullptr) {
        ::pclose(pipe);
    }
    return to;
}

class PerfRecord : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        folder_ = testing::TempDir() + "/kymo-perf-record-" + std::to_string(::getpid());
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    // False: perf refuses.
    bool record(const std::string& options) {
        const bool piped = options.find("-o -") != std::string::npos;
        const std::string to = piped ? "> " + file().string() : "-o " + file().string();
        const std::string command = "cd " + folder_.string() + " && perf record -q " + options + " " + to;
        // What perf writes to goes before the program.
        const std::size_t at = command.find(to);
        const std::string with_program = piped ? command.substr(0, at) + "-- " + kProgram + " " + to + " 2>/dev/null"
                                               : command + " -- " + kProgram + " 2>/dev/null";
        return std::system(with_program.c_str()) == 0 && fs::exists(file()) && fs::file_size(file()) > 0;
    }
    [[nodiscard]] fs::path file() const { return folder_ / "perf.data"; }

    [[nodiscard]] Totals totals_of_perf() const {
        std::istringstream from(output_of("perf script -i " + file().string() + " -F period,event -G 2>/dev/null"));
        Totals to;
        std::uint64_t period = 0;
        for (std::string name; from >> period >> name;) {
            if (name.ends_with(":")) {
                name.pop_back();
            }
            ++to[name].first;
            to[name].second += period;
        }
        return to;
    }
    [[nodiscard]] std::vector<Line> lines_of_perf() const {
        std::istringstream from(
            output_of("perf script -i " + file().string() + " -F tid,cpu,time,ip -G --ns 2>/dev/null"));
        std::vector<Line> to;
        std::string processor;
        std::string time;
        std::string ip;
        for (std::uint32_t tid = 0; from >> tid >> processor >> time >> ip;) {
            const std::size_t point = time.find('.');
            const std::uint64_t seconds = std::stoull(time.substr(0, point));
            to.emplace_back(seconds * 1'000'000'000 + std::stoull(time.substr(point + 1)), tid,
                            static_cast<std::uint32_t>(std::stoul(processor.substr(1))),
                            std::stoull(ip, nullptr, 16));
        }
        return to;
    }

    static Totals totals_of(const Collector& seen) {
        Totals to;
        for (const SeenSample& at : seen.samples) {
            auto& [count, sum] = to[seen.attributes[at.sample.attribute].name];
            ++count;
            sum += at.sample.period;
        }
        return to;
    }

  private:
    fs::path folder_;
};

INSTANTIATE_TEST_SUITE_P(Options, PerfRecord,
                         testing::Values("-e cpu-clock -F 2000 -g", "-e task-clock -F 500 --call-graph dwarf",
                                         "-e task-clock/period=1000000/ -e page-faults/period=1/",
                                         "-z -e task-clock -F 2000 -g", "-e task-clock,page-faults -F 2000 -o -",
                                         "-e task-clock -F 2000 -z -o -",
                                         "-e task-clock -F 1000 -a --switch-events --buildid-mmap --namespaces",
                                         "-e page-faults -c 1 -d -W --user-regs=ip,sp"));

TEST_P(PerfRecord, IsReadAsPerfReadsIt) {
    if (!record(GetParam())) {
        GTEST_SKIP() << "perf record " << GetParam() << " does not work here";
    }
    Collector seen;
    const auto facts = read_perf_data(file(), seen);
    ASSERT_TRUE(facts.ok()) << facts.error().what;
    EXPECT_TRUE(facts->notices.empty()) << facts->notices[0];
    const Totals expected = totals_of_perf();
    if (expected.empty()) {
        GTEST_SKIP() << "perf script does not work here, or there are no samples";
    }
    EXPECT_EQ(totals_of(seen), expected);
    EXPECT_FALSE(seen.comms.empty());
    EXPECT_FALSE(seen.mappings.empty());
    EXPECT_FALSE(facts->command_line.empty());
    for (std::size_t i = 1; i < seen.order.size(); ++i) {
        ASSERT_LE(seen.order[i - 1].second, seen.order[i].second);
    }
}

class PerfRecordSamples : public PerfRecord {};

INSTANTIATE_TEST_SUITE_P(Options, PerfRecordSamples, testing::Values("-e cpu-clock -F 2000 -a"));

TEST_P(PerfRecordSamples, AreInPerfsOrder) {
    if (!record(GetParam())) {
        GTEST_SKIP() << "perf record " << GetParam() << " does not work here";
    }
    Collector seen;
    ASSERT_TRUE(read_perf_data(file(), seen).ok());
    std::vector<Line> read;
    for (const SeenSample& at : seen.samples) {
        read.emplace_back(at.sample.time, at.sample.tid, at.sample.cpu, at.sample.ip);
    }
    const std::vector<Line> expected = lines_of_perf();
    if (expected.empty()) {
        GTEST_SKIP() << "perf script does not work here, or there are no samples";
    }
    EXPECT_EQ(read, expected);
}

}  // namespace
}  // namespace kymo::import::perf
