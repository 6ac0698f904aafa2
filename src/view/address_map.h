// The address space of each process over time: for a terminal, and as data (docs/json.md).
#pragma once

#include "spacetime/address_map/address_map.h"
#include "spacetime/profile/profile.h"
#include "view/text.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

// Times of one file of a recording, as times since the run's start.
class FileClock {
  public:
    FileClock(const spacetime::Profile& profile, std::uint32_t file);
    std::int64_t ns_since_start(std::uint64_t time) const {
        return static_cast<std::int64_t>(time - begin_) + shift_;
    }
    double since_start(std::uint64_t time) const;  // seconds

  private:
    std::uint64_t begin_;
    std::int64_t shift_ = 0;
};

// As the kernel writes it: "rw-p".
std::string access_text(std::uint64_t protection);

// "file", "heap", "stack", "shared", "kernel" or "anonymous".
std::string area_kind_key(const spacetime::AreaSpan& area);

// A table a process, of its largest areas; a line if nothing is known.
std::string terminal_address_map(const Style& style, const spacetime::Profile& profile,
                                 const spacetime::AddressMap& map, std::size_t top);

// The report's `address_map`.
nlohmann::ordered_json json_address_map(const spacetime::Profile& profile, const spacetime::AddressMap& map);

}  // namespace kymo::view
