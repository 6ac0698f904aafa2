// A cache line that several threads of a process use at different bytes (shared_lines.h).
#pragma once

#include <cstdint>
#include <vector>

namespace kymo::spacetime {

struct SharedLine {
    std::uint32_t process = 0;
    std::uint64_t address = 0;           // of its first byte
    std::uint32_t samples = 0;           // with operands there
    std::vector<std::uint32_t> threads;  // that use it, ascending
};

}  // namespace kymo::spacetime
