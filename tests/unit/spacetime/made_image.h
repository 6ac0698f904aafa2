// Shared objects made by hand, byte by byte: code, symbols and, where wanted, DWARF functions and a line table, for
// any ELF machine. File offsets are addresses. (Target kymo_made_recording.)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kymo::testing {

struct MadeLine {
    std::uint64_t offset = 0;  // in the function
    std::uint32_t line = 0;
};

struct ImageFunction {
    std::string name;
    std::uint64_t address = 0;
    std::vector<std::uint8_t> code;
    std::vector<MadeLine> lines = {};  // by offset; the first at 0
};

// `functions`: by address, the first at 0x1000 or behind, each ending before the next one begins. `source`: the path
// that the lines belong to; empty: no debug information.
std::vector<std::uint8_t> make_image(std::uint16_t machine, const std::vector<ImageFunction>& functions,
                                     const std::string& source = {});

}  // namespace kymo::testing
