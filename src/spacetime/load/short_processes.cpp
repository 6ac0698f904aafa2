#include "spacetime/load/short_processes.h"

#include "spacetime/load/arguments.h"
#include "spacetime/load/numbers.h"

#include <algorithm>

namespace kymo::spacetime {

namespace rec = recording;

FileData file_of(const rec::ShortProcess& row, const FileData& shared) {
    FileData file;
    file.name = shared.name;
    file.is_short = true;
    file.machine = shared.machine;
    file.has_process = true;
    set_pid(&file, row.pid, row.kernel_pid);
    file.parent_pid = row.parent_pid;
    file.begin = row.time;
    file.executable = std::string(row.executable);
    file.command = split_arguments(row.command);
    file.has_ended = true;
    file.totals.assign(row.totals.begin(), row.totals.end());
    file.events = shared.events;

    StreamData stream;
    stream.id = 1;
    stream.tid = file.pid;
    stream.own_tid = row.pid;
    stream.name = file.executable.substr(file.executable.rfind('/') + 1);
    stream.begin = row.time;
    stream.end = stream.end_time = std::max(row.time, row.end);
    stream.is_known = stream.has_ended = true;
    stream.totals = file.totals;
    stream.kernel_switches = {.voluntary = row.voluntary, .involuntary = row.involuntary};
    stream.quality.kernel_user_ns = row.user_ns;
    stream.quality.kernel_system_ns = row.system_ns;
    const std::size_t kinds = std::min({row.wait_kinds.size(), row.wait_counts.size(), row.wait_durations.size()});
    for (std::size_t i = 0; i < kinds; ++i) {
        if (is_wait_kind(row.wait_kinds[i])) {
            stream.brief_waits[static_cast<rec::WaitKind>(row.wait_kinds[i])] +=
                {.ns = static_cast<std::int64_t>(row.wait_durations[i]), .count = row.wait_counts[i]};
        }
    }
    file.streams.emplace(stream.id, std::move(stream));
    return file;
}

void split_by_usage(FileData* process) {
    for (auto& [id, stream] : process->streams) {
        const Quality& quality = stream.quality;
        const double known =
            static_cast<double>(quality.kernel_user_ns) + static_cast<double>(quality.kernel_system_ns);
        const auto all = static_cast<double>(stream.unsampled[kUser] + stream.unsampled[kSystem]);
        if (known <= 0 || all <= 0) {
            continue;
        }
        const auto system = static_cast<std::int64_t>(all * static_cast<double>(quality.kernel_system_ns) / known);
        const std::int64_t more = std::max(std::int64_t{0}, system - stream.unsampled[kSystem]);
        stream.unsampled[kUser] -= more;
        stream.unsampled[kSystem] += more;
    }
}

}  // namespace kymo::spacetime
