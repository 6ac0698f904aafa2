#include "spacetime/metrics/metric_rows.h"

#include "recording/tables/events.h"
#include "recording/tables/metrics.h"

#include <algorithm>
#include <string_view>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

constexpr std::string_view kNoAnswer = "no answer";  // marks of the ring's manager
constexpr std::size_t kMaxGaps = 10'000;             // of a host

bool is_kind(std::uint64_t kind) {
    return kind >= 1 && kind <= 3;
}

MetricType type_of(std::uint64_t type) {
    return type == 2 ? MetricType::kGauge : type == 3 ? MetricType::kMaximum : MetricType::kCounter;
}

MetricOrigin origin_of(std::uint64_t origin) {
    return origin >= 1 && origin <= 4 ? static_cast<MetricOrigin>(origin) : MetricOrigin::kProgram;
}

}  // namespace

void MetricRows::read_from(const rec::File& /*file*/, rec::Handlers& handlers) {
    handlers.on<rec::Rank>([this](StreamId, const rec::Rank& row) {
        rank = row.rank;
        rank_host = row.host;
    });
    handlers.on<rec::Process>([this](StreamId, const rec::Process& row) { processes.push_back(row.pid); });
    handlers.on<rec::Run>([this](StreamId, const rec::Run& row) {
        host.name = row.host;
        host.processors = row.processors;
        begin = row.time;
    });
    handlers.on<rec::RunEnd>([this](StreamId, const rec::RunEnd& row) { end_time = std::max(end_time, row.time); });
    handlers.on<rec::ClockPair>([this](StreamId, const rec::ClockPair& row) {
        clock_pair = clock_pair.value_or(row);
        const std::uint64_t error = row.error / 2 + row.error % 2;
        host.clock_error_ns = std::max(host.clock_error_ns.value_or(0), error);
    });
    handlers.on<rec::Mark>([this](StreamId, const rec::Mark& row) { take_mark(row); });
    handlers.on<rec::Unavailable>([this](StreamId, const rec::Unavailable& row) {
        add_absences({{std::string(row.what), std::string(row.why), std::string(row.remedy)}}, absences);
    });
    handlers.on<rec::MetricRow>([this](StreamId, const rec::MetricRow& row) { take_metric(row); });
    handlers.on<rec::MetricObject>([this](StreamId, const rec::MetricObject& row) { take_object(row); });
    handlers.on<rec::MetricValue>([this](StreamId, const rec::MetricValue& row) {
        values[{row.metric, row.object}].push_back({row.time, row.value});
    });
}

void MetricRows::end(const rec::ScanReport& /*report*/) {
    host.name = host.name.empty() ? rank_host : host.name;
}

// Times without an answer lie between two marks; the last of them may have no end.
void MetricRows::take_mark(const rec::Mark& row) {
    if (row.name != kNoAnswer || host.gaps.size() >= kMaxGaps) {
        return;
    }
    if (row.kind == static_cast<std::uint64_t>(rec::MarkKind::kBegin)) {
        host.gaps.push_back({row.time, 0});
    } else if (row.kind == static_cast<std::uint64_t>(rec::MarkKind::kEnd) && !host.gaps.empty() &&
               host.gaps.back().end == 0) {
        host.gaps.back().end = row.time;
    }
}

void MetricRows::take_metric(const rec::MetricRow& row) {
    if (!is_kind(row.kind)) {
        return;
    }
    RunMetric& metric = metrics[row.number];
    metric.name = row.name;
    metric.unit = row.unit;
    metric.description = row.description;
    metric.kind = static_cast<Resource>(row.kind);
    metric.type = type_of(row.type);
    metric.origin = origin_of(row.origin);
    metric.total_by = metric_total_of(row.total);
    metric.per = resource_level_of(row.per);
}

void MetricRows::take_object(const rec::MetricObject& row) {
    if (!is_kind(row.kind)) {
        return;
    }
    MetricOfObject object;
    object.pid = row.pid;
    object.number = row.number;
    object.key = {row.communicator, row.peer, row.direction};
    object.name = row.name;
    object.begin = row.begin;
    object.thread = row.thread;
    object.program = row.program;
    host.is_by_ring |= object.is_all_of_host();
    objects[row.object] = {static_cast<Resource>(row.kind), std::move(object)};
}

void add_absences(const std::vector<Absence>& from, std::vector<Absence>& to) {
    for (const Absence& absence : from) {
        if (to.size() < kMaxAbsences && std::find(to.begin(), to.end(), absence) == to.end()) {
            to.push_back(absence);
        }
    }
}

}  // namespace kymo::spacetime
