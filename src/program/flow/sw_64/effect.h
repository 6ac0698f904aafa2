// sw_64: what an instruction does besides directing control.
//
// Formats: words of 32 bits, little-endian, the major opcode in bits 31–26 (docs/porting.md has the sources).
//
//     0x00              sys_call: plain, returns to the next instruction
//     0x01, 0x02, 0x03  call, ret, jmp: Ra (25–21) gets the next address, the target is in Rb (20–16); bits 15–0 are
//                       a hint. call is always indirect
//     0x04, 0x05        br, bsr: Ra gets the next address; the target is the next address + 4 × bits 20–0, signed.
//                       bsr is the direct call
//     0x06              memb, halt …: the function is in bits 15–0; 0x0080 is halt
//     0x10, 0x12        integer operations: Ra, Rb or the 8 bits 20–13, Rc (4–0); the function in bits 12–5
//     0x20–0x2f,        loads and stores: Ra, Rb + bits 15–0, signed
//     0x09–0x0f
//     0x30–0x37         beq bne blt ble bgt bge blbc blbs: Ra against zero; target as br
//     0x38–0x3d         fbeq fbne fblt fble fbgt fbge: likewise
//     0x3e, 0x3f        ldi, ldih: Ra = Rb + bits 15–0, signed, × 1 or × 65536
#pragma once

#include "program/flow/instruction.h"

#include <cstdint>

namespace kymo::program::sw_64 {

// `word`: its kind has been set. Instructions that are not known in detail are recorded as changing everything.
void set_effect(std::uint32_t word, Instruction* out);

// Major opcodes that direct control (bits 31…26).
enum Opcode : std::uint32_t {
    kSystemCall = 0x00,
    kCall = 0x01,  // through a register, as ret and jmp
    kReturn = 0x02,
    kJump = 0x03,
    kBranch = 0x04,      // br
    kBranchCall = 0x05,  // bsr
    kMiscellaneous = 0x06,
    kPrivilegedReturn = 0x07,
    kFirstConditional = 0x30,  // beq … blbs, fbeq … fbge
    kLastConditional = 0x3d,
};
constexpr std::uint32_t kHalt = 0x18000080;

}  // namespace kymo::program::sw_64
