// RISC-V, 64 bits, as arch.h requires.
#pragma once

#include "unwind/link_register/arch.h"
#include "unwind/riscv64/recover.h"
#include "unwind/riscv64/signal_frame.h"

namespace kymo::unwind::riscv64 {

struct Machine {
    using Numbers = riscv64::Numbers;
    using Context = riscv64::Context;
    using FrameRecord = riscv64::FrameRecord;
    static constexpr const auto& kSignalReturn = riscv64::kSignalReturn;
    static link_register::Instruction decode(std::span<const std::uint8_t> bytes) { return riscv64::decode(bytes); }
    static bool ends_in_call(std::span<const std::uint8_t> bytes) { return riscv64::ends_in_call(bytes); }
};

using Arch = link_register::Arch<Machine>;
static_assert(Architecture<Arch>);

}  // namespace kymo::unwind::riscv64
