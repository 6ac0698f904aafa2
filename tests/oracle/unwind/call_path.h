// A call path as one unwinder saw it, in a form in which several unwinders can be compared.
//
// Innermost frame first. Addresses are those of the traced process. `pc` is the value found, not moved back by one
// byte: for a return address it points behind the call. `sp` is the stack pointer the frame had, or will have when
// its callee has returned: for every frame but the first that is the callee's canonical frame address.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kymo::oracle {

// The registers by which call-frame information of x86-64 numbers them (System V psABI, figure 3.36):
// rax rdx rcx rbx rsi rdi rbp rsp r8 … r15 and the return address (here: the program counter).
struct Registers {
    static constexpr unsigned kBasePointer = 6;
    static constexpr unsigned kStackPointer = 7;
    static constexpr unsigned kProgramCounter = 16;
    static constexpr unsigned kCount = 17;
    std::array<std::uint64_t, kCount> dwarf{};

    std::uint64_t pc() const { return dwarf[kProgramCounter]; }
    std::uint64_t sp() const { return dwarf[kStackPointer]; }
};

struct PathFrame {
    std::uint64_t pc = 0;
    std::uint64_t sp = 0;    // 0: not told
    bool is_return = false;  // false: the innermost frame, and one that a signal interrupted

    bool operator==(const PathFrame& other) const {
        return pc == other.pc && is_return == other.is_return && (sp == other.sp || sp == 0 || other.sp == 0);
    }
};

struct CallPath {
    std::vector<PathFrame> frames;
    bool complete = false;  // the unwinder found the bottom of the stack, rather than giving up
    std::string why;        // when it gave up: what it said

    bool operator==(const CallPath& other) const { return complete == other.complete && frames == other.frames; }
};

// Longer paths are cut, by every unwinder alike, and count as complete.
constexpr std::size_t kMaxFrames = 512;

}  // namespace kymo::oracle
