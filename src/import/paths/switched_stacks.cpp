#include "import/paths/switched_stacks.h"

#include "import/native.h"

#include <algorithm>

namespace kymo::import {
namespace {

constexpr std::size_t kMostCode = std::size_t{1} << 16U;  // of a function that is looked through

}  // namespace

std::optional<std::size_t> records_between(const unwind::MemoryView& stack, std::uint64_t from, std::uint64_t to) {
    std::size_t count = 0;
    for (std::uint64_t at = from; at != to; ++count) {
        std::uint64_t outer = 0;
        if (!stack.read(at, &outer) || (outer <= at && outer != to)) {
            return std::nullopt;
        }
        at = outer;
    }
    return count;
}

bool is_outermost(const MappedFile& file, std::uint64_t offset) {
    const unwind::Table* const table = file.table();
    return table != nullptr && unwind::kind_of(table->find(offset)) == unwind::RuleKind::kBottom;
}

CallerBetween caller_between(const MappedFile& file, std::uint64_t switching, std::uint64_t next) {
    const unwind::Table* const table = file.table();
    const std::uint64_t after = next + 1;  // frames' offsets are one less than return addresses
    const auto distance = native::call_distance(file.bytes_before(after, native::kCallBytes));
    std::uint64_t wanted = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    if (table == nullptr || !distance || !table->function_at(switching, &wanted)) {
        return {};
    }
    const std::uint64_t called = after + static_cast<std::uint64_t>(*distance);
    if (!table->function_at(called, &begin) || begin != called || !table->function_behind(called, &end)) {
        return {};
    }
    end = std::min(end, begin + kMostCode);
    const std::span<const std::uint8_t> code = file.bytes_before(end, end - begin);
    if (code.size() != end - begin) {
        return {};
    }
    CallerBetween found;
    for (std::size_t at = native::kCallBytes; at <= code.size(); at += native::kCodeStep) {
        const auto to = native::call_distance(code.first(at));
        if (to && begin + at + static_cast<std::uint64_t>(*to) == wanted) {
            found.offset = found.offset ? begin : begin + at - 1;
        }
    }
    found.is_denied = !found.offset;
    return found;
}

}  // namespace kymo::import
