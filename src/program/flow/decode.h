// The interface between machine code and everything that reads it. An architecture is one folder, named after it,
// whose decode.cpp implements Decoder, and one row of the table in decode.cpp.
#pragma once

#include "program/flow/instruction.h"

#include <cstdint>
#include <span>

namespace kymo::program {

// Stateless: any thread may use one at any time. Never reads outside `bytes`.
class Decoder {
  public:
    virtual ~Decoder() = default;

    // The instruction that begins with bytes[0], at `address`: length, kind and target. False if the bytes are not
    // an instruction, or end within one. About 30 ns.
    virtual bool decode_flow(std::span<const std::uint8_t> bytes, std::uint64_t address, Instruction* out) const = 0;

    // The same with operands and effect. About 80 ns.
    virtual bool decode(std::span<const std::uint8_t> bytes, std::uint64_t address, Instruction* out) const = 0;

    // Instruction lengths are multiples of this: the step after bytes that do not decode.
    virtual std::uint8_t alignment() const = 0;
};

// By ELF machine number (e_machine); null if there is no decoder for it. All are part of every build, whatever it
// runs on. Valid forever.
const Decoder* decoder_for(std::uint16_t machine);

const Decoder& x86_64_decoder();
const Decoder& aarch64_decoder();
const Decoder& riscv64_decoder();
const Decoder& loongarch64_decoder();
const Decoder& sw_64_decoder();

}  // namespace kymo::program
