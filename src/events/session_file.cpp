#include "events/session_file.h"

#include <fmt/format.h>

namespace kymo::events {
namespace {

const char* mode_name(Mode mode) {
    switch (mode) {
        case Mode::kPeriod:
            return "period";
        case Mode::kFrequency:
            return "frequency";
        case Mode::kCount:
            break;
    }
    return "count";
}

}  // namespace

Result<std::string> format_session(const Session& session) {
    std::string text = fmt::format(
        "kymo-session 1\npid {}\nsignal {}\nmax-bytes {}\nfollow {:d}\nmechanism {}\nread-lost {:d}\nown-switches "
        "{:d}\n",
        session.pid, session.signal, session.max_bytes, session.follow,
        session.mechanism == Mechanism::kPerfEvents ? "perf" : "timers", session.read_lost, session.own_switches);
    if (session.registers) {
        text += "registers 1\n";
    }
    if (session.operands) {
        text += "operands 1\n";
    }
    if (session.short_processes) {
        text += "short-processes 1\n";
    }
    if (session.rank) {
        text += fmt::format("rank {}\n", *session.rank);
    }
    if (session.tick_trigger) {
        text += "tick-trigger 1\n";
    }
    if (session.tick_ns != 0) {
        text += fmt::format("tick-ns {}\n", session.tick_ns);
    }
    if (session.kernel_ticks) {
        text += "kernel-ticks 1\n";
    }
    if (session.proc_device != 0) {
        text += fmt::format("proc-device {}\npid-namespace {}\n", session.proc_device, session.pid_namespace);
    }
    if (session.library[0] != '\0') {
        text += fmt::format("library {}\n", session.library);
    }
    if (session.cells[0] != '\0') {
        text += fmt::format("cells {}\n", session.cells);
    }
    if (session.channels[0] != '\0') {
        text += fmt::format("channels {}\n", session.channels);
    }
    for (std::uint32_t i = 0; i < session.event_count; ++i) {
        const SessionEvent& event = session.events[i];
        text += fmt::format("event {} {} {} {} {:#x} {:#x} {:#x} {:#x} {} {:d} {}\n", event.name,
                            event.nanoseconds ? "ns" : "-", mode_name(event.mode), event.value, event.type,
                            event.config, event.config1, event.config2, event.precise, event.user_only, event.group);
    }
    // A session that the monitor cannot read must not be written: it would record nothing, without a message.
    static thread_local Session check;
    if (parse_session(text, check) != SessionError::kNone || std::string_view(check.library) != session.library ||
        std::string_view(check.cells) != session.cells || std::string_view(check.channels) != session.channels ||
        check.event_count != session.event_count) {
        return Error{ErrorKind::kUsage,
                     "a name or path is too long or has a line break in it: " + std::string(session.library),
                     "use a directory and event names without line breaks"};
    }
    return text;
}

}  // namespace kymo::events
