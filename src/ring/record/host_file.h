// One host's samples as a file of a recording (docs/recording-format.md): what `kymo record` writes of a host's
// metrics, with the host as a whole in the place of threads and processors.
//
// Times are the manager's clock, whatever the host's own is: each sample comes with the moment it was latched and how
// far off that may be, and clock-pair rows keep both. A time without an answer stands between two marks. Rows are in
// the file when take() returns, so that a killed manager leaves all of them. One thread.
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

    // What own metrics are, by those that asked for them; parallel to `asked`. One that is awaited has no rows until
    // it is known.
    void know(std::vector<AskedMetric> asked) { asked_ = std::move(asked); }
    void take(const HostSample& sample);
    // To a request at `at`: nothing is known from the last sample on until the next.
    void no_answer(Time at);
    void end(Time at, bool interrupted);

    // Rows for which there was no space.
    [[nodiscard]] std::uint64_t unwritten() const { return rows_.unwritten(); }

  private:
    struct Series {
        std::uint64_t metric = 0;  // its number in the file, and its object's
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
    std::map<std::uint64_t, std::size_t> owners_;   // of metrics: which place in the request writes them
    bool has_run_ = false;
    bool is_silent_ = false;
    Time last_ = 0;     // of all rows
    Time sampled_ = 0;  // the last sample
    Time paired_ = 0;   // when the clocks were last written
    Time error_ = 0;    // with what error
};

}  // namespace kymo::ring
