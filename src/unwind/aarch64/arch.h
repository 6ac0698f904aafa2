// aarch64, as arch.h requires.
#pragma once

#include "unwind/aarch64/recover.h"
#include "unwind/aarch64/signal_frame.h"
#include "unwind/link_register/arch.h"

namespace kymo::unwind::aarch64 {

struct Machine {
    using Numbers = aarch64::Numbers;
    using Context = aarch64::Context;
    using FrameRecord = aarch64::FrameRecord;
    static constexpr const auto& kSignalReturn = aarch64::kSignalReturn;
    static link_register::Instruction decode(std::span<const std::uint8_t> bytes) { return aarch64::decode(bytes); }
    static bool ends_in_call(std::span<const std::uint8_t> bytes) { return aarch64::ends_in_call(bytes); }
};

using Arch = link_register::Arch<Machine>;
static_assert(Architecture<Arch>);

}  // namespace kymo::unwind::aarch64
