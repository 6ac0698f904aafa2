#include "launch/run/session_file.h"

#include "base/namespaces/pid_namespace.h"
#include "events/session_file.h"
#include "launch/finish.h"
#include "launch/private_file.h"

#include <csignal>
#include <cstring>
#include <unistd.h>

namespace kymo::launch {
namespace {

void fill_session(events::Session& session, const RunScene& scene) {
    const RecordOptions& options = scene.settled.options;
    session.pid = static_cast<std::uint32_t>(scene.program);
    session.signal = static_cast<std::uint32_t>(options.signal != 0                ? options.signal
                                                : scene.settled.program.go_runtime ? SIGPROF
                                                                                   : SIGURG);
    session.max_bytes = options.max_bytes;
    session.follow = options.follow;
    session.registers = options.registers == Registers::kAll;
    session.operands = options.registers != Registers::kNone;
    // Ranks share a folder, possibly over a network.
    session.short_processes =
        options.follow && !scene.settled.job && !options.is_about_every_process && !options.from_outside;
    if (scene.settled.job) {
        session.rank = scene.settled.job->rank;
    }
    if (number_behind_link("/proc/self", "") == static_cast<std::uint64_t>(getpid())) {
        session.proc_device = proc_device();
        session.pid_namespace = own_pid_namespace();
    }
    if (options.cells.native().size() < sizeof session.cells) {
        std::memcpy(session.cells, options.cells.c_str(), options.cells.native().size() + 1);
    }
    if (options.channels.native().size() < sizeof session.channels) {
        std::memcpy(session.channels, options.channels.c_str(), options.channels.native().size() + 1);
    }
}

}  // namespace

Result<void> SessionFile::started(RunScene& scene) {
    events::Session& session = scene.settled.plan.session;
    fill_session(session, scene);
    const std::string library = scene.settled.monitor.string();
    if (library.size() >= sizeof session.library) {
        return Error{ErrorKind::kUsage, "the monitor's path is too long", "put Kymo into another directory"};
    }
    std::memcpy(session.library, library.c_str(), library.size() + 1);
    const auto text = events::format_session(session);
    if (!text) {
        return text.error();
    }
    const std::string name = session_file(scene.settled.job);
    scene.temporary.push_back(name);
    return write_private(scene.folder, name, *text);
}

}  // namespace kymo::launch
