#include "unwind/table.h"

namespace kymo::unwind {

std::uint32_t Table::row_of(std::uint32_t relative) const {
    const std::uint32_t* first = starts;
    for (std::uint32_t left = rows; left > 1;) {
        const std::uint32_t half = left / 2;
        first += first[half] <= relative ? half : 0;
        left -= half;
    }
    return static_cast<std::uint32_t>(first - starts);
}

}  // namespace kymo::unwind
