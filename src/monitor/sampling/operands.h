// The operands of the interrupted instruction, recorded with some of a thread's samples: they say which memory it
// used, and whether it computed with denormal numbers.
//
// Contract: usable in signal handlers. Cost: a comparison where the sample is left out, otherwise some 100 ns.
#pragma once

#include "monitor/native.h"
#include "recording/tables.h"
#include "unwind/walk.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <ucontext.h>

namespace kymo::monitor {

// Which samples: every second one at first, and after each kRows of them half as often, so that a thread's rows take
// 80 bytes times 256 for each doubling of its time, and short runs have enough.
class OperandTurns {
  public:
    bool take() {
        if (left_ != 0) {
            --left_;
            return false;
        }
        left_ = (2U << std::min(rows_ / kRows, kMostHalvings)) - 1;
        ++rows_;
        return true;
    }

  private:
    static constexpr std::uint32_t kRows = 256;
    static constexpr std::uint32_t kMostHalvings = 16;

    std::uint32_t rows_ = 0;
    std::uint32_t left_ = 0;  // samples to leave out
};

// Writes the row through `append`. Nothing if the thread was in a system call, or its context has no such registers.
template <typename Append>
void write_operands(const ucontext_t& context, const unwind::Registers& registers, const Append& append) {
    if (native::was_in_call(context)) {
        return;
    }
    std::array<std::uint64_t, std::tuple_size_v<decltype(unwind::Registers::general)> + 1> values;
    *std::copy(registers.general.begin(), registers.general.end(), values.begin()) = registers.pc;
    recording::SampleOperands row;
    row.values = values;
    row.denormals = native::denormal_registers(context);
    append(row);
}

}  // namespace kymo::monitor
