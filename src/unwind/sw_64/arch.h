// Sunway sw_64, as arch.h requires.
#pragma once

#include "unwind/link_register/arch.h"
#include "unwind/sw_64/recover.h"
#include "unwind/sw_64/signal_frame.h"

namespace kymo::unwind::sw_64 {

struct Machine {
    using Numbers = sw_64::Numbers;
    using Context = sw_64::Context;
    using FrameRecord = sw_64::FrameRecord;
    static constexpr const auto& kSignalReturn = sw_64::kSignalReturn;
    static link_register::Instruction decode(std::span<const std::uint8_t> bytes) { return sw_64::decode(bytes); }
    static bool ends_in_call(std::span<const std::uint8_t> bytes) { return sw_64::ends_in_call(bytes); }
};

using Arch = link_register::Arch<Machine>;
static_assert(Architecture<Arch>);

}  // namespace kymo::unwind::sw_64
