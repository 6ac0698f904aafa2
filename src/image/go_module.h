// Go's own description of a program (moduledata in its run time), as far as the function table needs it: where
// functions and their data are counted from.
//
// Stripping removes the symbol that names it. It is found by its contents: its first words are the addresses of the
// function table and of that table's parts, which nothing else has in that order.
//
// Contract: as for GoTable. Cost: one pass over the data, 8 bytes a nanosecond or so; of a position-independent file
// that is not relocated, up to kMostCandidates passes over its relocations.
#pragma once

#include "image/go_table.h"

#include <cstdint>
#include <span>

namespace kymo::image {

struct GoPiece {
    std::uint64_t offset = 0;  // image offset of the first byte
    std::span<const std::uint8_t> bytes;
};

struct GoProgram {
    GoPiece table;                   // .gopclntab
    std::span<const GoPiece> data;   // where the description may lie; searched in this order
    std::uint64_t relocated_by = 0;  // what the dynamic linker has added to addresses in them; 0: nothing
    // Relocations of a file whose addresses are not relocated (Elf64_Rela); empty: there are none.
    std::span<const std::uint8_t> relocations;
};

// Image offsets; 0: not known.
struct GoModule {
    std::uint64_t text = 0;           // what functions are counted from, since Go 1.18
    std::uint64_t function_data = 0;  // what GoTable::numbered_data() is counted from, since Go 1.18
};

// All 0 for older layouts, and where it is not found.
GoModule find_go_module(const GoProgram& program);

// The table with its functions' beginnings known. False: not understood. `module`, if not nullptr: what was found.
bool open_go_table(const GoProgram& program, GoTable* table, GoModule* module = nullptr);

}  // namespace kymo::image
