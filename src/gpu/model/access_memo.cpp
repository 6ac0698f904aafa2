#include "gpu/model/access_memo.h"

#include "gpu/model/bank_conflicts.h"

#include <limits>

namespace kymo::gpu {

// Null: no space for this instruction.
AccessMemo::Entry* AccessMemo::new_entry(std::uint32_t instruction, std::uint64_t first) {
    if (instruction >= kMostInstructions) {
        return nullptr;
    }
    if (instruction >= entries_.size()) {
        entries_.resize(instruction + 1U);
    }
    auto& ways = entries_[instruction];
    if (ways == nullptr) {
        ways = std::make_unique<std::array<Entry, kWays>>();
    }
    return &(*ways)[way_of(first)];
}

void AccessMemo::keep(Entry& entry, std::uint64_t first, const Footprint& footprint) {
    entry.kind = Entry::Kind::kNone;
    if (entry.shape.size > AccessShape::kLongest || footprint.count > entry.lines.size()) {
        return;
    }
    for (unsigned i = 0; i < footprint.count; ++i) {
        const LineAccess& line = footprint.lines[i];
        const auto difference = static_cast<std::int64_t>(line.line - first / kLineBytes);
        if (difference < std::numeric_limits<std::int32_t>::min() ||
            difference > std::numeric_limits<std::int32_t>::max()) {
            return;
        }
        entry.lines[i] = {static_cast<std::int32_t>(difference), line.sectors, line.lanes};
    }
    entry.kind = Entry::Kind::kFootprint;
    entry.place = static_cast<std::uint8_t>(first % kLineBytes);
    entry.count = static_cast<std::uint8_t>(footprint.count);
    entry.sectors = static_cast<std::uint8_t>(footprint.sectors);
    entry.most_at_one_place = static_cast<std::uint8_t>(footprint.most_at_one_place);
}

bool AccessMemo::footprint(WarpCursor& cursor, std::uint64_t first, unsigned bytes, Footprint& out) {
    Entry* const known = entry(cursor.index(), first);
    if (known != nullptr && known->kind == Entry::Kind::kFootprint && known->place == first % kLineBytes &&
        cursor.step_over(known->shape)) {
        out.count = known->count;
        out.sectors = known->sectors;
        out.most_at_one_place = known->most_at_one_place;
        for (unsigned i = 0; i < known->count; ++i) {
            const PackedLine& line = known->lines[i];
            out.lines[i] = {first / kLineBytes + static_cast<std::uint64_t>(std::int64_t{line.difference}),
                            line.sectors, line.lanes};
        }
        return true;
    }
    LaneAddresses addresses;
    if (!cursor.lanes(addresses, known != nullptr ? &known->shape : nullptr)) {
        return false;
    }
    coalesce(addresses, cursor.mask(), bytes, out);
    if (known != nullptr) {
        keep(*known, first, out);
    }
    return true;
}

bool AccessMemo::banks(WarpCursor& cursor, std::uint64_t first, unsigned bytes, Banks& out) {
    Entry* const known = entry(cursor.index(), first);
    if (known != nullptr && known->kind == Entry::Kind::kBanks && known->place == first % kLineBytes &&
        cursor.step_over(known->shape)) {
        out = known->banks;
        return true;
    }
    LaneAddresses addresses;
    if (!cursor.lanes(addresses, known != nullptr ? &known->shape : nullptr)) {
        return false;
    }
    out.passes = static_cast<std::uint16_t>(shared_passes(addresses, cursor.mask(), bytes));
    out.most_on_one_word = static_cast<std::uint16_t>(most_on_one_word(addresses, cursor.mask()));
    if (known != nullptr) {
        known->kind = known->shape.size <= AccessShape::kLongest ? Entry::Kind::kBanks : Entry::Kind::kNone;
        known->place = static_cast<std::uint8_t>(first % kLineBytes);
        known->banks = out;
    }
    return true;
}

}  // namespace kymo::gpu
