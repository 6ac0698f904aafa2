// x86-64: the code that is written at run time: the stubs of the pool, and hooks' entries.
#pragma once

#include "hooks/guest/slots.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace kymo::hooks {

extern "C" __attribute__((visibility("hidden"))) void kymo_hooks_enter_trampoline();
extern "C" __attribute__((visibility("hidden"))) void kymo_hooks_leave_trampoline();
extern "C" __attribute__((visibility("hidden"))) void kymo_hooks_place_trampoline();

// Appends bytes of code at its own place.
class CodeWriter {
  public:
    explicit CodeWriter(std::uint8_t* at) : at_(at) {}
    std::uint8_t* at() const { return at_; }

    CodeWriter& bytes(std::initializer_list<std::uint8_t> code) {
        for (const std::uint8_t byte : code) {
            *at_++ = byte;
        }
        return *this;
    }
    CodeWriter& word(std::uint32_t value) {
        std::uint8_t raw[sizeof value];
        __builtin_memcpy(raw, &value, sizeof value);
        return bytes({raw[0], raw[1], raw[2], raw[3]});
    }
    // The distance to `target` from behind these four bytes, which end the instruction.
    CodeWriter& distance(std::uint64_t target) {
        return word(static_cast<std::uint32_t>(target - (reinterpret_cast<std::uint64_t>(at_) + 4)));
    }

  private:
    std::uint8_t* at_;
};

// As described in guest/slots.h.
inline void write_stub(std::uint8_t* stub) {
    const std::uint64_t slot = reinterpret_cast<std::uint64_t>(stub) + kStubsBytes;
    CodeWriter code(stub);
    code.bytes({0x48, 0x8d, 0x64, 0x24, 0x08});  // lea 8(%rsp), %rsp
    code.bytes({0xff, 0x15}).distance(slot + offsetof(Slot, continuation));
    code.bytes({0x4c, 0x89, 0x5c, 0x24, 0xf0});     // mov %r11, -16(%rsp)
    code.bytes({0x4c, 0x8d, 0x1d}).distance(slot);  // lea slot(%rip), %r11
    code.bytes({0x41, 0xff, 0x33});                 // push (%r11): slot.return_before
    code.bytes({0xe9}).distance(reinterpret_cast<std::uint64_t>(&kymo_hooks_leave_trampoline));
}
inline constexpr std::uint64_t kStubCallsAt = 5;
inline constexpr std::uint64_t kStubPushedAt = 26;  // from here on the return address is back in its place

}  // namespace kymo::hooks
