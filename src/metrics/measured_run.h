// A run whose cells are collected: the folder of segments, the settings passed to the program, and the rows for
// the recording.
//
// Made before launch::record(), which fit() prepares; alive until that returns. Segments of ended processes are
// read a last time and removed, so that a build with thousands of processes needs no more memory than its live
// ones.
#pragma once

#include "base/resource.h"
#include "base/result.h"
#include "cells/reader/folder.h"
#include "cells/segment.h"
#include "cells/settings.h"
#include "launch/record.h"
#include "launch/run/participant.h"
#include "metrics/processors.h"
#include "metrics/series.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kymo::metrics {

struct DescribedCell {
    std::uint32_t index = 0;
    cells::MetricType type = cells::MetricType::kCounter;
    std::string unit;
    std::string name;
    std::string description;
    MetricTotal total = MetricTotal::kOfType;
    ResourceLevel per = ResourceLevel::kObject;
};

// A timer adds to this cell until a task binds it to another.
struct DescribedTimer {
    std::uint32_t number = 0;
    std::uint32_t cell = 0;
};

struct RunSettings {
    std::uint64_t period_ns = 250'000'000;
    bool processors = true;  // the host's as well: one launcher of a parallel job collects them
    bool at_start = false;   // every process has cells from its start, even if it does not request any
    std::vector<DescribedCell> cells;
    std::vector<DescribedTimer> timers;
};

// The settings passed to the program (cells/settings.h).
std::string format_settings(const RunSettings& settings, const std::filesystem::path& folder,
                            const cells::TickRate& rate);

class MeasuredRun {
  public:
    static Result<MeasuredRun> make(const RunSettings& settings);
    MeasuredRun(MeasuredRun&&) noexcept = default;

    // Sets how launch::record() runs options.command; refers to this object.
    void fit(launch::RecordOptions& options);

    // Of the segments.
    [[nodiscard]] const std::filesystem::path& folder() const { return state_->folder.path(); }

    // Threads and channels that got no cells, over all processes.
    [[nodiscard]] std::uint64_t refused() const { return state_->refused; }

  private:
    // Reads the segments periodically, and once when the program has ended.
    struct State final : launch::RunParticipant {
        State(cells::Folder&& made, std::uint64_t period_ns) : folder(std::move(made)), period(period_ns) {}
        Result<void> started(launch::RunScene& scene) override;
        std::uint64_t tick(launch::RunScene& scene, std::uint64_t now) override;
        void ended(launch::RunScene& scene, launch::RecordOutcome& outcome) override;
        void read(recording::StreamWriter& rows, bool last);

        cells::Folder folder;
        launch::Interval period;
        Processors processors;
        Series series;
        std::uint64_t refused = 0;
    };
    explicit MeasuredRun(std::unique_ptr<State> state) : state_(std::move(state)) {}
    std::unique_ptr<State> state_;
};

}  // namespace kymo::metrics
