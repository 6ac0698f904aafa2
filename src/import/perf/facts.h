// What a perf.data file says about itself and the machine that it was made on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kymo::import::perf {

struct BuildId {
    std::string path;  // "[kernel.kallsyms]" and the like for the kernel
    std::vector<std::uint8_t> bytes;
    bool kernel = false;  // the kernel or one of its modules, also of a guest
};

// A moment on the samples' clock and the wall clock at it.
struct WallClock {
    std::int32_t clockid = 0;
    std::uint64_t clock_ns = 0;
    std::uint64_t wall_ns = 0;  // since 1970
};

// Empty or 0: the file does not say.
struct FileFacts {
    std::string hostname;
    std::string os_release;
    std::string arch;  // as of uname -m
    std::string perf_version;
    std::string cpu_description;
    std::string cpu_id;
    std::uint32_t processors_online = 0;
    std::uint32_t processors_available = 0;
    std::uint64_t memory_kib = 0;
    std::vector<std::string> command_line;  // of perf itself
    std::vector<BuildId> build_ids;
    std::optional<std::uint64_t> clock_resolution_ns;
    std::optional<WallClock> wall_clock;
    std::vector<std::string> features;  // their names as of perf: "HOSTNAME", …
    bool swapped = false;               // of the other byte order than this machine's
    bool big_endian = false;
    bool pipe_mode = false;  // written to a pipe
    bool compressed = false;
    std::uint64_t records = 0;     // delivered to the visitor
    std::uint64_t samples = 0;     // of them
    std::uint64_t first_time = 0;  // of the samples
    std::uint64_t last_time = 0;
    std::vector<std::string> notices;  // what is missing or was left out; each one line without a full stop
};

}  // namespace kymo::import::perf
