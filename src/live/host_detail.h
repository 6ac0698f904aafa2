// The level below hosts: one host's processors, processes, threads and channels, as the manager's detail queries
// return them (docs/ring-protocol.md, "Detail queries and rows"), and their changes between two answers.
//
// Rates use the agent's own clock. A row that was not in the previous reading counts from its beginning if that
// reading was complete, and has no rates if rows were left out of it. One thread.
#pragma once

#include "live/host_tables.h"
#include "live/request.h"
#include "ring/members/manager.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace kymo::live {

struct DetailTarget {
    ring::Slot slot = 0;
    std::optional<std::uint32_t> process;  // nothing: the host
    bool threads = false;                  // of the host: all of its processes'
    TaskSort sort = TaskSort::kOnCpu;      // which rows to return if there are more than requested
    bool operator==(const DetailTarget&) const = default;
    // Both have rows of the same objects; only the selection among too many may differ.
    [[nodiscard]] bool is_place_of(const DetailTarget& other) const {
        return slot == other.slot && process == other.process && threads == other.threads;
    }
};

enum class RowsOf : std::uint8_t { kProcessors, kProcesses, kThreads, kChannels };

struct DetailRow {
    ring::TableRow told;
    std::vector<double> a_second;  // by metric; empty: there is no earlier reading to compare with
};

struct DetailTable {
    RowsOf what = RowsOf::kProcessors;
    std::vector<std::string> metrics;
    std::uint32_t there = 0;  // total number; `rows` are the first of them
    std::vector<DetailRow> rows;
    double seconds = 0;  // since the reading before; 0: there is none
};

struct DetailView {
    DetailTarget target;
    ring::DetailQueries::State state = ring::DetailQueries::State::kAsked;
    ring::ReadingFacts facts{};
    std::uint64_t incarnation = 0;    // of the agent that answered
    std::vector<DetailTable> tables;  // empty: nothing received yet

    [[nodiscard]] const DetailTable* table(RowsOf what) const;
};

// A table's metrics, by their places in its rows; those that the user named follow.
enum class TaskColumn : std::size_t {
    kUser,
    kSystem,
    kLockWait,
    kWait,
    kVoluntary,
    kInvoluntary,
    kMinorFaults,
    kMajorFaults,
    kCount
};
enum class ProcessorColumn : std::size_t { kUser, kNice, kSystem, kInterrupts, kSteal, kIdle, kIoWait, kRunDelay };
enum class ChannelColumn : std::size_t { kMessages, kBytes, kBlocked, kOutstanding, kLargest };

// How many of a table's metrics are its own; the user named the rest.
constexpr std::size_t own_columns(RowsOf what) {
    return what == RowsOf::kProcessors ? 8
           : what == RowsOf::kChannels ? 5
                                       : static_cast<std::size_t>(TaskColumn::kCount);
}

// A second; 0 if there is none.
template <typename Column>
double rate_of(const DetailRow& row, Column column) {
    const auto at = static_cast<std::size_t>(column);
    return at < row.a_second.size() ? row.a_second[at] : 0;
}

// Rates have arrived, or the reason why there are none.
bool is_ready(const std::optional<DetailView>& detail);

class HostDetail {
  public:
    // Of the metrics requested of all hosts, those of tasks and channels are columns here, too.
    explicit HostDetail(const std::vector<Asked>& asked);

    // Sets the target from now on.
    void want(const std::optional<DetailTarget>& target, ring::Manager& manager, ring::Time now);
    [[nodiscard]] bool is_wanted() const { return target_.has_value(); }
    // Repeats the query once it was answered, but not at once: rates cover at least half a period.
    void again(ring::Manager& manager, ring::Time now);
    // True: view() has changed.
    bool poll(const ring::Manager& manager, ring::Time now);
    // Nothing: no target, or no answer so far.
    [[nodiscard]] const std::optional<DetailView>& view() const { return view_; }

  private:
    using RowKey = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::uint16_t, std::uint64_t,
                              std::uint64_t, std::uint8_t, bool>;
    struct Before {
        std::uint64_t read = 0;
        bool is_whole = false;
        std::map<RowKey, ring::TableRow> rows;
    };
    static RowKey key_of(const ring::RowHead& head);
    [[nodiscard]] std::vector<RowsOf> wanted_tables(const DetailTarget& target) const;
    [[nodiscard]] ring::AskedTable asked_table(RowsOf what, const DetailTarget& target) const;
    DetailTable compare(RowsOf what, const ring::ToldTable& told, std::uint64_t read);

    std::map<RowsOf, std::vector<std::string>> metrics_;
    std::optional<DetailTarget> target_;
    std::optional<DetailView> view_;
    std::map<std::pair<RowsOf, std::uint64_t>, Before> before_;  // by process, or of all processes
    ring::Time asked_ = 0;
    std::uint64_t taken_ = 0;  // number of the last detail taken
};

}  // namespace kymo::live
