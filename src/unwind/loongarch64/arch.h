// LoongArch, 64 bits, as arch.h requires.
#pragma once

#include "unwind/link_register/arch.h"
#include "unwind/loongarch64/recover.h"
#include "unwind/loongarch64/signal_frame.h"

namespace kymo::unwind::loongarch64 {

struct Machine {
    using Numbers = loongarch64::Numbers;
    using Context = loongarch64::Context;
    using FrameRecord = loongarch64::FrameRecord;
    static constexpr const auto& kSignalReturn = loongarch64::kSignalReturn;
    static link_register::Instruction decode(std::span<const std::uint8_t> bytes) {
        return loongarch64::decode(bytes);
    }
    static bool ends_in_call(std::span<const std::uint8_t> bytes) { return loongarch64::ends_in_call(bytes); }
};

using Arch = link_register::Arch<Machine>;
static_assert(Architecture<Arch>);

}  // namespace kymo::unwind::loongarch64
