#include "gpu/trace/warp_code.h"

#include "gpu/trace/counting.h"

#include <algorithm>
#include <bit>

namespace kymo::gpu {
namespace {

// Tokens, in a byte's low two bits; the upper six are the run's length, 0 meaning that a varint follows.
enum : std::uint8_t { kRun = 0, kJump = 1, kMask = 2 };
constexpr std::uint64_t kShortRun = 63;

// First byte of an instruction's addresses.
enum : std::uint8_t { kStride = 0, kDifferences = 1, kRuns = 2 };

constexpr std::uint64_t fold(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}

constexpr std::int64_t unfold(std::uint64_t value) {
    return static_cast<std::int64_t>(value >> 1U) ^ -static_cast<std::int64_t>(value & 1U);
}

void put(std::vector<std::uint8_t>& bytes, std::uint64_t value) {
    while (value >= 0x80U) {
        bytes.push_back(static_cast<std::uint8_t>(value | 0x80U));
        value >>= 7U;
    }
    bytes.push_back(static_cast<std::uint8_t>(value));
}

std::int64_t difference(std::uint64_t to, std::uint64_t from) {
    return static_cast<std::int64_t>(to - from);
}

// Bit i: the step to the i-th address differs from the step before it. Without a branch, because the pattern of
// the lanes is unpredictable.
std::uint32_t changed_steps(std::span<const std::uint64_t> addresses) {
    std::uint32_t changed = 0;
    std::uint64_t step = addresses[1] - addresses[0];
    for (std::size_t i = 2; i < addresses.size(); ++i) {
        const std::uint64_t next = addresses[i] - addresses[i - 1];
        changed |= (next != step ? 1U : 0U) << i;
        step = next;
    }
    return changed;
}

}  // namespace

void WarpEncoder::varint(std::uint64_t value) {
    put(bytes_, value);
}

void WarpEncoder::flush_run() {
    if (run_ == 0) {
        return;
    }
    if (run_ <= kShortRun) {
        bytes_.push_back(static_cast<std::uint8_t>((run_ << 2U) | kRun));
    } else {
        bytes_.push_back(kRun);
        varint(run_);
    }
    bytes_.insert(bytes_.end(), payload_.begin(), payload_.end());
    payload_.clear();
    run_ = 0;
}

void WarpEncoder::write_addresses(std::span<const std::uint64_t> addresses) {
    const std::size_t size = addresses.size();
    const std::uint32_t changed = size > 1 ? changed_steps(addresses) : 0;
    const unsigned runs = static_cast<unsigned>(std::popcount(changed)) + 1;  // of equal steps
    const std::uint8_t form = runs == 1 ? kStride : std::size_t{runs} * 2 < size ? kRuns : kDifferences;
    payload_.push_back(form);
    put(payload_, fold(difference(addresses[0], base_)));
    base_ = addresses[0];
    if (form == kStride) {
        put(payload_, fold(size > 1 ? difference(addresses[1], addresses[0]) : 0));
        return;
    }
    if (form == kDifferences) {
        for (std::size_t i = 1; i < size; ++i) {
            put(payload_, fold(difference(addresses[i], addresses[i - 1])));
        }
        return;
    }
    std::uint32_t left = changed;
    for (std::size_t i = 1; i < size;) {
        const std::size_t end = left != 0 ? static_cast<std::size_t>(std::countr_zero(left)) : size;
        left &= left - 1;
        put(payload_, fold(difference(addresses[i], addresses[i - 1])));
        put(payload_, end - i);
        i = end;
    }
}

void WarpEncoder::add(std::uint32_t index, std::uint32_t mask, std::span<const std::uint64_t> addresses) {
    if (mask != mask_) {
        flush_run();
        bytes_.push_back(kMask);
        varint(mask);
        mask_ = mask;
    }
    if (index != next_) {
        flush_run();
        bytes_.push_back(kJump);
        varint(index);
    }
    if (program_[index].has_addresses() && mask != 0) {
        write_addresses(addresses);
    }
    ++run_;
    ++instructions_;
    next_ = index + 1;
}

void WarpEncoder::add_plain(std::uint32_t index, std::uint32_t count, std::uint32_t mask) {
    add(index, mask, {});
    run_ += count - 1;
    instructions_ += count - 1;
    next_ = index + count;
}

std::vector<std::uint8_t> WarpEncoder::take() {
    flush_run();
    std::vector<std::uint8_t> taken(bytes_.begin(), bytes_.end());  // what bytes_ has grown to it keeps
    bytes_.clear();
    next_ = 0;
    mask_ = 0xFFFF'FFFFU;
    base_ = 0;
    instructions_ = 0;
    return taken;
}

bool WarpCursor::long_varint(std::uint64_t& value) {
    constexpr std::size_t kAtOnce = sizeof(std::uint64_t);
    if (static_cast<std::size_t>(end_ - at_) >= kAtOnce) {
        // Most long ones are the distance from one buffer to another, five or six bytes: read together instead of
        // one by one. The last byte is the first whose upper bit is off.
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, at_, kAtOnce);
        if (const std::uint64_t ends = ~bytes & 0x8080'8080'8080'8080U; ends != 0) {
            const auto size = static_cast<unsigned>(std::countr_zero(ends)) / 8 + 1;
            at_ += size;
            bytes &= ~std::uint64_t{0} >> (64 - 8 * size) & 0x7F7F'7F7F'7F7F'7F7FU;
            bytes = (bytes & 0x007F'007F'007F'007FU) | (bytes & 0x7F00'7F00'7F00'7F00U) >> 1U;
            bytes = (bytes & 0x0000'3FFF'0000'3FFFU) | (bytes & 0x3FFF'0000'3FFF'0000U) >> 2U;
            value = (bytes & 0x0000'0000'0FFF'FFFFU) | (bytes & 0x0FFF'FFFF'0000'0000U) >> 4U;
            return true;
        }
    }
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (at_ == end_) {
            return false;
        }
        const std::uint8_t byte = *at_++;
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
        if (byte < 0x80U) {
            return true;
        }
    }
    return false;
}

// Reads tokens until a run begins.
bool WarpCursor::token() {
    while (at_ != end_) {
        const std::uint8_t byte = *at_++;
        std::uint64_t value = byte >> 2U;
        switch (byte & 3U) {
            case kRun:
                if (value == 0 && !varint(value)) {
                    fail();
                    return false;
                }
                if (value != 0) {
                    run_ = value;
                    return true;
                }
                break;
            case kJump:
                if (!varint(value) || value >= program_->size()) {
                    fail();
                    return false;
                }
                next_ = static_cast<std::uint32_t>(value);
                break;
            case kMask:
                if (!varint(value) || value > 0xFFFF'FFFFU) {
                    fail();
                    return false;
                }
                mask_ = static_cast<std::uint32_t>(value);
                break;
            default:
                fail();
                return false;
        }
    }
    return false;
}

// Skips its unread part.
bool WarpCursor::skip_access() {
    LaneAddresses unused;
    return access_ == Access::kAhead ? addresses(unused) : lanes(unused, nullptr);
}

bool WarpCursor::next_token() {
    if (access_ != Access::kNone && !skip_access()) {
        return false;
    }
    if (run_ == 0 && !token()) {
        return false;
    }
    if (next_ >= program_->size()) {
        fail();
        return false;
    }
    step();
    return true;
}

// The lanes after the first, one after another: `lanes[0]` is set.
bool WarpCursor::read_lanes(std::uint8_t form, std::span<std::uint64_t> lanes) {
    std::uint64_t address = lanes[0];
    std::uint64_t value = 0;
    for (std::size_t lane = 1; lane < lanes.size();) {
        std::uint64_t repeat = 1;
        if (!varint(value) || (form == kRuns && !varint(repeat))) {
            return false;
        }
        const auto step = static_cast<std::uint64_t>(unfold(value));
        const std::size_t end = lane + std::clamp<std::uint64_t>(repeat, 1, lanes.size() - lane);
        for (; lane < end; ++lane) {
            lanes[lane] = address += step;
        }
    }
    return true;
}

bool WarpCursor::first_address(std::uint64_t& first) {
    access_ = Access::kNone;
    std::uint64_t value = 0;
    if (at_ == end_) {
        fail();
        return false;
    }
    form_ = *at_++;
    if (form_ > kRuns || !varint(value)) {
        fail();
        return false;
    }
    base_ += static_cast<std::uint64_t>(unfold(value));
    first = base_ + offset_;
    access_ = Access::kBegun;
    return true;
}

bool WarpCursor::lanes(LaneAddresses& out, AccessShape* shape) {
    access_ = Access::kNone;
    const std::uint8_t* const begin = at_;
    out.strided = form_ == kStride;
    out.base = base_ + offset_;
    out.of[0] = out.base;
    const std::span lanes(out.of.data(), lanes_in(mask_));
    if (form_ == kStride) {
        std::uint64_t value = 0;
        if (!varint(value)) {
            fail();
            return false;
        }
        out.stride = unfold(value);
        for (std::size_t lane = 1; lane < lanes.size(); ++lane) {
            lanes[lane] = out.base + lane * static_cast<std::uint64_t>(out.stride);
        }
    } else if (!read_lanes(form_, lanes)) {
        fail();
        return false;
    }
    if (shape != nullptr) {
        const auto size = static_cast<std::size_t>(at_ - begin);
        shape->mask = mask_;
        shape->form = form_;
        shape->size = static_cast<std::uint8_t>(std::min<std::size_t>(size, AccessShape::kLongest + 1U));
        std::memcpy(shape->bytes.data(), begin, std::min<std::size_t>(size, AccessShape::kLongest));
    }
    if (mask_ != 0xFFFF'FFFFU) {
        // To their places, the highest first: a place is never below the lane's number.
        std::uint32_t left = mask_;
        for (std::size_t lane = lanes.size(); lane-- > 0 && left != 0;) {
            const unsigned place = 31U - static_cast<unsigned>(std::countl_zero(left));
            out.of[place] = out.of[lane];
            left &= ~(1U << place);
        }
    }
    return true;
}

}  // namespace kymo::gpu
