#include "spacetime/accesses/memory_level.h"

#include <array>

namespace kymo::spacetime {
namespace {

constexpr std::array<MemoryLevelInfo, kMemoryLevels> kLevelInfos{{{"l1", "L1"},
                                                                  {"fill_buffer", "fill buffer"},
                                                                  {"l2", "L2"},
                                                                  {"l3", "L3"},
                                                                  {"other_cache", "other cache"},
                                                                  {"remote_cache", "remote cache"},
                                                                  {"memory", "memory"},
                                                                  {"remote_memory", "remote memory"},
                                                                  {"other", "other memory"},
                                                                  {"unknown", "not told"}}};

// The fields of perf_mem_data_src: first bit and number of bits. Newer headers have more of their values than older
// ones, so all are here.
constexpr unsigned field(std::uint64_t source, unsigned first, unsigned bits) {
    return static_cast<unsigned>(source >> first & ((std::uint64_t{1} << bits) - 1));
}

enum LevelNumber : unsigned {
    kNumberL1 = 1,
    kNumberL2 = 2,
    kNumberL3 = 3,
    kNumberL4 = 4,
    kNumberL2Miss = 5,  // on its way into L2
    kNumberMemorySide = 6,
    kNumberUncached = 8,
    kNumberFar = 9,
    kNumberDevice = 10,
    kNumberAnyCache = 11,
    kNumberFillBuffer = 12,
    kNumberMemory = 13,
    kNumberPersistent = 14,
};

// The older bits for levels.
enum LevelBit : unsigned {
    kBitHit = 0x2,
    kBitMiss = 0x4,
    kBitL1 = 0x8,
    kBitFillBuffer = 0x10,
    kBitL2 = 0x20,
    kBitL3 = 0x40,
    kBitMemory = 0x80,
    kBitsRemoteMemory = 0x300,
    kBitsRemoteCache = 0xc00,
    kBitsOther = 0x3000,
};

// A miss says where the data was not.
MemoryLevel level_of_bits(unsigned bits) {
    if ((bits & kBitHit) == 0) {
        return MemoryLevel::kUnknown;
    }
    return (bits & kBitL1) != 0              ? MemoryLevel::kL1
           : (bits & kBitFillBuffer) != 0    ? MemoryLevel::kFillBuffer
           : (bits & kBitL2) != 0            ? MemoryLevel::kL2
           : (bits & kBitL3) != 0            ? MemoryLevel::kL3
           : (bits & kBitsRemoteCache) != 0  ? MemoryLevel::kRemoteCache
           : (bits & kBitMemory) != 0        ? MemoryLevel::kMemory
           : (bits & kBitsRemoteMemory) != 0 ? MemoryLevel::kRemoteMemory
           : (bits & kBitsOther) != 0        ? MemoryLevel::kOther
                                             : MemoryLevel::kUnknown;
}

MemoryLevel level_of(unsigned number, bool is_remote, unsigned bits) {
    switch (number) {
        case kNumberL1:
            return (bits & kBitMiss) != 0 ? MemoryLevel::kUnknown : MemoryLevel::kL1;
        case kNumberFillBuffer:
            return MemoryLevel::kFillBuffer;
        case kNumberL2:
        case kNumberL2Miss:
            return is_remote ? MemoryLevel::kRemoteCache : MemoryLevel::kL2;
        case kNumberL3:
            return is_remote ? MemoryLevel::kRemoteCache : MemoryLevel::kL3;
        case kNumberL4:
        case kNumberAnyCache:
            return is_remote ? MemoryLevel::kRemoteCache : MemoryLevel::kOtherCache;
        case kNumberMemory:
            return is_remote ? MemoryLevel::kRemoteMemory : MemoryLevel::kMemory;
        case kNumberMemorySide:
        case kNumberUncached:
        case kNumberFar:
        case kNumberDevice:
        case kNumberPersistent:
            return MemoryLevel::kOther;
        default:
            return level_of_bits(bits);
    }
}

}  // namespace

const MemoryLevelInfo& info_of(MemoryLevel level) {
    return kLevelInfos.at(static_cast<std::size_t>(level));
}

DataSource data_source(std::uint64_t source) {
    constexpr unsigned kLoad = 2;
    constexpr unsigned kStore = 4;
    constexpr unsigned kModified = 0x10;  // of the snoop
    constexpr unsigned kPeer = 2;         // of its extension: from a neighbour
    constexpr unsigned kTlbMiss = 4;
    constexpr unsigned kLocked = 2;
    const unsigned operation = field(source, 0, 5);
    return {.level = level_of(field(source, 33, 4), field(source, 37, 1) != 0, field(source, 5, 14)),
            .is_load = (operation & kLoad) != 0,
            .is_store = (operation & kStore) != 0,
            .is_modified_elsewhere = (field(source, 19, 5) & kModified) != 0 || (field(source, 38, 2) & kPeer) != 0,
            .misses_tlb = (field(source, 26, 7) & kTlbMiss) != 0,
            .is_locked = (field(source, 24, 2) & kLocked) != 0};
}

}  // namespace kymo::spacetime
