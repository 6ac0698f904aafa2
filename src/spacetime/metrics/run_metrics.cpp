#include "spacetime/metrics/run_metrics.h"

#include "recording/tables/events.h"
#include "recording/tables/metrics.h"

#include <algorithm>
#include <map>
#include <set>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

struct Point {
    std::uint64_t time = 0;
    std::uint64_t value = 0;
};

// One file's numbers for things.
struct FileRows {
    std::uint32_t host = 0;
    std::map<std::uint64_t, RunMetric> metrics;
    std::map<std::uint64_t, std::pair<Resource, MetricOfObject>> objects;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Point>> values;  // by metric and object
};

bool is_kind(std::uint64_t kind) {
    return kind >= 1 && kind <= 3;
}

MetricType type_of(std::uint64_t type) {
    return type == 2 ? MetricType::kGauge : type == 3 ? MetricType::kMaximum : MetricType::kCounter;
}

MetricOrigin origin_of(std::uint64_t origin) {
    return origin >= 1 && origin <= 4 ? static_cast<MetricOrigin>(origin) : MetricOrigin::kProgram;
}

class Loader {
  public:
    explicit Loader(const MetricAddress* only) : only_(only) {}

    Result<RunMetrics> load(std::span<const rec::File> files) {
        for (const rec::File& file : files) {
            if (auto scanned = scan(file); !scanned) {
                return scanned.error();
            }
        }
        std::set<std::uint64_t> ranks;
        for (const auto& [process, rank] : ranks_) {
            ranks.insert(rank);
        }
        out_.ranks = ranks.size();
        for (const FileRows& file : files_) {
            take(file);
        }
        for (auto& [key, metric] : merged_) {
            std::stable_sort(metric.objects.begin(), metric.objects.end(),
                             [](const auto& a, const auto& b) { return a.value > b.value; });
            out_.metrics.push_back(std::move(metric));
        }
        const auto place = [](const RunMetric& metric) {
            return metric.origin == MetricOrigin::kStandard ? 2 : metric.origin == MetricOrigin::kLibrary ? 1 : 0;
        };
        std::stable_sort(out_.metrics.begin(), out_.metrics.end(),
                         [&](const auto& a, const auto& b) { return place(a) < place(b); });
        return std::move(out_);
    }

  private:
    Result<void> scan(const rec::File& file) {
        FileRows rows;
        std::string host;
        std::string rank_host;
        std::optional<std::uint64_t> rank;
        std::vector<std::uint64_t> processes;
        auto report = file.scan(
            rec::on<rec::Rank>([&](StreamId, const rec::Rank& row) {
                rank = row.rank;
                rank_host = row.host;
            }),
            rec::on<rec::Process>([&](StreamId, const rec::Process& row) { processes.push_back(row.pid); }),
            rec::on<rec::Run>([&](StreamId, const rec::Run& row) {
                host = row.host;
                out_.begin = out_.begin == 0 ? row.time : std::min(out_.begin, row.time);
            }),
            rec::on<rec::RunEnd>([&](StreamId, const rec::RunEnd& row) { out_.end = std::max(out_.end, row.time); }),
            rec::on<rec::Unavailable>([&](StreamId, const rec::Unavailable& row) {
                Absence absence{std::string(row.what), std::string(row.why), std::string(row.remedy)};
                auto& all = out_.absences;
                if (all.size() < kMaxAbsences && std::find(all.begin(), all.end(), absence) == all.end()) {
                    all.push_back(std::move(absence));
                }
            }),
            rec::on<rec::MetricRow>([&](StreamId, const rec::MetricRow& row) {
                if (is_kind(row.kind)) {
                    RunMetric& metric = rows.metrics[row.number];
                    metric.name = row.name;
                    metric.unit = row.unit;
                    metric.description = row.description;
                    metric.kind = static_cast<Resource>(row.kind);
                    metric.type = type_of(row.type);
                    metric.origin = origin_of(row.origin);
                }
            }),
            rec::on<rec::MetricObject>([&](StreamId, const rec::MetricObject& row) {
                if (is_kind(row.kind)) {
                    MetricOfObject object;
                    object.pid = row.pid;
                    object.number = row.number;
                    object.key = {row.communicator, row.peer, row.direction};
                    object.name = row.name;
                    object.begin = row.begin;
                    rows.objects[row.object] = {static_cast<Resource>(row.kind), std::move(object)};
                }
            }),
            rec::on<rec::MetricValue>([&](StreamId, const rec::MetricValue& row) {
                rows.values[{row.metric, row.object}].push_back({row.time, row.value});
            }));
        if (!report) {
            return report.error();
        }
        for (const std::uint64_t process : processes) {
            if (rank) {
                ranks_[{rank_host, process}] = *rank;
            }
        }
        if (!rows.values.empty()) {
            const auto known = std::find(out_.hosts.begin(), out_.hosts.end(), host);
            rows.host = static_cast<std::uint32_t>(known - out_.hosts.begin());
            if (known == out_.hosts.end()) {
                out_.hosts.push_back(host);
            }
            files_.push_back(std::move(rows));
        }
        return {};
    }

    void take(const FileRows& file) {
        for (const auto& [key, points] : file.values) {
            const auto described = file.metrics.find(key.first);
            const auto object = file.objects.find(key.second);
            if (described == file.metrics.end() || object == file.objects.end() ||
                object->second.first != described->second.kind) {
                continue;  // a damaged file
            }
            const RunMetric& metric = described->second;
            if (only_ != nullptr && !is_meant(metric, object->second.second, file.host)) {
                continue;
            }
            const auto [entry, is_new] = merged_.try_emplace({static_cast<int>(metric.kind), metric.name}, metric);
            RunMetric& merged = entry->second;
            if (is_new) {
                merged.bins.assign(kMetricBins, 0);
            }
            MetricOfObject here = object->second.second;
            here.host = file.host;
            if (const auto rank = ranks_.find({out_.hosts[file.host], here.pid}); rank != ranks_.end()) {
                here.rank = rank->second;
            }
            const bool since_boot = metric.kind == Resource::kProcessor && metric.type == MetricType::kCounter;
            const std::uint64_t base = since_boot ? points.front().value : 0;
            here.value = points.back().value - base;
            add_to_bins(merged, points, base, here.begin);
            merged.objects.push_back(std::move(here));
        }
    }

    [[nodiscard]] bool is_meant(const RunMetric& metric, const MetricOfObject& object, std::uint32_t host) const {
        const Observed one{object.number, object.pid, host, 0};
        return metric.kind == only_->kind && metric.name == only_->metric &&
               kymo::aggregate(std::span(&one, 1), only_->level, only_->number).objects == 1;
    }

    [[nodiscard]] std::size_t bin_of(std::uint64_t time) const {
        const std::uint64_t length = out_.end > out_.begin ? out_.end - out_.begin : 1;
        const std::uint64_t since = time > out_.begin ? std::min(time - out_.begin, length - 1) : 0;
        return static_cast<std::size_t>(static_cast<unsigned __int128>(since) * kMetricBins / length);
    }

    // Each bin gets what of the time between lies in it.
    void spread(std::vector<double>& bins, double change, std::uint64_t begin, std::uint64_t end) const {
        const std::size_t first = bin_of(begin);
        const std::size_t last = bin_of(end);
        const double width = static_cast<double>(std::max(out_.end - out_.begin, std::uint64_t{1})) / kMetricBins;
        const auto at = [&](std::uint64_t time) {
            return std::clamp((static_cast<double>(time) - static_cast<double>(out_.begin)) / width, 0.0,
                              static_cast<double>(kMetricBins));
        };
        const double from = at(begin);
        const double length = at(end) - from;
        for (std::size_t bin = first; bin <= last; ++bin) {
            const double low = std::max(from, static_cast<double>(bin));
            const double high = std::min(from + length, static_cast<double>(bin + 1));
            bins[bin] += length > 0 ? change * std::max(high - low, 0.0) / length : bin == last ? change : 0;
        }
    }

    // A counter's change between two readings is spread over the time between them.
    void add_to_bins(RunMetric& metric, const std::vector<Point>& points, std::uint64_t base, std::uint64_t begin) {
        if (metric.type != MetricType::kCounter) {
            for (std::size_t i = 0; i < points.size(); ++i) {
                const std::size_t last = i + 1 < points.size() ? bin_of(points[i + 1].time) : kMetricBins;
                for (std::size_t bin = bin_of(points[i].time); bin < last; ++bin) {
                    const auto value = static_cast<double>(points[i].value);
                    metric.bins[bin] = metric.type == MetricType::kMaximum ? std::max(metric.bins[bin], value)
                                                                           : metric.bins[bin] + value;
                }
            }
            return;
        }
        // Before its first reading an object counted from its own beginning on.
        std::uint64_t before = std::clamp(begin, out_.begin, std::max(out_.begin, points.front().time));
        std::uint64_t value = base;
        for (const Point& point : points) {
            const auto change = static_cast<double>(point.value - value);
            spread(metric.bins, change, before, point.time);
            before = point.time;
            value = point.value;
        }
    }

    const MetricAddress* only_;
    std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> ranks_;  // by host and process
    std::vector<FileRows> files_;
    std::map<std::pair<int, std::string>, RunMetric> merged_;
    RunMetrics out_;
};

}  // namespace

std::uint64_t RunMetric::total() const {
    const Aggregate all = aggregate(ResourceLevel::kSystem, 0);
    return type == MetricType::kMaximum ? all.maximum : all.sum;
}

Aggregate RunMetric::aggregate(ResourceLevel level, std::uint64_t number) const {
    std::vector<Observed> observed;
    observed.reserve(objects.size());
    for (const MetricOfObject& object : objects) {
        observed.push_back({object.number, object.pid, object.host, object.value});
    }
    return kymo::aggregate(observed, level, number);
}

const RunMetric* RunMetrics::find(Resource kind, std::string_view name) const {
    const auto found = std::find_if(metrics.begin(), metrics.end(),
                                    [&](const RunMetric& each) { return each.kind == kind && each.name == name; });
    return found == metrics.end() ? nullptr : &*found;
}

Result<RunMetrics> load_run_metrics(std::span<const rec::File> files, const MetricAddress* only) {
    return Loader(only).load(files);
}

}  // namespace kymo::spacetime
