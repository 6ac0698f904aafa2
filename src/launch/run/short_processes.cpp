#include "launch/run/short_processes.h"

#include "base/native.h"
#include "events/event_rows.h"
#include "image/program_facts.h"
#include "launch/run_log.h"
#include "recording/pack.h"
#include "recording/reader.h"
#include "recording/tables.h"
#include "recording/writer.h"

#include <cstring>
#include <set>
#include <unistd.h>
#include <utility>

namespace kymo::launch {

namespace {

Result<void> make_short_processes(const recording::Folder& folder, const events::Session& session) {
    const std::string name = events::kShortProcesses;
    recording::FileWriter file;
    recording::FileOptions options;
    options.machine = processor::kMachine;
    options.pid = static_cast<std::uint32_t>(getpid());
    options.producer = kProducer;
    if (const int error = file.create(folder.reach(name).c_str(), options); error != 0) {
        return Error{
            error == ENOSPC || error == EDQUOT || error == EFBIG ? ErrorKind::kNoSpace : ErrorKind::kInternal,
            (folder.path() / name).string() + " cannot be made: " + std::strerror(error),
            "free some space, or use -o with another directory"};
    }
    recording::StreamWriter rows;
    rows.open(file, StreamId{0});
    recording::write_schema<recording::Event>(rows);
    recording::write_schema<recording::ShortProcess>(rows);
    events::for_each_event_row<recording::Event>(session, [&](const recording::Event& row) { rows.append(row); });
    rows.release();
    const bool written = rows.unwritten() == 0;
    if (file.close() != 0 || !written) {
        folder.remove(name);
        return Error{ErrorKind::kNoSpace, (folder.path() / name).string() + " cannot be written",
                     "free some space, or use -o with another directory"};
    }
    if (auto packed = recording::pack_file(folder, name); !packed) {
        folder.remove(name);
        return packed.error();
    }
    return {};
}

}  // namespace

Result<void> ShortProcesses::started(RunScene& scene) {
    const events::Session& session = scene.settled.plan.session;
    return session.short_processes ? make_short_processes(scene.folder, session) : Result<void>();
}

std::uint64_t finish_short_processes(const recording::Folder& folder) {
    const auto file = recording::File::open(folder, events::kShortProcesses);
    if (!file) {
        return 0;
    }
    std::set<std::pair<std::uint64_t, std::uint64_t>> processes;
    const auto report = file->scan(recording::on<recording::ShortProcess>(
        [&](StreamId, const recording::ShortProcess& row) { processes.emplace(row.pid, row.time); }));
    if (report && processes.empty() && report->damages == 0) {
        folder.remove(events::kShortProcesses);
    }
    return processes.size();
}

}  // namespace kymo::launch
