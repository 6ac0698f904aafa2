#include "attach/stack_size.h"

#include <algorithm>
#include <bit>

namespace kymo::attach {

using import::StackUse;

namespace {

// The smallest copy of which all but one in `share` of the stacks needed no more than that part.
std::uint32_t fitting(const StackUse& use, std::uint64_t part, std::uint64_t share) {
    std::uint64_t fits = StackUse::kSmallest;
    while (fits < kMostStackBytes && use.above(fits / part) * share > use.stacks()) {
        fits *= 2;
    }
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(fits, kMostStackBytes));
}

}  // namespace

void StackSize::change(std::uint32_t bytes) {
    bytes_ = bytes;
    settling_ = kSettling;
}

void StackSize::refused(std::uint32_t bytes) {
    bytes_ = bytes;
    is_final_ = true;
}

std::uint32_t StackSize::next(const StackUse& all, std::uint64_t lost) {
    if (is_final_) {
        return bytes_;
    }
    if (settling_ != 0) {
        --settling_;
        window_ = all;
        calm_ = all;
        lost_ = lost;
        return bytes_;
    }
    const StackUse recent = all.since(window_);
    if (recent.stacks() >= kFewStacks && recent.cut * kMostCut > recent.stacks() && bytes_ < most_ && lost == lost_ &&
        all.stacks() >= grows_from_) {
        patience_ = std::min(patience_ * 2, kMostPatience);
        change(std::min(bytes_ * 2, most_));
        return bytes_;
    }
    if (lost != lost_ && recent.stacks() >= kFewStacks) {
        std::uint32_t fits = fitting(recent, 1, kMostCut);
        lost_ = lost;
        if (bytes_ > first_) {
            fits = std::min(fits, std::max(first_, std::bit_ceil(bytes_ / 2)));
            grows_from_ = all.stacks() + patience_;
        }
        if (fits < bytes_) {
            change(fits);
            return bytes_;
        }
    }
    if (recent.stacks() >= kWindow) {
        window_ = all;
        lost_ = lost;
    }
    const StackUse calm = all.since(calm_);
    if (calm.stacks() >= patience_) {
        calm_ = all;
        if (const std::uint32_t fits = fitting(calm, 2, kRareNeed); fits < bytes_) {
            change(fits);
        }
    }
    return bytes_;
}

}  // namespace kymo::attach
