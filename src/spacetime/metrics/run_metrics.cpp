#include "spacetime/metrics/run_metrics.h"

#include "base/channels/kind.h"
#include "recording/tables/events.h"
#include "recording/tables/metrics.h"
#include "spacetime/profile/host_clocks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

struct Point {
    std::uint64_t time = 0;
    std::uint64_t value = 0;
};

// One file's numbers for things.
struct FileRows {
    RunHost host;
    std::uint32_t host_number = 0;
    std::optional<rec::ClockPair> clock_pair;
    bool is_of_rank = false;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::map<std::uint64_t, RunMetric> metrics;
    std::map<std::uint64_t, std::pair<Resource, MetricOfObject>> objects;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Point>> values;  // by metric and object
};

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

class Loader {
  public:
    Loader(const MetricAddress* only, EndsAre ends) : only_(only), ends_(ends) {}

    Result<RunMetrics> load(std::span<const rec::File> files) {
        for (const rec::File& file : files) {
            if (auto scanned = scan(file); !scanned) {
                return scanned.error();
            }
        }
        lay_on_one_clock();
        number_hosts();
        std::set<std::uint64_t> ranks;
        for (const auto& [process, rank] : ranks_) {
            ranks.insert(rank);
        }
        out_.ranks = ranks.size();
        for (const FileRows& file : files_) {
            take(file);
        }
        for (auto& [key, merged] : merged_) {
            RunMetric& metric = merged.metric;
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
                rows.host.name = row.host;
                rows.host.processors = row.processors;
                rows.begin = row.time;
            }),
            rec::on<rec::RunEnd>([&](StreamId, const rec::RunEnd& row) { rows.end = std::max(rows.end, row.time); }),
            rec::on<rec::ClockPair>([&](StreamId, const rec::ClockPair& row) {
                rows.clock_pair = rows.clock_pair.value_or(row);
                const std::uint64_t error = row.error / 2 + row.error % 2;
                rows.host.clock_error_ns = std::max(rows.host.clock_error_ns.value_or(0), error);
            }),
            rec::on<rec::Mark>([&](StreamId, const rec::Mark& row) { take_mark(row, rows.host); }),
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
                    metric.total_by = metric_total_of(row.total);
                    metric.per = resource_level_of(row.per);
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
                    object.thread = row.thread;
                    object.program = row.program;
                    rows.host.is_by_ring |= object.is_all_of_host();
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
        rows.is_of_rank = rank.has_value();
        rows.host.name = rows.host.name.empty() ? rank_host : rows.host.name;
        files_.push_back(std::move(rows));
        return {};
    }

    // Times without an answer stand between two marks; the last of them may have no end.
    static void take_mark(const rec::Mark& row, RunHost& host) {
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

    void lay_on_one_clock() {
        HostClocks clocks;
        for (const FileRows& file : files_) {
            if (file.is_of_rank && file.clock_pair) {
                clocks.take(file.host.name, *file.clock_pair);
            }
        }
        std::uint64_t last = 0;
        for (FileRows& file : files_) {
            const std::int64_t by = file.is_of_rank ? clocks.shift(file.host.name) : 0;
            const auto shift = [by](std::uint64_t& time) {
                time = time == 0 ? 0 : time + static_cast<std::uint64_t>(by);
            };
            shift(file.begin);
            shift(file.end);
            for (auto& [number, object] : file.objects) {
                shift(object.second.begin);
            }
            for (auto& [key, points] : file.values) {
                for (Point& point : points) {
                    shift(point.time);
                    last = std::max(last, point.time);
                }
            }
            if (file.begin != 0) {
                out_.begin = out_.begin == 0 ? file.begin : std::min(out_.begin, file.begin);
            }
            out_.end = std::max(out_.end, file.end);
        }
        out_.end = out_.end == 0 ? last : out_.end;  // its writer was killed
    }

    void number_hosts() {
        for (FileRows& file : files_) {
            if (file.values.empty() && !file.host.is_by_ring && file.host.gaps.empty()) {
                continue;
            }
            const auto known = std::find_if(out_.hosts.begin(), out_.hosts.end(),
                                            [&](const RunHost& each) { return each.name == file.host.name; });
            file.host_number = static_cast<std::uint32_t>(known - out_.hosts.begin());
            if (known == out_.hosts.end()) {
                RunHost& host = out_.hosts.emplace_back(file.host);
                host.is_by_ring |= !host.gaps.empty();  // it never answered
                if (!host.is_by_ring) {
                    host.clock_error_ns = std::nullopt;
                }
                for (RunHost::Gap& gap : host.gaps) {
                    gap.end = gap.end == 0 ? std::max(out_.end, gap.begin) : gap.end;
                }
            }
        }
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
            if (only_ != nullptr && !is_meant(metric, object->second.second, file.host_number)) {
                continue;
            }
            const bool of_ends = ends_ == EndsAre::kApart && metric.kind == Resource::kChannel &&
                                 is_end_direction(object->second.second.key[2]);
            const auto [entry, is_new] = merged_.try_emplace({static_cast<int>(metric.kind), metric.name, of_ends});
            RunMetric& merged = entry->second.metric;
            if (is_new) {
                merged = metric;
                merged.of_ends = of_ends;
                entry->second.of_host.resize(out_.hosts.size());
                merged.bins.assign(kMetricBins, 0);
                if (out_.hosts.size() > 1) {
                    merged.host_bins.assign(out_.hosts.size(), merged.bins);
                }
            }
            MetricOfObject here = object->second.second;
            here.host = file.host_number;
            if (const auto rank = ranks_.find({file.host.name, here.pid}); rank != ranks_.end()) {
                here.rank = rank->second;
            }
            const bool since_boot = metric.kind == Resource::kProcessor && metric.type == MetricType::kCounter;
            const std::uint64_t base = since_boot ? points.front().value : 0;
            here.value = points.back().value - base;
            std::vector<double> bins(kMetricBins, 0);
            add_to_bins(bins, metric.type, points, base, here.begin);
            join_bins(merged.bins, bins, merged.rule(), merged.objects.size());
            if (!merged.host_bins.empty()) {
                join_bins(merged.host_bins[here.host], bins, merged.rule(), entry->second.of_host[here.host]++);
            }
            merged.objects.push_back(std::move(here));
        }
    }

    [[nodiscard]] bool is_meant(const RunMetric& metric, const MetricOfObject& object, std::uint32_t host) const {
        const Observed one{object.number, object.pid, host, 0};
        return metric.kind == only_->kind && metric.name == only_->metric && (!only_->host || *only_->host == host) &&
               (!only_->process || *only_->process == object.pid) &&
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

    // One more object beside `before` others.
    static void join_bins(std::vector<double>& all, const std::vector<double>& one, MetricTotal rule,
                          std::size_t before) {
        const auto others = static_cast<double>(before);
        for (std::size_t bin = 0; bin < all.size(); ++bin) {
            double& value = all[bin];
            switch (before == 0 ? MetricTotal::kSum : rule) {
                case MetricTotal::kMean:
                    value = (value * others + one[bin]) / (others + 1);
                    break;
                case MetricTotal::kMinimum:
                    value = std::min(value, one[bin]);
                    break;
                case MetricTotal::kMaximum:
                    value = std::max(value, one[bin]);
                    break;
                case MetricTotal::kOfType:
                case MetricTotal::kSum:
                    value += one[bin];
                    break;
            }
        }
    }

    // A counter's change between two readings is spread over the time between them.
    void add_to_bins(std::vector<double>& bins, MetricType type, const std::vector<Point>& points, std::uint64_t base,
                     std::uint64_t begin) const {
        if (type != MetricType::kCounter) {
            for (std::size_t i = 0; i < points.size(); ++i) {
                const std::size_t last = i + 1 < points.size() ? bin_of(points[i + 1].time) : kMetricBins;
                for (std::size_t bin = bin_of(points[i].time); bin < last; ++bin) {
                    // A gauge below 0 has wrapped round.
                    const auto value = type == MetricType::kGauge
                                           ? static_cast<double>(static_cast<std::int64_t>(points[i].value))
                                           : static_cast<double>(points[i].value);
                    bins[bin] = value;
                }
            }
            return;
        }
        // Before its first reading an object counted from its own beginning on.
        std::uint64_t before = std::clamp(begin, out_.begin, std::max(out_.begin, points.front().time));
        std::uint64_t value = base;
        for (const Point& point : points) {
            const auto change = static_cast<double>(point.value - value);
            spread(bins, change, before, point.time);
            before = point.time;
            value = point.value;
        }
    }

    const MetricAddress* only_;
    EndsAre ends_;
    std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> ranks_;  // by host and process
    std::vector<FileRows> files_;
    struct Merged {
        RunMetric metric;
        std::vector<std::size_t> of_host;  // objects so far
    };
    std::map<std::tuple<int, std::string, bool>, Merged> merged_;  // by kind, name, of_ends
    RunMetrics out_;
};

}  // namespace

MetricTotal RunMetric::rule() const {
    if (total_by != MetricTotal::kOfType) {
        return total_by;
    }
    return type == MetricType::kMaximum ? MetricTotal::kMaximum : MetricTotal::kSum;
}

std::uint64_t RunMetric::total_of(const Aggregate& some) const {
    switch (rule()) {
        case MetricTotal::kMean:
            return static_cast<std::uint64_t>(std::llround(some.mean));
        case MetricTotal::kMinimum:
            return some.minimum;
        case MetricTotal::kMaximum:
            return some.maximum;
        case MetricTotal::kOfType:
        case MetricTotal::kSum:
            break;
    }
    return some.sum;
}

std::vector<RunMetric::Part> RunMetric::parts() const {
    std::map<std::uint64_t, std::vector<Observed>> by_number;
    for (const MetricOfObject& object : objects) {
        const Observed one{object.number, object.pid, object.host, object.value};
        const std::uint64_t number = per == ResourceLevel::kObject    ? by_number.size()  // numbers come again
                                     : per == ResourceLevel::kProcess ? object.pid
                                     : per == ResourceLevel::kHost    ? object.host
                                                                      : 0;
        by_number[number].push_back(one);
    }
    std::vector<Part> all;
    for (const auto& [number, some] : by_number) {
        all.push_back({per == ResourceLevel::kObject ? some.front().object : number,
                       kymo::aggregate(some, ResourceLevel::kSystem, 0, type == MetricType::kGauge)});
    }
    std::stable_sort(all.begin(), all.end(), [this](const Part& a, const Part& b) {
        const std::uint64_t of_a = total_of(a.figures);
        const std::uint64_t of_b = total_of(b.figures);
        return type == MetricType::kGauge ? static_cast<std::int64_t>(of_a) > static_cast<std::int64_t>(of_b)
                                          : of_a > of_b;
    });
    return all;
}

Aggregate RunMetric::aggregate(ResourceLevel level, std::uint64_t number) const {
    std::vector<Observed> observed;
    observed.reserve(objects.size());
    for (const MetricOfObject& object : objects) {
        observed.push_back({object.number, object.pid, object.host, object.value});
    }
    return kymo::aggregate(observed, level, number, type == MetricType::kGauge);
}

const RunMetric* RunMetrics::find(Resource kind, std::string_view name) const {
    const auto found = std::find_if(metrics.begin(), metrics.end(),
                                    [&](const RunMetric& each) { return each.kind == kind && each.name == name; });
    return found == metrics.end() ? nullptr : &*found;
}

Result<RunMetrics> load_run_metrics(std::span<const rec::File> files, EndsAre ends) {
    return Loader(nullptr, ends).load(files);
}

Result<RunMetrics> load_run_metrics(std::span<const rec::File> files, const MetricAddress& only) {
    return Loader(&only, EndsAre::kAmongAll).load(files);
}

}  // namespace kymo::spacetime
