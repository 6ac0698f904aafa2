// x86-64: how a hook changes a function's entry, or a place inside it: a jump in the function, and code near it
// that goes to the trampoline and contains the function's own instructions.
#pragma once

#include "hooks/plan_file.h"
#include "hooks/x86_64/stub.h"

namespace kymo::hooks {

inline constexpr std::uint64_t kReach = 0x7fff0000;  // of jumps and of data named relative to an instruction

// A piece of near code begins with the addresses of the trampolines: of entries, then of places.
inline constexpr std::uint64_t kAreaHead = 16;
inline constexpr std::uint64_t kEntryCode = 17;
inline constexpr std::uint64_t kPlaceCode = 31;
constexpr std::uint64_t hook_bytes(unsigned moved_bytes, bool is_place = false) {
    return ((is_place ? kPlaceCode : kEntryCode) + moved_bytes + kJumpBytes + 15) & ~std::uint64_t{15};
}
inline void write_area_head(std::uint8_t* area) {
    const std::uint64_t trampolines[] = {reinterpret_cast<std::uint64_t>(&kymo_hooks_enter_trampoline),
                                         reinterpret_cast<std::uint64_t>(&kymo_hooks_place_trampoline)};
    static_assert(sizeof trampolines == kAreaHead);
    __builtin_memcpy(area, trampolines, sizeof trampolines);
}

// As the trampoline expects it. `area`: where the trampoline's address is.
inline void write_entry(CodeWriter& code, std::uint64_t area, std::uint32_t hook) {
    code.bytes({0x4c, 0x89, 0x5c, 0x24, 0xf0});  // mov %r11, -16(%rsp)
    code.bytes({0x41, 0xbb}).word(hook);         // mov $hook, %r11d
    code.bytes({0xff, 0x25}).distance(area);     // jmp *area(%rip)
}

// The same for a place, where code of the function may use every register and, without moving the stack pointer,
// the 128 bytes below it.
inline constexpr std::uint64_t kRedZone = 128;
inline void write_place(CodeWriter& code, std::uint64_t area, std::uint32_t hook) {
    code.bytes({0x48, 0x8d, 0x64, 0x24, 0x80});                    // lea -128(%rsp), %rsp
    code.bytes({0x41, 0x53});                                      // push %r11
    code.bytes({0x41, 0xbb}).word(hook);                           // mov $hook, %r11d
    code.bytes({0xff, 0x15}).distance(area + 8);                   // call *(area + 8)(%rip)
    code.bytes({0x4c, 0x8b, 0x1c, 0x24});                          // mov (%rsp), %r11
    code.bytes({0x48, 0x8d, 0xa4, 0x24, 0x88, 0x00, 0x00, 0x00});  // lea 136(%rsp), %rsp
}
// How far the stack pointer is below the function's own at an instruction of that code, by its distance from the
// beginning; also at the call's return.
constexpr std::uint32_t place_stack(std::uint64_t into) {
    return into < 5 ? 0 : into < 7 ? kRedZone : into < kPlaceCode ? kRedZone + 8 : 0;
}

// The function's own instructions, then back to it. Every distance fits: the area was chosen so.
inline void write_moved(CodeWriter& code, const PlanEntry& entry, std::uint64_t bias) {
    std::uint8_t* begin = code.at();
    for (unsigned i = 0; i < entry.moved_bytes; ++i) {
        code.bytes({entry.moved[i]});
    }
    for (unsigned i = 0; i < entry.fixups; ++i) {
        const PlanFixup& fixup = entry.fixup[i];
        const std::uint64_t target = bias + fixup.target;
        const std::uint64_t end = reinterpret_cast<std::uint64_t>(begin) + fixup.end;
        const std::uint64_t value = fixup.kind == FixupKind::kDistance ? target - end
                                    : fixup.kind == FixupKind::kLow    ? target
                                                                       : target >> 32U;
        CodeWriter(begin + fixup.at).word(static_cast<std::uint32_t>(value));
    }
    code.bytes({0xe9}).distance(bias + entry.offset + entry.original_bytes);
}

// In a moved call: from here on the return address is on the stack (relocate.cpp).
inline constexpr std::uint64_t kCallPushes = 5;

// Writes the jump to `target` at `function`, whose page is writable; in one store if the place allows it. The
// thread sanitizer does not track writes to code: its shadow of a program's code cannot be written.
[[gnu::no_sanitize_thread]] inline void write_jump(std::uint8_t* function, std::uint64_t target) {
    std::uint8_t jump[8];
    const auto at = reinterpret_cast<std::uint64_t>(function);
    const std::uint64_t begin = at & ~std::uint64_t{7};
    const bool in_one = at - begin + kJumpBytes <= sizeof jump;
    auto* word = reinterpret_cast<std::uint8_t*>(begin);
    for (unsigned i = 0; i < sizeof jump && in_one; ++i) {
        jump[i] = word[i];
    }
    std::uint8_t* place = in_one ? jump + (at - begin) : function;
    const std::uint64_t distance = target - (at + kJumpBytes);
    for (unsigned i = 1; i < kJumpBytes; ++i) {
        place[i] = static_cast<std::uint8_t>(distance >> 8U * (i - 1));
    }
    place[0] = 0xe9;
    if (in_one) {
        std::uint64_t value = 0;
        __builtin_memcpy(&value, jump, sizeof value);
        __atomic_store_n(reinterpret_cast<std::uint64_t*>(begin), value, __ATOMIC_RELEASE);
    }
}

}  // namespace kymo::hooks
