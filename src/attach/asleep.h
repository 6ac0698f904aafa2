// Where a thread sleeps that has slept since before the recording: its system call and its stack, as /proc shows
// them.
#pragma once

#include "import/paths/sample_paths.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <sys/types.h>

namespace kymo::attach {

enum class AsleepEnd {
    kRead,
    kAwake,     // it runs, has ended, or woke while it was read
    kNotACall,  // it sleeps elsewhere in the kernel, as for a page
    kRefused,   // this user may not read it
};

struct Asleep {
    AsleepEnd end{};
    import::Sleeper sleeper;  // where end is kRead
};

// Neither stops the thread nor wakes it. Cost: three reads and a copy of `stack_bytes`.
Asleep read_asleep(pid_t process, pid_t thread, std::uint32_t stack_bytes,
                   const std::filesystem::path& proc = "/proc");

// Of the text of /proc/PID/task/TID/syscall. None: the thread runs, or is in no system call.
std::optional<import::Sleeper> parse_call(std::string_view text);

}  // namespace kymo::attach
