#include "ring/record/host_file.h"

#include "base/time.h"
#include "recording/tables.h"
#include "recording/tables/metrics.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace kymo::ring {
namespace {

namespace rec = recording;

constexpr std::uint64_t kMaxBytes = 4ULL << 30U;  // reserved, not allocated: a year of a host's samples
constexpr Time kPairEvery = 10'000'000'000;
constexpr const char* kNoAnswer = "no answer";

// The wall-clock time at a time of the manager's clock.
std::uint64_t wall_at(Time at) {
    const std::uint64_t before = monotonic_now().ns;
    const std::uint64_t wall = read_clock(CLOCK_REALTIME).ns;
    return wall - (before + monotonic_now().ns) / 2 + at;
}

bool is_all(const MetricAddress& address) {
    return address.level == ResourceLevel::kSystem || address.level == ResourceLevel::kHost;
}

}  // namespace

Result<std::unique_ptr<HostFile>> HostFile::create(const std::filesystem::path& path, const HostFacts& facts,
                                                   std::vector<AskedMetric> asked) {
    std::unique_ptr<HostFile> made(new HostFile(facts, std::move(asked)));
    rec::FileOptions options;
    options.max_bytes = kMaxBytes;
    options.pid = static_cast<std::uint32_t>(getpid());
    options.producer = made->facts_.producer;
    if (const int error = made->file_.create(path.c_str(), options); error != 0) {
        const bool space = error == ENOSPC || error == EDQUOT || error == EFBIG;
        return Error{space ? ErrorKind::kNoSpace : ErrorKind::kPermission,
                     "cannot write " + path.string() + ": " + std::strerror(error),
                     space ? "free some space, or record on another disk" : "record into a directory of your own"};
    }
    rec::StreamWriter& rows = made->rows_;
    rows.open(made->file_, StreamId{0});
    rec::write_schema<rec::Run>(rows);
    rec::write_schema<rec::RunEnd>(rows);
    rec::write_schema<rec::Mark>(rows);
    rec::write_schema<rec::ClockPair>(rows);
    rec::for_each_metric_row([&]<typename Row>() { rec::write_schema<Row>(rows); });
    return made;
}

HostFile::~HostFile() {
    if (file_.is_open()) {
        file_.close();
    }
}

std::uint64_t HostFile::processors(std::span<const Record> records) const {
    for (std::size_t i = 0; i < std::min(asked_.size(), records.size()); ++i) {
        if (asked_[i].address.kind == Resource::kProcessor && is_all(asked_[i].address)) {
            return records[i].objects;
        }
    }
    return 0;
}

void HostFile::write_run(Time at, std::uint64_t processors) {
    rec::Run run;
    run.time = at;
    run.command = facts_.command;
    run.host = facts_.name;
    run.directory = facts_.directory;
    run.producer = facts_.producer;
    run.processors = processors;
    rows_.append(run);
    has_run_ = true;
}

void HostFile::write_clock(const HostSample& sample) {
    const bool is_other = sample.error < error_ - error_ / 4 || sample.error > error_ + error_ / 4;
    if (paired_ != 0 && !is_other && sample.at < paired_ + kPairEvery) {
        return;
    }
    paired_ = sample.at;
    error_ = sample.error;
    rows_.append(rec::ClockPair{sample.at - std::min(sample.error, sample.at), wall_at(sample.at), 2 * sample.error});
}

// Each metric has one object, for the whole host. A metric of one process or thread is a separate metric, because
// it is already included in the whole.
HostFile::Series& HostFile::describe(std::size_t index, Time at) {
    const AskedMetric& asked = asked_[index];
    const MetricAddress& address = asked.address;
    std::string name = address.metric;
    if (!is_all(address)) {
        name += " of " + std::string(name_of(address.level, address.kind)) + " " + std::to_string(address.number);
    }
    Series& series = series_[index];
    const auto [metric, is_new] =
        metrics_.try_emplace(std::string(name_of(address.kind)) + "/" + name, metrics_.size() + 1);
    if (is_new) {
        rec::MetricRow row;
        row.number = metric->second;
        row.kind = static_cast<std::uint64_t>(address.kind);
        row.name = name;
        row.unit = asked.unit;
        const bool is_state = asked.type == cells::MetricType::kCounter && !asked.grows();
        row.type = static_cast<std::uint64_t>(is_state ? cells::MetricType::kGauge : asked.type);
        row.total = static_cast<std::uint64_t>(asked.total);
        row.per = static_cast<std::uint64_t>(asked.per);
        row.origin =
            static_cast<std::uint64_t>(asked.is_standard ? cells::Origin::kStandard : cells::Origin::kProgram);
        // A host has one value here: a mean over hosts weighs all hosts alike, whatever their numbers of threads.
        const bool is_mean = asked.total == MetricTotal::kMean;
        const std::string description = asked.description + (is_mean ? " (mean of each host's threads)" : "");
        row.description = description;
        rows_.append(row);
        owners_[metric->second] = index;
        rec::MetricObject object;
        object.object = metric->second;
        object.kind = row.kind;
        object.number = rec::kAllObjects;
        object.begin = sampled_ != 0 ? sampled_ : at;  // it did not exist at the last sample
        rows_.append(object);
    }
    series.metric = metric->second;
    return series;
}

void HostFile::write_value(Series& series, std::uint64_t value, Time at) {
    if (series.is_written && series.value == value) {
        return;
    }
    rec::MetricValue row;
    row.metric = series.metric;
    row.object = series.metric;
    if (series.is_written && series.at < sampled_ && sampled_ < at) {  // so that the change appears at its time
        row.time = sampled_;
        row.value = series.value;
        rows_.append(row);
    }
    row.time = at;
    row.value = value;
    rows_.append(row);
    series.is_written = true;
    series.value = value;
    series.at = at;
}

void HostFile::take(const HostSample& sample) {
    const Time at = std::max(sample.at, last_);  // estimates of the clock may step back by their error
    last_ = at;
    if (!has_run_) {
        write_run(at, processors(sample.records));
    }
    if (is_silent_) {
        is_silent_ = false;
        rec::Mark mark;
        mark.time = at;
        mark.kind = static_cast<std::uint64_t>(rec::MarkKind::kEnd);
        mark.name = kNoAnswer;
        rows_.append(mark);
    }
    write_clock({at, sample.error, {}});
    for (std::size_t i = 0; i < std::min(asked_.size(), sample.records.size()); ++i) {
        const Record& record = sample.records[i];
        // If no such object exists yet, nothing was counted. If objects exist but cannot be read, the value is
        // unknown.
        const bool is_known = record.known != 0 || record.objects == 0;
        const bool is_counter = asked_[i].grows();
        const std::uint64_t now = figure(asked_[i], record);
        const std::uint64_t value = is_counter && is_known ? growth_[i].take(now, record.unknown()) : now;
        if (record.known == 0 || asked_[i].is_awaited) {
            continue;
        }
        const auto known = series_.find(i);
        Series& series = known != series_.end() ? known->second : describe(i, at);
        if (owners_.at(series.metric) == i) {  // requested twice, in different forms
            write_value(series, value, at);
        }
    }
    sampled_ = at;
}

void HostFile::no_answer(Time at) {
    if (is_silent_) {
        return;
    }
    is_silent_ = true;
    at = last_ = sampled_ != 0 ? last_ : std::max(at, last_);
    if (!has_run_) {
        write_run(at, 0);
    }
    rec::Mark mark;
    mark.time = at;
    mark.kind = static_cast<std::uint64_t>(rec::MarkKind::kBegin);
    mark.name = kNoAnswer;
    rows_.append(mark);
}

void HostFile::end(Time at, bool interrupted) {
    rec::RunEnd row;
    row.time = std::max(at, last_);
    row.reason = interrupted ? 1 : 0;
    rows_.append(row);
    rows_.release();
    file_.close();
}

}  // namespace kymo::ring
