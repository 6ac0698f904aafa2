// Data sources as kernels of all ages and processors write them.
#include "spacetime/accesses/memory_level.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kLoadHit = PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT);

constexpr std::uint64_t number(std::uint64_t level, bool is_remote = false) {
    return PERF_MEM_S(OP, LOAD) | level << PERF_MEM_LVLNUM_SHIFT |
           (is_remote ? PERF_MEM_S(REMOTE, REMOTE) : std::uint64_t{0});
}

TEST(DataSource, HasTheLevelByItsNumber) {
    EXPECT_EQ(data_source(number(PERF_MEM_LVLNUM_L1)).level, MemoryLevel::kL1);
    EXPECT_EQ(data_source(number(PERF_MEM_LVLNUM_LFB)).level, MemoryLevel::kFillBuffer);
    EXPECT_EQ(data_source(number(PERF_MEM_LVLNUM_L2)).level, MemoryLevel::kL2);
    EXPECT_EQ(data_source(number(PERF_MEM_LVLNUM_L3)).level, MemoryLevel::kL3);
    EXPECT_EQ(data_source(number(PERF_MEM_LVLNUM_L3, true)).level, MemoryLevel::kRemoteCache);
    EXPECT_EQ(data_source(number(PERF_MEM_LVLNUM_ANY_CACHE)).level, MemoryLevel::kOtherCache);
    EXPECT_EQ(data_source(number(PERF_MEM_LVLNUM_ANY_CACHE, true)).level, MemoryLevel::kRemoteCache);
    EXPECT_EQ(data_source(number(PERF_MEM_LVLNUM_RAM)).level, MemoryLevel::kMemory);
    EXPECT_EQ(data_source(number(PERF_MEM_LVLNUM_RAM, true)).level, MemoryLevel::kRemoteMemory);
    EXPECT_EQ(data_source(number(PERF_MEM_LVLNUM_PMEM)).level, MemoryLevel::kOther);
    EXPECT_EQ(data_source(number(PERF_MEM_LVLNUM_NA)).level, MemoryLevel::kUnknown);
}

TEST(DataSource, HasTheLevelByOlderBits) {
    EXPECT_EQ(data_source(kLoadHit | PERF_MEM_S(LVL, L1)).level, MemoryLevel::kL1);
    EXPECT_EQ(data_source(kLoadHit | PERF_MEM_S(LVL, LFB)).level, MemoryLevel::kFillBuffer);
    EXPECT_EQ(data_source(kLoadHit | PERF_MEM_S(LVL, L3)).level, MemoryLevel::kL3);
    EXPECT_EQ(data_source(kLoadHit | PERF_MEM_S(LVL, LOC_RAM)).level, MemoryLevel::kMemory);
    EXPECT_EQ(data_source(kLoadHit | PERF_MEM_S(LVL, REM_RAM1)).level, MemoryLevel::kRemoteMemory);
    EXPECT_EQ(data_source(kLoadHit | PERF_MEM_S(LVL, REM_CCE2)).level, MemoryLevel::kRemoteCache);
    EXPECT_EQ(data_source(kLoadHit | PERF_MEM_S(LVL, UNC)).level, MemoryLevel::kOther);
    // Of a miss it is not known where the data was.
    EXPECT_EQ(data_source(PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVL, MISS)).level,
              MemoryLevel::kUnknown);
    EXPECT_EQ(data_source(number(PERF_MEM_LVLNUM_L1) | PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVL, MISS)).level,
              MemoryLevel::kUnknown);
    EXPECT_EQ(data_source(0).level, MemoryLevel::kUnknown);
}

TEST(DataSource, HasTheRest) {
    const DataSource load = data_source(PERF_MEM_S(OP, LOAD) | PERF_MEM_S(SNOOP, HITM) | PERF_MEM_S(TLB, MISS));
    EXPECT_TRUE(load.is_load);
    EXPECT_FALSE(load.is_store);
    EXPECT_TRUE(load.is_modified_elsewhere);
    EXPECT_TRUE(load.misses_tlb);
    EXPECT_FALSE(load.is_locked);
    const DataSource store = data_source(PERF_MEM_S(OP, STORE) | PERF_MEM_S(SNOOP, HIT) | PERF_MEM_S(LOCK, LOCKED));
    EXPECT_TRUE(store.is_store);
    EXPECT_FALSE(store.is_modified_elsewhere);
    EXPECT_TRUE(store.is_locked);
    EXPECT_FALSE(data_source(PERF_MEM_S(OP, NA)).is_load);
    data_source(~std::uint64_t{0});
}

}  // namespace
}  // namespace kymo::spacetime
