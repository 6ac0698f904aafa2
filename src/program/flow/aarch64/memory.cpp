// Loads and stores. Encodings: Arm Architecture Reference Manual for A-profile (DDI 0487), C4.1.94.
#include "program/flow/aarch64/effect.h"
#include "program/flow/word.h"

namespace kymo::program::aarch64 {
namespace {

struct Access {
    std::uint8_t rt = kNoRegister;
    std::uint8_t rn = 0;      // the stack pointer as 31
    std::uint32_t width = 0;  // bytes
    bool reads = false;
    bool writes = false;
    bool is_vector = false;
};

std::uint8_t base_of(std::uint32_t word) {
    return static_cast<std::uint8_t>(field(word, 5, 5));
}

MemoryOperand& add_operand(const Access& access, std::int64_t displacement, Instruction* out) {
    MemoryOperand& operand = out->memory[out->memory_operands++];
    operand.base = access.rn;
    operand.width = static_cast<std::uint16_t>(access.width);
    operand.is_read = access.reads;
    operand.is_written = access.writes;
    operand.displacement = displacement;
    out->reads |= bit_of(access.rn);
    out->writes_memory = out->writes_memory || access.writes;
    return operand;
}

// What the register that is loaded or stored has to do with it.
void add_register(const Access& access, std::uint8_t rt, Instruction* out) {
    if (access.is_vector) {
        out->writes_other = out->writes_other || access.reads;
    } else if (access.reads) {
        out->writes |= bit_of(rt);
    } else {
        out->reads |= bit_of(rt);
    }
}

// The base is advanced; this is recorded instead of the load, because loops count by it.
void set_write_back(const Access& access, std::int64_t step, Instruction* out) {
    out->writes |= bit_of(access.rn);
    out->operation = Operation::kSum;
    out->destination = out->source = access.rn;
    out->source2 = kNoRegister;
    out->constant = step;
}

void set_load(const Access& access, bool extends_sign, Instruction* out) {
    if (access.reads && !access.is_vector && access.rt != kNoRegister) {
        out->operation = Operation::kLoad;
        out->destination = access.rt;
        out->bits = static_cast<std::uint8_t>(8 * access.width);
        out->is_signed = extends_sign;
    }
}

// Size, opc and V of the single-register forms. False: it accesses nothing (PRFM) or is not allocated.
bool read_access(std::uint32_t word, Access* access) {
    const std::uint32_t size = field(word, 30, 2);
    const std::uint32_t opc = field(word, 22, 2);
    access->rn = base_of(word);
    access->rt = or_zero(field(word, 0, 5));
    access->is_vector = field(word, 26, 1) != 0;
    access->width = access->is_vector && opc >= 2 ? 16 : 1U << size;
    const bool stores = access->is_vector ? (opc & 1U) == 0 : opc == 0;
    access->reads = !stores;
    access->writes = stores;
    return access->is_vector || size != 3 || opc < 2;
}

// Exclusive, ordered and compare-and-swap (bits 29…24 are 001000).
void set_exclusive(std::uint32_t word, Instruction* out) {
    const bool loads = field(word, 22, 1) != 0;
    const std::uint8_t rs = or_zero(field(word, 16, 5));
    const std::uint8_t rt = or_zero(field(word, 0, 5));
    const std::uint8_t rt2 = or_zero(field(word, 10, 5));
    Access access{.rt = rt, .rn = base_of(word), .width = 1U << field(word, 30, 2)};
    const bool is_ordered = field(word, 23, 1) != 0;
    const bool is_pair = !is_ordered && field(word, 21, 1) != 0;
    const bool is_swap = (is_ordered && field(word, 21, 1) != 0) || (is_pair && field(word, 31, 1) == 0);
    if (is_swap) {  // CAS, CASP: Rs is compared and gets what was there, Rt is put there
        access.reads = access.writes = true;
        access.width = is_pair ? 8U << field(word, 30, 1) : access.width;
        add_operand(access, 0, out);
        out->is_try = true;
        out->writes |= bit_of(rs) | (is_pair && rs != kNoRegister ? bit_of(or_zero(rs + 1U)) : 0U);
        out->reads |= out->writes | bit_of(rt) | (is_pair && rt != kNoRegister ? bit_of(or_zero(rt + 1U)) : 0U);
        return;
    }
    access.reads = loads;
    access.writes = !loads;
    access.width *= is_pair ? 2 : 1;
    add_operand(access, 0, out);
    add_register(access, rt, out);
    if (is_pair) {
        add_register(access, rt2, out);
    }
    if (!is_ordered && !loads) {
        out->writes |= bit_of(rs);  // whether it succeeded
    }
    if (!is_pair) {
        set_load(access, false, out);
    }
}

void set_pair(std::uint32_t word, Instruction* out) {
    const std::uint32_t opc = field(word, 30, 2);
    Access access{.rt = or_zero(field(word, 0, 5)), .rn = base_of(word)};
    access.is_vector = field(word, 26, 1) != 0;
    access.reads = field(word, 22, 1) != 0;
    access.writes = !access.reads;
    const std::uint32_t each = access.is_vector ? 4U << opc : (opc & 2U) != 0 ? 8 : 4;
    access.width = 2 * each;
    const std::int64_t displacement = signed_field(word, 15, 7) * each;
    const std::uint32_t mode = field(word, 23, 2);  // 0: non-temporal, 1: post-indexed, 2: offset, 3: pre-indexed
    add_operand(access, mode == 1 ? 0 : displacement, out);
    add_register(access, access.rt, out);
    add_register(access, or_zero(field(word, 10, 5)), out);
    if ((mode & 1U) != 0) {
        set_write_back(access, displacement, out);
    }
}

void set_literal(std::uint32_t word, std::uint64_t address, Instruction* out) {
    const std::uint32_t opc = field(word, 30, 2);
    const bool is_vector = field(word, 26, 1) != 0;
    if (!is_vector && opc == 3) {
        return;  // PRFM
    }
    const Access access{.rt = or_zero(field(word, 0, 5)),
                        .rn = kNoRegister,
                        .width = is_vector  ? 4U << opc
                                 : opc == 1 ? 8U
                                            : 4U,
                        .reads = true,
                        .writes = false,
                        .is_vector = is_vector};
    const std::uint64_t target = address + static_cast<std::uint64_t>(signed_field(word, 5, 19) * 4);
    add_operand(access, static_cast<std::int64_t>(target), out).image_relative = true;
    add_register(access, access.rt, out);
    set_load(access, opc == 2, out);
}

// LDADD and the like, SWP: Rt gets what was there.
void set_atomic(std::uint32_t word, Instruction* out) {
    const std::uint8_t rs = or_zero(field(word, 16, 5));
    Access access{.rt = or_zero(field(word, 0, 5)), .rn = base_of(word), .width = 1U << field(word, 30, 2)};
    const bool is_other = field(word, 15, 1) != 0;
    const bool only_loads = is_other && field(word, 12, 3) == 0b100;  // LDAPR
    access.reads = true;
    access.writes = !only_loads;
    add_operand(access, 0, out);
    add_register(access, access.rt, out);
    out->reads |= only_loads ? 0U : bit_of(rs);
    out->is_try = is_other && field(word, 12, 3) == 0b000;  // SWP
    if (only_loads) {
        set_load(access, false, out);
    }
}

// The forms of one register (bits 29…27 are 111).
void set_single(std::uint32_t word, Instruction* out) {
    Access access;
    const bool is_scaled = field(word, 24, 1) != 0;
    const std::uint32_t form = field(word, 10, 2);
    const bool is_register = !is_scaled && field(word, 21, 1) != 0;
    if (is_register && form == 0b00) {
        set_atomic(word, out);
        return;
    }
    if (is_register && form != 0b10) {  // LDRAA, LDRAB: with pointer authentication
        access = {.rt = or_zero(field(word, 0, 5)), .rn = base_of(word), .width = 8, .reads = true};
        add_operand(access, 0, out);
        out->writes |= bit_of(access.rt) | bit_of(access.rn);
        return;
    }
    if (!read_access(word, &access)) {
        return;
    }
    const std::int64_t near = signed_field(word, 12, 9);
    const std::int64_t displacement = is_scaled      ? std::int64_t{field(word, 10, 12)} * access.width
                                      : is_register  ? 0
                                      : form == 0b01 ? 0
                                                     : near;
    MemoryOperand& operand = add_operand(access, displacement, out);
    add_register(access, access.rt, out);
    if (is_register) {
        operand.index = or_zero(field(word, 16, 5));
        operand.scale = field(word, 12, 1) != 0 ? static_cast<std::uint8_t>(access.width) : std::uint8_t{1};
        out->reads |= bit_of(operand.index);
    }
    if (!is_scaled && !is_register && (form & 1U) != 0) {
        set_write_back(access, near, out);
    } else if (field(word, 22, 2) != 0b11) {  // not the sign extended to 32 bits only
        set_load(access, field(word, 22, 2) == 0b10, out);
    }
}

// LD1 … ST4 (bits 29…25 are 00110).
void set_structures(std::uint32_t word, Instruction* out) {
    Access access{.rn = base_of(word), .is_vector = true};
    access.reads = field(word, 22, 1) != 0;
    access.writes = !access.reads;
    add_operand(access, 0, out);  // unknown width: 0
    add_register(access, kNoRegister, out);
    if (field(word, 23, 1) != 0) {
        out->writes |= bit_of(access.rn);
        out->reads |= bit_of(or_zero(field(word, 16, 5)));
    }
}

}  // namespace

void set_memory_effect(std::uint32_t word, std::uint64_t address, Instruction* out) {
    if (field(word, 24, 6) == 0b001000) {
        set_exclusive(word, out);
    } else if (field(word, 25, 5) == 0b00110) {
        set_structures(word, out);
    } else if (field(word, 27, 3) == 0b101) {
        set_pair(word, out);
    } else if (field(word, 27, 3) == 0b011 && field(word, 24, 2) == 0b00) {
        set_literal(word, address, out);
    } else if (field(word, 27, 3) == 0b111 && (field(word, 24, 2) & 2U) == 0) {
        set_single(word, out);
    } else {  // tags, memory copies, ordered loads and stores with an offset
        set_unknown_effect(out);
    }
}

}  // namespace kymo::program::aarch64
