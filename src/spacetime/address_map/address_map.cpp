#include "spacetime/address_map/address_map.h"

#include "base/clean_text.h"

#include <algorithm>
#include <map>
#include <set>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

constexpr std::size_t kMostSpans = std::size_t{1} << 20U;  // against files that are damaged

class MapReader {
  public:
    Result<ProcessMap> read(const rec::File& file) {
        const auto report =
            file.scan(rec::on<rec::Process>([&](StreamId, const rec::Process& row) {
                          map_.pid = rec::number_of(row.pid, row.kernel_pid);
                      }),
                      rec::on<rec::Stream>([&](StreamId, const rec::Stream& row) {
                          tids_[row.stream] = rec::number_of(row.tid, row.kernel_tid);
                      }),
                      rec::on<rec::Area>([&](StreamId, const rec::Area& row) { add(row); }),
                      rec::on<rec::AreaEnd>([&](StreamId, const rec::AreaEnd& row) { end(row); }),
                      rec::on<rec::ProcessEnd>([&](StreamId, const rec::ProcessEnd&) { map_.has_ended = true; }));
        if (!report) {
            return report.error();
        }
        for (std::size_t i = 0; i < map_.areas.size(); ++i) {
            if (const auto tid = tids_.find(owners_[i]); tid != tids_.end()) {
                map_.areas[i].owner = tid->second;
            }
        }
        find_behind();
        map_.readings.assign(readings_.begin(), readings_.end());
        return std::move(map_);
    }

  private:
    void note_reading(std::uint64_t time) {
        if (readings_.size() < kMostSpans) {
            readings_.insert(time);
        }
    }

    void close(std::uint64_t number, std::uint64_t time) {
        if (const auto open = open_.find(number); open != open_.end()) {
            map_.areas[open->second].gone = time;
            open_.erase(open);
        }
    }

    void add(const rec::Area& row) {
        note_reading(row.time);
        close(row.area, row.time);
        if (row.end <= row.begin || row.kind > static_cast<std::uint64_t>(rec::AreaKind::kKernel) ||
            map_.areas.size() >= kMostSpans) {
            return;
        }
        open_[row.area] = map_.areas.size();
        owners_.push_back(row.owner);
        map_.areas.push_back({.number = static_cast<std::uint32_t>(row.area),
                              .seen = row.time,
                              .begin = row.begin,
                              .end = row.end,
                              .kind = static_cast<rec::AreaKind>(row.kind),
                              .protection = row.protection,
                              .path = clean_text(row.path)});
    }

    void end(const rec::AreaEnd& row) {
        note_reading(row.time);
        if (row.area != 0) {
            close(row.area, row.time);
            return;
        }
        map_.account = {.readings = row.readings, .passed_over = row.passed_over, .lost = row.lost};
    }

    // A program's or library's zero-initialised data has no file: it lies behind what was read from the file.
    void find_behind() {
        std::map<std::uint64_t, const AreaSpan*> files;  // by end
        for (const AreaSpan& area : map_.areas) {
            if (area.kind == rec::AreaKind::kFile && (area.protection & rec::kAreaWrite) != 0) {
                files[area.end] = &area;
            }
        }
        for (AreaSpan& area : map_.areas) {
            const auto file = files.find(area.begin);
            if (area.kind == rec::AreaKind::kAnonymous && file != files.end()) {
                area.behind = file->second->path;
            }
        }
    }

    ProcessMap map_;
    std::map<std::uint64_t, std::uint64_t> tids_;
    std::map<std::uint64_t, std::size_t> open_;
    std::vector<std::uint64_t> owners_;  // stream, by area
    std::set<std::uint64_t> readings_;
};

std::string file_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

}  // namespace

const AreaSpan* ProcessMap::at(std::uint64_t address, std::uint64_t time) const {
    const auto found = std::find_if(areas.begin(), areas.end(), [&](const AreaSpan& area) {
        return area.begin <= address && address < area.end && area.seen <= time && (!area.gone || time < *area.gone);
    });
    return found == areas.end() ? nullptr : &*found;
}

std::string area_name(const AreaSpan& area) {
    switch (area.kind) {
        case recording::AreaKind::kHeap:
            return "heap";
        case recording::AreaKind::kMainStack:
            return "stack of the process";
        case recording::AreaKind::kShared:
            return area.path.empty() ? "shared memory" : "shared memory " + area.path;
        case recording::AreaKind::kFile:
            return file_name(area.path);
        case recording::AreaKind::kKernel:
            return area.path;
        case recording::AreaKind::kAnonymous:
            break;
    }
    if (area.owner) {
        return "stack of thread " + std::to_string(*area.owner);
    }
    if (!area.behind.empty()) {
        return "memory behind the data of " + file_name(area.behind);
    }
    return area.path.empty() ? "anonymous memory" : "anonymous memory " + area.path;
}

Result<AddressMap> load_address_map(const recording::Recording& recording) {
    AddressMap map;
    for (const recording::File& file : recording.files()) {
        auto process = MapReader().read(file);
        if (!process) {
            return process.error();
        }
        process->file = static_cast<std::uint32_t>(&file - recording.files().data());
        if (!process->areas.empty() || process->account) {
            map.processes.push_back(std::move(*process));
        }
    }
    return map;
}

}  // namespace kymo::spacetime
