#include "gpu/ptx/schedule/schedule_recorder.h"

#include <algorithm>
#include <bit>
#include <queue>

namespace kymo::gpu::ptx {

const ScheduleWays::Way& ScheduleWays::way(std::uint32_t from, std::uint32_t to) {
    const auto [known, is_new] = known_.try_emplace({from, to});
    if (!is_new) {
        return known->second;
    }
    Way& way = known->second;
    const auto& blocks = schedule_.blocks;
    struct Reached {
        std::uint32_t instructions = ~std::uint32_t{0};
        std::uint32_t before = kStart;
    };
    std::vector<Reached> reached(blocks.size());
    using Next = std::pair<std::uint32_t, std::uint32_t>;  // instructions, block
    std::priority_queue<Next, std::vector<Next>, std::greater<>> open;
    const auto reach = [&](std::uint32_t block, std::uint32_t instructions, std::uint32_t before) {
        if (block != kNoBlock && instructions < reached[block].instructions) {
            reached[block] = {instructions, before};
            open.emplace(instructions, block);
        }
    };
    const auto leave = [&](std::uint32_t block, std::uint32_t instructions) {
        reach(blocks[block].next, instructions, block);
        reach(blocks[block].target, instructions, block);
    };
    from == kStart ? reach(0, 0, kStart) : leave(from, 0);
    while (!open.empty()) {
        const auto [instructions, block] = open.top();
        open.pop();
        if (block == to) {
            way.exists = true;
            way.instructions = instructions;
            // A way back to where it began ends where that is reached first.
            for (std::uint32_t b = reached[to].before; b != kStart && b != from; b = reached[b].before) {
                way.blocks.push_back(b);
            }
            std::reverse(way.blocks.begin(), way.blocks.end());
            break;
        }
        if (instructions == reached[block].instructions && !blocks[block].anchored) {
            leave(block, instructions + blocks[block].end - blocks[block].first);
        }
    }
    return way;
}

const ScheduleRecorder::Done* ScheduleRecorder::done(std::uint32_t block, std::uint32_t copy) const {
    const std::uint32_t member = schedule_.member[block];
    const std::uint64_t number = std::uint64_t{consumed_[member]} + copy;
    return number < executed_[member] ? &pass_[member][number] : nullptr;
}

void ScheduleRecorder::block(std::uint32_t number, std::uint32_t mask, const LoggedAccess* log) {
    const std::uint32_t group = schedule_.group[number];
    if (group == kNoGroup) {
        return;  // on the way
    }
    const std::uint32_t member = schedule_.member[number];
    if (group != group_ || executed_[member] >= schedule_.groups[group].capacity[member] || (mask & mask_) == 0) {
        flush();
        group_ = group;
        mask_ = mask;
        const std::size_t members = schedule_.groups[group].members.size();
        if (pass_.size() < members) {
            pass_.resize(members);
        }
        executed_.assign(members, 0);
        consumed_.assign(members, 0);
    }
    auto& of = pass_[member];
    if (of.size() == executed_[member]) {
        of.emplace_back();
    }
    Done& done = of[executed_[member]++];
    done.mask = mask;
    done.log.assign(log, log + schedule_.logs[number]);
}

// The largest that is not worth more than what is left; of several the nearest.
const Variant& ScheduleRecorder::choose(const Group& group, std::size_t first) const {
    const std::uint32_t left = executed_[first] - consumed_[first];
    const Variant* best = &group.variants.front();  // until one with a worth is found
    std::uint32_t near = ~std::uint32_t{0};
    for (const Variant& variant : group.variants) {
        const std::uint32_t worth = variant.copies[first];
        if (worth == 0) {
            continue;
        }
        const auto& way = ways_.way(at_, variant.blocks.front());
        const std::uint32_t distance = way.exists ? way.instructions : ~std::uint32_t{0};
        const std::uint32_t known = best->copies[first];
        const bool fits = worth <= left;
        const bool fitted = known <= left;
        const bool better = known == 0       ? true
                            : fits != fitted ? fits
                            : worth != known ? (fits ? worth > known : worth < known)
                                             : distance < near;
        if (better) {
            best = &variant;
            near = distance;
        }
    }
    return *best;
}

void ScheduleRecorder::flush() {
    if (group_ == kNoGroup) {
        return;
    }
    const Group& group = schedule_.groups[group_];
    for (;;) {
        std::size_t first = 0;
        while (first < executed_.size() && executed_[first] == consumed_[first]) {
            ++first;
        }
        if (first == executed_.size()) {
            break;
        }
        const Variant& variant = choose(group, first);
        emit(variant);
        for (std::size_t i = 0; i < consumed_.size(); ++i) {
            consumed_[i] = std::min(consumed_[i] + variant.copies[i], executed_[i]);
        }
    }
    group_ = kNoGroup;
}

void ScheduleRecorder::finish() {
    flush();
    at_ = kStart;
}

void ScheduleRecorder::way_to(std::uint32_t block, std::uint32_t mask) {
    const ScheduleWays::Way& way = ways_.way(at_, block);
    for (std::size_t i = 0; i < way.blocks.size(); ++i) {
        const ScheduledBlock& between = schedule_.blocks[way.blocks[i]];
        const std::uint32_t next = i + 1 < way.blocks.size() ? way.blocks[i + 1] : block;
        for (std::uint32_t k = between.first; k < between.end; ++k) {
            const bool passed = k + 1 == between.end && between.guarded && between.target != next;
            instruction(k, passed ? 0 : mask);
        }
    }
    at_ = block;
}

void ScheduleRecorder::emit(const Variant& variant) {
    std::uint32_t mask = 0;  // of the first execution that it takes
    for (std::size_t i = 0; i < consumed_.size() && mask == 0; ++i) {
        if (variant.copies[i] != 0 && consumed_[i] < executed_[i]) {
            mask = pass_[i][consumed_[i]].mask;
        }
    }
    for (const std::uint32_t block : variant.blocks) {
        way_to(block, mask);
        for (std::uint32_t i = schedule_.blocks[block].first; i < schedule_.blocks[block].end; ++i) {
            instruction(i, mask);
        }
    }
}

void ScheduleRecorder::instruction(std::uint32_t index, std::uint32_t mask) {
    const ScheduledInstruction& from = schedule_.instructions[index];
    const bool anchored = from.block != kNoBlock && group_ != kNoGroup && schedule_.group[from.block] == group_;
    if (!anchored) {
        // An access that is read ahead of its block, or on the way, has no addresses that are known.
        encoder_.add(index, schedule_.program[index].has_addresses() ? 0 : mask, {});
        return;
    }
    const Done* const by = done(from.block, from.copy);
    if (by == nullptr) {
        encoder_.add(index, 0, {});
        return;
    }
    if (from.log == kNoLog) {
        encoder_.add(index, by->mask, {});
        return;
    }
    const LoggedAccess& log = by->log[from.log];
    const std::uint32_t lanes = from.others ? by->mask & ~log.mask : log.mask;
    // ptxas makes one wide load of several: that begins where the first of them does.
    const std::uint64_t width = std::max<std::uint64_t>(schedule_.program[index].op.bytes, 1);
    std::array<std::uint64_t, kWarpLanes> active;
    std::size_t count = 0;
    if (schedule_.program[index].has_addresses()) {
        for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
            active[count++] = log.address[std::countr_zero(left)] & ~(width - 1);
        }
    }
    encoder_.add(index, lanes, {active.data(), count});
}

}  // namespace kymo::gpu::ptx
