// The launcher's plan, which the monitor applies: which functions of which images have hooks, the rewritten first
// instructions, and the steps. One binary file beside the session; little-endian, laid over memory:
//
//     PlanHeader   PlanImage[]   PlanEntry[]   PlanImport[]   PlanPoint[]   cells::Step[]   cells::Load[]   text
//
// Contract: find_plan() checks everything once (counts, ranges, steps) and refuses an invalid file as a whole; its
// result may then be used without further checks. No malloc; the bytes must outlive it. Both sides are of one
// build of Kymo: another version is refused.
#pragma once

#include "cells/actions.h"
#include "cells/data.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::hooks {

inline constexpr const char* kPlanFile = "hooks";
inline constexpr std::uint64_t kMaxPlanBytes = 256ULL << 20U;
inline constexpr std::uint32_t kMaxHooks = 1U << 20U;
inline constexpr char kPlanMagic[8] = {'K', 'Y', 'M', 'O', 'H', 'O', 'O', 'K'};
inline constexpr std::uint32_t kPlanVersion = 4;

struct PlanHeader {
    char magic[8];
    std::uint32_t version;
    std::uint32_t images;
    std::uint32_t entries;
    std::uint32_t imports;
    std::uint32_t points;
    std::uint32_t steps;
    std::uint32_t text_bytes;
    std::uint32_t loads;
};
static_assert(sizeof(PlanHeader) == 40);

struct PlanText {
    std::uint32_t begin;  // in the file's text
    std::uint32_t bytes;
};

// Has entries, or data that is read.
struct PlanImage {
    PlanText path;                 // absolute; identifies the image if it has no build id
    std::uint8_t build_id[32];     // raw
    std::uint32_t build_id_bytes;  // 0: none
    std::uint32_t first_entry;
    std::uint32_t entries;
    std::uint32_t reserved;
};
static_assert(sizeof(PlanImage) == 56);

enum class FixupKind : std::uint8_t {
    kDistance = 0,  // from the end of the instruction
    kLow = 1,       // the address's lower half
    kHigh = 2,      // its upper half
};

// Four bytes in the moved code that refer to an address of the image.
struct PlanFixup {
    std::uint64_t target;  // image offset
    std::uint8_t at;       // in `moved`
    std::uint8_t end;      // in `moved`: of the instruction
    FixupKind kind;
    std::uint8_t reserved[5];
};
static_assert(sizeof(PlanFixup) == 16);

inline constexpr unsigned kJumpBytes = 5;     // of the jump that a hook puts at a function's entry
inline constexpr unsigned kMaxOriginal = 20;  // whole instructions, the last beginning in the jump's last byte
inline constexpr unsigned kMaxMoved = 48;
inline constexpr unsigned kMaxInstructions = 5;
inline constexpr std::uint32_t kMaxCounted = 64;  // functions of which occurrences are wanted

// A function's entry, or a place inside one: the instructions there move, and a jump takes their place.
struct PlanEntry {
    std::uint64_t offset;  // in the image
    std::uint32_t point;
    std::uint8_t original_bytes;  // at least kJumpBytes: the expected bytes at `offset`
    std::uint8_t moved_bytes;     // 0: nothing needs to run (padding for patches)
    std::uint8_t instructions;    // moved
    std::uint8_t fixups;
    std::uint8_t original[kMaxOriginal];
    std::uint8_t original_at[kMaxInstructions];  // where each moved instruction was, in `original`
    std::uint8_t moved_at[kMaxInstructions];     // and where it is in `moved`
    std::uint8_t moved[kMaxMoved];
    std::uint8_t ends_in_call;  // the last one is a call, made of several (x86_64/relocate.cpp)
    std::uint8_t is_place;      // not an entry: flags and what is below the stack pointer count; nothing is followed
    PlanFixup fixup[kMaxInstructions];
};
static_assert(sizeof(PlanEntry) == 16 + kMaxOriginal + 10 + kMaxMoved + 2 + 16 * kMaxInstructions);

// A function that is hooked in the linkage tables of all images that call it.
struct PlanImport {
    PlanText symbol;
    std::uint32_t point;
    std::uint32_t reserved;
};

// The steps at a function.
struct PlanPoint {
    std::uint32_t first_entry;  // steps
    std::uint32_t entry_steps;
    std::uint32_t first_exit;
    std::uint32_t exit_steps;
    std::uint32_t calls;  // a number from 1: its occurrences are recorded (guest/thread_calls.h); 0: not
    std::uint32_t reserved;
};
static_assert(sizeof(PlanPoint) == 24);

struct Plan {
    std::span<const PlanImage> images;
    std::span<const PlanEntry> entries;
    std::span<const PlanImport> imports;
    std::span<const PlanPoint> points;
    std::span<const cells::Step> steps;
    std::span<const cells::Load> loads;  // of the program's data
    std::string_view text;

    std::string_view text_of(PlanText piece) const { return {text.data() + piece.begin, piece.bytes}; }
    std::span<const PlanEntry> entries_of(const PlanImage& image) const {
        return entries.subspan(image.first_entry, image.entries);
    }
};

// False: not a plan, another version's, or a damaged one. `bytes` are aligned to 8.
bool find_plan(std::span<const std::uint8_t> bytes, Plan* plan);

}  // namespace kymo::hooks
