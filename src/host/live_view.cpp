#include "host/live_view.h"

#include "host/other_ends.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kymo::host {
namespace {

using cells::ChannelCell;
using cells::ProcessorCell;
using cells::ResourceKind;
using cells::RowValues;
using cells::Snapshot;
using cells::TaskCell;

// The part of a row's identity that stays the same from one reading to the next.
using RowKey = std::tuple<std::uint32_t, std::uint32_t, ResourceKind, std::uint64_t, std::uint32_t, std::uint64_t,
                          std::array<std::uint64_t, 3>>;

RowKey key_of(const Snapshot& process, ResourceKind kind, const RowValues& row) {
    // The sum of ended objects is one row, whatever objects it contains.
    const bool is_sum = row.state == cells::RowState::kSum;
    return {process.pid, process.image, kind,   is_sum ? ~std::uint64_t{0} : row.number,
            row.writer,  row.begin,     row.key};
}

// A process may have fewer cells than this version defines.
template <typename Cell>
std::uint64_t value(const RowValues& row, Cell cell) {
    const std::uint32_t at = cells::index(cell);
    return at < row.cells.size() ? row.cells[at] : 0;
}

class Changes {
  public:
    Changes(const Reading& before, const Reading& now)
        : seconds_(before.time == 0 || now.time <= before.time ? 0
                                                               : static_cast<double>(now.time - before.time) / 1e9) {
        for (const Snapshot& process : before.processes) {
            processes_.emplace(std::tuple(process.pid, process.image, process.made), &process);
            for (const cells::TableValues& table : process.tables) {
                for (const RowValues& row : table.rows) {
                    rows_.emplace(key_of(process, table.kind, row), &row);
                }
            }
        }
    }

    [[nodiscard]] double seconds() const { return seconds_; }

    // Null: the row is new.
    [[nodiscard]] const RowValues* before(const Snapshot& process, ResourceKind kind, const RowValues& row) const {
        const auto found = rows_.find(key_of(process, kind, row));
        return found == rows_.end() ? nullptr : found->second;
    }

    [[nodiscard]] const Snapshot* before(const Snapshot& process) const {
        const auto found = processes_.find({process.pid, process.image, process.made});
        return found == processes_.end() ? nullptr : found->second;
    }

    template <typename Cell>
    double a_second(const RowValues* before, const RowValues& now, Cell cell) const {
        const std::uint64_t change = value(now, cell) - (before == nullptr ? 0 : value(*before, cell));
        // A torn reading may be smaller than the one before; that is not a change of nearly 2^64.
        return seconds_ <= 0 || static_cast<std::int64_t>(change) < 0 ? 0 : static_cast<double>(change) / seconds_;
    }

  private:
    double seconds_;
    std::map<RowKey, const RowValues*> rows_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, const Snapshot*> processes_;
};

class Comparison {
  public:
    Comparison(const Reading& before, const Reading& now) : changes_(before, now) {
        view_.seconds = changes_.seconds();
        view_.unreadable = now.unreadable;
        for (const Snapshot& process : now.processes) {
            take(process);
        }
        find_other_ends(view_.channels);
        std::stable_sort(view_.processes.begin(), view_.processes.end(),
                         [](const auto& a, const auto& b) { return a.rates.on_cpu() > b.rates.on_cpu(); });
        std::stable_sort(view_.channels.begin(), view_.channels.end(),
                         [](const auto& a, const auto& b) { return a.blocked > b.blocked; });
        for (auto& [number, processor] : processors_) {
            view_.processors.push_back(processor);
        }
    }

    LiveView view() { return std::move(view_); }

  private:
    void take(const Snapshot& process) {
        for (const cells::TableValues& table : process.tables) {
            view_.refused += table.refused;
            if (table.kind == ResourceKind::kTask && has_tasks(table)) {
                take_tasks(process, table);
                take_metrics(process, table);
            } else if (table.kind == ResourceKind::kProcessor) {
                take_processors(process, table);
            } else if (table.kind == ResourceKind::kChannel) {
                take_channels(process, table);
            }
        }
    }

    // A process that counts only its channels has no thread rows.
    static bool has_tasks(const cells::TableValues& table) {
        return std::any_of(table.rows.begin(), table.rows.end(),
                           [](const RowValues& row) { return row.state != cells::RowState::kSum; });
    }

    void take_tasks(const Snapshot& process, const cells::TableValues& table) {
        LiveProcess live;
        live.pid = process.pid;
        live.program = process.program;
        live.has_ended = process.ended != 0;
        for (const RowValues& row : table.rows) {
            const RowValues* before = changes_.before(process, table.kind, row);
            const auto share = [&](TaskCell cell) { return changes_.a_second(before, row, cell) / 1e9; };
            const auto rate = [&](TaskCell cell) { return changes_.a_second(before, row, cell); };
            TaskRates rates;
            rates.user = share(TaskCell::kUser);
            rates.system = share(TaskCell::kSystem);
            rates.lock_wait = share(TaskCell::kLockWait);
            rates.wait = share(TaskCell::kWait);
            rates.switches = rate(TaskCell::kVoluntarySwitches) + rate(TaskCell::kInvoluntarySwitches);
            rates.faults = rate(TaskCell::kMinorFaults) + rate(TaskCell::kMajorFaults);
            // The sum of ended threads includes what their rows had counted before.
            if (row.state != cells::RowState::kSum) {
                live.rates += rates;
            }
            if (row.state == cells::RowState::kLive) {
                live.tasks.push_back({row.number, row.name, rates});
            }
        }
        std::stable_sort(live.tasks.begin(), live.tasks.end(),
                         [](const auto& a, const auto& b) { return a.rates.on_cpu() > b.rates.on_cpu(); });
        view_.processes.push_back(std::move(live));
    }

    void take_metrics(const Snapshot& process, const cells::TableValues& table) {
        for (const cells::Metric& metric : process.schema) {
            if (metric.kind != ResourceKind::kTask || metric.origin == cells::Origin::kStandard) {
                continue;
            }
            LiveMetric live{process.pid, process.program, metric.name, metric.unit, metric.type};
            live.total = total(metric, table);
            // Uses all rows of the earlier reading: those of ended threads may since have been merged.
            const Snapshot* before = changes_.before(process);
            const cells::TableValues* rows = before == nullptr ? nullptr : before->table(table.kind);
            const std::uint64_t change = live.total - (rows == nullptr ? 0 : total(metric, *rows));
            if (metric.type == cells::MetricType::kCounter && changes_.seconds() > 0 &&
                static_cast<std::int64_t>(change) > 0) {
                live.a_second = static_cast<double>(change) / changes_.seconds();
            }
            view_.metrics.push_back(std::move(live));
        }
    }

    static std::uint64_t total(const cells::Metric& metric, const cells::TableValues& table) {
        std::uint64_t total = 0;
        for (const RowValues& row : table.rows) {
            const bool is_live = row.state == cells::RowState::kLive;
            if (metric.cell >= row.cells.size() || (metric.type == cells::MetricType::kGauge && !is_live)) {
                continue;
            }
            const std::uint64_t own = row.cells[metric.cell];
            total = metric.type == cells::MetricType::kMaximum ? std::max(total, own) : total + own;
            for (const cells::RunningTimer& timer : row.running) {
                total += timer.cell == metric.cell && is_live ? timer.so_far : 0;
            }
        }
        return total;
    }

    // Every launcher fills rows for the same processors: the row filled last counts.
    void take_processors(const Snapshot& process, const cells::TableValues& table) {
        for (const RowValues& row : table.rows) {
            const RowValues* before = changes_.before(process, table.kind, row);
            if (row.state != cells::RowState::kLive || before == nullptr || row.filled <= before->filled) {
                continue;
            }
            std::uint64_t& filled = filled_[row.number];
            if (filled >= row.filled) {
                continue;
            }
            filled = row.filled;
            const auto change = [&](ProcessorCell cell) {
                const std::uint64_t passed = value(row, cell) - value(*before, cell);
                return static_cast<std::int64_t>(passed) < 0 ? 0.0 : static_cast<double>(passed);
            };
            LiveProcessor live;
            live.number = row.number;
            live.user = change(ProcessorCell::kUser) + change(ProcessorCell::kNice);
            live.system = change(ProcessorCell::kSystem) + change(ProcessorCell::kInterrupts);
            live.steal = change(ProcessorCell::kSteal);
            live.idle = change(ProcessorCell::kIdle) + change(ProcessorCell::kIoWait);
            // The kernel counts in steps of 10 ms, so shares are relative to the time it counted.
            const double all = live.user + live.system + live.steal + live.idle;
            for (double* share : {&live.user, &live.system, &live.steal, &live.idle}) {
                *share = all > 0 ? *share / all : 0;
            }
            live.queue = change(ProcessorCell::kRunDelay) / static_cast<double>(row.filled - before->filled);
            processors_[row.number] = live;
        }
    }

    void take_channels(const Snapshot& process, const cells::TableValues& table) {
        std::map<std::array<std::uint64_t, 3>, LiveChannel> channels;  // over their threads
        for (const RowValues& row : table.rows) {
            if (row.state == cells::RowState::kSum) {
                continue;
            }
            const RowValues* before = changes_.before(process, table.kind, row);
            LiveChannel& live = channels[row.key];
            live.pid = process.pid;
            live.program = process.program;
            live.communicator = row.name;
            live.communicator_id = row.key[0];
            live.direction = static_cast<cells::ChannelDirection>(row.key[2]);
            if (live.is_end()) {
                live.peer_end = row.key[1];
            } else if (row.key[1] <= ~std::uint32_t{0}) {
                live.peer = row.key[1];
            }
            live.messages += value(row, ChannelCell::kMessages);
            live.bytes += value(row, ChannelCell::kBytes);
            live.messages_a_second += changes_.a_second(before, row, ChannelCell::kMessages);
            live.bytes_a_second += changes_.a_second(before, row, ChannelCell::kBytes);
            live.blocked += changes_.a_second(before, row, ChannelCell::kBlocked) / 1e9;
            live.outstanding += static_cast<std::int64_t>(value(row, ChannelCell::kOutstanding));
            live.largest = std::max(live.largest, value(row, ChannelCell::kLargest));
        }
        for (auto& [key, channel] : channels) {
            view_.channels.push_back(std::move(channel));
        }
    }

    Changes changes_;
    LiveView view_;
    std::map<std::uint64_t, LiveProcessor> processors_;
    std::map<std::uint64_t, std::uint64_t> filled_;
};

}  // namespace

TaskRates& TaskRates::operator+=(const TaskRates& other) {
    user += other.user;
    system += other.system;
    lock_wait += other.lock_wait;
    wait += other.wait;
    switches += other.switches;
    faults += other.faults;
    return *this;
}

LiveView compare(const Reading& before, const Reading& now) {
    return Comparison(before, now).view();
}

}  // namespace kymo::host
