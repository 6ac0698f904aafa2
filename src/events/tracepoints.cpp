#include "events/tracepoints.h"

#include "events/generic.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <linux/perf_event.h>
#include <unistd.h>

namespace kymo::events {

namespace fs = std::filesystem;

std::vector<fs::path> tracing_folders() {
    return {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
}

bool is_tracepoint_form(std::string_view name) {
    const auto is_word = [](std::string_view word) {
        return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
            return std::isalnum(c) != 0 || c == '_' || c == '-';
        });
    };
    const std::size_t colon = name.find(':');
    return colon != std::string_view::npos && is_word(name.substr(0, colon)) && is_word(name.substr(colon + 1));
}

Result<SessionEvent> tracepoint_event(std::string_view name, const std::vector<fs::path>& folders) {
    const std::size_t colon = name.find(':');
    const std::string system(name.substr(0, colon));
    const std::string event_name(name.substr(colon + 1));
    bool readable = false;
    bool barred = false;
    for (const fs::path& folder : folders) {
        const fs::path file = folder / "events" / system / event_name / "id";
        std::uint64_t id = 0;
        if (std::ifstream(file) >> id) {
            SessionEvent event;
            set_name(event, name);
            event.type = PERF_TYPE_TRACEPOINT;
            event.config = id;
            return event;
        }
        // Check the events folder itself, to distinguish "no such tracepoint" from missing permission.
        if (access((folder / "events").c_str(), R_OK | X_OK) == 0 && access(file.c_str(), F_OK) != 0 &&
            errno == ENOENT) {
            readable = true;
        } else if (access((folder / "events").c_str(), F_OK) == 0 || errno == EACCES) {
            barred = true;
        }
    }
    if (readable) {
        return Error{ErrorKind::kUnknownEvent, "no such event: there is no tracepoint " + std::string(name),
                     "list them with: sudo ls /sys/kernel/tracing/events/" + system};
    }
    if (barred) {
        return Error{ErrorKind::kPermission, "tracepoint " + std::string(name) + ": not permitted to read tracefs",
                     "run as root, or: sudo mount -o remount,mode=755 /sys/kernel/tracing"};
    }
    return Error{ErrorKind::kUnsupported, "tracepoint " + std::string(name) + ": tracefs is not mounted",
                 "sudo mount -t tracefs nodev /sys/kernel/tracing"};
}

}  // namespace kymo::events
