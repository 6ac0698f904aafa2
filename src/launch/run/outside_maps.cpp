#include "launch/run/outside_maps.h"

#include "base/time.h"
#include "image/raw_file.h"

#include <charconv>

namespace kymo::launch {
namespace {

std::string proc_path(std::uint64_t pid, const char* what) {
    return "/proc/" + std::to_string(pid) + "/" + what;
}

// Its whole size in pages; 0: it has ended.
std::uint64_t pages_of(std::uint64_t pid) {
    const image::RawFile file(proc_path(pid, "statm").c_str());
    std::uint8_t text[32];
    const std::size_t got = file.is_open() ? file.read_at(0, text) : 0;
    const char* const begin = reinterpret_cast<const char*>(text);
    std::uint64_t pages = 0;
    return std::from_chars(begin, begin + got, pages).ec == std::errc{} ? pages : 0;
}

std::vector<std::uint8_t> whole_file(const std::string& path) {
    constexpr std::size_t kMost = std::size_t{4} << 20U;
    constexpr std::size_t kStep = std::size_t{64} << 10U;
    std::vector<std::uint8_t> bytes;
    const image::RawFile file(path.c_str());
    while (file.is_open() && bytes.size() < kMost) {
        const std::size_t before = bytes.size();
        bytes.resize(before + kStep);
        const std::size_t got = file.read_at(before, std::span(bytes).subspan(before));
        bytes.resize(before + got);
        if (got < kStep) {
            break;
        }
    }
    return bytes;
}

}  // namespace

Result<void> OutsideMaps::started(RunScene& scene) {
    begun_ = scene.begun;
    interval_.begin(begun_);
    return {};
}

std::uint64_t OutsideMaps::tick(RunScene& scene, std::uint64_t now) {
    if (scene.is_gone || scene.settled.options.from_outside) {
        return kNeverDue;
    }
    if (!interval_.is_due(now)) {
        return interval_.next();
    }
    add_new(scene);
    std::erase_if(watched_, [&](Watched& process) {
        const bool is_there = look(scene, process);
        if (!is_there) {
            leave(scene, process);
        }
        return !is_there;
    });
    interval_.begin(monotonic_now().ns);
    return interval_.next();
}

void OutsideMaps::add_new(const RunScene& scene) {
    const auto& found = recorded_.look(scene);
    for (; taken_ < found.size(); ++taken_) {
        if (watched_.size() < kMostProcesses) {
            Watched process;
            process.pid = found[taken_].pid;
            process.file = found[taken_].file;
            process.areas = std::make_unique<recording::AreaList<kMostAreas>>();
            watched_.push_back(std::move(process));
        }
    }
}

bool OutsideMaps::look(RunScene& scene, Watched& process) {
    const std::uint64_t pages = pages_of(process.pid);
    if (pages == 0) {
        return false;
    }
    if (pages == process.pages) {
        return true;
    }
    if (process.readings >= kFreeReadings && spent_ > (monotonic_now().ns - begun_) / kCost) {
        ++process.passed_over;
        return true;
    }
    process.pages = pages;
    return read(scene, process);
}

bool OutsideMaps::read(RunScene& scene, Watched& process) {
    const std::uint64_t time = monotonic_now().ns;
    const std::vector<std::uint8_t> bytes = whole_file(proc_path(process.pid, "maps"));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.find("/" + process.file) == std::string_view::npos) {
        return false;
    }
    scene.log.write_others([&](recording::StreamWriter& rows) {
        const auto gone = [&](std::uint32_t number) {
            rows.append(recording::AreaEnd{.time = time, .area = number, .pid = process.pid});
        };
        const auto take = [&](const recording::MapArea& area) {
            const auto changed = [&](const recording::KnownArea& known) {
                rows.append(recording::Area{.time = time,
                                            .area = known.number,
                                            .begin = known.begin,
                                            .end = known.end,
                                            .kind = static_cast<std::uint64_t>(area.kind),
                                            .protection = area.protection,
                                            .path = area.path,
                                            .pid = process.pid});
            };
            process.areas->add(
                {area.begin, area.end, recording::identity_of(area.kind, area.protection, area.file, area.path)},
                changed, gone);
        };
        process.areas->begin();
        text_.begin();
        text_.add(bytes, take);
        text_.finish(take);
        process.lost = std::max<std::uint64_t>(process.lost, process.areas->finish(gone));
        rows.append(recording::AreaEnd{.time = time,
                                       .readings = ++process.readings,
                                       .passed_over = process.passed_over,
                                       .lost = process.lost,
                                       .pid = process.pid});
    });
    spent_ += monotonic_now().ns - time;
    return true;
}

// Its numbers are free for the next program of the process.
void OutsideMaps::leave(RunScene& scene, Watched& process) {
    const std::uint64_t time = monotonic_now().ns;
    scene.log.write_others([&](recording::StreamWriter& rows) {
        process.areas->begin();
        process.areas->finish([&](std::uint32_t number) {
            rows.append(recording::AreaEnd{.time = time, .area = number, .pid = process.pid});
        });
    });
}

}  // namespace kymo::launch
