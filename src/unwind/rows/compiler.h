// The compiler behind compile.h, for any architecture: `Packer` is an architecture's RulePacker (rule.h), which says
// how a row of the call-frame program becomes a RuleWord.
//
// Works through the functions in ascending order and appends rows; runs each function's call-frame program once
// (DWARF 5, section 6.4.2). Large, so it lives on pages of its own and not on a signal stack.
#pragma once

#include "unwind/call_frame.h"
#include "unwind/compile_input.h"
#include "unwind/page_array.h"
#include "unwind/rows/frame_program.h"
#include "unwind/rows/function_index.h"
#include "unwind/rows/go_frame.h"
#include "unwind/rows/table_rows.h"
#include "unwind/table.h"

#include <new>

namespace kymo::unwind {

template <class Packer>
class Compiler {
  public:
    explicit Compiler(const CompileInput& input)
        : input_(input),
          rows_(input.base),
          cursor_(input.code_begin),
          // Overlapping descriptions could request the same bytes repeatedly; valid sections need them once, and Go's
          // linker lets functions share them.
          budget_(8 * (input.eh_frame.bytes.size() + input.debug_frame.bytes.size() + input.go.bytes()) +
                  kLeastBudget) {}

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
    static constexpr std::size_t kCies = 8;

    using State = typename FrameProgram<Packer>::State;
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

    // ---- the functions

    bool add_function(std::uint64_t begin, const FrameSection& section, std::uint64_t offset) {
        const std::uint64_t relative = begin - input_.base;
        if (begin < input_.code_begin || begin >= input_.code_end || relative > UINT32_MAX ||
            offset > FunctionKey::max_offset(section.kind)) {
            return true;
        }
        if (section.kind == FrameSectionKind::kDebugFrame && is_described_by_go(begin)) {
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
        return (header.count != 0 || scan(input_.eh_frame)) && find_go_functions() && scan(input_.debug_frame);
    }

    bool find_go_functions() {
        for (std::size_t i = 0; i < input_.go.size() && i <= FunctionKey::kMaxOther; ++i) {
            const std::uint64_t begin = input_.go.begin(i);
            const std::uint64_t relative = begin - input_.base;
            image::GoFunction function;
            if (begin >= input_.code_begin && begin < input_.code_end && relative <= UINT32_MAX &&
                input_.go.function(i, &function) && function.depths != 0 &&
                !functions_.push(FunctionKey::make_go(static_cast<std::uint32_t>(relative), i))) {
                return false;
            }
        }
        return true;
    }

    // C code that Go's linker has put among Go's has no table of depths there.
    bool is_described_by_go(std::uint64_t begin) const {
        image::GoFunction function;
        return input_.go.function_at(begin, &function) && function.depths != 0;
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
            program_.begin(slot.initial);
            emitting_ = false;
            slot.good = execute(section, slot.cie, slot.initial, slot.cie.program);
            slot.initial = program_.state();
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
        if (FunctionKey::is_go(key)) {
            return compile_go_function(key, limit);
        }
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
        const bool early = Packer::kSignalRowsBeginEarly && cie.cie.signal_frame && fde.begin > input_.code_begin;
        cursor_ = fde.begin - (early ? 1 : 0);
        program_.begin(cie.initial);
        if (early) {
            emit_row(section);
            cursor_ = fde.begin;
        }
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

    bool compile_go_function(std::uint64_t key, std::uint64_t limit) {
        image::GoFunction function;
        if (!input_.go.function(FunctionKey::offset(key), &function)) {
            return false;
        }
        const std::uint64_t end = function.end < limit ? function.end : limit;
        if (function.begin > cursor_) {
            rows_.emit(cursor_, simple_rule(RuleKind::kNone));
        }
        cursor_ = function.begin;
        if (const RuleKind kind = go_frame_kind(input_.go, function); kind != RuleKind::kPlain) {
            rows_.emit(cursor_, simple_rule(kind));
            cursor_ = end;
            return true;
        }
        image::GoValues depths = input_.go.values(function, function.depths);
        std::size_t read = 0;
        while (cursor_ < end && depths.next()) {
            const std::size_t step = depths.bytes_read() - read;
            read = depths.bytes_read();
            if (step > budget_) {
                return false;
            }
            budget_ -= step;
            if (depths.end() > cursor_) {
                rows_.emit(cursor_, go_rule<Packer>(depths.value()));
                cursor_ = depths.end() < end ? depths.end() : end;
            }
        }
        return true;
    }

    bool execute(const FrameSection& section, const Cie& cie, const State& initial,
                 std::span<const std::uint8_t> program) {
        if (program.size() > budget_ || section.bytes.size() > UINT32_MAX) {
            return false;
        }
        budget_ -= program.size();
        return program_.run(section, cie, initial, program, *this);
    }

    // ---- the requirements of the program (frame_program.h)

    friend class FrameProgram<Packer>;

    std::uint64_t location() const { return cursor_; }
    // The rest is beyond the function, or beyond where another begins.
    bool is_over() const { return emitting_ && cursor_ >= end_; }

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
        State& state = program_.state();
        RuleWord rule = state.packer.pack(state.row);
        if (kind_of(rule) == RuleKind::kExtended) {
            rule = rows_.keep(section, state.row);
        }
        rows_.emit(cursor_, rule);
    }

    const CompileInput& input_;
    TableRows<Packer::kRegisters> rows_;
    std::uint64_t cursor_;  // where the rows made so far end
    std::uint64_t end_ = 0;
    std::uint64_t budget_;  // bytes of instructions that may still be run
    std::uint32_t good_ = 0;
    std::uint32_t bad_ = 0;
    bool emitting_ = false;  // false while a CIE's initial instructions run
    FrameProgram<Packer> program_;
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
