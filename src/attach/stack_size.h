// How much of the stack the kernel copies with each sample: as much as call paths need, since every byte of it costs
// the program time.
//
// Not thread-safe.
#pragma once

#include "import/paths/stack_use.h"

#include <cstdint>

namespace kymo::attach {

inline constexpr std::uint32_t kMostStackBytes = 65'528;  // that the kernel copies

class StackSize {
  public:
    static constexpr std::uint64_t kFewStacks = 64;         // too few for a share
    static constexpr std::uint64_t kWindow = 1024;          // stacks in which cut ones are a share
    static constexpr std::uint64_t kMostCut = 50;           // one in so many stacks may be cut
    static constexpr std::uint64_t kFirstPatience = 4096;   // stacks: a while, as next() has it
    static constexpr std::uint64_t kMostPatience = 65'536;  // likewise, when copies have grown some times
    static constexpr std::uint64_t kRareNeed = 1000;        // one in so many stacks may need more than half of a copy
    static constexpr unsigned kSettling = 2;                // emptyings until all samples are of the new size

    // `most`: no more than this, ever.
    StackSize(std::uint32_t bytes, std::uint32_t most) : bytes_(bytes), first_(bytes), most_(most) {}

    std::uint32_t bytes() const { return bytes_; }

    // Called after each emptying of the rings, with the counts of the whole recording: the stacks, and the records
    // that the kernel had no room for. The bytes to copy from now on. They double while more than one in kMostCut of
    // the stacks is cut; where records are then lost they go back, for a while. They become smaller when all but one
    // in kRareNeed have needed less than half of that for a while; where records are lost, as soon as all but one in
    // kMostCut would have done with less. A while is the longer the more often they have grown.
    std::uint32_t next(const import::StackUse& all, std::uint64_t lost);

    // The kernel did not take the size: back to `bytes`, for good.
    void refused(std::uint32_t bytes);

  private:
    void change(std::uint32_t bytes);

    std::uint32_t bytes_;
    std::uint32_t first_;
    std::uint32_t most_;
    bool is_final_ = false;
    unsigned settling_ = 0;
    std::uint64_t patience_ = kFirstPatience;
    std::uint64_t grows_from_ = 0;  // stacks of the recording
    import::StackUse window_;       // at the window's begin
    import::StackUse calm_;         // when the size last changed or was found right
    std::uint64_t lost_ = 0;        // when the size last changed
};

}  // namespace kymo::attach
