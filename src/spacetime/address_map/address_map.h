// The address space of each process over time, from the rows of a recording (docs/recording-format.md, "Areas").
#pragma once

#include "base/result.h"
#include "recording/reader.h"
#include "recording/tables/areas.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

struct ProcessMap {
    std::uint32_t file = 0;  // index of Recording::files()
    std::uint64_t pid = 0;
    std::vector<AreaSpan> areas;          // by `seen`, then by address
    std::vector<std::uint64_t> readings;  // when the kernel's list was read, as far as rows tell; rising
    bool has_ended = false;               // false: it was killed, and what came after the last reading is not known
    // Of the readings; none: a process of an earlier monitor that was killed.
    struct Account {
        std::uint64_t readings = 0;
        std::uint64_t passed_over = 0;
        std::uint64_t lost = 0;
        bool operator==(const Account&) const = default;
    };
    std::optional<Account> account;

    // What was there at a time; nullptr: nothing, or not known.
    const AreaSpan* at(std::uint64_t address, std::uint64_t time) const;
};

struct AddressMap {
    std::vector<ProcessMap> processes;  // in the order of the recording's files; those without a row are left out
};

// "heap", "stack of thread 4711", "anonymous memory", "libc.so.6" …
std::string area_name(const AreaSpan& area);

// One scan of each file. Error: the system cannot read a file. Rows that cannot be are left out.
Result<AddressMap> load_address_map(const recording::Recording& recording);

}  // namespace kymo::spacetime
