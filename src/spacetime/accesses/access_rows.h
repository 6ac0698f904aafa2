// A recording's rows about memory accesses, added up as they are read. See recording/tables/processor.h.
#pragma once

#include "recording/handlers.h"
#include "recording/tables/processor.h"
#include "spacetime/accesses/memory_level.h"
#include "spacetime/load/images.h"
#include "team/members.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace kymo::spacetime {

inline constexpr std::uint64_t kAccessLineBytes = 64;

// So many sampled accesses of one kind.
struct AccessSum {
    std::uint64_t accesses = 0;
    std::uint64_t loads = 0;
    std::uint64_t stores = 0;
    std::uint64_t modified_elsewhere = 0;
    std::uint64_t tlb_misses = 0;
    std::uint64_t timed = 0;   // loads of which the processor says what they took
    std::uint64_t cycles = 0;  // of these

    AccessSum& operator+=(const AccessSum& other);
};

// Accesses by the size of a page in bytes, where the processor's kernel says it: a power of two up to kMostPage, so
// that there are few.
struct PageSum {
    std::uint64_t accesses = 0;
    std::uint64_t tlb_misses = 0;
};
using PageSizes = std::map<std::uint64_t, PageSum>;
inline constexpr std::uint64_t kLeastPage = std::uint64_t{1} << 10U;
inline constexpr std::uint64_t kMostPage = std::uint64_t{1} << 40U;
void add_pages(PageSizes& to, const PageSizes& from);

struct AccessesOfCode {
    std::array<AccessSum, kMemoryLevels> levels{};
    PageSizes data_pages;
    AccessSum all() const;
};

struct AccessesOfLine {
    AccessSum sum;
    std::set<std::uint32_t> threads;                     // streams: the first kMostThreads
    std::pair<std::uint64_t, std::uint64_t> first_code;  // image and offset of the first instruction that used it
};

// One file's. A reader of rows (recording/handlers.h).
struct AccessRows {
    static constexpr std::size_t kMostCode = std::size_t{1} << 17U;   // instructions
    static constexpr std::size_t kMostLines = std::size_t{1} << 17U;  // cache lines
    static constexpr std::size_t kMostThreads = 64;                   // of a line

    void read_from(const recording::File& file, recording::Handlers& handlers);
    void end(const recording::ScanReport& report);
    void add(std::uint32_t stream, const recording::MemoryAccess& row);

    std::uint32_t pid = 0;
    std::map<std::uint64_t, ImageInfo> images;  // by number; empty where the file has no accesses
    std::map<std::pair<std::uint64_t, std::uint64_t>, AccessesOfCode> code;  // by image and offset
    std::map<std::uint64_t, AccessesOfLine> lines;                           // by address / kAccessLineBytes
    std::array<AccessSum, kMemoryLevels> levels{};                           // of all
    PageSizes data_pages;                                                    // of all
    PageSizes code_pages;                                                    // of their instructions
    std::uint64_t without_code = 0;                                          // accesses beyond kMostCode
    std::uint64_t without_line = 0;                                          // beyond kMostLines
};

}  // namespace kymo::spacetime
