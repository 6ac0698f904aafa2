// One host's tables as they are drawn. The cells were read by this process (host_view.h) or by the host's agent
// (detail_view.h). A row has the activity of one object, and text behind its figures.
#pragma once

#include "host/live_view.h"
#include "live/lines.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kymo::live {

// The order of programs and threads.
enum class TaskSort { kOnCpu, kLockWait, kWait, kFaults, kSwitches };
inline constexpr int kTaskSorts = 5;

std::string_view name_of(TaskSort sort);
double sort_value(const host::TaskRates& rates, TaskSort sort);

struct RowsLeftOut {
    std::size_t number = 0;
};

struct HostRow {
    // Nothing: a line of text.
    using Figures = std::variant<std::monostate, host::LiveProcessor, host::TaskRates, host::LiveChannel,
                                 host::LiveMetric, RowsLeftOut>;
    Figures figures;
    std::string text = {};  // behind them
    view::Ink ink = view::Ink::kPlain;
};

struct HostTable {
    std::string heading;
    std::string_view columns;  // one of those below; empty: no figures
    std::vector<HostRow> rows;
};

inline constexpr std::string_view kProcessorColumns = "    user  system   steal    idle   queue";
inline constexpr std::string_view kProgramColumns =
    "  on CPU    user  system   locks   waits  switches  faults  program";
inline constexpr std::string_view kThreadColumns =
    "  on CPU    user  system   locks   waits  switches  faults  thread";
inline constexpr std::string_view kChannelColumns = "  blocked  messages/s   bytes/s  in flight   largest  channel";
inline constexpr std::string_view kMetricColumns = "       total   a second  metric";

// Behind a channel's figures: its owner, and its other end.
std::string channel_text(const host::LiveChannel& channel);
// As JSON has it; null: a direction of a later version.
const char* direction_name(cells::ChannelDirection direction);

void draw(Lines& lines, const HostTable& table);

// What could not be shown: threads and channels without cells, segments that could not be read.
void draw_missing(Lines& lines, std::size_t refused, std::size_t unreadable);

}  // namespace kymo::live
