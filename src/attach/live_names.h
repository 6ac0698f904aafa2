// Where processes that run leave the names of their just-in-time compiled code: perf-PID.map in their own /tmp, with
// the number that they have in their own pid namespace.
#pragma once

#include "base/descriptor.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <sys/types.h>

namespace kymo::attach {

// What the text of /proc/PID/status says of a process.
struct OwnNumbers {
    std::uint32_t pid = 0;  // in the innermost pid namespace
    uid_t user = 0;         // the effective one
};
// None: it is no such text.
std::optional<OwnNumbers> parse_status(std::string_view text);

class LiveNames {
  public:
    static constexpr std::size_t kMostKept = 4096;  // processes; of more, files are looked for in this one's /tmp

    explicit LiveNames(std::filesystem::path proc = "/proc") : proc_(std::move(proc)) {}

    // Keeps the process's /tmp open: when the names are read it may have ended. Cost: a descriptor.
    void prepare(std::uint32_t pid);
    // Once for each process, as late as possible: programs write names as they compile. Of a process that was not
    // prepared, the map in this process's own /tmp. Empty: there is none that can be trusted
    // (import::open_perf_map()).
    Descriptor open(std::uint32_t pid);

  private:
    struct Place {
        Descriptor tmp;
        OwnNumbers own;
    };
    std::filesystem::path proc_;
    std::map<std::uint32_t, Place> places_;
};

}  // namespace kymo::attach
