#include "unwind/table.h"

#include <algorithm>

namespace kymo::unwind {

namespace {

// The last of `values` that is not greater. Precondition: the first one is not.
const std::uint32_t* last_up_to(const std::uint32_t* values, std::uint32_t count, std::uint32_t value) {
    for (std::uint32_t left = count; left > 1;) {
        const std::uint32_t half = left / 2;
        values += values[half] <= value ? half : 0;
        left -= half;
    }
    return values;
}

}  // namespace

std::uint32_t Table::row_of(std::uint32_t relative) const {
    return static_cast<std::uint32_t>(last_up_to(starts, rows, relative) - starts);
}

bool Table::function_at(std::uint64_t offset, std::uint64_t* begin) const {
    const std::uint64_t relative = offset - base;
    if (function_count == 0 || relative > UINT32_MAX || relative < functions_begin[0]) {
        return false;
    }
    *begin = base + *last_up_to(functions_begin, function_count, static_cast<std::uint32_t>(relative));
    return true;
}

bool Table::function_behind(std::uint64_t offset, std::uint64_t* begin) const {
    const std::uint64_t relative = offset - base;
    const std::uint32_t* const end = functions_begin + function_count;
    const std::uint32_t* const next =
        relative > UINT32_MAX ? end : std::upper_bound(functions_begin, end, static_cast<std::uint32_t>(relative));
    if (next == end) {
        return false;
    }
    *begin = base + *next;
    return true;
}

}  // namespace kymo::unwind
