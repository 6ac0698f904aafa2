// What a data source of perf_event_open says: where the data of a load or store was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kymo::spacetime {

enum class MemoryLevel : std::uint8_t {
    kL1,
    kFillBuffer,  // on its way into L1, for an access before
    kL2,
    kL3,
    kOtherCache,   // L4, a cache that is not named
    kRemoteCache,  // of another socket
    kMemory,
    kRemoteMemory,
    kOther,    // uncached, persistent or far memory, a device
    kUnknown,  // the processor does not say
};
inline constexpr std::size_t kMemoryLevels = 10;

struct MemoryLevelInfo {
    std::string_view key;    // in JSON
    std::string_view words;  // "fill buffer"
};
const MemoryLevelInfo& info_of(MemoryLevel level);

struct DataSource {
    MemoryLevel level = MemoryLevel::kUnknown;
    bool is_load = false;
    bool is_store = false;
    bool is_modified_elsewhere = false;  // another core had it changed, and handed it over
    bool misses_tlb = false;             // the page's address was looked up in the page tables
    bool is_locked = false;
};

// `source`: as perf_mem_data_src; of any bits.
DataSource data_source(std::uint64_t source);

}  // namespace kymo::spacetime
