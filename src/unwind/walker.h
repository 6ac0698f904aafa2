// The walk itself, for any architecture: walk.h is its interface for the architecture of this build. Contract and
// bounds are there.
#pragma once

#include "unwind/arch.h"
#include "unwind/image_set.h"
#include "unwind/path.h"
#include "unwind/readable.h"
#include "unwind/walk_limits.h"

namespace kymo::unwind {

// The code look-ups for recovery.
template <class Arch>
class KnownCode {
  public:
    KnownCode(ImageSet& images, WalkLimits& limits, ReadablePages& pages)
        : images_(images), limits_(limits), pages_(pages) {}

    bool is_known(std::uint64_t address) const {
        return images_.rule_at(address, &limits_.describes).image != nullptr;
    }

    RuleWord rule_at(std::uint64_t address) const { return images_.rule_at(address, &limits_.describes).rule; }

    bool may_try() const { return limits_.words != 0; }
    // After kMostWords no word counts as one.
    bool is_return_address(std::uint64_t address) const {
        if (!WalkLimits::take(limits_.words) || code_at(address - 1).segment == nullptr) {
            return false;
        }
        std::span<const std::uint8_t> before;
        std::span<const std::uint8_t> at;
        around(address, &before, &at);
        // Execute-only code cannot be examined.
        return before.empty() || Arch::ends_in_call(before);
    }

    // Whether the code there returns from a signal handler. No call precedes it: the kernel makes the handler
    // return to it.
    bool is_handler_return(std::uint64_t address) const {
        constexpr std::size_t kSize = Arch::kLongestSignalReturn;
        std::uint64_t here = address;
        if (images_.is_elsewhere()) {
            const Code code = code_at(address);
            if (code.segment == nullptr || code.segment->range.end - address < kSize) {
                return false;
            }
            here += code.elsewhere;
        }
        return pages_.hold(here, here + kSize) &&
               Arch::is_signal_return({reinterpret_cast<const std::uint8_t*>(here), kSize});
    }

    void around(std::uint64_t address, std::span<const std::uint8_t>* before,
                std::span<const std::uint8_t>* at) const {
        constexpr std::uint64_t kWindow = 8;
        const auto [segment, elsewhere] = code_at(address - 1);
        if (segment == nullptr || (segment->flags & kReadable) == 0) {
            return;
        }
        const std::uint64_t low = address - segment->range.begin < kWindow ? segment->range.begin : address - kWindow;
        const std::uint64_t high = segment->range.end - address < kWindow ? segment->range.end : address + kWindow;
        const std::uint64_t here = address + elsewhere;
        if (pages_.hold(here - (address - low), here)) {
            *before = {reinterpret_cast<const std::uint8_t*>(here - (address - low)), address - low};
        }
        if (pages_.hold(here, here + (high - address))) {
            *at = {reinterpret_cast<const std::uint8_t*>(here), high - address};
        }
    }

    std::span<const std::uint8_t> behind(std::uint64_t address) const {
        constexpr std::uint64_t kMostBehind = 4096;
        const auto [segment, elsewhere] = code_at(address - 1);
        if (segment == nullptr || (segment->flags & kReadable) == 0 || address >= segment->range.end) {
            return {};
        }
        std::uint64_t size = segment->range.end - address;
        size = size < kMostBehind ? size : kMostBehind;
        size = size < limits_.code ? size : limits_.code;
        limits_.code -= static_cast<unsigned>(size);
        const std::uint64_t here = address + elsewhere;
        if (!pages_.hold(here, here + size)) {
            return {};
        }
        return {reinterpret_cast<const std::uint8_t*>(here), size};
    }

  private:
    static constexpr std::uint32_t kExecutable = 1;
    static constexpr std::uint32_t kReadable = 4;

    struct Code {
        const image::LoadedSegment* segment = nullptr;  // nullptr: no code there
        std::uint64_t elsewhere = 0;                    // LoadedImage's
    };

    Code code_at(std::uint64_t address) const {
        const auto found = images_.rule_at(address, &limits_.describes);
        const image::LoadedSegment* segment =
            found.image == nullptr ? nullptr : found.image->image->segment_of(address);
        return segment != nullptr && (segment->flags & kExecutable) != 0
                   ? Code{segment, found.image->image->elsewhere}
                   : Code{};
    }

    ImageSet& images_;
    WalkLimits& limits_;
    ReadablePages& pages_;
};

inline PathEnd end_of(StepResult result) {
    switch (result) {
        case StepResult::kOutsideStack:
            return PathEnd::kOutsideStack;
        case StepResult::kNoProgress:
            return PathEnd::kNoProgress;
        default:
            return PathEnd::kBadRule;
    }
}

template <class Arch>
class Walker {
  public:
    using Registers = typename Arch::Registers;

    Walker(ImageSet& images, const Registers& start, Start kind, const MemoryView& stack, const StackFinder* finder)
        : images_(images), cursor_(start), stack_(stack), finder_(finder), exact_(kind == Start::kInterrupted) {
        if (!stack_.spans(cursor_.sp())) {
            change_stack(cursor_.sp());
        }
    }

    WalkResult run(std::span<Frame> out) {
        WalkResult result = follow(out);
        const bool is_missing = result.end == PathEnd::kOutsideStack && cursor_.missing() > cursor_.sp();
        result.reached = is_missing ? cursor_.missing() + 8 : cursor_.sp();
        return result;
    }

    bool leave(bool (*inside)(ImageId), Registers* caller) {
        for (unsigned i = 0; i < kMostLeft; ++i) {
            const std::uint64_t address = cursor_.pc() - (exact_ ? 0 : 1);
            const ImageSet::Lookup found = images_.rule_at(address, &limits_.describes);
            if (kind_of(found.rule) != RuleKind::kPlain && take_detour(address)) {
                continue;
            }
            if (!inside(found.id)) {
                *caller = cursor_.registers(stack_);
                caller->pc = address;
                return found.image != nullptr;
            }
            Frame frame;
            if (step_by_rule(found, frame) != StepResult::kOk) {
                return false;
            }
            exact_ = false;
        }
        return false;
    }

  private:
    WalkResult follow(std::span<Frame> out) {
        WalkResult result;
        for (;;) {
            if (result.count == out.size()) {
                result.end = PathEnd::kTooDeep;
                return result;
            }
            const std::uint64_t address = cursor_.pc() - (exact_ ? 0 : 1);
            const ImageSet::Lookup found = images_.rule_at(address, &limits_.describes);
            Frame& frame = out[result.count];
            frame = {found.id, address - (found.image != nullptr ? found.image->bias : 0), address};
            if (kind_of(found.rule) == RuleKind::kPlain) [[likely]] {
                const StepResult step = cursor_.step(found.rule, stack_);
                if (step == StepResult::kOk) [[likely]] {
                    if (Arch::may_be_signal_flags(cursor_.pc()) && leave_handler(cursor_.sp() - 8, found, frame))
                        [[unlikely]] {
                        ++result.count;
                        continue;
                    }
                    if constexpr (Arch::kPushesReturnAddress) {
                        if (exact_ && result.count == 0 && is_no_code(cursor_.pc())) [[unlikely]] {
                            skip_untold_pushes(&result);
                        }
                    }
                    ++result.count;
                    exact_ = false;
                    if (cursor_.pc() == 0) [[unlikely]] {  // by convention the outermost frame's return address
                        result.end = PathEnd::kComplete;
                        return result;
                    }
                    continue;
                }
            }
            if (!rare_step(found, frame, &result)) {
                return result;
            }
        }
    }

    // What cannot be a return address, even if code is generated at run time: small numbers and the stack itself.
    bool is_no_code(std::uint64_t address) const {
        constexpr std::uint64_t kLowestMapping = 0x10000;
        return (address < kLowestMapping && address != 0) || (address >= stack_.begin() && address < stack_.end());
    }

    // If `address` is code that replaces the program's: moves to what it represents. Such code is not a frame.
    bool take_detour(std::uint64_t address) {
        constexpr unsigned kMostDetours = 1U << 16U;  // more than frames that are walked
        Detour detour;
        if (!images_.find_detour(address, &detour) || ++detours_ > kMostDetours) {
            return false;
        }
        std::uint64_t sp = cursor_.sp() + detour.stack;
        if (detour.kind == Detour::kOnStack) {
            if (!stack_.read(sp, &detour.address)) {
                return false;
            }
            sp += 8;
        }
        cursor_.move(detour.address, sp);
        exact_ = detour.kind == Detour::kMoved;
        return true;
    }

    // Hand-written code may push registers without rules for it (glibc 2.36's __mpn_addmul_1, busy in printf of
    // doubles: its table has CFA = rsp + 8 throughout). The return address is then a few words up.
    __attribute__((noinline)) void skip_untold_pushes(WalkResult* result) {
        constexpr unsigned kMostPushes = 6;
        const KnownCode<Arch> code(images_, limits_, pages_);
        for (unsigned i = 0; i < kMostPushes; ++i) {
            const std::uint64_t at = cursor_.sp() + 8ULL * i;
            std::uint64_t value = 0;
            if (!stack_.read(at, &value)) {
                return;
            }
            if (code.is_return_address(value)) {
                cursor_.recover(value, at + 8);
                result->recovered = true;
                return;
            }
        }
    }

    // If `frame`'s code returns from a signal handler, whatever its rules: moves to what the handler interrupted.
    // `at`: the stack pointer there.
    __attribute__((noinline)) bool leave_handler(std::uint64_t at, const ImageSet::Lookup& found, Frame& frame) {
        const std::uint64_t address = frame.address + (exact_ ? 0 : 1);
        Registers interrupted;
        if (!cursor_.knows_sp() || !KnownCode<Arch>(images_, limits_, pages_).is_handler_return(address) ||
            !Arch::registers_from_frame(at, stack_, &interrupted)) {
            return false;
        }
        set_return_from_handler(found, address, frame);
        cursor_.resume(interrupted);
        exact_ = true;
        if (!stack_.spans(cursor_.sp())) {
            change_stack(cursor_.sp());
        }
        return true;
    }

    // The code that returns from a handler was not called: its address is its first instruction's.
    static void set_return_from_handler(const ImageSet::Lookup& found, std::uint64_t address, Frame& frame) {
        frame.address = address;
        frame.offset = address - (found.image != nullptr ? found.image->bias : 0);
    }

    // makecontext's bottom: a return address without a call. It is the first byte of a function, so the byte
    // before it is in none.
    bool is_made_up_bottom(const ImageSet::Lookup& found) {
        return !exact_ && found.image != nullptr && kind_of(found.rule) == RuleKind::kNone &&
               kind_of(images_.rule_at(cursor_.pc(), &limits_.describes).rule) != RuleKind::kNone;
    }

    // Where C code that a goroutine has called calls back, Go makes the goroutine's frames look like those of a
    // function that has just been called: the return address is that function's first byte, and what lies before it
    // is another function, which moves to another stack. Counts no frame.
    bool take_pretended_call(const ImageSet::Lookup& found) {
        if (exact_ || found.image == nullptr) {
            return false;
        }
        exact_ = kind_of(images_.rule_at(cursor_.pc(), &limits_.describes).rule) == RuleKind::kPlain;
        return exact_;
    }

    // Rules of a signal frame that contain less than the frame, or are not understood.
    static bool is_partial_signal_rule(const ImageSet::Lookup& found) {
        if (Arch::kSignalRulesAreWhole || found.image == nullptr) {
            return false;
        }
        const ExtendedRule* rule =
            kind_of(found.rule) == RuleKind::kExtended ? found.image->kept_table->extended_of(found.rule) : nullptr;
        return kind_of(found.rule) == RuleKind::kBad || (rule != nullptr && rule->signal_frame);
    }

    // Everything but a plain rule that works. Counts the frame; false: the walk is over and result->end has the
    // reason.
    __attribute__((noinline)) bool rare_step(const ImageSet::Lookup& found, Frame& frame, WalkResult* result) {
        if (take_detour(frame.address)) {
            return true;
        }
        const bool has_rule = kind_of(found.rule) != RuleKind::kNone;
        if ((!has_rule || is_partial_signal_rule(found)) && leave_handler(cursor_.sp(), found, frame)) {
            ++result->count;
            return true;
        }
        if (kind_of(found.rule) == RuleKind::kBottom || is_made_up_bottom(found)) {
            ++result->count;
            result->end = PathEnd::kComplete;
            return false;
        }
        const bool never_returns = kind_of(found.rule) == RuleKind::kHandOver;
        if (never_returns || kind_of(found.rule) == RuleKind::kSwitch) {
            if (take_pretended_call(found)) {
                return true;
            }
            ++result->count;
            result->end = never_returns ? PathEnd::kComplete : PathEnd::kOutsideStack;
            if (!cursor_.get(Arch::Rules::kPreserved[0], stack_, &result->other_frame)) {
                result->other_frame = WalkResult::kNotKnown;
            }
            return false;
        }
        StepResult step = step_by_rule(found, frame);
        if (step == StepResult::kOutsideStack && change_stack(cursor_.missing())) {
            step = step_by_rule(found, frame);
        }
        bool moved = step == StepResult::kOk || step == StepResult::kSignal;
        if (!moved) {
            const KnownCode<Arch> code(images_, limits_, pages_);
            moved =
                step_by_unchanged(found.rule, code) || Arch::recover_caller(cursor_, stack_, exact_, code, &chain_);
            step = StepResult::kOk;
            result->recovered = result->recovered || moved;
        }
        // A return address in no image that leads to no frame is not a frame; an interrupted program counter
        // always is.
        if (moved || found.image != nullptr || result->count == 0) {
            ++result->count;
        }
        if (!moved) {
            result->end = found.image == nullptr ? PathEnd::kUnmapped : has_rule ? failure_ : PathEnd::kNoRule;
            return false;
        }
        exact_ = step == StepResult::kSignal;
        if (!stack_.spans(cursor_.sp())) {
            change_stack(cursor_.sp());
        }
        if (cursor_.pc() == 0) {
            result->end = PathEnd::kComplete;
            return false;
        }
        return true;
    }

    // Hand-written code may keep its caller's stack pointer in a register that others may change, and call helpers
    // of its own that do not: OpenSSL's aesni_gcm_encrypt has CFA = rax + 8 throughout.
    bool step_by_unchanged(RuleWord rule, const KnownCode<Arch>& code) {
        if (exact_ || kind_of(rule) != RuleKind::kPlain) {
            return false;
        }
        const std::uint64_t cfa = cursor_.cfa_if_unchanged(rule);
        const std::uint64_t slot = Arch::Rules::return_slot(rule);
        std::uint64_t caller = 0;
        return slot != 0 && cfa > cursor_.sp() && stack_.read(cfa - 8 * slot, &caller) &&
               code.is_return_address(Arch::Rules::code_address(caller)) &&
               cursor_.step_to(cfa, rule, stack_) == StepResult::kOk;
    }

    StepResult step_by_rule(const ImageSet::Lookup& found, Frame& frame) {
        StepResult step = StepResult::kBadRule;
        if (kind_of(found.rule) == RuleKind::kPlain) {
            step = cursor_.step(found.rule, stack_);
        } else if (found.image != nullptr && kind_of(found.rule) == RuleKind::kExtended) {
            const Table* table = found.image->kept_table;
            if (const ExtendedRule* rule = table->extended_of(found.rule); rule != nullptr) {
                if (rule->signal_frame && !exact_) {
                    set_return_from_handler(found, cursor_.pc(), frame);
                }
                step = cursor_.step(*rule, *table, stack_, &limits_.operations);
            }
        }
        failure_ = end_of(step);
        return step;
    }

    // Changes to the stack that contains `sp`.
    bool change_stack(std::uint64_t sp) {
        MemoryView other;
        if (finder_ == nullptr || !WalkLimits::take(limits_.stacks)) {
            return false;
        }
        cursor_.detach(stack_);  // now: the finder may use the same buffer again
        if (!finder_->find(finder_->context, sp, &other) || !other.spans(sp)) {
            return false;
        }
        stack_ = other;
        chain_ = {};
        return true;
    }

    ImageSet& images_;
    typename Arch::Cursor cursor_;
    MemoryView stack_;
    const StackFinder* finder_;
    WalkLimits limits_;
    ReadablePages pages_;
    FrameChain chain_;
    unsigned detours_ = 0;
    bool exact_;
    PathEnd failure_ = PathEnd::kBadRule;
};

}  // namespace kymo::unwind
