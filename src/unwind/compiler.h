// The compiler behind compile.h, for any architecture: `Packer` is an architecture's RulePacker (rule.h), which says
// how a row of the call-frame program becomes a RuleWord.
//
// Works through the functions in ascending order and appends rows; runs each function's call-frame program once
// (DWARF 5, section 6.4.2). Large, so it lives on pages of its own and not on a signal stack.
#pragma once

#include "unwind/byte_reader.h"
#include "unwind/call_frame.h"
#include "unwind/compile_input.h"
#include "unwind/function_index.h"
#include "unwind/page_array.h"
#include "unwind/table.h"
#include "unwind/table_rows.h"

#include <new>

namespace kymo::unwind {

template <class Packer>
class Compiler {
  public:
    explicit Compiler(const CompileInput& input)
        : input_(input),
          rows_(input.base),
          cursor_(input.code_begin),
          // Overlapping descriptions could ask for the same bytes again and again; honest sections need once.
          budget_(8 * (input.eh_frame.bytes.size() + input.debug_frame.bytes.size()) + kLeastBudget) {}

    bool run(Table* table) {
        *table = Table{};
        const bool complete = find_functions() && sort_functions(functions_) && compile_functions();
        functions_.give_back();
        if (!complete) {
            rows_.give_back();
            begins_.give_back();
            return false;
        }
        rows_.finish(table);
        begins_.trim();
        table->functions_begin = begins_.data();
        table->function_count = static_cast<std::uint32_t>(begins_.size());
        table->functions = good_;
        table->bad_functions = bad_;
        return true;
    }

  private:
    static constexpr std::uint64_t kLeastBudget = std::uint64_t{1} << 20U;
    static constexpr unsigned kRemembered = 16;  // nesting of DW_CFA_remember_state; compilers use 1
    static constexpr std::size_t kCies = 8;

    struct State {
        Packer packer;
        RowState row;
    };
    struct CachedCie {
        bool used = false;
        bool good = false;
        const FrameSection* section = nullptr;
        std::uint64_t offset = 0;
        Cie cie;
        State initial;
    };

    const FrameSection& section_of(std::uint64_t key) const {
        return FunctionKey::is_debug(key) ? input_.debug_frame : input_.eh_frame;
    }

    // ---- which functions there are

    bool add_function(std::uint64_t begin, const FrameSection& section, std::uint64_t offset) {
        const std::uint64_t relative = begin - input_.base;
        if (begin < input_.code_begin || begin >= input_.code_end || relative > UINT32_MAX ||
            offset > FunctionKey::kMaxOffset) {
            return true;
        }
        return functions_.push(FunctionKey::make(static_cast<std::uint32_t>(relative), section.kind, offset));
    }

    bool find_functions() {
        const FrameHeader& header = input_.eh_header;
        for (std::uint64_t i = 0; i < header.count; ++i) {
            std::uint64_t begin = 0;
            std::uint64_t fde = 0;
            header.entry(i, &begin, &fde);
            if (fde - input_.eh_frame.address < input_.eh_frame.bytes.size() &&
                !add_function(begin, input_.eh_frame, fde - input_.eh_frame.address)) {
                return false;
            }
        }
        return (header.count != 0 || scan(input_.eh_frame)) && scan(input_.debug_frame);
    }

    bool scan(const FrameSection& section) {
        Entry entry;
        for (std::uint64_t at = 0; at < section.bytes.size() && read_entry(section, at, &entry); at = entry.next) {
            std::uint64_t begin = 0;
            if (entry.kind == Entry::Kind::kTerminator && !section.exact) {
                break;
            }
            if (entry.kind != Entry::Kind::kFde) {
                continue;
            }
            const CachedCie& cie = cached_cie(section, entry.cie);
            if (!cie.good || !read_fde_begin(section, entry, cie.cie, &begin)) {
                ++bad_;
            } else if (!add_function(begin, section, at)) {
                return false;
            }
        }
        return true;
    }

    const CachedCie& cached_cie(const FrameSection& section, std::uint64_t offset) {
        CachedCie& slot = cies_[(offset / 8) % kCies];
        if (slot.used && slot.section == &section && slot.offset == offset) {
            return slot;
        }
        slot.used = true;
        slot.section = &section;
        slot.offset = offset;
        slot.initial = State{};
        slot.good = read_cie(section, offset, &slot.cie) && slot.cie.return_register == Packer::kReturnRegister;
        if (slot.good) {
            slot.initial.row.signal_frame = slot.cie.signal_frame;
            state_ = slot.initial;
            depth_ = 0;
            emitting_ = false;
            slot.good = execute(section, slot.cie, slot.initial, slot.cie.program);
            slot.initial = state_;
        }
        return slot;
    }

    // ---- functions to rows

    bool compile_functions() {
        const std::size_t count = functions_.size();
        if (!rows_.reserve(count * 6 + 2)) {
            return false;
        }
        bool begin_done = false;
        for (std::size_t i = 0; i < count && !rows_.is_out_of_memory(); ++i) {
            const std::uint32_t begin = FunctionKey::begin(functions_[i]);
            if (i != 0 && begin == FunctionKey::begin(functions_[i - 1]) && begin_done) {
                continue;
            }
            std::size_t next = i + 1;
            while (next < count && FunctionKey::begin(functions_[next]) == begin) {
                ++next;
            }
            const std::uint64_t limit =
                next < count ? input_.base + FunctionKey::begin(functions_[next]) : input_.code_end;
            begin_done = compile_function(functions_[i], limit);
            begin_done ? ++good_ : ++bad_;
            if (begin_done && !keep_begin(begin)) {
                return false;
            }
        }
        rows_.emit(cursor_, simple_rule(RuleKind::kNone));
        return !rows_.is_out_of_memory();
    }

    bool keep_begin(std::uint32_t begin) {
        return (begins_.size() != 0 && begins_.back() == begin) || begins_.push(begin);
    }

    // False: not a single row could be made.
    bool compile_function(std::uint64_t key, std::uint64_t limit) {
        const FrameSection& section = section_of(key);
        Entry entry;
        Fde fde;
        if (!read_entry(section, FunctionKey::offset(key), &entry) || entry.kind != Entry::Kind::kFde) {
            return false;
        }
        const CachedCie& cie = cached_cie(section, entry.cie);
        if (!cie.good || !read_fde(section, entry, cie.cie, &fde) ||
            fde.begin != input_.base + FunctionKey::begin(key)) {
            return false;
        }
        end_ = fde.end < limit ? fde.end : limit;
        if (fde.begin >= end_) {
            return true;  // describes nothing
        }
        if (fde.begin > cursor_) {
            rows_.emit(cursor_, simple_rule(RuleKind::kNone));
        }
        cursor_ = fde.begin;
        state_ = cie.initial;
        depth_ = 0;
        emitting_ = true;
        if (!execute(section, cie.cie, cie.initial, fde.program)) {
            ++bad_;
            rows_.emit(cursor_, simple_rule(RuleKind::kBad));
        } else if (cursor_ < end_) {
            emit_row(section);
        }
        cursor_ = end_;
        return true;
    }

    // Moves on to `location`: the rows up to there are final.
    bool advance(const FrameSection& section, std::uint64_t location) {
        if (!emitting_ || location < cursor_) {
            return false;
        }
        if (location > cursor_) {
            emit_row(section);
            cursor_ = location;
        }
        return true;
    }

    void emit_row(const FrameSection& section) {
        RuleWord rule = state_.packer.pack(state_.row);
        if (kind_of(rule) == RuleKind::kExtended) {
            rule = rows_.keep(section, state_.row);
        }
        rows_.emit(cursor_, rule);
    }

    // ---- the call-frame program

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

    // Runs instructions on state_. False: something in them could not be understood; what came before holds.
    bool execute(const FrameSection& section, const Cie& cie, const State& initial,
                 std::span<const std::uint8_t> program) {
        if (program.size() > budget_ || section.bytes.size() > UINT32_MAX) {
            return false;
        }
        budget_ -= program.size();
        const auto begin = static_cast<std::uint64_t>(program.data() - section.bytes.data());
        ByteReader reader(section.bytes.first(program.empty() ? 0 : begin + program.size()),
                          program.empty() ? 0 : begin);
        while (!reader.at_end()) {
            const std::uint8_t byte = reader.u8();
            const std::uint8_t operand = byte & 0x3FU;
            bool good = true;
            switch (byte >> 6U) {
                case 1:  // DW_CFA_advance_loc
                    good = advance(section, cursor_ + operand * cie.code_alignment);
                    break;
                case 2:  // DW_CFA_offset
                    set_register(operand, RegisterRule::kOffset, scaled(cie.data_alignment, reader.uleb()));
                    break;
                case 3:  // DW_CFA_restore
                    restore_register(initial, operand);
                    break;
                default:
                    good = execute_extended(reader, section, cie, initial, operand);
                    break;
            }
            if (!good || reader.failed()) {
                return false;
            }
            if (emitting_ && cursor_ >= end_) {
                return true;  // what follows is beyond the function, or beyond where another begins
            }
        }
        return !reader.failed();
    }

    bool execute_extended(ByteReader& reader, const FrameSection& section, const Cie& cie, const State& initial,
                          std::uint8_t operation) {
        RowState& row = state_.row;
        std::uint64_t number = 0;
        std::uint64_t location = 0;
        switch (operation) {
            case 0x00:  // DW_CFA_nop
                return true;
            case 0x01:  // DW_CFA_set_loc
                return read_encoded(reader, section, cie.pointer_encoding, 0, &location) &&
                       advance(section, location);
            case 0x02:  // DW_CFA_advance_loc1
                return advance(section, cursor_ + reader.u8() * cie.code_alignment);
            case 0x03:  // DW_CFA_advance_loc2
                return advance(section, cursor_ + reader.u16() * cie.code_alignment);
            case 0x04:  // DW_CFA_advance_loc4
                return advance(section, cursor_ + reader.u32() * cie.code_alignment);
            case 0x1D:  // DW_CFA_MIPS_advance_loc8
                return advance(section, cursor_ + reader.u64() * cie.code_alignment);
            case 0x05:  // DW_CFA_offset_extended
                number = reader.uleb();
                set_register(number, RegisterRule::kOffset, scaled(cie.data_alignment, reader.uleb()));
                return true;
            case 0x06:  // DW_CFA_restore_extended
                restore_register(initial, reader.uleb());
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
            case 0x2D:  // DW_CFA_AARCH64_negate_ra_state: the signature is taken off whatever it says
                return true;
            case 0x2E:  // DW_CFA_GNU_args_size: concerns landing pads only
                reader.uleb();
                return true;
            case 0x2F:  // DW_CFA_GNU_negative_offset_extended
                number = reader.uleb();
                set_register(number, RegisterRule::kOffset, scaled(cie.data_alignment, 0 - reader.uleb()));
                return true;
            default:
                return false;
        }
    }

    const CompileInput& input_;
    TableRows<Packer::kRegisters> rows_;
    std::uint64_t cursor_;  // where the rows made so far end
    std::uint64_t end_ = 0;
    std::uint64_t budget_;  // bytes of instructions that may still be run
    std::uint32_t good_ = 0;
    std::uint32_t bad_ = 0;
    bool emitting_ = false;  // false while a CIE's initial instructions run
    unsigned depth_ = 0;
    State state_;
    State remembered_[kRemembered];
    CachedCie cies_[kCies];
    PageArray<std::uint64_t> functions_;
    PageArray<std::uint32_t> begins_;  // of those with rows
};

template <class Packer>
bool compile_for(const CompileInput& input, Table* table) {
    *table = Table{};
    void* pages = image::map_pages(sizeof(Compiler<Packer>));
    if (pages == nullptr) {
        return false;
    }
    auto* compiler = new (pages) Compiler<Packer>(input);
    const bool complete = compiler->run(table);
    image::unmap_pages(pages, sizeof(Compiler<Packer>));
    return complete;
}

}  // namespace kymo::unwind
