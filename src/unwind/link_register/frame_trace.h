// Where a function without call-frame information keeps its caller's frame: found by following its instructions
// from the present one to its next return, as far as they change the stack pointer, the frame pointer and the
// return address.
//
// The instructions are followed in the order of their addresses, ignoring branches: what matters is how the
// epilogue undoes the present frame. So one rule serves the prologue (what is still to be saved is restored from
// where it was saved to), the body (the epilogue loads it) and the epilogue (its remaining part).
//
// Contract: bounded by the bytes given; reads no memory but them.
#pragma once

#include "unwind/link_register/instruction.h"

namespace kymo::unwind::link_register {

// A value in terms of the registers at the place where the trace began.
struct Held {
    enum class Kind : std::uint8_t { kRegister, kMemory, kUnknown };
    Kind kind = Kind::kUnknown;
    unsigned number = 0;  // kRegister: its value + offset; kMemory: the word there
    std::int64_t offset = 0;

    bool operator==(const Held&) const = default;
};

template <class Numbers>
class FrameTrace {
  public:
    // `decode`: bytes → Instruction. False: no return was found that restores the stack pointer and goes to a
    // return address that was not overwritten.
    template <class Decode>
    bool run(std::span<const std::uint8_t> code, const Decode& decode) {
        while (!code.empty()) {
            const Instruction instruction = decode(code);
            if (instruction.size == 0 || instruction.size > code.size()) {
                return false;
            }
            for (const Effect& effect : instruction.effects) {
                apply(effect);
            }
            using enum Instruction::Flow;
            const bool jumps = instruction.flow == kJump || instruction.flow == kJumpByRegister;
            if (instruction.flow == kReturn || (jumps && has_left_frame())) {
                return sp_.kind == Held::Kind::kRegister && return_.kind != Held::Kind::kUnknown;
            }
            if (instruction.flow != kNext) {
                jumps_first_ = jumps_first_ || (is_untouched_ && instruction.flow == kJumpByRegister);
                is_untouched_ = false;
            }
            if (instruction.flow == kCall) {
                return_ = Held{};
            }
            code = code.subspan(instruction.size);
        }
        return false;
    }

    // At the return that was found.
    const Held& stack_pointer() const { return sp_; }
    const Held& frame_pointer() const { return frame_; }
    const Held& return_address() const { return return_; }

    // A jump by a register comes first: as in the linkage table, where the return address is in its register.
    bool jumps_first() const { return jumps_first_; }

  private:
    struct Saved {
        Held place;
        Held value;
    };

    // A jump behind an epilogue leads to another function, which returns in place of this one.
    bool has_left_frame() const {
        return return_.kind == Held::Kind::kMemory ||
               (sp_.kind == Held::Kind::kRegister && sp_.number == Numbers::kStackPointer && sp_.offset > 0);
    }

    Held* followed(unsigned number) {
        return number == Numbers::kStackPointer    ? &sp_
               : number == Numbers::kFramePointer  ? &frame_
               : number == Numbers::kReturnAddress ? &return_
                                                   : nullptr;
    }

    // base + offset; kUnknown where the base is not followed.
    Held place_of(const Effect& effect) {
        const Held* base = followed(effect.base);
        if (base == nullptr || base->kind != Held::Kind::kRegister) {
            return {};
        }
        return {Held::Kind::kRegister, base->number, base->offset + effect.offset};
    }

    void apply(const Effect& effect) {
        Held* held = followed(effect.number);
        if (held == nullptr || effect.kind == Effect::Kind::kNone) {
            return;
        }
        is_untouched_ = false;
        const Held place = place_of(effect);
        switch (effect.kind) {
            case Effect::Kind::kMove:
                *held = place;
                return;
            case Effect::Kind::kLoad:
                *held = loaded(place);
                return;
            case Effect::Kind::kStore:
                saved_[next_saved_++ % saved_.size()] = {place, *held};
                return;
            default:
                *held = {};
                return;
        }
    }

    Held loaded(Held place) const {
        if (place.kind == Held::Kind::kUnknown) {
            return {};
        }
        for (std::size_t back = 1; back <= saved_.size() && back <= next_saved_; ++back) {
            const Saved& saved = saved_[(next_saved_ - back) % saved_.size()];
            if (saved.place == place) {
                return saved.value;
            }
        }
        place.kind = Held::Kind::kMemory;
        return place;
    }

    Held sp_{Held::Kind::kRegister, Numbers::kStackPointer, 0};
    Held frame_{Held::Kind::kRegister, Numbers::kFramePointer, 0};
    Held return_{Held::Kind::kRegister, Numbers::kReturnAddress, 0};
    std::array<Saved, 4> saved_{};  // the last ones
    std::size_t next_saved_ = 0;
    bool is_untouched_ = true;
    bool jumps_first_ = false;
};

}  // namespace kymo::unwind::link_register
