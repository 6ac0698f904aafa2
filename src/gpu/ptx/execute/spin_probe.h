// Notices a strand that only repeats itself: its lanes come again to a block with the same registers, and no memory
// that it wrote meanwhile has changed. As a strand's course depends on nothing else, it goes on like that until
// others change what it reads.
//
// A loop that counts, or looks at the clock, does not repeat itself. Of calls, copies and whatever else may write in
// ways that are not looked at, memory counts as changed.
//
// Contract: internal to CtaRunner. A probe is begun before a block; around each operation until it is over stand
// before() and after(). Cost: a copy of the strand's registers, and a comparison each time it comes to the block
// again, kMostVisits times at most.
#pragma once

#include "gpu/ptx/execute/strand.h"

#include <array>

namespace kymo::gpu::ptx {

class SpinProbe {
  public:
    void begin(const Strand& strand);
    void end() { is_on_ = false; }
    bool is_on() const { return is_on_; }
    // Before each further block. True: the strand stands where it stood, and nothing has changed.
    bool comes_again(const Strand& strand);
    void before(const Strand& strand, const Compiled& code, std::size_t op, std::uint32_t lanes);
    void after(const Compiled& code, std::size_t op);
    // A call of what is not in the module, or anything else that cannot be looked at.
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
    std::uint32_t held_lanes_ = 0;  // of the access that executes: those looked at,
    std::array<const std::byte*, kWarpLanes> places_{};
    std::array<std::uint64_t, kWarpLanes> addresses_{};
    std::array<std::array<std::byte, kMostBytes>, kWarpLanes> held_{};  // and what was there
    AwaitedRead read_;
};

}  // namespace kymo::gpu::ptx
