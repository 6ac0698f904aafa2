#include "program/flow/decode.h"

#include "base/machine.h"

#include <algorithm>
#include <elf.h>
#include <iterator>

namespace kymo::program {
namespace {

struct MachineDecoder {
    std::uint16_t machine;
    const Decoder& (*decoder)();
};

constexpr MachineDecoder kDecoders[] = {
    {EM_X86_64, x86_64_decoder},     {EM_AARCH64, aarch64_decoder},
    {EM_RISCV, riscv64_decoder},     {kMachineLoongArch, loongarch64_decoder},
    {kMachineSunway, sw_64_decoder}, {kMachineSunwayRegistered, sw_64_decoder},
};

}  // namespace

const Decoder* decoder_for(std::uint16_t machine) {
    const auto* const row = std::find_if(std::begin(kDecoders), std::end(kDecoders),
                                         [&](const MachineDecoder& each) { return each.machine == machine; });
    return row == std::end(kDecoders) ? nullptr : &row->decoder();
}

}  // namespace kymo::program
