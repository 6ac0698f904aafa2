#include "spacetime/address_map/address_map.h"

#include "base/clean_text.h"
#include "spacetime/address_map/merge.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

constexpr std::size_t kMostSpans = std::size_t{1} << 20U;  // against files that are damaged

// Rows of one process, by one who read its map, as spans.
class SpanCollector {
  public:
    void add(const rec::Area& row) {
        times_.insert(row.time);
        close(row.area, row.time);
        if (row.end <= row.begin || row.kind > static_cast<std::uint64_t>(rec::AreaKind::kKernel) ||
            spans_.size() >= kMostSpans || times_.size() > kMostSpans) {
            return;
        }
        open_[row.area] = spans_.size();
        owners_.push_back(row.owner);
        spans_.push_back({.number = static_cast<std::uint32_t>(row.area),
                          .seen = row.time,
                          .begin = row.begin,
                          .end = row.end,
                          .kind = static_cast<rec::AreaKind>(row.kind),
                          .protection = row.protection,
                          .path = clean_text(row.path)});
    }

    void end(const rec::AreaEnd& row) {
        if (row.area != 0) {
            times_.insert(row.time);
            close(row.area, row.time);
            return;
        }
        if (!account_ || row.readings > account_->readings) {
            times_.insert(row.time);
        }
        account_ = {.readings = row.readings, .passed_over = row.passed_over, .lost = row.lost};
    }

    const std::optional<ProcessMap::Account>& account() const { return account_; }

    // What was read from one time to another; owners by stream where the rows have them.
    MapReadings readings(std::uint64_t begin, std::uint64_t end,
                         const std::map<std::uint64_t, std::uint64_t>& tids) const {
        MapReadings out;
        out.times.assign(times_.lower_bound(begin), times_.upper_bound(end));
        for (std::size_t i = 0; i < spans_.size(); ++i) {
            if (spans_[i].seen > end || (spans_[i].gone && *spans_[i].gone <= begin)) {
                continue;
            }
            out.spans.push_back(spans_[i]);
            if (const auto tid = tids.find(owners_[i]); tid != tids.end()) {
                out.spans.back().owner = tid->second;
            }
        }
        return out;
    }

  private:
    void close(std::uint64_t number, std::uint64_t time) {
        if (const auto open = open_.find(number); open != open_.end()) {
            spans_[open->second].gone = time;
            open_.erase(open);
        }
    }

    std::vector<AreaSpan> spans_;
    std::vector<std::uint64_t> owners_;  // stream, by span
    std::set<std::uint64_t> times_;
    std::map<std::uint64_t, std::size_t> open_;
    std::optional<ProcessMap::Account> account_;
};

// What one file says of address spaces: its own process's, and, of `kymo record`, those of others by pid.
struct FileMaps {
    std::uint64_t pid = 0;
    bool is_parent = false;             // `kymo record`'s
    std::optional<std::uint64_t> rank;  // of the parallel job
    std::uint64_t begin = 0;
    std::optional<std::uint64_t> end;  // none: it was killed
    std::map<std::uint64_t, std::uint64_t> tids;
    std::map<std::uint64_t, ThreadStack> stacks;  // by stream
    SpanCollector own;
    std::map<std::uint64_t, SpanCollector> others;
    std::map<std::uint64_t, std::vector<FaultAddress>> faults;       // by pid
    std::map<std::uint64_t, std::vector<RecordedMapping>> mappings;  // likewise
};

Result<FileMaps> read_file(const rec::File& file) {
    FileMaps maps;
    const auto of = [&](std::uint64_t pid) -> SpanCollector& { return pid == 0 ? maps.own : maps.others[pid]; };
    const auto report =
        file.scan(rec::on<rec::Run>([&](StreamId, const rec::Run&) { maps.is_parent = true; }),
                  rec::on<rec::Process>([&](StreamId, const rec::Process& row) {
                      maps.pid = rec::number_of(row.pid, row.kernel_pid);
                      maps.begin = row.time;
                  }),
                  rec::on<rec::ProcessEnd>([&](StreamId, const rec::ProcessEnd& row) { maps.end = row.time; }),
                  rec::on<rec::Rank>([&](StreamId, const rec::Rank& row) { maps.rank = row.rank; }),
                  rec::on<rec::Stream>([&](StreamId, const rec::Stream& row) {
                      maps.tids[row.stream] = rec::number_of(row.tid, row.kernel_tid);
                      if (row.stack_end != 0) {
                          maps.stacks[row.stream] = {row.stack_end - 1, maps.tids[row.stream], row.time, UINT64_MAX};
                      }
                  }),
                  rec::on<rec::StreamEnd>([&](StreamId, const rec::StreamEnd& row) {
                      if (const auto stack = maps.stacks.find(row.stream); stack != maps.stacks.end()) {
                          stack->second.end = row.time;
                      }
                  }),
                  rec::on<rec::PageFault>([&](StreamId, const rec::PageFault& row) {
                      maps.faults[row.pid].push_back({row.time, row.address, row.faults});
                  }),
                  rec::on<rec::Mapping>([&](StreamId, const rec::Mapping& row) {
                      if (row.address != 0) {
                          maps.mappings[row.pid].push_back({row.time, row.address, row.address + row.bytes});
                      }
                  }),
                  rec::on<rec::Area>([&](StreamId, const rec::Area& row) { of(row.pid).add(row); }),
                  rec::on<rec::AreaEnd>([&](StreamId, const rec::AreaEnd& row) { of(row.pid).end(row); }));
    if (!report) {
        return report.error();
    }
    return maps;
}

// A program's or library's zero-initialised data has no file: it lies behind what was read from the file.
void find_behind(std::vector<AreaSpan>& areas) {
    std::map<std::uint64_t, const AreaSpan*> files;  // by end
    for (const AreaSpan& area : areas) {
        const bool is_data = (area.protection & (rec::kAreaWrite | rec::kAreaShared)) == rec::kAreaWrite;
        if (area.kind == rec::AreaKind::kFile && is_data && area.path.starts_with('/')) {
            files[area.end] = &area;
        }
    }
    for (AreaSpan& area : areas) {
        const auto file = files.find(area.begin);
        if (area.kind == rec::AreaKind::kAnonymous && file != files.end()) {
            area.behind = file->second->path;
        }
    }
}

template <typename T>
const T* find_of(const std::map<std::uint64_t, T>& by_pid, std::uint64_t pid) {
    const auto found = by_pid.find(pid);
    return found == by_pid.end() ? nullptr : &found->second;
}

// Those of a list by pid that lie in a process's life: its number may be another's before and after.
template <typename T>
std::vector<T> in_life(const std::map<std::uint64_t, std::vector<T>>& by_pid, const FileMaps& process) {
    std::vector<T> out;
    if (const std::vector<T>* const all = find_of(by_pid, process.pid)) {
        std::copy_if(all->begin(), all->end(), std::back_inserter(out), [&](const T& one) {
            return process.begin <= one.time && one.time <= process.end.value_or(UINT64_MAX);
        });
    }
    return out;
}

// `kymo record`: its file of the same rank.
ProcessMap process_map(const FileMaps& process, const FileMaps* parent) {
    const SpanCollector* const outside = parent != nullptr ? find_of(parent->others, process.pid) : nullptr;
    ProcessMap map;
    map.pid = process.pid;
    map.account = process.own.account();
    map.has_ended = process.end.has_value();
    MapReadings readings = process.own.readings(0, UINT64_MAX, process.tids);
    std::vector<ThreadStack> stacks;
    stacks.reserve(process.stacks.size());
    for (const auto& [stream, stack] : process.stacks) {
        stacks.push_back(stack);
    }
    if (outside != nullptr) {
        MapReadings others = outside->readings(process.begin, process.end.value_or(UINT64_MAX), {});
        map.outside_readings = others.times.size();
        readings = merge_readings(std::move(readings), std::move(others), stacks);
    }
    find_behind(readings.spans);
    if (parent != nullptr) {
        map.faults =
            faults_by_region(readings, in_life(parent->faults, process), in_life(parent->mappings, process), stacks);
    }
    map.readings = std::move(readings.times);
    map.areas = std::move(readings.spans);
    return map;
}

}  // namespace

const AreaSpan* ProcessMap::at(std::uint64_t address, std::uint64_t time) const {
    const auto found = std::find_if(areas.begin(), areas.end(), [&](const AreaSpan& area) {
        return area.begin <= address && address < area.end && area.seen <= time && (!area.gone || time < *area.gone);
    });
    return found == areas.end() ? nullptr : &*found;
}

Result<AddressMap> load_address_map(const recording::Recording& recording) {
    std::vector<FileMaps> files;
    for (const recording::File& file : recording.files()) {
        auto maps = read_file(file);
        if (!maps) {
            return maps.error();
        }
        files.push_back(std::move(*maps));
    }
    AddressMap map;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (files[i].pid == 0) {
            continue;
        }
        const auto parent = std::find_if(files.begin(), files.end(), [&](const FileMaps& file) {
            return file.pid == 0 && file.is_parent && file.rank == files[i].rank;
        });
        ProcessMap process = process_map(files[i], parent != files.end() ? &*parent : nullptr);
        process.file = static_cast<std::uint32_t>(i);
        if (!process.areas.empty() || process.account) {
            map.processes.push_back(std::move(process));
        }
    }
    return map;
}

}  // namespace kymo::spacetime
