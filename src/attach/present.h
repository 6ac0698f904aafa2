// Processes that are there already, as the records that the kernel would have written had it been asked earlier.
#pragma once

#include "import/perf/visitor.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace kymo::attach {

// Its code, names and threads, all at `time`; for each thread that sleeps, the loss of its processor. Nothing if the
// process has ended or may not be read.
void show_present(pid_t process, std::uint64_t time, import::perf::Visitor& to,
                  const std::filesystem::path& proc = "/proc");

struct MapLine {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t offset = 0;
    std::uint64_t inode = 0;
    bool executable = false;
    std::string path;  // as in the line: empty for memory without a file
};

// Of the text of /proc/PID/maps. Lines that make no sense are passed over.
std::vector<MapLine> parse_maps(std::string_view text);

// The letter of a thread's state in the text of its `stat`; 0: none. A name may hold anything, parentheses too.
char parse_state(std::string_view text);

}  // namespace kymo::attach
