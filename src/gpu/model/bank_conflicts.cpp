#include "gpu/model/bank_conflicts.h"

#include <algorithm>
#include <bit>

namespace kymo::gpu {
namespace {

constexpr unsigned kBanks = 32;

// Passes for the words of the lanes in `mask`, `words` consecutive ones each.
unsigned group_passes(const LaneAddresses& addresses, std::uint32_t mask, unsigned words) {
    std::array<std::array<std::uint64_t, kWarpLanes>, kBanks> wanted;  // NOLINT: filled up to `count`
    std::array<std::uint8_t, kBanks> count{};
    unsigned most = 0;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const std::uint64_t first = addresses.of[static_cast<unsigned>(std::countr_zero(left))] / 4;
        for (unsigned i = 0; i < words; ++i) {
            const std::uint64_t word = first + i;
            const auto bank = static_cast<unsigned>(word % kBanks);
            const auto begin = wanted[bank].begin();
            const auto end = begin + count[bank];
            if (std::find(begin, end, word) == end) {
                *end = word;
                most = std::max<unsigned>(most, ++count[bank]);
            }
        }
    }
    return most;
}

}  // namespace

unsigned shared_passes(const LaneAddresses& addresses, std::uint32_t mask, unsigned bytes) {
    if (mask == 0) {
        return 0;
    }
    if (bytes <= 4) {
        if (addresses.strided && (addresses.stride == 4 || addresses.stride == 0)) {
            return 1;
        }
        return group_passes(addresses, mask, 1);
    }
    const unsigned words = bytes / 4;
    const unsigned lanes = kWarpLanes / words;
    unsigned passes = 0;
    for (unsigned from = 0; from < kWarpLanes; from += lanes) {
        const std::uint32_t group = ((std::uint32_t{1} << lanes) - 1U) << from;
        passes += group_passes(addresses, mask & group, words);
    }
    return passes;
}

unsigned most_on_one_word(const LaneAddresses& addresses, std::uint32_t mask) {
    std::array<std::uint64_t, kWarpLanes> words{};
    unsigned count = 0;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        words[count++] = addresses.of[static_cast<unsigned>(std::countr_zero(left))] / 4;
    }
    std::sort(words.begin(), words.begin() + count);
    unsigned most = 0;
    for (unsigned i = 0, run = 0; i < count; ++i) {
        run = i != 0 && words[i] == words[i - 1] ? run + 1 : 1;
        most = std::max(most, run);
    }
    return most;
}

}  // namespace kymo::gpu
