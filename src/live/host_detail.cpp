#include "live/host_detail.h"

#include "live/ring_lines.h"
#include "ring/answers/asked_cell.h"

#include <algorithm>
#include <utility>

namespace kymo::live {
namespace {

// The agent picks the rows with the largest totals so far, not the largest rates, so more is better. A frame of
// this many threads is some 160 KB.
constexpr std::uint32_t kWantedRows = ring::kMaxRows;

constexpr Resource kind_of(RowsOf what) {
    return what == RowsOf::kProcessors ? Resource::kProcessor
           : what == RowsOf::kChannels ? Resource::kChannel
                                       : Resource::kTask;
}

constexpr std::uint32_t bit(TaskColumn column) {
    return 1U << static_cast<std::uint32_t>(column);
}

std::uint32_t order_of(RowsOf what, TaskSort sort) {
    if (what == RowsOf::kProcessors) {
        return 0;
    }
    if (what == RowsOf::kChannels) {
        return 1U << static_cast<std::uint32_t>(ChannelColumn::kBlocked);
    }
    switch (sort) {
        case TaskSort::kLockWait:
            return bit(TaskColumn::kLockWait);
        case TaskSort::kWait:
            return bit(TaskColumn::kWait);
        case TaskSort::kFaults:
            return bit(TaskColumn::kMinorFaults) | bit(TaskColumn::kMajorFaults);
        case TaskSort::kSwitches:
            return bit(TaskColumn::kVoluntary) | bit(TaskColumn::kInvoluntary);
        case TaskSort::kOnCpu:
            break;
    }
    return bit(TaskColumn::kUser) | bit(TaskColumn::kSystem);
}

void add_asked(std::vector<std::string>& metrics, const std::vector<Asked>& asked, Resource kind) {
    for (std::size_t i = static_cast<std::size_t>(Shown::kCount); i < asked.size(); ++i) {
        const MetricAddress& address = asked[i].address;
        if (address.kind == kind && metrics.size() < ring::kMaxMetrics &&
            std::find(metrics.begin(), metrics.end(), address.metric) == metrics.end()) {
            metrics.push_back(address.metric);
        }
    }
}

}  // namespace

const DetailTable* DetailView::table(RowsOf what) const {
    const auto found =
        std::find_if(tables.begin(), tables.end(), [what](const DetailTable& t) { return t.what == what; });
    return found == tables.end() ? nullptr : &*found;
}

bool is_ready(const std::optional<DetailView>& detail) {
    using State = ring::DetailQueries::State;
    if (!detail || detail->state == State::kAsked) {
        return false;
    }
    return detail->state != State::kTold || detail->tables.front().seconds > 0;
}

HostDetail::HostDetail(const std::vector<Asked>& asked) {
    metrics_[RowsOf::kProcesses] = {
        "user",         "system",      "lock-wait", "wait", "voluntary-switches", "involuntary-switches",
        "minor-faults", "major-faults"};
    metrics_[RowsOf::kProcessors] = {"user", "nice", "system", "interrupts", "steal", "idle", "io-wait", "run-delay"};
    metrics_[RowsOf::kChannels] = {"messages", "bytes", "blocked", "outstanding", "largest"};
    add_asked(metrics_[RowsOf::kProcesses], asked, Resource::kTask);
    add_asked(metrics_[RowsOf::kChannels], asked, Resource::kChannel);
    metrics_[RowsOf::kThreads] = metrics_[RowsOf::kProcesses];
}

std::vector<RowsOf> HostDetail::wanted_tables(const DetailTarget& target) const {
    if (target.process) {
        return {RowsOf::kThreads, RowsOf::kChannels};
    }
    return target.threads ? std::vector{RowsOf::kProcessors, RowsOf::kProcesses, RowsOf::kThreads, RowsOf::kChannels}
                          : std::vector{RowsOf::kProcessors, RowsOf::kProcesses, RowsOf::kChannels};
}

ring::AskedTable HostDetail::asked_table(RowsOf what, const DetailTarget& target) const {
    ring::AskedTable asked;
    const auto kind = static_cast<std::uint8_t>(kind_of(what));
    asked.head.kind = kind;
    asked.head.level =
        static_cast<std::uint8_t>(what == RowsOf::kProcesses ? ResourceLevel::kProcess : ResourceLevel::kObject);
    asked.head.rows = kWantedRows;
    asked.head.process = target.process ? *target.process : ring::kEvery;
    asked.head.order = order_of(what, target.sort);
    for (const std::string& metric : metrics_.at(what)) {
        asked.metrics.push_back(ring::metric_code(kind, metric));
    }
    asked.head.metrics = static_cast<std::uint16_t>(asked.metrics.size());
    return asked;
}

void HostDetail::want(const std::optional<DetailTarget>& target, ring::Manager& manager, ring::Time now) {
    if (target == target_) {
        return;
    }
    if (!target || !target_ || target->slot != target_->slot) {
        before_.clear();
    }
    if (!target || !target_ || !target->is_place_of(*target_)) {
        view_.reset();
    }
    target_ = target;
    if (!target_) {
        manager.end_detail();
        return;
    }
    std::vector<ring::AskedTable> tables;
    for (const RowsOf what : wanted_tables(*target_)) {
        tables.push_back(asked_table(what, *target_));
    }
    asked_ = now;
    manager.query(target_->slot, std::move(tables), now);
}

void HostDetail::again(ring::Manager& manager, ring::Time now) {
    if (target_ && !manager.queries().is_open() && now - asked_ >= manager.period() / 2) {
        asked_ = now;
        manager.query(target_->slot, manager.queries().tables(), now);
    }
}

bool HostDetail::poll(const ring::Manager& manager, ring::Time now) {
    const ring::DetailQueries& queries = manager.queries();
    const ring::DetailQueries::State state = queries.state(now);
    const bool is_told = target_ && !queries.is_open() && queries.rows() != nullptr && queries.number() != taken_;
    const bool is_other = target_ && state != ring::DetailQueries::State::kAsked && (!view_ || view_->state != state);
    if (!is_told && !is_other) {
        return false;
    }
    if (!view_) {
        view_.emplace();
        view_->target = *target_;
    }
    view_->state = state;
    if (is_told) {
        taken_ = queries.number();
        view_->target = *target_;
        view_->facts = queries.rows()->facts;
        view_->incarnation = queries.rows()->head.incarnation;
        view_->tables.clear();
        const std::vector<RowsOf> tables = wanted_tables(*target_);
        for (std::size_t i = 0; i < tables.size(); ++i) {
            view_->tables.push_back(compare(tables[i], queries.rows()->tables[i], view_->facts.read));
        }
    }
    return true;
}

HostDetail::RowKey HostDetail::key_of(const ring::RowHead& head) {
    return {head.number,       head.begin, head.process,   head.image,
            head.communicator, head.peer,  head.direction, head.state == ring::RowIs::kSumOfEnded};
}

DetailTable HostDetail::compare(RowsOf what, const ring::ToldTable& told, std::uint64_t read) {
    DetailTable table{what, metrics_.at(what), told.head.there, {}, 0};
    Before& before = before_[{what, told.head.process}];
    if (before.read != 0 && read > before.read) {
        table.seconds = static_cast<double>(read - before.read) / 1e9;
    }
    Before now{read, told.head.rows == told.head.there, {}};
    for (const ring::TableRow& row : told.rows) {
        DetailRow shown{row, {}};
        const auto known = before.rows.find(key_of(row.head));
        if (table.seconds > 0 && (known != before.rows.end() || before.is_whole)) {
            for (std::size_t i = 0; i < row.values.size(); ++i) {
                const bool is_known = row.knows(i) && (known == before.rows.end() || known->second.knows(i));
                const std::uint64_t was = known == before.rows.end() ? 0 : known->second.values[i];
                const auto change = static_cast<std::int64_t>(row.values[i] - was);
                shown.a_second.push_back(!is_known || change < 0 ? 0 : static_cast<double>(change) / table.seconds);
            }
        }
        now.rows.emplace(key_of(row.head), row);
        table.rows.push_back(std::move(shown));
    }
    before = std::move(now);
    return table;
}

}  // namespace kymo::live
