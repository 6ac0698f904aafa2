#include "events/sw_64/register_file.h"

#include <algorithm>
#include <bit>

namespace kymo::events::sw_64 {

std::uint64_t RegisterFile::pc_int() const {
    const std::uint64_t raising = int_stat_ & int_en_;
    return raising == 0 ? 0 : kRaised | static_cast<std::uint64_t>(std::countr_zero(raising)) << kFirstSetAt;
}

std::uint64_t RegisterFile::until_interrupt(std::uint8_t selector, Mode mode) const {
    std::uint64_t least = ~std::uint64_t{0};
    for (unsigned set = 0; set < kSets; ++set) {
        if ((int_en_ >> set & 1U) != 0 && sets_[set].counts(selector, mode) && sets_[set].value != 0) {
            least = std::min(least, 0 - sets_[set].value);
        }
    }
    return least;
}

void RegisterFile::count(std::uint8_t selector, Mode mode, std::uint64_t events) {
    for (unsigned set = 0; set < kSets; ++set) {
        if (sets_[set].counts(selector, mode)) {
            const std::uint64_t before = sets_[set].value;
            sets_[set].value += events;
            int_stat_ |= sets_[set].value < before ? std::uint64_t{1} << set : 0;
        }
    }
}

}  // namespace kymo::events::sw_64
