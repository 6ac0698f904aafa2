// Runs a call-frame program (DWARF 5, section 6.4.2): its instructions change the rules of a row, and move on from
// row to row. `Packer` is an architecture's RulePacker (rule.h).
//
// Bounded: every byte is read once, nesting is limited. Usable in the monitor; no memory but its own.
#pragma once

#include "unwind/byte_reader.h"
#include "unwind/call_frame.h"
#include "unwind/rows/table_rows.h"

#include <cstdint>
#include <span>

namespace kymo::unwind {

template <class Packer>
class FrameProgram {
  public:
    // The rules of one row.
    struct State {
        Packer packer;
        RowState row;
    };

    // From these rules on.
    void begin(const State& initial) {
        state_ = initial;
        depth_ = 0;
    }
    State& state() { return state_; }

    // Runs instructions; `initial` are the rules that they can restore. `rows` returns the begin of the present
    // row (location()), accepts the row when the program moves on (advance(section, location); false: not
    // possible), and returns when no more rows are needed (is_over()). False: an instruction was not understood;
    // the rows before it hold.
    template <class Rows>
    bool run(const FrameSection& section, const Cie& cie, const State& initial, std::span<const std::uint8_t> program,
             Rows& rows) {
        const auto begin = static_cast<std::uint64_t>(program.data() - section.bytes.data());
        ByteReader reader(section.bytes.first(program.empty() ? 0 : begin + program.size()),
                          program.empty() ? 0 : begin);
        while (!reader.at_end()) {
            const std::uint8_t byte = reader.u8();
            const std::uint8_t operand = byte & 0x3FU;
            bool good = true;
            switch (byte >> 6U) {
                case 1:  // DW_CFA_advance_loc
                    good = rows.advance(section, rows.location() + operand * cie.code_alignment);
                    break;
                case 2:  // DW_CFA_offset
                    set_register(operand, RegisterRule::kOffset, scaled(cie.data_alignment, reader.uleb()));
                    break;
                case 3:  // DW_CFA_restore
                    restore_register(initial, operand);
                    break;
                default:
                    good = run_extended(reader, Context<Rows>{section, cie, initial, rows}, operand);
                    break;
            }
            if (!good || reader.failed()) {
                return false;
            }
            if (rows.is_over()) {
                return true;  // the rest is beyond the function, or beyond where another begins
            }
        }
        return !reader.failed();
    }

  private:
    static constexpr unsigned kRemembered = 16;  // nesting of DW_CFA_remember_state; compilers use 1

    void set_register(std::uint64_t number, RegisterRule rule, std::int64_t value) {
        if (number < Packer::kRegisters) {
            state_.row.rule[number] = rule;
            state_.row.value[number] = value;
            state_.packer.note(static_cast<unsigned>(number), rule, value);
        }
    }

    void restore_register(const State& initial, std::uint64_t number) {
        if (number < Packer::kRegisters) {
            set_register(number, initial.row.rule[number], initial.row.value[number]);
        }
    }

    bool set_cfa(std::uint64_t number, std::int64_t offset) {
        state_.row.cfa_is_expression = false;
        state_.row.cfa_register = static_cast<std::uint16_t>(number < 0xFFFF ? number : 0xFFFF);
        state_.row.cfa_value = offset;
        return true;
    }

    static std::int64_t read_expression(ByteReader& reader) {
        const std::uint64_t size = reader.uleb();
        const std::uint64_t at = reader.position();
        reader.skip(size);
        return pack(ExpressionPlace{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(size)});
    }

    static std::int64_t scaled(std::int64_t factor, std::uint64_t value) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(factor) * value);
    }

    // What instructions work on besides the state.
    template <class Rows>
    struct Context {
        const FrameSection& section;
        const Cie& cie;
        const State& initial;
        Rows& rows;
    };

    template <class Rows>
    bool run_extended(ByteReader& reader, const Context<Rows>& in, std::uint8_t operation) {
        const Cie& cie = in.cie;
        RowState& row = state_.row;
        std::uint64_t number = 0;
        std::uint64_t location = 0;
        switch (operation) {
            case 0x00:  // DW_CFA_nop
                return true;
            case 0x01:  // DW_CFA_set_loc
                return read_encoded(reader, in.section, cie.pointer_encoding, 0, &location) &&
                       in.rows.advance(in.section, location);
            case 0x02:  // DW_CFA_advance_loc1
                return in.rows.advance(in.section, in.rows.location() + reader.u8() * cie.code_alignment);
            case 0x03:  // DW_CFA_advance_loc2
                return in.rows.advance(in.section, in.rows.location() + reader.u16() * cie.code_alignment);
            case 0x04:  // DW_CFA_advance_loc4
                return in.rows.advance(in.section, in.rows.location() + reader.u32() * cie.code_alignment);
            case 0x1D:  // DW_CFA_MIPS_advance_loc8
                return in.rows.advance(in.section, in.rows.location() + reader.u64() * cie.code_alignment);
            case 0x05:  // DW_CFA_offset_extended
                number = reader.uleb();
                set_register(number, RegisterRule::kOffset, scaled(cie.data_alignment, reader.uleb()));
                return true;
            case 0x06:  // DW_CFA_restore_extended
                restore_register(in.initial, reader.uleb());
                return true;
            case 0x07:  // DW_CFA_undefined
                set_register(reader.uleb(), RegisterRule::kUndefined, 0);
                return true;
            case 0x08:  // DW_CFA_same_value
                set_register(reader.uleb(), RegisterRule::kSame, 0);
                return true;
            case 0x09:  // DW_CFA_register
                number = reader.uleb();
                set_register(number, RegisterRule::kRegister, static_cast<std::int64_t>(reader.uleb()));
                return true;
            case 0x0A:  // DW_CFA_remember_state
                if (depth_ == kRemembered) {
                    return false;
                }
                remembered_[depth_++] = state_;
                return true;
            case 0x0B:  // DW_CFA_restore_state
                if (depth_ == 0) {
                    return false;
                }
                state_ = remembered_[--depth_];
                return true;
            case 0x0C:  // DW_CFA_def_cfa
                number = reader.uleb();
                return set_cfa(number, static_cast<std::int64_t>(reader.uleb()));
            case 0x0D:  // DW_CFA_def_cfa_register
                number = reader.uleb();
                return !row.cfa_is_expression && set_cfa(number, row.cfa_value);
            case 0x0E:  // DW_CFA_def_cfa_offset
                return !row.cfa_is_expression && set_cfa(row.cfa_register, static_cast<std::int64_t>(reader.uleb()));
            case 0x0F:  // DW_CFA_def_cfa_expression
                row.cfa_value = read_expression(reader);
                row.cfa_is_expression = true;
                return true;
            case 0x10:  // DW_CFA_expression
                number = reader.uleb();
                set_register(number, RegisterRule::kExpression, read_expression(reader));
                return true;
            case 0x11:  // DW_CFA_offset_extended_sf
                number = reader.uleb();
                set_register(number, RegisterRule::kOffset,
                             scaled(cie.data_alignment, static_cast<std::uint64_t>(reader.sleb())));
                return true;
            case 0x12:  // DW_CFA_def_cfa_sf
                number = reader.uleb();
                return set_cfa(number, scaled(cie.data_alignment, static_cast<std::uint64_t>(reader.sleb())));
            case 0x13:  // DW_CFA_def_cfa_offset_sf
                return !row.cfa_is_expression &&
                       set_cfa(row.cfa_register,
                               scaled(cie.data_alignment, static_cast<std::uint64_t>(reader.sleb())));
            case 0x14:  // DW_CFA_val_offset
                number = reader.uleb();
                set_register(number, RegisterRule::kValueOffset, scaled(cie.data_alignment, reader.uleb()));
                return true;
            case 0x15:  // DW_CFA_val_offset_sf
                number = reader.uleb();
                set_register(number, RegisterRule::kValueOffset,
                             scaled(cie.data_alignment, static_cast<std::uint64_t>(reader.sleb())));
                return true;
            case 0x16:  // DW_CFA_val_expression
                number = reader.uleb();
                set_register(number, RegisterRule::kValueExpression, read_expression(reader));
                return true;
            case 0x2E:  // DW_CFA_GNU_args_size: concerns landing pads only
                reader.uleb();
                return true;
            case 0x2F:  // DW_CFA_GNU_negative_offset_extended
                number = reader.uleb();
                set_register(number, RegisterRule::kOffset, scaled(cie.data_alignment, 0 - reader.uleb()));
                return true;
            default:
                return Packer::is_marker(operation);
        }
    }

    unsigned depth_ = 0;
    State state_;
    State remembered_[kRemembered];
};

}  // namespace kymo::unwind
