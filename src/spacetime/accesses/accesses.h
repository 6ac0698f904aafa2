// Memory that sampled instructions used, as the processor says it with samples (`perf mem record`): which code waited
// for which level of the memory, and which cache lines were used.
//
// Plain values: any thread may read them.
#pragma once

#include "program/symbols.h"
#include "spacetime/accesses/access_rows.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kymo::spacetime {

// A line of the source; without lines a function, or an instruction.
struct AccessPlace {
    program::SourcePlace place;
    std::string inlined_into;  // the function whose code that line is in; empty: that of `place`
    AccessesOfCode accesses;
};

struct UsedLine {
    std::uint32_t pid = 0;
    std::uint64_t address = 0;  // of its first byte
    AccessSum sum;
    std::uint64_t threads = 0;   // at most AccessRows::kMostThreads are distinguished
    program::SourcePlace place;  // of the first instruction that used it
};

struct MemoryAccesses {
    static constexpr std::size_t kMostKept = 200;  // of each list

    std::array<AccessSum, kMemoryLevels> levels{};
    AccessSum all;
    PageSizes data_pages;             // that the data were in; empty: not known
    PageSizes code_pages;             // that the instructions were in; likewise
    std::vector<AccessPlace> places;  // most cycles first, then most accesses
    std::vector<UsedLine> lines;      // most often modified by another core first, then most cycles
    std::size_t all_places = 0;       // before the lists were cut
    std::size_t all_lines = 0;
    std::uint64_t without_code = 0;  // accesses that are in no row of `places`, for there were too many
    std::uint64_t without_line = 0;

    bool is_known() const { return all.accesses != 0; }
};

// `files`: the rows of all files. Cost: looks up the names of all instructions in them.
MemoryAccesses make_memory_accesses(const std::vector<AccessRows>& files);

}  // namespace kymo::spacetime
