// Code that hooks add to the process, and what an address in it means to a stack unwinder.
//
// Areas are near the image whose functions they belong to. They are made while images are hooked (one thread at a
// time), and stay for the life of the process. look_at() takes no lock and may be called in handlers.
#pragma once

#include "hooks/plan_file.h"
#include "image/loaded_image.h"

#include <atomic>
#include <cstdint>

namespace kymo::hooks {

// A hook's code: at `entry` the jump to the trampoline, at `moved` the function's own instructions.
struct HookCode {
    std::uint64_t entry = 0;
    std::uint64_t moved = 0;     // 0: none was moved
    std::uint64_t function = 0;  // their original address
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

    // Writable memory, every byte of which can reach every byte of `image` (empty: anywhere). nullptr: no room.
    static std::uint8_t* map(std::uint64_t bytes, image::Range image);
    // Makes it executable and registers it. False: the kernel does not allow code to be made; then it is unmapped.
    bool publish(const Area& area);
    // Removes the write permission, and restores it. False: refused.
    static bool make_writable(const Area& area);

    // The meaning of an address, of an instruction to be executed or of a call's return.
    struct Meaning {
        enum Kind : std::uint8_t {
            kNone,     // not code of hooks
            kCaller,   // represents `address` in the caller, with the stack as it is
            kOnStack,  // the caller's address is on top of the stack
            kMoved,    // represents the instruction at `address`, with the stack pointer `stack` bytes too low
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
