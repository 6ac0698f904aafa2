// x86-64: what a hook makes of a function's entry: a jump in the function, and code near it that jumps on to the
// trampoline and holds the function's own first instructions.
#pragma once

#include "hooks/plan_file.h"
#include "hooks/x86_64/stub.h"

namespace kymo::hooks {

inline constexpr std::uint64_t kReach = 0x7fff0000;  // of jumps and of data named relative to an instruction

// A piece of near code begins with the trampoline's address.
inline constexpr std::uint64_t kAreaHead = 16;
inline constexpr std::uint64_t kEntryCode = 17;
constexpr std::uint64_t hook_bytes(unsigned moved_bytes) {
    return (kEntryCode + moved_bytes + kJumpBytes + 15) & ~std::uint64_t{15};
}

// As the trampoline expects it. `area`: where the trampoline's address is.
inline void write_entry(CodeWriter& code, std::uint64_t area, std::uint32_t hook) {
    code.bytes({0x4c, 0x89, 0x5c, 0x24, 0xf0});  // mov %r11, -16(%rsp)
    code.bytes({0x41, 0xbb}).word(hook);         // mov $hook, %r11d
    code.bytes({0xff, 0x25}).distance(area);     // jmp *area(%rip)
}

// The function's own first instructions, then back to it. Every distance fits: the area was chosen so.
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

// Of a moved call: from here on the return address is on the stack (relocate.cpp).
inline constexpr std::uint64_t kCallPushes = 5;

// Puts the jump to `target` at `function`, whose page can be written. In one store where the place allows it.
inline void write_jump(std::uint8_t* function, std::uint64_t target) {
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
