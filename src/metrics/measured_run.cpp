#include "metrics/measured_run.h"

#include "base/native.h"
#include "metrics/channels_library.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <map>

namespace kymo::metrics {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMeasureTicksFor = 1'000'000;  // ns: measures the rate to about 1 in 20,000

// When this process began: its other work until the rate is needed extends the measurement.
const cells::TickPair begun = cells::read_tick_pair();

cells::TickRate rate_since_begun() {
    cells::TickRate rate;
    if (processor::has_constant_counter()) {
        while (monotonic_now().ns - begun.ns < kMeasureTicksFor) {
        }
        rate_between(begun, cells::read_tick_pair(), rate);
    }
    return rate;
}

constexpr const char* kOwnSegment = "launch.cells";

const char* type_name(cells::MetricType type) {
    switch (type) {
        case cells::MetricType::kGauge:
            return "gauge";
        case cells::MetricType::kMaximum:
            return "maximum";
        case cells::MetricType::kCounter:
            break;
    }
    return "counter";
}

bool is_gone(std::uint32_t pid) {
    return kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
}

}  // namespace

std::string format_settings(const RunSettings& settings, const fs::path& folder, const cells::TickRate& rate) {
    std::string text = fmt::format("kymo-cells 1\nfolder {}\nticks {} {} {}\nat-start {:d}\n", folder.string(),
                                   static_cast<unsigned>(rate.kind), rate.shift, rate.multiplier, settings.at_start);
    for (const DescribedCell& cell : settings.cells) {
        text += fmt::format("cell {} {} {} {} {}\n", cell.index, type_name(cell.type),
                            cell.unit.empty() ? "-" : cell.unit, cell.name, cell.description);
        if (cell.total != MetricTotal::kOfType || cell.per != ResourceLevel::kObject) {
            text += fmt::format("shown {} {} {}\n", cell.index, static_cast<unsigned>(cell.total),
                                static_cast<unsigned>(cell.per));
        }
    }
    for (const DescribedTimer& timer : settings.timers) {
        text += fmt::format("timer {} {}\n", timer.number, timer.cell);
    }
    return text;
}

Result<MeasuredRun> MeasuredRun::make(const RunSettings& settings) {
    auto folder = cells::Folder::make();
    if (!folder) {
        return folder.error();
    }
    auto state = std::make_unique<State>(std::move(*folder), settings.period_ns);
    const fs::path& path = state->folder.path();
    std::ofstream file(path / cells::kSettingsFile);
    file << format_settings(settings, path, rate_since_begun());
    if (!file.flush()) {
        return Error{ErrorKind::kNoSpace, "cannot write to " + path.string(), "free some shared memory"};
    }
    if (settings.processors) {
        if (auto opened = state->processors.open(path / kOwnSegment); !opened) {
            return opened.error();
        }
        state->processors.fill();
    }
    return MeasuredRun(std::move(state));
}

void MeasuredRun::fit(launch::RecordOptions& options) {
    options.cells = state_->folder.path();
    ChannelsLibrary channels = find_channels_library(options.command.front());
    options.channels = std::move(channels.path);
    options.program_has_channels = channels.in_program;
    if (channels.missing) {
        options.missing.push_back(std::move(*channels.missing));
    }
    options.participants.push_back(state_.get());
}

Result<void> MeasuredRun::State::started(launch::RunScene& scene) {
    period.begin(scene.begun);
    return {};
}

std::uint64_t MeasuredRun::State::tick(launch::RunScene& scene, std::uint64_t now) {
    if (period.is_due(now) && !scene.is_gone) {
        scene.log.write_others([this](recording::StreamWriter& rows) { read(rows, false); });
        period.begin(now);
    }
    return period.next();
}

void MeasuredRun::State::ended(launch::RunScene& scene, launch::RecordOutcome& /*outcome*/) {
    scene.log.write_others([this](recording::StreamWriter& rows) { read(rows, true); });
}

void MeasuredRun::State::read(recording::StreamWriter& rows, bool last) {
    if (processors.is_open()) {
        processors.fill();
    }
    const std::vector<fs::path> segments = cells::segments_in(folder.path());
    std::map<std::uint32_t, std::uint32_t> newest;  // image by process: an exec leaves an older segment behind
    std::vector<std::pair<fs::path, cells::Snapshot>> read;
    for (const fs::path& segment : segments) {
        auto snapshot = cells::read_segment(segment);
        if (!snapshot) {
            continue;  // unfinished: its header comes last
        }
        if (segment.filename() != kOwnSegment) {
            std::uint32_t& image = newest[snapshot->pid];
            image = std::max(image, snapshot->image);
        }
        read.emplace_back(segment, std::move(*snapshot));
    }
    for (auto& [segment, snapshot] : read) {
        const bool own = segment.filename() == kOwnSegment;
        const bool over =
            !own && (snapshot.ended != 0 || snapshot.image < newest[snapshot.pid] || is_gone(snapshot.pid));
        if (over && !last) {
            // Reads the changes between the reading and the end.
            if (auto again = cells::read_segment(segment)) {
                snapshot = std::move(*again);
            }
        }
        series.write(snapshot, over || last, rows);
        if (over || last) {
            for (const cells::TableValues& table : snapshot.tables) {
                refused += table.refused;
            }
        }
        if (over) {
            std::error_code ignored;
            fs::remove(segment, ignored);
        }
    }
}

}  // namespace kymo::metrics
