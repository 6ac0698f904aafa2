#include "spacetime/memory/memory_over_time.h"

#include "spacetime/profile/host_clocks.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

constexpr std::size_t kMostPoints = std::size_t{1} << 24U;  // against files that are damaged

std::vector<MemoryPoint> sum_of(const std::vector<ProcessMemory>& processes) {
    // What each point adds to what its process had before; modulo 2^64.
    std::map<std::uint64_t, MemoryPoint> changes;
    const auto change = [&](std::uint64_t time, const MemoryPoint& from, const MemoryPoint& to) {
        MemoryPoint& at = changes[time];
        at.resident_bytes += to.resident_bytes - from.resident_bytes;
        at.shared_bytes += to.shared_bytes - from.shared_bytes;
    };
    for (const ProcessMemory& process : processes) {
        MemoryPoint before;
        for (const MemoryPoint& point : process.points) {
            change(point.time, before, point);
            before = point;
        }
        if (process.ended) {
            change(*process.ended, before, {});
        }
    }
    std::vector<MemoryPoint> all;
    MemoryPoint now;
    for (const auto& [time, step] : changes) {
        now.resident_bytes += step.resident_bytes;
        now.shared_bytes += step.shared_bytes;
        all.push_back({time, now.resident_bytes, now.shared_bytes});
    }
    return all;
}

}  // namespace

const MemoryPoint& peak_of(const std::vector<MemoryPoint>& points) {
    return *std::max_element(points.begin(), points.end(), [](const MemoryPoint& a, const MemoryPoint& b) {
        return a.resident_bytes < b.resident_bytes;
    });
}

std::vector<std::optional<std::uint64_t>> highest_by_part(const std::vector<MemoryPoint>& points,
                                                          std::optional<std::uint64_t> ended, std::uint64_t begin,
                                                          std::uint64_t end, std::size_t parts) {
    std::vector<std::optional<std::uint64_t>> highest(parts);
    const std::uint64_t length = end > begin ? end - begin : 1;
    const auto part_of = [&](std::uint64_t time) {
        const std::uint64_t since = time > begin ? std::min(time - begin, length - 1) : 0;
        return static_cast<std::size_t>(static_cast<unsigned __int128>(since) * parts / length);
    };
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::uint64_t until = i + 1 < points.size() ? points[i + 1].time : ended.value_or(end);
        // Up to the moment before the next.
        const std::size_t last = part_of(std::max(points[i].time, until == 0 ? 0 : until - 1));
        for (std::size_t part = part_of(points[i].time); part <= last && part < parts; ++part) {
            highest[part] = std::max(highest[part].value_or(0), points[i].resident_bytes);
        }
    }
    return highest;
}

std::vector<MemoryPoint> thinned(const std::vector<MemoryPoint>& points, std::size_t most) {
    if (points.size() <= most) {
        return points;
    }
    std::vector<MemoryPoint> kept;
    const std::size_t stretches = most / 2;
    for (std::size_t i = 0; i < stretches; ++i) {
        const auto begin = points.begin() + static_cast<std::ptrdiff_t>(i * points.size() / stretches);
        const auto end = points.begin() + static_cast<std::ptrdiff_t>((i + 1) * points.size() / stretches);
        const auto highest = std::max_element(begin, end, [](const MemoryPoint& a, const MemoryPoint& b) {
            return a.resident_bytes < b.resident_bytes;
        });
        kept.push_back(*highest);
        if (highest + 1 != end) {
            kept.push_back(*(end - 1));
        }
    }
    return kept;
}

void MemoryRows::read_from(const rec::File& file, rec::Handlers& handlers) {
    if (file.path().filename().string().starts_with("process-")) {
        return;  // a process's own: it does not know how much memory it has
    }
    handlers.on<rec::Rank>([this](StreamId, const rec::Rank& row) {
        rank = row.rank;
        host = row.host;
    });
    handlers.on<rec::ClockPair>(
        [this](StreamId, const rec::ClockPair& row) { clock_pair = clock_pair.value_or(row); });
    handlers.on<rec::Unavailable>([this](StreamId, const rec::Unavailable& row) {
        if (row.what == rec::kMemoryOverTime) {
            why_not = row.why;
        }
    });
    handlers.on<rec::Memory>([this](StreamId, const rec::Memory& row) { take(row); });
}

void MemoryRows::take(const rec::Memory& row) {
    std::vector<ProcessMemory>& lives = processes[row.pid];
    const bool goes_on = !lives.empty() && !lives.back().ended;
    if (row.resident_bytes == 0) {
        if (goes_on) {
            lives.back().ended = row.time;
        }
    } else if (points_++ < kMostPoints) {
        ProcessMemory& process = goes_on ? lives.back() : lives.emplace_back(ProcessMemory{row.pid, {}, {}});
        process.points.push_back({row.time, row.resident_bytes, std::min(row.shared_bytes, row.resident_bytes)});
    }
}

MemoryOverTime memory_over_time(std::vector<MemoryRows> files) {
    HostClocks clocks;
    std::string why_not;
    for (const MemoryRows& file : files) {
        if (file.rank && file.clock_pair) {
            clocks.take(file.host, *file.clock_pair);
        }
        why_not = file.why_not.empty() ? why_not : file.why_not;
    }
    MemoryOverTime memory;
    for (MemoryRows& file : files) {
        const auto shift = static_cast<std::uint64_t>(file.rank ? clocks.shift(file.host) : 0);
        for (auto& [pid, lives] : file.processes) {
            for (ProcessMemory& process : lives) {
                process.host = file.host;
                process.rank = file.rank;
                for (MemoryPoint& point : process.points) {
                    point.time += shift;
                }
                if (process.ended) {
                    *process.ended += shift;
                }
                memory.processes.push_back(std::move(process));
            }
        }
    }
    std::stable_sort(memory.processes.begin(), memory.processes.end(), [](const auto& a, const auto& b) {
        return peak_of(a.points).resident_bytes > peak_of(b.points).resident_bytes;
    });
    memory.all = sum_of(memory.processes);
    if (!memory.is_known()) {
        memory.why_not = why_not.empty() ? "the recording has no reading of it: kymo gpu and earlier versions "
                                           "make none, nor has a program that ends at once"
                                         : why_not;
    }
    return memory;
}

}  // namespace kymo::spacetime
