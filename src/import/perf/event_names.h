// Names of events that the file does not name.
#pragma once

#include <cstdint>
#include <string>

namespace kymo::import::perf {

// As perf itself has them where there is such a name: "cycles", "L1-dcache-load-misses", "r1c2" for raw ones; else
// "type:0xconfig".
std::string event_name(std::uint32_t type, std::uint64_t config);

}  // namespace kymo::import::perf
