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
        updates += is_update ? 1 : 0;
    }
    is_written = is_written || writes;
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
    for (unsigned reg = 0; reg < kRegisters; ++reg) {
        const std::uint32_t bit = 1U << reg;
        general_[reg].note((in.reads & bit) != 0, (in.writes & bit) != 0, in.accumulates && in.destination == reg);
        const bool reads = (in.vector_reads & bit) != 0;
        const bool writes = (in.vector_writes & bit) != 0;
        Carried& own = vectors_[reg];
        const bool is_update = reads && writes && in.vector_work != VectorWork::kOther &&
                               in.vector_work != VectorWork::kScalarMixed &&
                               (!own.is_used || own.work == in.vector_work);
        own.note(reads, writes, is_update);
        own.work = reads || writes ? in.vector_work : own.work;
    }
}

bool ScalarLoop::is_serial_sum() const {
    constexpr std::uint32_t kLatency = 4;  // cycles
    constexpr std::uint32_t kAtOnce = 4;   // instructions a cycle
    return std::any_of(vectors_.begin(), vectors_.end(), [&](const Carried& reg) {
        return has_only_sums_ && reg.is_live && reg.is_written && reg.is_sum && reg.work != VectorWork::kPacked &&
               2 * kLatency * kAtOnce * reg.updates >= 3 * instructions_;
    });
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
