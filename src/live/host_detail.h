// A level further down than hosts: one host's processors, processes, threads and channels, as the manager's detail
// queries bring them (docs/ring-protocol.md, "Detail queries and rows"), and what happened between two of them.
//
// Rates are of the agent's own clock. A row that was not in the reading before counts from its beginning where that
// reading was whole, and has no rates where rows were left out of it. One thread.
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
    TaskSort sort = TaskSort::kOnCpu;      // which are told where there are more than are wanted
    bool operator==(const DetailTarget&) const = default;
    // Its rows are of the same objects: only which of too many are told may be another.
    [[nodiscard]] bool is_place_of(const DetailTarget& other) const {
        return slot == other.slot && process == other.process && threads == other.threads;
    }
};

enum class RowsOf : std::uint8_t { kProcessors, kProcesses, kThreads, kChannels };

struct DetailRow {
    ring::TableRow told;
    std::vector<double> a_second;  // by metric; empty: there is nothing to compare with
};

struct DetailTable {
    RowsOf what = RowsOf::kProcessors;
    std::vector<std::string> metrics;
    std::uint32_t there = 0;  // rows are the first so many of them
    std::vector<DetailRow> rows;
    double seconds = 0;  // since the reading before; 0: there is none
};

struct DetailView {
    DetailTarget target;
    ring::DetailQueries::State state = ring::DetailQueries::State::kAsked;
    ring::ReadingFacts facts{};
    std::uint64_t incarnation = 0;    // of the agent that told it
    std::vector<DetailTable> tables;  // empty: nothing was told yet

    [[nodiscard]] const DetailTable* table(RowsOf what) const;
};

// Metrics of a table's rows by their places in it; those that the user named come behind.
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

// How many of a table's metrics are its own: the rest the user named.
constexpr std::size_t own_columns(RowsOf what) {
    return what == RowsOf::kProcessors ? 8
           : what == RowsOf::kChannels ? 5
                                       : static_cast<std::size_t>(TaskColumn::kCount);
}

// A second; 0 where there is none.
template <typename Column>
double rate_of(const DetailRow& row, Column column) {
    const auto at = static_cast<std::size_t>(column);
    return at < row.a_second.size() ? row.a_second[at] : 0;
}

// There is nothing more to wait for: rates, or the reason why there are none.
bool is_ready(const std::optional<DetailView>& detail);

class HostDetail {
  public:
    // Of what is asked of all hosts, metrics of tasks and channels are columns, too.
    explicit HostDetail(const std::vector<Asked>& asked);

    // What is to be looked at from now on.
    void want(const std::optional<DetailTarget>& target, ring::Manager& manager, ring::Time now);
    [[nodiscard]] bool is_wanted() const { return target_.has_value(); }
    // The same once more, if that was told, and not just now: rates are over half a period at least.
    void again(ring::Manager& manager, ring::Time now);
    // True: view() is another than before.
    bool poll(const ring::Manager& manager, ring::Time now);
    // Nothing: none is wanted, or it is not known yet whether it will come.
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
    std::map<std::pair<RowsOf, std::uint64_t>, Before> before_;  // by process, or every one's
    ring::Time asked_ = 0;
    std::uint64_t taken_ = 0;  // number of the detail
};

}  // namespace kymo::live
