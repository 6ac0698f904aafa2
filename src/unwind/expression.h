// DWARF expressions in call-frame information (DWARF 5, section 2.5), on a small fixed stack.
//
// Contract: bounded: at most as many operations as the caller has left, kExpressionStack values; memory is read only
// through the view. Usable in signal handlers.
#pragma once

#include "unwind/memory_view.h"

#include <cstdint>
#include <span>

namespace kymo::unwind {

inline constexpr unsigned kExpressionStack = 32;

enum class ExpressionError : std::uint8_t { kNone, kBad, kUnknownRegister, kOutsideMemory };

// Registers by DWARF number as they are in the frame at hand.
class RegisterFile {
  public:
    void set(unsigned number, std::uint64_t value) {
        values_[number] = value;
        known_ |= std::uint64_t{1} << number;
    }
    bool get(std::uint64_t number, std::uint64_t* value) const {
        if (number >= kMax || (known_ >> number & 1U) == 0) {
            return false;
        }
        *value = values_[number];
        return true;
    }

  private:
    static constexpr unsigned kMax = 34;
    std::uint64_t values_[kMax];
    std::uint64_t known_ = 0;
};

// `initial`: pushed first (the CFA, for register rules). Returns the value left on top; on kOutsideMemory the
// address that could not be read. `operations`: the number still allowed; counted down, and the expression is bad
// if they do not suffice.
ExpressionError evaluate(std::span<const std::uint8_t> expression, const RegisterFile& registers,
                         const MemoryView& memory, const std::uint64_t* initial, std::uint64_t* result,
                         unsigned* operations);

}  // namespace kymo::unwind
