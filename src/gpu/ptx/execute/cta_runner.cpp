#include "gpu/ptx/execute/cta_runner.h"

#include "gpu/ptx/execute/guards.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

constexpr unsigned kTurn = 1U << 16U;        // blocks that a strand runs before it is another's turn
constexpr unsigned kFirstProbe = 256;        // and after this many blocks, twice as many, … it is probed
constexpr std::uint64_t kStackBytes = 4096;  // a lane's local memory where functions call themselves

std::uint32_t launched(std::uint64_t threads, std::uint32_t warp) {
    const std::uint64_t left = threads - std::uint64_t{warp} * kWarpLanes;
    return left >= kWarpLanes ? kAllLanes : (std::uint32_t{1} << left) - 1U;
}

const OpFacts& facts_at(const Compiled& code, const Op* op) {
    return code.facts[static_cast<std::size_t>(op - code.ops.data())];
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
    split_.resize((threads + kWarpLanes - 1) / kWarpLanes);
    strands_.resize(warps());
    if (parts_.options->checks.any()) {
        checker_ = std::make_unique<Checker>(parts_.options->checks, parts_, warps(), shared, local_bytes_);
    }
    if (parts_.schedule != nullptr) {
        ways_ = std::make_unique<ScheduleWays>(*parts_.schedule);
    }
    for (std::uint32_t number = 0; number < warps(); ++number) {
        prepare(strands_[number], number);
    }
}

// What stays the same from CTA to CTA.
void CtaRunner::prepare(Strand& state, std::uint32_t number) {
    state.launched = launched(parts_.launch.block.count(), number);
    state.local = std::make_shared<AlignedBytes>(local_bytes_ * kWarpLanes);
    Warp& warp = state.warp;
    warp.number = warp.strand = number;
    warp.shared = shared_.data();
    warp.shared_bytes = parts_.shared_bytes + parts_.launch.dynamic_shared;
    warp.local = state.local->data();
    warp.local_bytes = local_bytes_;
    warp.ranges = ranges_.data();
    warp.find = find;
    warp.memory = this;
    if (parts_.program != nullptr) {
        state.encoder = std::make_shared<WarpEncoder>(*parts_.program);
        if (ways_) {
            state.recorder = std::make_shared<ScheduleRecorder>(*parts_.schedule, *ways_, *state.encoder);
        }
        if (parts_.operands != nullptr) {
            state.values = std::make_shared<WarpEncoder>(parts_.operands->program);
        }
    }
    Frame frame;
    frame.code = parts_.kernel;
    frame.memory = std::make_shared<AlignedBytes>(parts_.kernel->frame_bytes);
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

void CtaRunner::begin_cta(const Dim3& index) {
    cta_ = index;
    steps_ = 0;
    hopes_ = 0;
    if (checker_) {
        checker_->begin_cta(index);
    }
    barriers_ = {};
    strands_.resize(warps());
    split_.assign(warps(), 0);
    for (Strand& state : strands_) {
        state.state = State::kReady;
        state.repeats = state.is_still = false;
        state.resume = kNoOp;
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

const std::vector<Defect>& CtaRunner::defects() const {
    static const std::vector<Defect> none;
    return checker_ ? checker_->defects() : none;
}

bool CtaRunner::run(const Dim3& index, bool trace, Cta& cta) {
    begin_cta(index);
    if (parts_.options->at) {
        parts_.options->at(index, {});
    }
    cta.index = index;
    tracing_ = trace = trace && parts_.program != nullptr;
    for (Strand& state : strands_) {
        state.warp.log = trace || checker_ ? log_.data() : nullptr;
    }
    for (bool left = true; left;) {
        bool ran = false;
        if (!run_strands(left, ran)) {
            return false;
        }
        bool opened = open_barriers();
        opened = opened || (left && !ran && split_one());
        if (left && !wake_waiters(!ran && !opened, opened)) {
            return false;
        }
        if (left && !ran && !opened && !is_changed_from_outside()) {
            return fail_stuck();
        }
    }
    ++totals_.ctas;
    if (trace) {
        for (std::uint32_t number = 0; number < warps(); ++number) {
            const Strand& state = strands_[number];
            if (state.recorder) {
                state.recorder->finish();
            }
            WarpTrace warp;
            warp.id = state.warp.number;
            warp.instructions = state.encoder->instructions();
            warp.code = std::make_shared<const std::vector<std::uint8_t>>(state.encoder->take());
            if (state.values) {
                warp.values = std::make_shared<const std::vector<std::uint8_t>>(state.values->take());
            }
            cta.warps.push_back(std::move(warp));
        }
    }
    return true;
}

// A turn for each strand. `left`: some have not ended; `ran`: some did more than repeat themselves.
bool CtaRunner::run_strands(bool& left, bool& ran) {
    left = ran = false;
    for (Strand& state : strands_) {
        if (state.state == State::kParked && (state.awaited & elsewhere(state)) == 0) {
            state.state = State::kReady;
        }
        if (state.state == State::kReady) {
            if (!run_strand(state)) {
                return false;
            }
            const bool joined = split_[state.warp.number] != 0 && join_strands(state.warp.number);
            ran = ran || !state.is_still || joined;
        }
        left = left || state.state != State::kDone;
    }
    return true;
}

bool CtaRunner::run_strand(Strand& state) {
    bool is_whole_turn = state.repeats;  // the probe sees all that is done in this turn
    unsigned next_probe = is_whole_turn ? 0 : kFirstProbe;
    state.repeats = state.is_still = false;
    probe_.end();
    std::uint64_t last_look = totals_.warp_instructions;
    std::uint64_t look_before = last_look;
    for (unsigned turn = 0; turn < kTurn; ++turn) {
        const Level& top = state.levels.back();
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
        if (turn >= next_probe) {
            is_whole_turn = is_whole_turn && next_probe == 0;
            next_probe = std::max(kFirstProbe, 2 * turn);
            probe_.begin(state);
            look_before = last_look;
            last_look = totals_.warp_instructions;
        } else if (probe_.is_on() && probe_.comes_again(state)) {
            state.repeats = true;
            state.is_still = is_whole_turn;
            state.read = probe_.read();
            // It did not repeat itself at the previous probe; when it began to is not known.
            totals_.waiting_instructions += totals_.warp_instructions - look_before;
            return true;
        }
        const Compiled& code = *state.frames.back().code;
        if (!run_block(state, code, code.blocks[top.block], mask)) {
            return false;
        }
        if (state.state != State::kReady) {
            return true;
        }
    }
    if (parts_.options->at) {
        const Compiled& code = *state.frames.back().code;
        const std::uint32_t block = state.levels.back().block;
        const std::uint32_t instruction = block < code.blocks.size() ? code.blocks[block].instruction : 0;
        parts_.options->at(cta_, place_of(code, instruction));
    }
    return true;
}

bool CtaRunner::run_block(Strand& state, const Compiled& code, const Block& block, std::uint32_t mask) {
    const bool holds_operands = tracing_ && parts_.operands != nullptr;
    if (!probe_.is_on() && split_[state.warp.number] == 0 && !holds_operands) {
        return (checker_ ? run_ops<true, false>(state, code, block, mask)
                         : run_ops<false, false>(state, code, block, mask)) &&
               end_block(state, code, block, mask);
    }
    if (!(checker_ ? run_ops<true, true>(state, code, block, mask)
                   : run_ops<false, true>(state, code, block, mask))) {
        return false;
    }
    if (state.state == State::kParked) {
        return true;
    }
    state.resume = kNoOp;
    return end_block(state, code, block, mask);
}

// kWatched: by the probe, for its operands' values, or in a warp of several strands; the block may then be left, and
// gone on with, in its middle.
template <bool kChecked, bool kWatched>
bool CtaRunner::run_ops(Strand& state, const Compiled& code, const Block& block, std::uint32_t mask) {
    Warp& warp = state.warp;
    const Op* const begin = code.ops.data() + (kWatched && state.resume != kNoOp ? state.resume : block.first);
    const Op* const end = code.ops.data() + block.end;
    warp.mask = mask;
    if (kWatched && state.resume != kNoOp) {
        std::copy(state.begun_log.begin(), state.begun_log.end(), log_.begin());
    }
    std::uint64_t count = static_cast<std::uint64_t>(end - begin) + 1;
    std::uint64_t executed = count;
    std::uint64_t threads = count * static_cast<unsigned>(std::popcount(mask));
    warp.clock += count;
    for (const Op* op = begin; op != end; ++op) {
        std::uint32_t lanes = mask;
        if (op->guarded != 0) {
            lanes = guarded(warp, op->guarded, op->guard, mask);
        }
        if (kWatched && lanes != 0 && park(state, code, static_cast<std::size_t>(op - code.ops.data()), lanes)) {
            const auto left = static_cast<std::uint64_t>(end - op) + 1;
            executed -= left;
            count -= left;
            threads -= left * static_cast<unsigned>(std::popcount(mask));
            warp.clock -= left;
            break;
        }
        if (op->guarded != 0) {
            if (warp.log != nullptr && op->log != kNoLog) {
                warp.log[op->log].mask = lanes;
            }
            threads -= static_cast<unsigned>(std::popcount(mask) - std::popcount(lanes));
            if (kChecked && lanes == 0) {
                checker_->before(warp, code, static_cast<std::size_t>(op - code.ops.data()), mask, 0);
            }
            if (lanes == 0) {
                --executed;
                continue;
            }
        }
        if (kChecked) {
            check_members(state, code, static_cast<std::size_t>(op - code.ops.data()), lanes);
            checker_->before(warp, code, static_cast<std::size_t>(op - code.ops.data()), mask, lanes);
        }
        if (kWatched && probe_.is_on()) {
            probe_.before(state, code, static_cast<std::size_t>(op - code.ops.data()), lanes);
        }
        const bool holds = kWatched && tracing_ && state.values;
        if (holds) {
            state.held.look(warp, code, facts_at(code, op).uses, false, lanes);
        }
        if (!op->run(warp, *op, lanes)) {
            return fail_memory(state, code, *op);
        }
        if (holds) {
            state.held.look(warp, code, facts_at(code, op).uses, true, lanes);
        }
        if (kWatched && probe_.is_on()) {
            probe_.after(code, static_cast<std::size_t>(op - code.ops.data()));
        }
        if (kChecked) {
            checker_->after(warp, code, static_cast<std::size_t>(op - code.ops.data()), lanes);
        }
    }
    if (kChecked && state.state != State::kParked) {
        checker_->at_end(warp, code, block, mask);
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

}  // namespace kymo::gpu::ptx
