// What the processor itself says with samples: the branches that it took last, and the memory that an instruction
// used. Files of perf have it (`kymo import`). Their writer describes these tables where it has such rows.
#pragma once

#include "recording/schema.h"

#include <cstdint>

namespace kymo::recording {

// A branch instruction and one place that it went to, over all branch stacks of the file.
struct TakenBranch {
    std::uint64_t image = 0;
    std::uint64_t offset = 0;  // of the instruction
    std::uint64_t to_image = 0;
    std::uint64_t to_offset = 0;
    std::uint64_t taken = 0;         // times
    std::uint64_t judged = 0;        // of them, those of which the processor says whether it predicted them
    std::uint64_t mispredicted = 0;  // of these

    static constexpr const char* kTable = "taken-branch";
    static constexpr std::uint32_t kTableId = 68;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("image", ColumnType::kUint, "", &TakenBranch::image);
        visit("offset", ColumnType::kDelta, "address", &TakenBranch::offset);
        visit("to_image", ColumnType::kUint, "", &TakenBranch::to_image);
        visit("to_offset", ColumnType::kDelta, "address", &TakenBranch::to_offset);
        visit("taken", ColumnType::kUint, "", &TakenBranch::taken);
        visit("judged", ColumnType::kUint, "", &TakenBranch::judged);
        visit("mispredicted", ColumnType::kUint, "", &TakenBranch::mispredicted);
    }
};

// Code that ran from its first instruction to its last one, a branch that was taken, without any other in between;
// over all branch stacks of the file.
struct ExecutedRange {
    std::uint64_t image = 0;
    std::uint64_t first = 0;   // offset of its first instruction
    std::uint64_t last = 0;    // of its last one
    std::uint64_t count = 0;   // times
    std::uint64_t timed = 0;   // of them, those behind a branch that was predicted, with a number of cycles
    std::uint64_t cycles = 0;  // of these
    std::uint64_t late = 0;    // the same behind a mispredicted branch
    std::uint64_t late_cycles = 0;

    static constexpr const char* kTable = "executed-range";
    static constexpr std::uint32_t kTableId = 69;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("image", ColumnType::kUint, "", &ExecutedRange::image);
        visit("first", ColumnType::kDelta, "address", &ExecutedRange::first);
        visit("last", ColumnType::kDelta, "address", &ExecutedRange::last);
        visit("count", ColumnType::kUint, "", &ExecutedRange::count);
        visit("timed", ColumnType::kUint, "", &ExecutedRange::timed);
        visit("cycles", ColumnType::kUint, "", &ExecutedRange::cycles);
        visit("late", ColumnType::kUint, "", &ExecutedRange::late);
        visit("late_cycles", ColumnType::kUint, "", &ExecutedRange::late_cycles);
    }
};

// The account of both tables: one row a file, behind them.
struct BranchStacks {
    std::uint64_t stacks = 0;     // samples with branches
    std::uint64_t branches = 0;   // in them
    std::uint64_t elsewhere = 0;  // of them, from code that no image of the process has: the kernel's, generated code
    std::uint64_t unrelated = 0;  // stacks of selected branches alone, which have no ranges
    std::uint64_t broken = 0;     // ranges that cannot have run straight, and are in no row
    std::uint64_t without_room = 0;  // branches and ranges beyond the writer's limit

    static constexpr const char* kTable = "branch-stacks";
    static constexpr std::uint32_t kTableId = 70;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("stacks", ColumnType::kUint, "", &BranchStacks::stacks);
        visit("branches", ColumnType::kUint, "", &BranchStacks::branches);
        visit("elsewhere", ColumnType::kUint, "", &BranchStacks::elsewhere);
        visit("unrelated", ColumnType::kUint, "", &BranchStacks::unrelated);
        visit("broken", ColumnType::kUint, "", &BranchStacks::broken);
        visit("without_room", ColumnType::kUint, "", &BranchStacks::without_room);
    }
};

// The memory that the instruction of the stream's previous sample used.
struct MemoryAccess {
    std::uint64_t image = 0;   // of the instruction; 0: of none
    std::uint64_t offset = 0;  // of it in the image; of image 0: its address
    std::uint64_t address = 0;
    std::uint64_t source = 0;    // as perf_mem_data_src of linux/perf_event.h; 0: not known
    std::uint64_t weight = 0;    // of loads: what it took, in cycles; 0: not known
    std::uint64_t weight_2 = 0;  // what the processor's kind says
    std::uint64_t weight_3 = 0;
    std::uint64_t physical = 0;   // address; 0: not known
    std::uint64_t data_page = 0;  // size in bytes of the page that `address` is in; 0: not known
    std::uint64_t code_page = 0;  // the same of the instruction

    static constexpr const char* kTable = "memory-access";
    static constexpr std::uint32_t kTableId = 71;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("image", ColumnType::kUint, "", &MemoryAccess::image);
        visit("offset", ColumnType::kDelta, "address", &MemoryAccess::offset);
        visit("address", ColumnType::kDelta, "address", &MemoryAccess::address);
        visit("source", ColumnType::kUint, "", &MemoryAccess::source);
        visit("weight", ColumnType::kUint, "", &MemoryAccess::weight);
        visit("weight_2", ColumnType::kUint, "", &MemoryAccess::weight_2);
        visit("weight_3", ColumnType::kUint, "", &MemoryAccess::weight_3);
        visit("physical", ColumnType::kDelta, "address", &MemoryAccess::physical);
        visit("data_page", ColumnType::kUint, "", &MemoryAccess::data_page);
        visit("code_page", ColumnType::kUint, "", &MemoryAccess::code_page);
    }
};

// Calls visit.template operator()<Row>() for each of them.
template <typename V>
constexpr void for_each_processor_row(V&& visit) {
    visit.template operator()<TakenBranch>();
    visit.template operator()<ExecutedRange>();
    visit.template operator()<BranchStacks>();
    visit.template operator()<MemoryAccess>();
}

}  // namespace kymo::recording
