#include "program/flow/scalar_loop.h"

#include <algorithm>
#include <cstdlib>

namespace kymo::program {
namespace {

constexpr std::uint16_t kMostBytes = 4;  // of whole numbers: vectors of two are hardly faster

}  // namespace

// All bytes are used, and none is read that an earlier round wrote.
bool ScalarLoop::Stream::is_dense() const {
    const Parts& longer = read.size() >= written.size() ? read : written;
    std::int64_t bytes = 0;
    for (const auto& [displacement, width] : longer) {
        bytes += width;
    }
    const bool reads_behind = std::any_of(read.begin(), read.end(), [&](const auto& from) {
        return std::any_of(written.begin(), written.end(), [&](const auto& to) {
            return (to.first - from.first) % step == 0 && (to.first - from.first) / step >= 1;
        });
    });
    return bytes >= std::abs(step) && !reads_behind;
}

void ScalarLoop::Carried::note(bool reads, bool writes, bool is_update) {
    if (reads && !is_written) {
        is_live = true;
    }
    if (reads || writes) {
        is_sum = is_sum && is_update;
        is_used = true;
    }
    is_written = is_written || writes;
}

// One of the things that is done with it: is it a step of a polynomial?
void ScalarLoop::Carried::note_step(bool adds, bool multiplies, std::uint32_t cycles) {
    is_polynomial = is_polynomial && (adds || multiplies);
    is_added_to = is_added_to || adds;
    is_multiplied = is_multiplied || multiplies;
    latency += cycles;
}

void ScalarLoop::note_memory(const Instruction& in, const Steps& steps) {
    for (std::size_t i = 0; i < in.memory_operands; ++i) {
        const MemoryOperand& operand = in.memory[i];
        is_possible_ = is_possible_ && steps[i] && (*steps[i] != 0 || !operand.is_written);
        if (steps[i] && *steps[i] != 0) {
            Stream& stream = streams_[{operand.base, operand.index, operand.scale}];
            stream.step = *steps[i];
            // As seen at the round's begin: an address register may have moved on within it.
            const std::int64_t moved = moved_by(operand.base) + moved_by(operand.index) * operand.scale;
            (operand.is_written ? stream.written : stream.read).emplace(operand.displacement + moved, operand.width);
        }
    }
}

void ScalarLoop::take(const Instruction& in, const Steps& steps, std::uint32_t counted) {
    ++instructions_;
    has_only_sums_ = has_only_sums_ && !is_call(in.kind) && !in.is_division && !in.is_locked;
    is_possible_ = is_possible_ && !is_call(in.kind) && !in.is_division && !in.is_locked &&
                   in.vector_work != VectorWork::kPacked;
    is_float_ = is_float_ || in.vector_work != VectorWork::kOther;
    has_vectors_ = has_vectors_ || (in.vector_reads | in.vector_writes) != 0;
    if (in.writes_flags) {
        ends_by_count_ = in.memory_operands == 0 && (in.reads & ~counted) == 0 && in.vector_reads == 0;
    }
    note_memory(in, steps);
    if ((in.operation == Operation::kSum || in.operation == Operation::kStep) && in.source == in.destination &&
        in.source2 == kNoRegister && in.destination < kRegisters) {
        moved_[in.destination] += in.constant;
    }
    // A comparison whose outcome chooses the lesser or the greater one does nothing else with it.
    const bool is_least = takes_least(in);
    note_registers(compared_, is_least ? 1U << in.destination : 0, false);
    const bool compares = in.writes_flags && in.writes == 0 && !in.writes_memory && in.memory_operands == 0 &&
                          in.vector_reads == 0 && in.kind == InstructionKind::kPlain;
    compared_ = compares ? in : Instruction();
    if (!compares) {
        note_registers(in, 0, is_least);
    }
}

// Behind `cmp a, b`: moves b to a, or does not.
bool ScalarLoop::takes_least(const Instruction& in) const {
    return in.is_choice && in.destination < kRegisters && (compared_.reads >> in.destination & 1U) != 0 &&
           (in.reads & ~(1U << in.destination) & ~compared_.reads) == 0;
}

// All but the registers `left_out`, by bit.
void ScalarLoop::note_registers(const Instruction& in, std::uint32_t left_out, bool is_least) {
    constexpr std::uint32_t kFloatLatency = 4;  // cycles
    constexpr std::uint32_t kProductLatency = 3;
    for (unsigned reg = 0; reg < kRegisters; ++reg) {
        const std::uint32_t bit = 1U << reg;
        const bool is_destination = in.destination == reg;
        const bool is_whole_used = ((in.reads | in.writes) & bit & ~left_out) != 0;
        general_[reg].note((in.reads & bit & ~left_out) != 0, (in.writes & bit) != 0,
                           (in.accumulates || is_least) && is_destination);
        if (is_whole_used) {
            general_[reg].note_step(in.adds && is_destination, in.multiplies && is_destination,
                                    in.multiplies ? kProductLatency : 1);
        }
        const bool reads = (in.vector_reads & bit) != 0;
        const bool writes = (in.vector_writes & bit) != 0;
        Carried& own = vectors_[reg];
        const bool is_arithmetic = reads && writes && in.vector_work != VectorWork::kOther;
        const bool is_update = is_arithmetic && in.vector_work != VectorWork::kScalarMixed &&
                               (!own.is_used || own.work == in.vector_work);
        own.note(reads, writes, is_update);
        if (reads || writes) {
            const bool is_fused = is_arithmetic && in.vector_work == VectorWork::kScalarMixed;
            own.note_step(is_fused || (is_arithmetic && in.vector_work == VectorWork::kScalarSum),
                          is_fused || (is_arithmetic && in.vector_work == VectorWork::kScalarProduct), kFloatLatency);
            own.work = in.vector_work;
        }
    }
}

bool ScalarLoop::is_serial_sum() const {
    constexpr std::uint32_t kAtOnce = 4;  // instructions a cycle
    // Chains beside one another overlap: where there are several already, more of them would gain less.
    const auto chains = static_cast<std::uint32_t>(
        std::count_if(vectors_.begin(), vectors_.end(), [](const Carried& reg) { return reg.is_serial(); }) +
        std::count_if(general_.begin(), general_.end(),
                      [](const Carried& reg) { return reg.is_serial() && !reg.is_sum && reg.is_multiplied; }));
    const auto takes_long = [&](const Carried& reg) {
        return 2 * kAtOnce * reg.latency >= 3 * chains * instructions_;
    };
    const bool has_reads =
        std::any_of(streams_.begin(), streams_.end(), [](const auto& stream) { return !stream.second.read.empty(); });
    // Sums of whole numbers are no slower than the rest of a loop; what is multiplied and added to without reading
    // anything is a generator of numbers, which goes step by step.
    return has_only_sums_ && (std::any_of(vectors_.begin(), vectors_.end(),
                                          [&](const Carried& reg) {
                                              return reg.is_serial() && reg.work != VectorWork::kPacked &&
                                                     takes_long(reg);
                                          }) ||
                              (has_reads && std::any_of(general_.begin(), general_.end(), [&](const Carried& reg) {
                                   return reg.is_serial() && !reg.is_sum && reg.is_multiplied && takes_long(reg);
                               })));
}

bool ScalarLoop::could_be_vectors() const {
    bool has_reads = false;
    bool has_results = false;
    bool is_narrow = true;
    bool is_dense = true;
    for (const auto& [registers, stream] : streams_) {
        has_reads = has_reads || !stream.read.empty();
        has_results = has_results || !stream.written.empty();
        is_dense = is_dense && stream.is_dense();
        for (const Parts* const parts : {&stream.read, &stream.written}) {
            is_narrow = is_narrow && std::all_of(parts->begin(), parts->end(),
                                                 [](const auto& part) { return part.second <= kMostBytes; });
        }
    }
    bool is_chain = false;
    for (unsigned reg = 0; reg < kRegisters; ++reg) {
        is_chain = is_chain || vectors_[reg].is_chain() || ((steady_ >> reg & 1U) == 0 && general_[reg].is_chain());
        has_results = has_results || (general_[reg].is_live && general_[reg].is_written && general_[reg].is_sum);
    }
    const bool is_whole = !has_vectors_ && has_reads && has_results && is_narrow;
    return is_possible_ && ends_by_count_ && !streams_.empty() && is_dense && !is_chain && (is_float_ || is_whole);
}

bool ScalarLoop::is_bound_by_work() const {
    // A core does four instructions a cycle at most, and gets some three bytes a cycle from memory.
    constexpr std::size_t kBytes = 5;
    constexpr std::size_t kInstructions = 4;
    std::size_t bytes = 0;
    for (const auto& [registers, stream] : streams_) {
        for (const Parts* const parts : {&stream.read, &stream.written}) {
            for (const auto& [displacement, width] : *parts) {
                bytes += width;
            }
        }
    }
    return kBytes * bytes <= kInstructions * instructions_;
}

}  // namespace kymo::program
