#include "gpu/ptx/cta_runner.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

constexpr std::uint32_t kNever = kNoBlock - 1;  // where a warp's or a call's first level meets: nowhere
constexpr unsigned kTurn = 1U << 16U;           // blocks that a warp runs before it is another's turn
constexpr std::uint64_t kStackBytes = 4096;     // a lane's local memory where functions call themselves
constexpr std::size_t kMostFrames = 4096;

std::uint32_t launched(std::uint64_t threads, std::uint32_t warp) {
    const std::uint64_t left = threads - std::uint64_t{warp} * kWarpLanes;
    return left >= kWarpLanes ? kAllLanes : (std::uint32_t{1} << left) - 1U;
}

void broadcast(std::byte* at, unsigned bits, std::uint64_t value) {
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
        std::memcpy(at + lane * (bits / 8), &value, bits / 8);
    }
}

std::uint32_t predicate(const Warp& warp, std::uint32_t place) {
    std::uint32_t value = 0;
    std::memcpy(&value, warp.frame + place, sizeof value);
    return value;
}

std::uint32_t first_lane(const Warp& warp, std::uint32_t place, std::uint32_t mask) {
    std::uint32_t value = 0;
    std::memcpy(&value, warp.frame + place + 4 * std::countr_zero(mask), sizeof value);
    return value;
}

// The lanes in which a guarded operation executes.
std::uint32_t guarded(const Warp& warp, std::uint8_t how, std::uint32_t place, std::uint32_t mask) {
    return how == 0 ? mask : mask & (how == 1 ? predicate(warp, place) : ~predicate(warp, place));
}

}  // namespace

CtaRunner::CtaRunner(LaunchParts parts) : parts_(std::move(parts)) {
    const std::uint64_t threads = parts_.launch.block.count();
    std::uint32_t caches = parts_.kernel->caches;
    std::uint32_t logs = parts_.kernel->logs;
    std::uint64_t local = parts_.kernel->layout.local_bytes;
    bool calls = false;
    for (const Compiled* const function : parts_.functions) {
        if (function != nullptr && function != parts_.kernel) {
            caches = std::max(caches, function->caches);
            logs = std::max(logs, function->logs);
            local += function->layout.local_bytes;
            calls = true;
        }
    }
    local_bytes_ = calls ? std::max(local, kStackBytes) : local;
    ranges_.resize(caches + 1);
    log_.resize(logs + 1);
    const std::uint64_t shared = parts_.shared_bytes + parts_.launch.dynamic_shared;
    shared_ = AlignedBytes(shared);
    parameters_ = AlignedBytes(std::max<std::size_t>(parts_.launch.parameters.size(), 8));
    std::copy_n(reinterpret_cast<const std::byte*>(parts_.launch.parameters.data()), parts_.launch.parameters.size(),
                parameters_.data());
    warps_.resize((threads + kWarpLanes - 1) / kWarpLanes);
    for (std::uint32_t number = 0; number < warps_.size(); ++number) {
        prepare(warps_[number], number);
    }
}

// What stays the same from CTA to CTA.
void CtaRunner::prepare(WarpState& state, std::uint32_t number) {
    state.launched = launched(parts_.launch.block.count(), number);
    state.local = AlignedBytes(local_bytes_ * kWarpLanes);
    Warp& warp = state.warp;
    warp.number = number;
    warp.shared = shared_.data();
    warp.shared_bytes = parts_.shared_bytes + parts_.launch.dynamic_shared;
    warp.local = state.local.data();
    warp.local_bytes = local_bytes_;
    warp.ranges = ranges_.data();
    warp.find = find;
    warp.memory = this;
    if (parts_.program != nullptr) {
        state.encoder = std::make_unique<WarpEncoder>(*parts_.program);
    }
    Frame frame;
    frame.code = parts_.kernel;
    frame.memory = std::make_unique<AlignedBytes>(parts_.kernel->frame_bytes);
    fill(frame, warp, false);
    state.frames.push_back(std::move(frame));
}

bool CtaRunner::find(const void* self, std::uint64_t address, std::uint64_t bytes, MemoryRange& range) {
    auto& runner = *static_cast<CtaRunner*>(const_cast<void*>(self));
    const auto begin = reinterpret_cast<std::uint64_t>(runner.parameters_.data());
    const DeviceMemory::Range own{begin, begin + runner.parts_.launch.parameters.size()};
    const auto found = own.holds(address, bytes) ? std::optional(own) : runner.parts_.memory->find(address, bytes);
    if (found) {
        range = {found->begin, found->end};
    }
    return found.has_value();
}

std::uint64_t CtaRunner::special(std::string_view name, const Warp& warp, unsigned lane,
                                 std::uint64_t local_at) const {
    const Dim3& block = parts_.launch.block;
    const Dim3& grid = parts_.launch.grid;
    const std::uint64_t thread = std::uint64_t{warp.number} * kWarpLanes + lane;
    const auto part = [&](const Dim3& dim) {
        return name.back() == 'x' ? dim.x : name.back() == 'y' ? dim.y : dim.z;
    };
    if (name.starts_with("%tid")) {
        return name.back() == 'x'   ? thread % block.x
               : name.back() == 'y' ? thread / block.x % block.y
                                    : thread / (std::uint64_t{block.x} * block.y);
    }
    const std::uint32_t bit = 1U << lane;
    return name.starts_with("%ntid")      ? part(block)
           : name.starts_with("%ctaid")   ? part(cta_)
           : name.starts_with("%nctaid")  ? part(grid)
           : name == "%laneid"            ? lane
           : name == "%warpid"            ? warp.number
           : name == "%nwarpid"           ? warps_.size()
           : name == "%nsmid"             ? 1
           : name == "%lanemask_eq"       ? bit
           : name == "%lanemask_lt"       ? bit - 1
           : name == "%lanemask_le"       ? bit | (bit - 1)
           : name == "%lanemask_gt"       ? ~(bit | (bit - 1))
           : name == "%lanemask_ge"       ? ~(bit - 1)
           : name == "%dynamic_smem_size" ? parts_.launch.dynamic_shared
           : name == "%total_smem_size"   ? parts_.shared_bytes + parts_.launch.dynamic_shared
           : name == "%dynamic_shared"    ? parts_.shared_bytes
           : name == "%local"             ? local_at
           : name == "%parameters" ? reinterpret_cast<std::uint64_t>(const_cast<AlignedBytes&>(parameters_).data())
                                   : 0;  // %smid: one SM, one CTA at a time
}

// Constants and presets; `only_cta`: what is another in every CTA.
void CtaRunner::fill(Frame& frame, const Warp& warp, bool only_cta) {
    std::byte* const memory = frame.memory->data();
    if (!only_cta) {
        for (const ConstantPlace& constant : frame.code->constants) {
            if (constant.bits == 1) {
                std::memcpy(memory + constant.place, &constant.value, 4);
            } else {
                broadcast(memory + constant.place, constant.bits, constant.value);
            }
        }
    }
    for (const Preset& preset : frame.code->presets) {
        std::byte* const at = memory + preset.place;
        if (preset.kind == Preset::Kind::kParameter) {
            if (!only_cta) {
                std::uint64_t value = 0;
                std::memcpy(&value, parts_.launch.parameters.data() + preset.offset, preset.bytes);
                const unsigned unused = 64 - 8U * preset.bytes;
                if (preset.is_signed) {
                    value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
                }
                broadcast(at, preset.bits, value);
            }
            continue;
        }
        if (only_cta && !preset.special.starts_with("%ctaid")) {
            continue;
        }
        for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
            const std::uint64_t value =
                special(preset.special, warp, lane, frame.local_at) + static_cast<std::uint64_t>(preset.addend);
            std::memcpy(at + lane * (preset.bits / 8U), &value, preset.bits / 8U);
        }
    }
}

void CtaRunner::begin_cta(const Dim3& index) {
    cta_ = index;
    steps_ = 0;
    barriers_ = {};
    for (WarpState& state : warps_) {
        state.state = State::kReady;
        state.frames.resize(1);
        fill(state.frames[0], state.warp, true);
        enter(state, 0);
        state.warp.live = state.launched;
        state.warp.carry = 0;
        state.warp.fault = {};
        state.warp.log = nullptr;
        state.levels.assign(1, {parts_.kernel->blocks.empty() ? kNoBlock : 0, kNever, state.launched, false});
        state.reduction = nullptr;
    }
}

// A frame becomes the current one.
void CtaRunner::enter(WarpState& state, std::size_t number) {
    Frame& frame = state.frames[number];
    state.warp.frame = frame.memory->data();
    state.warp.local_at = frame.local_at;
    if (frame.code->layout.parameter_bytes != 0 && !frame.parameters) {
        frame.parameters = std::make_unique<AlignedBytes>(frame.code->layout.parameter_bytes * kWarpLanes);
    }
    state.warp.parameters = frame.parameters ? frame.parameters->data() : nullptr;
    state.warp.parameter_stride = frame.code->layout.parameter_bytes;
}

bool CtaRunner::run(const Dim3& index, bool trace, Cta& cta) {
    begin_cta(index);
    cta.index = index;
    trace = trace && parts_.program != nullptr;
    for (WarpState& state : warps_) {
        state.warp.log = trace ? log_.data() : nullptr;
    }
    for (bool left = true; left;) {
        left = false;
        bool ran = false;
        for (WarpState& state : warps_) {
            if (state.state == State::kReady) {
                ran = true;
                if (!run_warp(state)) {
                    return false;
                }
            }
            left = left || state.state != State::kDone;
        }
        const bool opened = open_barriers();
        if (left && !ran && !opened) {
            const auto waiting = std::find_if(warps_.begin(), warps_.end(),
                                              [](const WarpState& state) { return state.state == State::kWaiting; });
            const Frame& frame = waiting->frames.back();
            return fail(*waiting, Fault::kStuck, *frame.code,
                        waiting->reduction != nullptr ? waiting->reduction->instruction : 0,
                        static_cast<unsigned>(std::countr_zero(waiting->launched)),
                        fmt::format("warp {} waits at barrier {}, which never opens", waiting->warp.number,
                                    waiting->barrier));
        }
    }
    ++totals_.ctas;
    if (trace) {
        for (WarpState& state : warps_) {
            WarpTrace warp;
            warp.id = state.warp.number;
            warp.instructions = state.encoder->instructions();
            warp.code = std::make_shared<const std::vector<std::uint8_t>>(state.encoder->take());
            cta.warps.push_back(std::move(warp));
        }
    }
    return true;
}

bool CtaRunner::run_warp(WarpState& state) {
    for (unsigned turn = 0; turn < kTurn; ++turn) {
        Level& top = state.levels.back();
        const std::uint32_t mask = top.mask & state.warp.live;
        if (mask == 0 || top.block == top.meet) {
            if (top.is_call) {
                return_from(state, 0);
            }
            state.levels.pop_back();
            if (state.levels.empty()) {
                state.state = State::kDone;
                return true;
            }
            continue;
        }
        if (top.block == kNoBlock) {  // ran over the function's end
            if (top.is_call) {
                return_from(state, mask);
                state.levels.pop_back();
            } else {
                state.warp.live &= ~mask;
            }
            continue;
        }
        const Compiled& code = *state.frames.back().code;
        const Block& block = code.blocks[top.block];
        if (!run_ops(state, code, block, mask) || !end_block(state, code, block, mask)) {
            return false;
        }
        if (state.state != State::kReady) {
            return true;
        }
    }
    return true;
}

bool CtaRunner::run_ops(WarpState& state, const Compiled& code, const Block& block, std::uint32_t mask) {
    Warp& warp = state.warp;
    const Op* const end = code.ops.data() + block.end;
    warp.mask = mask;
    const std::uint64_t count = block.end - block.first + 1;
    std::uint64_t executed = count;
    std::uint64_t threads = count * static_cast<unsigned>(std::popcount(mask));
    warp.clock += count;
    for (const Op* op = code.ops.data() + block.first; op != end; ++op) {
        std::uint32_t lanes = mask;
        if (op->guarded != 0) {
            lanes = guarded(warp, op->guarded, op->guard, mask);
            if (warp.log != nullptr && op->log != kNoLog) {
                warp.log[op->log].mask = lanes;
            }
            threads -= static_cast<unsigned>(std::popcount(mask) - std::popcount(lanes));
            if (lanes == 0) {
                --executed;
                continue;
            }
        }
        if (!op->run(warp, *op, lanes)) {
            return fail_memory(state, code, *op);
        }
    }
    totals_.warp_instructions += executed;
    totals_.thread_instructions += threads;
    steps_ += count;
    if (steps_ > parts_.options->most_warp_instructions) {
        return fail(state, Fault::kStuck, code, block.instruction, static_cast<unsigned>(std::countr_zero(mask)),
                    fmt::format("the CTA executed {} operations without coming to its end", steps_));
    }
    return true;
}

// The block as the models see it.
void CtaRunner::record(WarpState& state, const Compiled& code, const Block& block, std::uint32_t mask) {
    const auto number = static_cast<std::size_t>(code.function - parts_.module->functions.data());
    const std::uint32_t begin = parts_.program_begin[number];
    WarpEncoder& encoder = *state.encoder;
    std::array<std::uint64_t, kWarpLanes> active;
    for (std::uint32_t i = block.machine_first; i < block.machine_end; ++i) {
        const MachineInstruction& machine = code.machine[i];
        if (machine.log == kNoLog) {
            encoder.add(begin + machine.index, mask, {});
            continue;
        }
        const LoggedAccess& log = log_[machine.log];
        if (!machine.has_addresses || log.mask == 0) {
            encoder.add(begin + machine.index, log.mask, {});
            continue;
        }
        if (log.mask == kAllLanes) {
            encoder.add(begin + machine.index, log.mask, {log.address, kWarpLanes});
            continue;
        }
        std::size_t count = 0;
        for (std::uint32_t left = log.mask; left != 0; left &= left - 1) {
            active[count++] = log.address[std::countr_zero(left)];
        }
        encoder.add(begin + machine.index, log.mask, {active.data(), count});
    }
}

bool CtaRunner::end_block(WarpState& state, const Compiled& code, const Block& block, std::uint32_t mask) {
    Level& top = state.levels.back();
    const std::uint32_t leaving = guarded(state.warp, block.guarded, block.guard, mask);
    if (state.warp.log != nullptr) {
        if (block.ending_log != kNoLog) {
            state.warp.log[block.ending_log].mask = leaving;
        }
        record(state, code, block, mask);
    }
    switch (block.ending) {
        case Ending::kFall:
            top.block = block.next;
            return true;
        case Ending::kBranch:
            split(state, block, leaving, block.taken, mask & ~leaving);
            return true;
        case Ending::kReturn:
            split(state, block, leaving, kNoBlock, mask & ~leaving);
            return true;
        case Ending::kExit:
            state.warp.live &= ~leaving;
            top.block = block.next;
            return true;
        case Ending::kTable:
            return by_table(state, code, block, leaving);
        case Ending::kBarrier:
            top.block = block.next;
            return leaving == 0 || arrive(state, block, leaving);
        case Ending::kCall:
            top.block = block.next;
            return leaving == 0 || call(state, block, leaving);
    }
    return true;
}

void CtaRunner::split(WarpState& state, const Block& block, std::uint32_t taken, std::uint32_t to,
                      std::uint32_t rest) {
    Level& top = state.levels.back();
    if (rest == 0 || taken == 0) {
        top.block = rest == 0 ? to : block.next;
        return;
    }
    const std::uint32_t meet = block.meet;
    if (meet == top.meet) {
        state.levels.pop_back();  // the level below waits there already
    } else {
        top.block = meet;
    }
    if (block.next != meet) {
        state.levels.push_back({block.next, meet, rest, false});
    }
    if (to != meet) {
        state.levels.push_back({to, meet, taken, false});
    }
}

// Each target that a lane takes, one after another.
bool CtaRunner::by_table(WarpState& state, const Compiled& code, const Block& block, std::uint32_t mask) {
    const std::uint32_t size = code.tables[block.taken];
    const std::uint32_t meet = block.meet;
    const auto target = [&](unsigned lane) {
        std::uint32_t index = 0;
        std::memcpy(&index, state.warp.frame + block.a + 4 * lane, sizeof index);
        return index;
    };
    std::uint32_t rest = mask;
    Level& top = state.levels.back();
    if (meet == top.meet) {
        state.levels.pop_back();
    } else {
        top.block = meet;
    }
    while (rest != 0) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const std::uint32_t index = target(lane);
        if (index >= size) {
            return fail(state, Fault::kTrap, code, block.instruction, lane,
                        fmt::format("jumps to entry {} of {}", index, size));
        }
        std::uint32_t same = 0;
        for (std::uint32_t left = rest; left != 0; left &= left - 1) {
            const auto other = static_cast<unsigned>(std::countr_zero(left));
            same |= target(other) == index ? 1U << other : 0U;
        }
        rest &= ~same;
        const std::uint32_t to = code.tables[block.taken + 1 + index];
        if (to != meet) {
            state.levels.push_back({to, meet, same, false});
        }
    }
    return true;
}

bool CtaRunner::arrive(WarpState& state, const Block& block, std::uint32_t mask) {
    const std::uint32_t number = first_lane(state.warp, block.a, mask);
    const std::uint32_t threads = block.b != 0 ? first_lane(state.warp, block.b, mask) : 0;
    const Compiled& code = *state.frames.back().code;
    if (number >= kBarriers || threads % kWarpLanes != 0) {
        return fail(
            state, Fault::kTrap, code, block.instruction, static_cast<unsigned>(std::countr_zero(mask)),
            fmt::format("barrier {} of {} threads: there are {}, of whole warps", number, threads, kBarriers));
    }
    Barrier& barrier = barriers_[number];
    ++barrier.arrived;
    barrier.expected = threads / kWarpLanes;
    if (block.barrier >= 2) {
        const std::uint32_t yes = predicate(state.warp, block.c) ^ ((block.flags & 1U) != 0 ? kAllLanes : 0U);
        barrier.count += static_cast<unsigned>(std::popcount(yes & mask));
        barrier.threads += static_cast<unsigned>(std::popcount(mask));
    }
    if (block.barrier != 1) {
        state.state = State::kWaiting;
        state.barrier = number;
        state.reduction = &block;
        state.reduction_mask = mask;
    }
    return true;
}

void CtaRunner::give_result(WarpState& state, const Barrier& barrier) {
    const Block& block = *state.reduction;
    if (block.barrier < 2) {
        return;
    }
    std::byte* const at = state.warp.frame + block.d;
    if (block.barrier == 4) {
        for (std::uint32_t left = state.reduction_mask; left != 0; left &= left - 1) {
            const auto count = static_cast<std::uint32_t>(barrier.count);
            std::memcpy(at + 4 * std::countr_zero(left), &count, sizeof count);
        }
        return;
    }
    const bool is = block.barrier == 2 ? barrier.count == barrier.threads : barrier.count != 0;
    const std::uint32_t value =
        (predicate(state.warp, block.d) & ~state.reduction_mask) | (is ? state.reduction_mask : 0U);
    std::memcpy(at, &value, sizeof value);
}

// A barrier opens when as many warps have arrived as it names, or all that have not ended.
bool CtaRunner::open_barriers() {
    const auto left = static_cast<std::uint32_t>(std::count_if(
        warps_.begin(), warps_.end(), [](const WarpState& state) { return state.state != State::kDone; }));
    bool opened = false;
    for (std::uint32_t number = 0; number < kBarriers; ++number) {
        Barrier& barrier = barriers_[number];
        const std::uint32_t expected = barrier.expected != 0 ? std::min(barrier.expected, left) : left;
        if (barrier.arrived == 0 || barrier.arrived < expected) {
            continue;
        }
        for (WarpState& state : warps_) {
            if (state.state == State::kWaiting && state.barrier == number) {
                give_result(state, barrier);
                state.state = State::kReady;
                opened = true;
            }
        }
        barrier = {};
    }
    return opened;
}

bool CtaRunner::call(WarpState& state, const Block& block, std::uint32_t mask) {
    const Compiled& caller = *state.frames.back().code;
    const Compiled* const callee = parts_.functions[block.taken];
    if (callee == nullptr) {
        return built_in(state, caller, block, mask);
    }
    Frame frame;
    frame.code = callee;
    frame.caller = &block;
    frame.local_at = state.frames.back().local_at + caller.layout.local_bytes;
    if (state.frames.size() >= kMostFrames || frame.local_at + callee->layout.local_bytes > local_bytes_) {
        return fail(state, Fault::kOutOfBounds, caller, block.instruction,
                    static_cast<unsigned>(std::countr_zero(mask)),
                    fmt::format("the stack of {} bytes and {} calls is used up", local_bytes_, kMostFrames));
    }
    frame.memory = std::make_unique<AlignedBytes>(callee->frame_bytes);
    fill(frame, state.warp, false);
    const std::byte* const from = state.warp.parameters;
    const std::uint64_t from_stride = state.warp.parameter_stride;
    state.frames.push_back(std::move(frame));
    enter(state, state.frames.size() - 1);
    for (const Pass& pass : caller.passes[block.arguments]) {
        for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
            std::memcpy(state.warp.parameters + lane * state.warp.parameter_stride + pass.to,
                        from + lane * from_stride + pass.from, pass.bytes);
        }
    }
    state.levels.push_back({callee->blocks.empty() ? kNoBlock : 0, kNever, mask, true});
    return true;
}

void CtaRunner::return_from(WarpState& state, std::uint32_t mask) {
    const Frame callee = std::move(state.frames.back());
    state.frames.pop_back();
    enter(state, state.frames.size() - 1);
    const Compiled& caller = *state.frames.back().code;
    for (const Pass& pass : caller.passes[callee.caller->returned]) {
        for (std::uint32_t left = mask; left != 0; left &= left - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(left));
            std::memcpy(state.warp.parameters + lane * state.warp.parameter_stride + pass.to,
                        callee.parameters->data() + lane * callee.code->layout.parameter_bytes + pass.from,
                        pass.bytes);
        }
    }
}

}  // namespace kymo::gpu::ptx
