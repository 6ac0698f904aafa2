// An area of an address space over time.
#pragma once

#include "recording/tables/areas.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kymo::spacetime {

// One area as it was from one reading of the kernel's list to another. Times are when it was seen, on the recording's
// clock: a change lies between the reading before and `seen`.
struct AreaSpan {
    std::uint32_t number = 0;  // the process's: the same area grows, shrinks, changes its owner
    std::uint64_t seen = 0;
    std::optional<std::uint64_t> gone = {};  // none: it was there to the end
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    recording::AreaKind kind = recording::AreaKind::kAnonymous;
    std::uint64_t protection = 0;
    std::string path;
    std::optional<std::uint64_t> owner = {};  // number of the thread whose stack it is
    std::string behind = {};  // of anonymous memory: the file whose writable data ends where it begins
    bool operator==(const AreaSpan&) const = default;
};

// "heap", "stack of thread 4711", "anonymous memory", "libc.so.6" …
std::string area_name(const AreaSpan& area);

}  // namespace kymo::spacetime
