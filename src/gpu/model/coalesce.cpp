#include "gpu/model/coalesce.h"

#include "gpu/trace/counting.h"

#include <algorithm>
#include <bit>

namespace kymo::gpu {
namespace {

// Sectors first…last of one line, as bits.
constexpr std::uint8_t bits(unsigned first, unsigned last) {
    return static_cast<std::uint8_t>((2U << last) - (1U << first));
}

// The entry of a line, made where it is not yet there. `highest`: the highest line so far; a higher one cannot have
// been met.
LineAccess& entry_of(Footprint& out, std::uint64_t line, std::uint64_t& highest) {
    if (out.count != 0 && line <= highest) {
        for (unsigned i = out.count; i-- > 0;) {
            if (out.lines[i].line == line) {
                return out.lines[i];
            }
        }
    }
    highest = std::max(highest, line);
    out.lines[out.count] = {line, 0, 0};
    return out.lines[out.count++];
}

void count_sectors(Footprint& out) {
    // A byte for each place; there are at most 64 lines.
    constexpr std::array<std::uint32_t, 16> kPlaces = {
        0x0000'0000, 0x0000'0001, 0x0000'0100, 0x0000'0101, 0x0001'0000, 0x0001'0001, 0x0001'0100, 0x0001'0101,
        0x0100'0000, 0x0100'0001, 0x0100'0100, 0x0100'0101, 0x0101'0000, 0x0101'0001, 0x0101'0100, 0x0101'0101};
    std::uint32_t at = 0;
    for (const LineAccess& line : out.all()) {
        at += kPlaces[line.sectors & 15U];
    }
    for (; at != 0; at >>= 8U) {
        out.sectors += at & 0xFFU;
        out.most_at_one_place = std::max(out.most_at_one_place, at & 0xFFU);
    }
}

}  // namespace

void coalesce(const LaneAddresses& addresses, std::uint32_t mask, unsigned bytes, Footprint& out) {
    out.count = 0;
    out.sectors = 0;
    out.most_at_one_place = 0;
    const auto lanes = lanes_in(mask);
    if (lanes == 0 || bytes == 0) {
        return;
    }
    const auto whole_span = static_cast<std::uint64_t>(lanes) * bytes;
    if (addresses.strided && (addresses.stride == static_cast<std::int64_t>(bytes) || addresses.stride == 0) &&
        addresses.base <= ~std::uint64_t{0} - whole_span) {
        // One contiguous piece.
        const std::uint64_t span = addresses.stride == 0 ? bytes : whole_span;
        const std::uint64_t first = addresses.base / kSectorBytes;
        const std::uint64_t last = (addresses.base + span - 1) / kSectorBytes;
        for (std::uint64_t line = first / 4; line <= last / 4; ++line) {
            const unsigned from = line == first / 4 ? static_cast<unsigned>(first % 4) : 0;
            const unsigned to = line == last / 4 ? static_cast<unsigned>(last % 4) : 3;
            const std::uint64_t begin = std::max(addresses.base, line * kLineBytes);
            const std::uint64_t end = std::min(addresses.base + span, (line + 1) * kLineBytes);
            const auto here = addresses.stride == 0 ? lanes : static_cast<unsigned>((end - begin) / bytes);
            out.lines[out.count++] = {line, bits(from, to), static_cast<std::uint8_t>(here)};
        }
        count_sectors(out);
        return;
    }
    std::uint64_t highest = 0;
    LineAccess* entry = nullptr;  // of the lane before; usually this lane's as well
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const std::uint64_t address = addresses.of[static_cast<unsigned>(std::countr_zero(left))];
        const std::uint64_t first = address / kSectorBytes;
        const std::uint64_t last = (address + bytes - 1) / kSectorBytes;
        if (entry == nullptr || entry->line != first / 4) {
            entry = &entry_of(out, first / 4, highest);
        }
        const bool crosses = last / 4 != first / 4;
        entry->sectors |= bits(static_cast<unsigned>(first % 4), crosses ? 3 : static_cast<unsigned>(last % 4));
        ++entry->lanes;
        if (crosses) {
            entry = &entry_of(out, last / 4, highest);
            entry->sectors |= bits(0, static_cast<unsigned>(last % 4));
            ++entry->lanes;
        }
    }
    count_sectors(out);
}

void interleave_local(LaneAddresses& addresses, std::uint32_t mask, std::uint64_t warp) {
    addresses.strided = false;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const std::uint64_t word = (addresses.of[lane] & 0xFF'FFFFU) / 4;
        addresses.of[lane] = (std::uint64_t{1} << 60U) + (warp << 31U) + word * kLineBytes + std::uint64_t{lane} * 4;
    }
}

}  // namespace kymo::gpu
