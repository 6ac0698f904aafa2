// One host's samples as a file of a recording (docs/recording-format.md): what `kymo record` writes of a host's
// metrics, with the whole host in place of threads and processors.
//
// Times are in the manager's clock, whatever the host's clock is: each sample comes with its latch time and the
// error of that time, and clock-pair rows keep both. Two marks enclose a time without an answer. Rows are in the
// file when take() returns, so they survive a killed manager. One thread.
#pragma once

#include "base/result.h"
#include "recording/file_writer.h"
#include "recording/writer.h"
#include "ring/members/member.h"
#include "ring/record/asked_metric.h"
#include "ring/record/growth.h"

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace kymo::ring {

struct HostFacts {
    std::string name;
    std::string command;  // of the manager: arguments, each ended by a NUL
    std::string directory;
    std::string producer;
};

struct HostSample {
    Time at = 0;     // latched; manager's clock
    Time error = 0;  // at is right within it
    std::span<const Record> records;
};

class HostFile {
  public:
    // kPermission, kNoSpace. `asked` is parallel to the samples' records; kept.
    static Result<std::unique_ptr<HostFile>> create(const std::filesystem::path& path, const HostFacts& facts,
                                                    std::vector<AskedMetric> asked);
    HostFile(const HostFile&) = delete;
    HostFile& operator=(const HostFile&) = delete;
    ~HostFile();

    // Descriptions of program-defined metrics, parallel to `asked`. An awaited metric has no rows until it is
    // described.
    void know(std::vector<AskedMetric> asked) { asked_ = std::move(asked); }
    void take(const HostSample& sample);
    // A request at `at` got no answer: values are unknown from the last sample to the next.
    void no_answer(Time at);
    void end(Time at, bool interrupted);

    // Rows for which there was no space.
    [[nodiscard]] std::uint64_t unwritten() const { return rows_.unwritten(); }

  private:
    struct Series {
        std::uint64_t metric = 0;  // its number in the file, and that of its object
        bool is_written = false;
        std::uint64_t value = 0;
        Time at = 0;  // of the last row
    };

    HostFile(HostFacts facts, std::vector<AskedMetric> asked)
        : facts_(std::move(facts)), asked_(std::move(asked)), growth_(asked_.size()) {}
    void write_run(Time at, std::uint64_t processors);
    void write_clock(const HostSample& sample);
    void write_value(Series& series, std::uint64_t value, Time at);
    Series& describe(std::size_t index, Time at);
    [[nodiscard]] std::uint64_t processors(std::span<const Record> records) const;

    HostFacts facts_;
    std::vector<AskedMetric> asked_;
    std::vector<Growth> growth_;  // of counters, by place in the request
    recording::FileWriter file_;
    recording::StreamWriter rows_;
    std::map<std::size_t, Series> series_;          // by place in the request
    std::map<std::string, std::uint64_t> metrics_;  // by kind and name
    std::map<std::uint64_t, std::size_t> owners_;   // of metrics: the place in the request that writes them
    bool has_run_ = false;
    bool is_silent_ = false;
    Time last_ = 0;     // of all rows
    Time sampled_ = 0;  // the last sample
    Time paired_ = 0;   // time of the last clock pair
    Time error_ = 0;    // error of that pair
};

}  // namespace kymo::ring
