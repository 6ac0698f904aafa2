// Code that hooks add to the process, and what an address in it means to who walks a stack.
//
// Areas lie near the image whose functions they belong to. They are made while images are hooked (one thread at a
// time), and stay for the life of the process. look_at() takes no lock and may be called in handlers.
#pragma once

#include "hooks/plan_file.h"
#include "image/loaded_image.h"

#include <atomic>
#include <cstdint>

namespace kymo::hooks {

// A hook's code: at `entry` what goes to the trampoline, at `moved` the function's own instructions.
struct HookCode {
    std::uint64_t entry = 0;
    std::uint64_t moved = 0;     // 0: none was moved
    std::uint64_t function = 0;  // where they were
    const PlanEntry* plan = nullptr;
};

struct Area {
    image::Range range;               // of addresses; empty: not in use
    const HookCode* codes = nullptr;  // ascending
    std::uint32_t count = 0;
};

class Areas {
  public:
    static constexpr std::uint32_t kMost = 1024;

    // Memory that can be written, every byte of which is in reach of every byte of `image` (empty: anywhere).
    // nullptr: there is no room.
    static std::uint8_t* map(std::uint64_t bytes, image::Range image);
    // Makes it code, and known. False: the kernel does not allow code to be made; then it is unmapped.
    bool publish(const Area& area);
    // Takes back the right to write, and gives it again. False: refused.
    static bool make_writable(const Area& area);

    // What an address is, of an instruction to be executed or of a call's return.
    struct Meaning {
        enum Kind : std::uint8_t {
            kNone,     // no code of hooks
            kCaller,   // stands for `address` in the caller, the stack being as it is
            kOnStack,  // the caller's address is on top of the stack
            kMoved,    // stands for the instruction at `address`, the stack pointer being `stack` bytes too low
        };
        Kind kind = kNone;
        std::uint64_t address = 0;
        std::uint32_t stack = 0;
    };
    Meaning look_at(std::uint64_t address) const;

  private:
    Area areas_[kMost];
    std::atomic<std::uint32_t> count_{0};
};

}  // namespace kymo::hooks
