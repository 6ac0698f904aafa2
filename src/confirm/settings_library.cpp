#include "confirm/settings_library.h"

#include "launch/monitor_library.h"

#include <unistd.h>

namespace kymo::confirm {

Result<std::filesystem::path> settings_library() {
    const auto monitor = launch::find_monitor_library();
    if (!monitor) {
        return monitor.error();
    }
    const std::filesystem::path path = monitor->parent_path() / "libkymo-settings.so";
    if (access(path.c_str(), R_OK) != 0) {
        return Error{ErrorKind::kNotFound, "there is no " + path.string(), "install Kymo whole (make install)"};
    }
    return path;
}

}  // namespace kymo::confirm
