#include "gpu/ptx/execute/spin_probe.h"

#include "gpu/ptx/execute/guards.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace kymo::gpu::ptx {
namespace {

std::uint64_t base_of(const Warp& warp, const Op& op, bool wide, unsigned lane) {
    std::uint64_t value = 0;
    const std::size_t bytes = wide ? 8 : 4;
    std::memcpy(&value, warp.frame + op.a + bytes * lane, bytes);
    return value;
}

const std::byte* within(const std::byte* memory, std::uint64_t bytes, std::uint64_t at, unsigned size) {
    return at <= bytes && size <= bytes - at ? memory + at : nullptr;
}

// Address of a lane's access in this process; null: none.
const std::byte* place_of(const Warp& warp, const OpFacts& facts, const Op& op, unsigned lane,
                          std::uint64_t& address) {
    StateSpace space = facts.space;
    const bool wide = (space != StateSpace::kShared && space != StateSpace::kLocal) || op.mode.address.wide;
    address = base_of(warp, op, wide, lane) + static_cast<std::uint64_t>(op.immediate);
    if (space == StateSpace::kNone && address - kSharedWindow < 2 * kWindowBytes) {
        space = address - kSharedWindow < kWindowBytes ? StateSpace::kShared : StateSpace::kLocal;
        address -= space == StateSpace::kShared ? kSharedWindow : kLocalWindow;
    }
    switch (space) {
        case StateSpace::kShared:
            address &= 0xFFFF'FFFFU;
            return within(warp.shared, warp.shared_bytes, address, facts.bytes);
        case StateSpace::kLocal:
            address &= 0xFFFF'FFFFU;
            return within(warp.local + lane * warp.local_bytes, warp.local_bytes, address, facts.bytes);
        case StateSpace::kGlobal:
        case StateSpace::kNone: {
            MemoryRange range;
            return warp.find(warp.memory, address, facts.bytes, range) ? reinterpret_cast<const std::byte*>(address)
                                                                       : nullptr;
        }
        default:
            return nullptr;
    }
}

// Whether its memory can be compared lane by lane.
bool is_plain(const OpFacts& facts) {
    return facts.operation == Operation::kLoad || facts.operation == Operation::kStore ||
           facts.operation == Operation::kAtomic || facts.operation == Operation::kReduce;
}

}  // namespace

void SpinProbe::begin(const Strand& strand) {
    is_on_ = true;
    has_changed_ = false;
    visits_ = blocks_ = 0;
    read_ = {};
    levels_ = strand.levels;
    carry_ = strand.warp.carry;
    live_ = strand.warp.live;
    frames_.resize(strand.frames.size());
    for (std::size_t i = 0; i < frames_.size(); ++i) {
        const Frame& frame = strand.frames[i];
        frames_[i].code = frame.code;
        frames_[i].memory.assign(frame.memory->data(), frame.memory->data() + frame.code->frame_bytes);
        frames_[i].parameters.clear();
        if (frame.parameters) {
            const std::byte* const from = frame.parameters->data();
            frames_[i].parameters.assign(from, from + frame.code->layout.parameter_bytes * kWarpLanes);
        }
    }
}

bool SpinProbe::is_same(const Strand& strand) const {
    if (strand.levels != levels_ || strand.warp.carry != carry_ || strand.warp.live != live_ ||
        strand.frames.size() != frames_.size()) {
        return false;
    }
    for (std::size_t i = frames_.size(); i-- > 0;) {
        const Frame& frame = strand.frames[i];
        const Kept& kept = frames_[i];
        if (frame.code != kept.code ||
            std::memcmp(frame.memory->data(), kept.memory.data(), kept.memory.size()) != 0 ||
            (frame.parameters && !kept.parameters.empty() &&
             std::memcmp(frame.parameters->data(), kept.parameters.data(), kept.parameters.size()) != 0)) {
            return false;
        }
    }
    return true;
}

bool SpinProbe::comes_again(const Strand& strand) {
    if (has_changed_ || ++blocks_ > kMostBlocks) {
        is_on_ = false;
        return false;
    }
    if (strand.levels.size() != levels_.size() || strand.levels.back().block != levels_.back().block) {
        return false;
    }
    if (is_same(strand)) {
        return true;
    }
    is_on_ = ++visits_ < kMostVisits;
    return false;
}

void SpinProbe::before(const Strand& strand, const Compiled& code, std::size_t op, std::uint32_t lanes) {
    const OpFacts& facts = code.facts[op];
    const bool is_copy = facts.is_copy_async || facts.is_object || facts.operation == Operation::kObjectInvalidate;
    if (is_copy || (facts.stores && (!is_plain(facts) || facts.bytes > kMostBytes))) {
        has_changed_ = true;
    }
    held_lanes_ = 0;
    // A call's parameters are compared with the frames.
    if (has_changed_ || !is_plain(facts) || facts.bytes == 0 || facts.space == StateSpace::kParameter) {
        return;
    }
    held_lanes_ = facts.stores ? lanes : lanes & ~(lanes - 1);
    each_lane(held_lanes_, [&](unsigned lane) {
        places_[lane] = place_of(strand.warp, facts, code.ops[op], lane, addresses_[lane]);
        if (places_[lane] == nullptr) {
            held_lanes_ &= ~(1U << lane);
            has_changed_ = has_changed_ || facts.stores;
        } else {
            std::memcpy(held_[lane].data(), places_[lane], std::min<std::size_t>(facts.bytes, kMostBytes));
        }
    });
}

void SpinProbe::after(const Compiled& code, std::size_t op) {
    if (held_lanes_ == 0) {
        return;
    }
    const OpFacts& facts = code.facts[op];
    if (facts.stores) {
        each_lane(held_lanes_, [&](unsigned lane) {
            has_changed_ = has_changed_ || std::memcmp(held_[lane].data(), places_[lane], facts.bytes) != 0;
        });
    }
    if (facts.loads && (facts.strong || !read_.strong)) {
        const auto lane = static_cast<unsigned>(std::countr_zero(held_lanes_));
        const std::size_t size = std::min<std::size_t>(facts.bytes, sizeof read_.value);
        read_ = {&code, code.ops[op].instruction,       facts.space, facts.strong, addresses_[lane],
                 0,     static_cast<std::uint8_t>(size)};
        std::memcpy(&read_.value, held_[lane].data(), size);
    }
}

}  // namespace kymo::gpu::ptx
