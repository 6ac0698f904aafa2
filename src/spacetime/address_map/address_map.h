// The address space of each process over time, from the rows of a recording (docs/recording-format.md, "Areas").
#pragma once

#include "base/result.h"
#include "recording/reader.h"
#include "spacetime/address_map/area_span.h"
#include "spacetime/address_map/region_faults.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kymo::spacetime {

struct ProcessMap {
    std::uint32_t file = 0;  // index of Recording::files()
    std::uint64_t pid = 0;
    std::vector<AreaSpan> areas;          // by `seen`, then by address
    std::vector<std::uint64_t> readings;  // when the kernel's list was read, as far as rows tell; rising
    std::uint64_t outside_readings = 0;   // of them those of `kymo record`
    bool has_ended = false;               // false: it was killed, and what came after the last reading is not known
    // Of its monitor's readings; none: a process of an earlier monitor that was killed.
    struct Account {
        std::uint64_t readings = 0;
        std::uint64_t passed_over = 0;
        std::uint64_t lost = 0;
        bool operator==(const Account&) const = default;
    };
    std::optional<Account> account;
    // By what they were in; none: no page fault was sampled with its address.
    std::vector<RegionFaults> faults;

    // What was there at a time; nullptr: nothing, or not known.
    const AreaSpan* at(std::uint64_t address, std::uint64_t time) const;
};

struct AddressMap {
    std::vector<ProcessMap> processes;  // in the order of the recording's files; those without a row are left out
};

// One scan of each file. Error: the system cannot read a file. Rows that cannot be are left out.
Result<AddressMap> load_address_map(const recording::Recording& recording);

}  // namespace kymo::spacetime
