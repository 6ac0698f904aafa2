#include "spacetime/metrics/load_run_metrics.h"

#include "base/channels/kind.h"
#include "spacetime/profile/host_clocks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

using Point = MetricRows::Point;

class Merger {
  public:
    Merger(std::vector<MetricRows> files, const MetricAddress* only, EndsAre ends)
        : only_(only), ends_(ends), files_(std::move(files)) {}

    RunMetrics merge() {
        for (const MetricRows& file : files_) {
            add_absences(file.absences, out_.absences);
            for (const std::uint64_t process : file.processes) {
                if (file.rank) {
                    ranks_[{file.rank_host, process}] = *file.rank;
                }
            }
        }
        lay_on_one_clock();
        number_hosts();
        std::set<std::uint64_t> ranks;
        for (const auto& [process, rank] : ranks_) {
            ranks.insert(rank);
        }
        out_.ranks = ranks.size();
        for (const MetricRows& file : files_) {
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
    void lay_on_one_clock() {
        HostClocks clocks;
        for (const MetricRows& file : files_) {
            if (file.is_of_rank() && file.clock_pair) {
                clocks.take(file.host.name, *file.clock_pair);
            }
        }
        std::uint64_t last = 0;
        for (MetricRows& file : files_) {
            const std::int64_t by = file.is_of_rank() ? clocks.shift(file.host.name) : 0;
            const auto shift = [by](std::uint64_t& time) {
                time = time == 0 ? 0 : time + static_cast<std::uint64_t>(by);
            };
            shift(file.begin);
            shift(file.end_time);
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
            out_.end = std::max(out_.end, file.end_time);
        }
        out_.end = out_.end == 0 ? last : out_.end;  // its writer was killed
    }

    void number_hosts() {
        for (MetricRows& file : files_) {
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

    void take(const MetricRows& file) {
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
    std::vector<MetricRows> files_;
    struct Merged {
        RunMetric metric;
        std::vector<std::size_t> of_host;  // objects so far
    };
    std::map<std::tuple<int, std::string, bool>, Merged> merged_;  // by kind, name, of_ends
    RunMetrics out_;
};

}  // namespace

RunMetrics make_run_metrics(std::vector<MetricRows> files, EndsAre ends) {
    return Merger(std::move(files), nullptr, ends).merge();
}

Result<RunMetrics> load_run_metrics(std::span<const rec::File> files, EndsAre ends) {
    auto rows = rec::read_each<MetricRows>(files);
    if (!rows) {
        return rows.error();
    }
    return make_run_metrics(std::move(*rows), ends);
}

Result<RunMetrics> load_run_metrics(std::span<const rec::File> files, const MetricAddress& only) {
    auto rows = rec::read_each<MetricRows>(files);
    if (!rows) {
        return rows.error();
    }
    return Merger(std::move(*rows), &only, EndsAre::kAmongAll).merge();
}

}  // namespace kymo::spacetime
