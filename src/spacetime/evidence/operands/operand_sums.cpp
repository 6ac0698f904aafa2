#include "spacetime/evidence/operands/operand_sums.h"

#include <algorithm>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kFirstPage = 4096;  // nothing is mapped below it

// The bytes of its first line.
std::uint64_t bytes_of(std::uint64_t address, std::uint16_t width) {
    const std::uint64_t first = address % kLineBytes;
    const std::uint64_t count = std::min<std::uint64_t>(std::max<std::uint16_t>(width, 1), kLineBytes - first);
    return (count == kLineBytes ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << first;
}

}  // namespace

OperandUses operand_uses(const Profile& profile, AddressPlaces addresses, const CodeMap& code) {
    OperandUses result;
    if (!profile.has_operands) {
        return result;
    }
    result.of_address.reserve(addresses.size());
    for (const auto& [image, offset] : addresses) {
        const std::uint32_t function = code.function_at(image, offset);
        const program::OperandUse use =
            function == kNone ? program::OperandUse() : code.operand_use(function, offset);
        result.of_address.push_back(use.is_any() ? static_cast<std::uint32_t>(result.uses.size()) : kNone);
        if (use.is_any()) {
            result.uses.push_back(use);
        }
    }
    return result;
}

void merge(OperandSums& to, OperandSums&& from) {
    for (std::size_t i = 0; i < to.rows.size(); ++i) {
        to.rows[i] += from.rows[i];
        to.denormals[i] += from.denormals[i];
    }
    to.memory.insert(to.memory.end(), from.memory.begin(), from.memory.end());
}

void StreamOperands::operands(const recording::SampleOperands& row) {
    if (use_ == kNone || row.values.size() < 2) {
        return;
    }
    constexpr unsigned kFloats = 32;  // the first bit of these
    const program::OperandUse& use = uses_.uses[use_];
    const bool is_denormal =
        (row.denormals & use.doubles) != 0 || (row.denormals >> kFloats & std::uint64_t{use.floats}) != 0;
    ++sums_.rows[use_];
    sums_.denormals[use_] += is_denormal ? 1 : 0;
    ++rows_;
    const auto registers = row.values.first(row.values.size() - 1);
    const std::uint64_t bias = row.values.back() - offset_;
    for (std::size_t i = 0; i < use.all_operands() && most_ > 0; ++i) {
        const program::MemoryOperand& operand = use.memory[i];
        const auto address = program::address_of(operand, registers, bias);
        if (address && *address >= kFirstPage) {
            --most_;
            sums_.memory.push_back({.line = *address / kLineBytes,
                                    .bytes = bytes_of(*address, operand.width),
                                    .time = time_,
                                    .thread = thread_,
                                    .use = use_,
                                    .row = rows_,
                                    .is_written = operand.is_written,
                                    .is_near = i >= use.memory_operands});
        }
    }
}

}  // namespace kymo::spacetime
