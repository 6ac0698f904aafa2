// x86-64: what a function without call-frame information does before it returns: how far it moves the stack
// pointer and what it pops. This gives its caller's frame, wherever it is now (except in its prologue).
//
// Hand-written code (x264, FFmpeg, dav1d) keeps its stack pointer between prologue and epilogue, and ends in `add
// $n, %rsp` (or a reload), `pop`s and `ret`. So the bytes are searched for a return, and the instructions before
// it are read backwards: no decoder is needed, and a byte that only looks like a return leads to a place without a
// return address. Encodings: Intel SDM volume 2.
#pragma once

#include "unwind/x86_64/registers.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>

namespace kymo::unwind::x86_64 {

struct Epilogue {
    enum class Base : std::uint8_t {
        kStackPointer,  // the stack pointer + offset
        kLoaded,        // the word at the stack pointer + offset
        kRegister,      // `number`
        kFramePointer,  // rbp, which is popped there: leave
    };
    Base base = Base::kStackPointer;
    unsigned number = 0;
    std::uint32_t offset = 0;
    std::uint32_t pops = 0;
    std::array<unsigned, 8> popped{};  // registers, in the order in which they are
};

// Reads backwards from the return instruction at code[end]; nothing before code[0] is read.
class EpilogueReader {
  public:
    EpilogueReader(std::span<const std::uint8_t> code, std::size_t end) : code_(code), end_(end) {}

    Epilogue read() {
        Epilogue found;
        take({0xF3});                                                                 // rep ret
        while (take({0xC5, 0xF8, 0x77}) || take({0x0F, 0x77}) || take_pop(&found)) {  // vzeroupper, emms
        }
        // Read from the last to the first.
        for (std::uint32_t i = 0; i < found.pops / 2; ++i) {
            const unsigned kept = found.popped[i];
            found.popped[i] = found.popped[found.pops - 1 - i];
            found.popped[found.pops - 1 - i] = kept;
        }
        take_move(&found);
        return found;
    }

  private:
    bool stands(std::size_t size, std::initializer_list<std::uint8_t> bytes) const {
        return end_ >= size && std::memcmp(code_.data() + end_ - size, bytes.begin(), bytes.size()) == 0;
    }
    bool take(std::initializer_list<std::uint8_t> bytes) {
        const bool there = stands(bytes.size(), bytes);
        end_ -= there ? bytes.size() : 0;
        return there;
    }

    // Of a preserved register; others are not popped before a return.
    bool take_pop(Epilogue* found) {
        if (end_ == 0 || found->pops == found->popped.size()) {
            return false;
        }
        const std::uint8_t last = code_[end_ - 1];
        const bool extended = stands(2, {0x41});
        unsigned number = 0;
        if (extended && last >= 0x5C && last <= 0x5F) {
            number = kR12 + (last - 0x5CU);
        } else if (!extended && (last == 0x5B || last == 0x5D)) {
            number = last == 0x5B ? kRbx : kRbp;
        } else {
            return false;
        }
        const std::size_t size = extended ? 2 : 1;
        end_ -= size;
        found->popped[found->pops++] = number;
        return true;
    }

    std::uint32_t immediate(std::size_t size) const {
        std::uint32_t value = 0;
        if (size == 1) {
            return code_[end_ - 1];
        }
        std::memcpy(&value, code_.data() + end_ - size, size);
        return value;
    }

    void take_move(Epilogue* found) const {
        constexpr std::uint32_t kMostOffset = 1U << 16U;
        const auto offset = [&](std::size_t size, std::initializer_list<std::uint8_t> before, Epilogue::Base base) {
            if (!stands(size + before.size(), before) || immediate(size) % 8 != 0 ||
                immediate(size) >= (size == 1 ? 128U : kMostOffset)) {
                return false;
            }
            found->base = base;
            found->offset = immediate(size);
            return true;
        };
        using enum Epilogue::Base;
        if (offset(1, {0x48, 0x83, 0xC4}, kStackPointer) || offset(4, {0x48, 0x81, 0xC4}, kStackPointer) ||  // add
            offset(1, {0x48, 0x8D, 0x64, 0x24}, kStackPointer) ||                                            // lea
            offset(4, {0x48, 0x8D, 0xA4, 0x24}, kStackPointer) ||                                            // lea
            offset(1, {0x48, 0x8B, 0x64, 0x24}, kLoaded) || offset(4, {0x48, 0x8B, 0xA4, 0x24}, kLoaded)) {  // mov
            return;
        }
        if (stands(4, {0x48, 0x8B, 0x24, 0x24})) {  // mov (%rsp), %rsp
            found->base = kLoaded;
        } else if (end_ >= 1 && code_[end_ - 1] == 0xC9) {
            found->base = kFramePointer;
        } else if (end_ >= 3) {
            take_move_from_register(found);
        }
    }

    // mov %reg, %rsp, in either encoding.
    void take_move_from_register(Epilogue* found) const {
        static constexpr std::array<unsigned, kGeneralRegisters> kDwarf = {
            kRax, kRcx, kRdx, kRbx, kRsp, kRbp, kRsi, kRdi, kR8, kR9, kR10, kR11, kR12, kR13, kR14, kR15};
        const std::uint8_t prefix = code_[end_ - 3];
        const std::uint8_t operation = code_[end_ - 2];
        const std::uint8_t modrm = code_[end_ - 1];
        unsigned number = kGeneralRegisters;
        if (operation == 0x8B && (prefix == 0x48 || prefix == 0x49) && modrm >> 3U == 0x1C) {
            number = (modrm & 7U) + (prefix == 0x49 ? 8U : 0U);
        } else if (operation == 0x89 && (prefix == 0x48 || prefix == 0x4C) && (modrm & 0xC7U) == 0xC4) {
            number = (modrm >> 3U & 7U) + (prefix == 0x4C ? 8U : 0U);
        }
        if (number < kGeneralRegisters) {
            found->base = Epilogue::Base::kRegister;
            found->number = kDwarf[number];
        }
    }

    std::span<const std::uint8_t> code_;
    std::size_t end_;
};

// The first return instruction (or byte that looks like one) at or behind code[from]; code.size(): none.
inline std::size_t find_return(std::span<const std::uint8_t> code, std::size_t from) {
    const void* found = from < code.size() ? std::memchr(code.data() + from, 0xC3, code.size() - from) : nullptr;
    return found == nullptr ? code.size()
                            : static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - code.data());
}

}  // namespace kymo::unwind::x86_64
