// x86-64: finds a frame's caller without a rule: by what the function does before it returns, by the frame pointer
// chain, or (in an interrupted function that has not touched the stack) by the return address on top.
//
// Contract: reads the stack through the view only, and code only where `code` allows it. Every candidate must be a
// return address: in known code, behind a call instruction. It is still a guess: the walk marks the path.
#pragma once

#include "unwind/memory_view.h"
#include "unwind/recovery.h"
#include "unwind/x86_64/epilogue.h"
#include "unwind/x86_64/step.h"

#include <span>

namespace kymo::unwind::x86_64 {

inline constexpr unsigned kLongestCall = 7;

// Whether `bytes` (those before a return address, up to kLongestCall bytes) end in a call instruction: E8 with
// four bytes, or FF /2 (or the far FF /3) with its ModRM, SIB and displacement. Intel SDM volume 2A, CALL.
inline bool ends_in_call(std::span<const std::uint8_t> bytes) {
    const std::size_t size = bytes.size();
    if (size >= 5 && bytes[size - 5] == 0xE8) {
        return true;
    }
    for (std::size_t length = 2; length <= kLongestCall && length <= size; ++length) {
        if (bytes[size - length] != 0xFF) {
            continue;
        }
        const std::uint8_t modrm = bytes[size - length + 1];
        const unsigned mod = modrm >> 6U;
        const unsigned rm = modrm & 7U;
        const bool has_sib = mod != 3 && rm == 4;
        std::size_t need = has_sib ? 3 : 2;
        if (mod == 1) {
            need += 1;
        } else if (mod == 2 || (mod == 0 && rm == 5) ||
                   (mod == 0 && has_sib && length > 2 && (bytes[size - length + 2] & 7U) == 5)) {
            need += 4;
        }
        if (((modrm >> 3U & 7U) == 2 || (modrm >> 3U & 7U) == 3) && need == length) {
            return true;
        }
    }
    return false;
}

// Where the interrupted function is in its prologue or epilogue, as far as one instruction shows.
enum class Place : std::uint8_t {
    kUnknown,
    kReturnOnTop,  // at its entry (push %rbp, endbr64) or its ret
    kFramePushed,  // between push %rbp and mov %rsp,%rbp
};

inline Place place_of(std::span<const std::uint8_t> before, std::span<const std::uint8_t> at) {
    const auto starts = [&at](std::initializer_list<std::uint8_t> bytes) {
        return at.size() >= bytes.size() && std::equal(bytes.begin(), bytes.end(), at.begin());
    };
    if (starts({0x55}) || starts({0xF3, 0x0F, 0x1E, 0xFA}) || starts({0xC3})) {
        return Place::kReturnOnTop;
    }
    const bool pushed = !before.empty() && before.back() == 0x55;
    return pushed && (starts({0x48, 0x89, 0xE5}) || starts({0x48, 0x8B, 0xEC})) ? Place::kFramePushed
                                                                                : Place::kUnknown;
}

// What push %rbp; mov %rsp, %rbp leaves at rbp.
struct FrameRecord {
    static constexpr std::uint64_t kFrame = 0;
    static constexpr std::uint64_t kReturn = 8;
    static constexpr std::uint64_t kCaller = 16;
    static constexpr bool kGivesStackPointer = true;
    static constexpr std::uint64_t code_address(std::uint64_t value) { return value; }
};

// By the function's epilogue: one of the next few behind its program counter that leads to a return address.
template <class Code>
bool recover_by_epilogue(Cursor& cursor, const MemoryView& stack, const Code& code) {
    constexpr unsigned kMostReturns = 16;
    const std::uint64_t sp = cursor.sp();
    const std::span<const std::uint8_t> bytes = code.behind(cursor.pc());
    std::size_t end = find_return(bytes, 0);
    for (unsigned i = 0; i < kMostReturns && end < bytes.size(); ++i, end = find_return(bytes, end + 1)) {
        const Epilogue epilogue = EpilogueReader(bytes, end).read();
        std::uint64_t top = sp + epilogue.offset;
        bool known = true;
        if (epilogue.base == Epilogue::Base::kLoaded) {
            known = stack.read(sp + epilogue.offset, &top);
        } else if (epilogue.base != Epilogue::Base::kStackPointer) {
            const bool leaves = epilogue.base == Epilogue::Base::kFramePointer;
            known = cursor.get(leaves ? unsigned{kRbp} : epilogue.number, stack, &top);
        }
        Cursor::SavedAt saved{};
        std::uint64_t slot = top;
        const auto pop = [&saved, &slot](unsigned number) {
            for (unsigned k = 0; k < kPreserved.size(); ++k) {
                saved[k] = kPreserved[k] == number ? slot : saved[k];
            }
            slot += 8;
        };
        if (epilogue.base == Epilogue::Base::kFramePointer) {
            pop(kRbp);
        }
        for (std::uint32_t k = 0; k < epilogue.pops; ++k) {
            pop(epilogue.popped[k]);
        }
        std::uint64_t word = 0;
        if (known && top >= sp && top % 8 == 0 && stack.read(slot, &word) && code.is_return_address(word) &&
            has_a_caller(cursor, saved, word, slot + 8, stack, code)) {
            cursor.recover(word, slot + 8, saved);
            return true;
        }
    }
    return false;
}

// `Code` and `chain`: recovery.h.
template <class Code>
bool recover_caller(Cursor& cursor, const MemoryView& stack, bool interrupted, const Code& code, FrameChain* chain) {
    const std::uint64_t sp = cursor.sp();
    std::uint64_t word = 0;
    Place place = Place::kUnknown;
    if (interrupted) {
        std::span<const std::uint8_t> before;
        std::span<const std::uint8_t> at;
        code.around(cursor.pc(), &before, &at);
        place = place_of(before, at);
    }
    if (place == Place::kReturnOnTop && stack.read(sp, &word) && code.is_return_address(word)) {
        cursor.recover(word, sp + 8);
        return true;
    }
    std::uint64_t pushed = 0;
    if (place == Place::kFramePushed && stack.read(sp + 8, &word) && code.is_return_address(word) &&
        stack.read(sp, &pushed)) {
        cursor.recover(word, sp + 16, &pushed);
        return true;
    }

    if (recover_by_epilogue(cursor, stack, code)) {
        return true;
    }

    if (recover_by_frame_record<FrameRecord>(cursor, stack, code, chain)) {
        return true;
    }
    if (interrupted && place == Place::kUnknown && stack.read(sp, &word) && code.is_return_address(word)) {
        cursor.recover(word, sp + 8);
        return true;
    }
    return false;
}

}  // namespace kymo::unwind::x86_64
