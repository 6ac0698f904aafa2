#include "gpu/ptx/schedule/machine.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

using Opcodes = std::vector<std::string>;

// The machine's instruction for a factor's element, and the depth and volume of what one of them multiplies.
struct Unit {
    const char* opcode;
    std::uint32_t depth;
    std::uint32_t volume;
};
Unit unit_of(const MatrixForm& form) {
    const std::uint32_t tile = form.m == 8 && form.n == 8 ? 8 * 8 : 16 * 8;
    const auto unit = [&](const char* opcode, std::uint32_t most) {
        const std::uint32_t depth = std::min(form.k, most);
        return Unit{opcode, depth, tile * depth};
    };
    switch (form.left) {
        case Element::kF16:
        case Element::kBf16:
            return unit("HMMA", 16);
        case Element::kTf32:
            return unit("HMMA", 8);
        case Element::kF64:
            return {"DMMA", 4, 8 * 8 * 4};
        case Element::kB1:
            return unit("BMMA", 256);
        case Element::kS4:
        case Element::kU4:
            return unit("IMMA", 64);
        default:
            return unit("IMMA", 32);
    }
}

const char* suffix_of(const MatrixForm& form) {
    switch (form.left) {
        case Element::kF16:
            return form.sum == Element::kF16 ? ".F16" : ".F32";
        case Element::kBf16:
            return ".F32.BF16";
        case Element::kTf32:
            return ".F32.TF32";
        case Element::kS8:
        case Element::kU8:
            return ".S8.S8";
        case Element::kS4:
        case Element::kU4:
            return ".S4.S4";
        case Element::kB1:
            return form.exclusive ? ".XOR.POPC" : ".AND.POPC";
        default:
            return "";
    }
}

Opcodes product(const MatrixForm& form) {
    const Unit unit = unit_of(form);
    const bool small = form.left == Element::kF64 || (form.m == 8 && form.n == 8);
    const std::string opcode =
        fmt::format("{}.{}{}{}", unit.opcode, small ? "88" : "168", unit.depth, suffix_of(form));
    return Opcodes(std::max(1U, form.m * form.n * form.k / unit.volume), opcode);
}

// A load or store a register, or a part of one.
Opcodes accesses(const Draft& draft) {
    const bool is_load = draft.pick.operation == Operation::kMatrixLoad;
    const unsigned element = kElementBits[static_cast<std::size_t>(draft.matrix.left)];
    const bool is_right = draft.matrix.role == MatrixForm::Role::kRight;
    const bool in_line = element >= 32 || is_right == draft.matrix.by_columns;
    const std::string name = draft.space == StateSpace::kGlobal   ? (is_load ? "LDG.E" : "STG.E")
                             : draft.space == StateSpace::kShared ? (is_load ? "LDS" : "STS")
                                                                  : (is_load ? "LD.E" : "ST.E");
    const char* const width = element == 64 ? ".64" : in_line ? "" : element == 16 ? ".U16" : ".U8";
    return Opcodes(draft.accesses, name + width);
}

}  // namespace

std::vector<std::string> matrix_opcodes(const Draft& draft) {
    switch (draft.pick.operation) {
        case Operation::kMatrixMultiply:
            return product(draft.matrix);
        case Operation::kMatrixTranspose:
            return {"MOVM.16.MT88"};
        case Operation::kRowsLoad:
            return {draft.op.mode.address.transposed ? "LDSM.16.MT88" : "LDSM.16.M88"};
        case Operation::kRowsStore:
            return {draft.op.mode.address.transposed ? "STSM.16.MT88" : "STSM.16.M88"};
        default:
            return accesses(draft);
    }
}

}  // namespace kymo::gpu::ptx
