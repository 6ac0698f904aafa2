#include "view/page/levels.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace kymo::view {
namespace {

// A bin's time is written as a number of these steps.
constexpr std::uint64_t kSteps = 255;
constexpr std::uint64_t kFactor = 4;
constexpr std::uint64_t kCoarsest = 256;
// The first picture is drawn from the coarsest level: of very many threads it has fewer bins.
constexpr std::size_t kFirstCells = 500'000;
constexpr std::uint64_t kFewestFirstBins = 8;

// Bytes that a cell takes at least, deflated: measured on recordings of computing programs.
constexpr double kLeastBytesPerCell = 1.5;

unsigned shift_for(const std::vector<std::uint64_t>& values) {
    const std::uint64_t most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
    unsigned shift = 0;
    while (most >> shift >= 1U << 19U) {
        ++shift;
    }
    return shift;
}

PackedLevel pack(const CellLevel& level) {
    const std::uint64_t unit = std::max<std::uint64_t>(1, level.width / kSteps);
    const std::size_t events = level.events.size();
    std::vector<unsigned> shifts;
    shifts.reserve(events);
    for (const auto& column : level.events) {
        shifts.push_back(shift_for(column));
    }
    std::vector<std::uint64_t> first{0};
    std::vector<std::uint64_t> bin;
    std::vector<std::uint32_t> key;
    std::vector<std::uint64_t> amount;
    std::vector<std::string> counts(events);
    for (std::size_t thread = 0; thread + 1 < level.first.size(); ++thread) {
        std::uint64_t last_bin = 0;
        // The remainder of rounding goes to the next cell, so that sums hold.
        std::int64_t left = 0;
        for (std::size_t cell = level.first[thread]; cell < level.first[thread + 1]; ++cell) {
            const std::int64_t due = static_cast<std::int64_t>(level.ns[cell]) + left;
            const auto step = static_cast<std::int64_t>(unit);
            const std::int64_t steps = std::max<std::int64_t>(0, (due + step / 2) / step);
            const bool has_counts = std::any_of(level.events.begin(), level.events.end(),
                                                [&](const auto& column) { return column[cell] != 0; });
            if (steps == 0 && !has_counts) {
                left = due;
                continue;
            }
            left = due - steps * step;
            bin.push_back(level.bin[cell] - last_bin);
            last_bin = level.bin[cell];
            key.push_back(level.key[cell]);
            amount.push_back(static_cast<std::uint64_t>(steps));
            for (std::size_t event = 0; event < events; ++event) {
                counts[event] += static_cast<char>(rough_byte(level.events[event][cell] >> shifts[event]));
            }
        }
        first.push_back(bin.size());
    }
    Blob blob;
    blob.json["width"] = level.width;
    blob.json["unit"] = unit;
    blob.json["shifts"] = shifts;
    blob.deltas("first", first);
    blob.varints("bin", bin);
    blob.varints("key", key);
    blob.varints("amount", amount);
    for (std::size_t event = 0; event < events; ++event) {
        blob.bytes("event." + std::to_string(event), counts[event]);
    }
    return {level.width, bin.size(), blob.deflated()};
}

}  // namespace

std::uint8_t rough_byte(std::uint64_t value) {
    if (value < 16) {
        return static_cast<std::uint8_t>(value);
    }
    unsigned exponent = static_cast<unsigned>(std::bit_width(value)) - 1;  // 4 …
    std::uint64_t mantissa = ((value >> (exponent - 4)) & 15U);
    if (exponent > 18) {
        exponent = 18;
        mantissa = 15;
    }
    return static_cast<std::uint8_t>(std::uint64_t{exponent - 3} * 16 + mantissa);
}

std::vector<PackedLevel> pack_levels(CellLevel finest, const LevelLimits& limits) {
    // The finest level holds about three quarters of everything.
    const auto hopeless = [&](const CellLevel& level) {
        return level.size() > limits.most_cells * 3 / 4 ||
               static_cast<double>(level.size()) * kLeastBytesPerCell > static_cast<double>(limits.most_bytes);
    };
    const auto bins = [&](const CellLevel& level) { return limits.duration / level.width; };
    const auto is_coarsest = [&](const CellLevel& level) {
        return bins(level) <= kCoarsest && (level.size() <= kFirstCells || bins(level) <= kFewestFirstBins);
    };
    while (hopeless(finest) && bins(finest) > kCoarsest) {
        finest = coarser(finest, 2);
    }
    for (;;) {
        std::vector<PackedLevel> levels;
        std::size_t bytes = 0;
        CellLevel level = finest;
        for (;;) {
            levels.push_back(pack(level));
            bytes += levels.back().deflated.size();
            if (is_coarsest(level) || bytes > limits.most_bytes) {
                break;
            }
            level = coarser(level, kFactor);
        }
        if (bytes <= limits.most_bytes || bins(finest) <= kCoarsest) {
            std::reverse(levels.begin(), levels.end());
            return levels;
        }
        finest = coarser(finest, 2);
    }
}

PackedLevel pack_pieces(const TimePass& pass, std::size_t events) {
    std::vector<std::uint64_t> first{0};
    std::vector<std::uint64_t> begin;
    std::vector<std::uint64_t> length;
    std::vector<std::uint32_t> key;
    std::vector<std::uint32_t> point;
    std::vector<std::uint32_t> wait;
    std::vector<std::vector<std::uint64_t>> counts(events);
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    for (const Pieces& thread : pass.pieces) {
        begin.push_back(thread.begin);
        append(length, thread.length);
        append(key, thread.key);
        append(point, thread.point);
        append(wait, thread.wait);
        for (std::size_t event = 0; event < events; ++event) {
            append(counts[event], thread.events[event]);
        }
        first.push_back(length.size());
    }
    std::vector<std::uint32_t> point_image;
    std::vector<std::uint64_t> point_offset;
    for (const TimePass::Point& at : pass.points) {
        point_image.push_back(at.image);
        point_offset.push_back(at.offset);
    }
    Blob blob;
    blob.json["width"] = 0;
    blob.deltas("first", first);
    blob.varints("begin", begin);
    blob.varints("length", length);
    blob.varints("key", key);
    blob.varints("point", point);
    blob.varints("point.image", point_image);
    blob.deltas("point.offset", point_offset);
    blob.varints("wait", wait);
    blob.numbered_varints("event", counts);
    return {0, length.size(), blob.deflated()};
}

std::vector<PackedLevel> pack_pass(TimePass pass, const LevelLimits& limits) {
    std::optional<PackedLevel> pieces;
    if (!pass.pieces.empty()) {
        pieces = pack_pieces(pass, pass.finest.events.size());
        if (pieces->deflated.size() > limits.most_bytes / 4 * 3) {
            pieces.reset();
        }
    }
    LevelLimits left = limits;
    left.most_bytes -= pieces ? pieces->deflated.size() : 0;
    auto levels = pack_levels(std::move(pass.finest), left);
    if (pieces) {
        levels.push_back(std::move(*pieces));
    }
    return levels;
}

}  // namespace kymo::view
