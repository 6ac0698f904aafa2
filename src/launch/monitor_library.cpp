#include "launch/monitor_library.h"

#include "base/own_program.h"

#include <cstdlib>
#include <string>
#include <unistd.h>

namespace kymo::launch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "libkymo-monitor.so";

Result<fs::path> usable(const fs::path& path) {
    // ld.so(8): spaces and colons separate the list's entries, and neither can be escaped.
    if (path.string().find_first_of(" :\t\n") != std::string::npos) {
        return Error{ErrorKind::kUnsupported,
                     "the monitor's path contains a space or a colon, which LD_PRELOAD cannot name: " + path.string(),
                     "put Kymo into a directory without, or link to the library and set KYMO_MONITOR to the link"};
    }
    return path;
}

}  // namespace

Result<fs::path> find_monitor_library() {
    std::error_code error;
    if (const char* set = std::getenv("KYMO_MONITOR"); set != nullptr && *set != '\0') {
        const fs::path path = fs::absolute(set, error);
        if (access(path.c_str(), R_OK) != 0) {
            return Error{ErrorKind::kNotFound, "KYMO_MONITOR names no readable file: " + path.string(),
                         "unset KYMO_MONITOR, or set it to a " + std::string(kName)};
        }
        return usable(path);
    }
    const fs::path prefix = own_prefix();
    for (const char* folder :
         {"lib", "lib/kymo", "lib64/kymo", "lib/x86_64-linux-gnu/kymo", "lib/aarch64-linux-gnu/kymo"}) {
        const fs::path path = prefix / folder / kName;
        if (access(path.c_str(), R_OK) == 0) {
            return usable(path);
        }
    }
    return Error{ErrorKind::kNotFound,
                 "the monitor library " + std::string(kName) + " is not in " + (prefix / "lib").string(),
                 "install Kymo whole (make install), or set KYMO_MONITOR to the library's path"};
}

}  // namespace kymo::launch
