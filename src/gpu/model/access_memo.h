// Footprints and passes of accesses that have occurred before, so that they need not be computed again. If the
// lanes of two accesses have the same offsets from their first lanes, and these are at the same place of their
// lines, both touch the same sectors of different lines, and the same banks.
//
// The lanes' places are compared as the warp's code encodes them, without decoding. A few accesses are kept per
// static instruction, by the first lane's place in its line.
//
// Contract: one thread; exact, whatever the bytes. Memory: 6 KiB per instruction that accesses memory, for the
// first kMostInstructions of a program. Cost: 10 ns for a known access.
#pragma once

#include "gpu/model/coalesce.h"
#include "gpu/trace/warp_code.h"

#include <memory>
#include <vector>

namespace kymo::gpu {

class AccessMemo {
  public:
    static constexpr std::uint32_t kMostInstructions = 2048;

    // After the cursor's first_address(), which gave `first`: takes the cursor past the access and fills `out`.
    // False: the cursor is broken.
    bool footprint(WarpCursor& cursor, std::uint64_t first, unsigned bytes, Footprint& out);
    // Calls visit(line) for the lines that such an access will probably touch: those of the last one like it.
    template <typename Visit>
    void probable_lines(std::uint32_t instruction, std::uint64_t first, Visit visit) {
        visit(first / kLineBytes);
        const Entry* const known = entry(instruction, first);
        if (known != nullptr && known->kind == Entry::Kind::kFootprint) {
            for (unsigned i = 1; i < known->count; ++i) {
                visit(first / kLineBytes + static_cast<std::uint64_t>(std::int64_t{known->lines[i].difference}));
            }
        }
    }
    // The same for shared memory: passes, and the number of lanes on the busiest word (of atomics).
    struct Banks {
        std::uint16_t passes = 0;
        std::uint16_t most_on_one_word = 0;
    };
    bool banks(WarpCursor& cursor, std::uint64_t first, unsigned bytes, Banks& out);

  private:
    static constexpr unsigned kWays = 16;
    struct PackedLine {
        std::int32_t difference;  // to the first lane's line
        std::uint8_t sectors;
        std::uint8_t lanes;
    };
    struct Entry {
        enum class Kind : std::uint8_t { kNone, kFootprint, kBanks } kind = Kind::kNone;
        std::uint8_t place = 0;  // of the first lane in its line
        std::uint8_t count = 0;
        std::uint8_t sectors = 0;  // as in Footprint
        std::uint8_t most_at_one_place = 0;
        Banks banks;
        AccessShape shape;
        std::array<PackedLine, kWarpLanes> lines;
    };
    Entry* entry(std::uint32_t instruction, std::uint64_t first) {
        if (instruction >= entries_.size() || entries_[instruction] == nullptr) {
            return new_entry(instruction, first);
        }
        return &(*entries_[instruction])[way_of(first)];
    }
    Entry* new_entry(std::uint32_t instruction, std::uint64_t first);
    static std::size_t way_of(std::uint64_t first) { return first / (kLineBytes / kWays) % kWays; }
    static void keep(Entry& entry, std::uint64_t first, const Footprint& footprint);

    std::vector<std::unique_ptr<std::array<Entry, kWays>>> entries_;  // by static instruction
};

}  // namespace kymo::gpu
