// Detects a strand that only repeats itself: its lanes reach a block again with the same registers, and no memory
// that it wrote meanwhile has changed. Since a strand depends on nothing else, it continues like that until
// another thread changes what it reads.
//
// A loop that counts, or reads the clock, does not repeat itself. For calls, copies and other writes that are not
// captured, memory counts as changed.
//
// Contract: internal to CtaRunner. A probe begins before a block; until it is over, before() and after() enclose
// each operation. Cost: a copy of the strand's registers, and a comparison each time it reaches the block again,
// kMostVisits times at most.
#pragma once

#include "gpu/ptx/execute/strand.h"

#include <array>

namespace kymo::gpu::ptx {

class SpinProbe {
  public:
    void begin(const Strand& strand);
    void end() { is_on_ = false; }
    bool is_on() const { return is_on_; }
    // Call before each further block. True: the strand is where it was, and nothing has changed.
    bool comes_again(const Strand& strand);
    void before(const Strand& strand, const Compiled& code, std::size_t op, std::uint32_t lanes);
    void after(const Compiled& code, std::size_t op);
    // A call of a function outside the module, or anything else that cannot be captured.
    void changed() { has_changed_ = true; }
    // The last strong load or atomic since begin(), or the last load where there was none.
    const AwaitedRead& read() const { return read_; }

  private:
    static constexpr unsigned kMostVisits = 16;
    static constexpr unsigned kMostBlocks = 1024;
    static constexpr unsigned kMostBytes = 16;
    struct Kept {
        const Compiled* code = nullptr;
        std::vector<std::byte> memory;
        std::vector<std::byte> parameters;
    };
    bool is_same(const Strand& strand) const;

    bool is_on_ = false;
    bool has_changed_ = false;
    unsigned visits_ = 0;
    unsigned blocks_ = 0;
    std::vector<Level> levels_;
    std::vector<Kept> frames_;
    std::uint32_t carry_ = 0;
    std::uint32_t live_ = 0;
    std::uint32_t held_lanes_ = 0;  // of the present access: those captured,
    std::array<const std::byte*, kWarpLanes> places_{};
    std::array<std::uint64_t, kWarpLanes> addresses_{};
    std::array<std::array<std::byte, kMostBytes>, kWarpLanes> held_{};  // and their values
    AwaitedRead read_;
};

}  // namespace kymo::gpu::ptx
