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
    if (!profile.has_operands && !profile.has_accesses) {
        return result;
    }
    result.of_address.reserve(addresses.size());
    for (const auto& [image, offset] : addresses) {
        const std::uint32_t function = code.function_at(image, offset);
        const program::OperandUse use =
            function == kNone ? program::OperandUse() : code.operand_use(function, offset);
        const bool is_used = use.is_any() || profile.has_accesses;
        result.of_address.push_back(is_used ? static_cast<std::uint32_t>(result.uses.size()) : kNone);
        if (is_used) {
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

void StreamOperands::access(const recording::MemoryAccess& row) {
    if (use_ == kNone || row.address < kFirstPage) {
        return;
    }
    constexpr std::uint64_t kLoad = 2;  // of a data source
    constexpr std::uint64_t kStore = 4;
    const program::OperandUse& use = uses_.uses[use_];
    const bool is_told = (row.source & (kLoad | kStore)) != 0;
    bool is_written = (row.source & kStore) != 0;
    std::uint16_t width = 0;
    for (std::size_t i = 0; i < use.memory_operands; ++i) {
        const program::MemoryOperand& operand = use.memory[i];
        is_written = is_written || (!is_told && use.memory_operands == 1 && operand.is_written);
        width = operand.is_written == is_written ? std::max(width, operand.width) : width;
    }
    ++sums_.rows[use_];
    ++rows_;
    if (most_ == 0) {
        return;
    }
    --most_;
    // Of unknown width it is the whole word, so that neighbours within one do not count as bytes of their own.
    constexpr std::uint64_t kWord = 8;
    const std::uint64_t first = width == 0 ? row.address / kWord * kWord : row.address;
    sums_.memory.push_back({.line = first / kLineBytes,
                            .bytes = bytes_of(first, width == 0 ? std::uint16_t{kWord} : width),
                            .time = time_,
                            .thread = thread_,
                            .use = use_,
                            .row = rows_,
                            .is_written = is_written,
                            .is_near = false});
}

}  // namespace kymo::spacetime
