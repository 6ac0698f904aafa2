// The steps at an instrumentation point: a short list, as plain data that the launcher writes and the measured
// program executes.
//
// A step is a primitive, or a test that skips steps when it is false; a list only goes forwards, so it ends. No
// pointers, no malloc: steps may be in a mapped file. Contract: run() is called by the task that owns the cells,
// also in a handler; it makes no calls. valid() is checked once, when the steps are read; run() then trusts them.
// The same source runs as an eBPF program, a step at a time (hooks/kernel). Cost: about 1 ns a step beside the
// primitive itself.
#pragma once

#include "cells/primitives.h"
#if !defined(__bpf__)
#include "cells/data.h"
#endif

#include <cstddef>
#include <cstdint>

namespace kymo::cells {

enum class Operation : std::uint8_t {
    kSet = 0,       // cell `target` = value
    kAdd = 1,       // cell `target` += value
    kSubtract = 2,  // cell `target` -= value
    kBind = 3,      // timer `target` to cell `value`
    kStart = 4,     // timer `target`
    kStop = 5,      // timer `target`
    kSkipIf = 6,    // if `left compare value`: skip `target` steps
    kLoad = 7,      // the program's data number `constant` into `left.index`; if it cannot be read: skip `target`
    kNothing = 8,   // a step that is switched off, while a program runs; never in a file
};

enum class Source : std::uint8_t {
    kConstant = 0,
    kCell = 1,      // the task's own
    kArgument = 2,  // of the call, from 0; at entries only
    kResult = 3,    // of the call; at exits only
    kLoaded = 4,    // by a kLoad just before
};

enum class Comparison : std::uint8_t {
    kEqual = 0,
    kNotEqual = 1,
    kLess = 2,
    kLessOrEqual = 3,
    kGreater = 4,
    kGreaterOrEqual = 5,
};

// How many bits of an argument or result count, and whether they are signed. Registers hold anything above them.
enum class Width : std::uint8_t { k64 = 0, kS64 = 1, k32 = 2, kS32 = 3, k16 = 4, kS16 = 5, k8 = 6, kS8 = 7 };

inline constexpr std::uint32_t kMaxArguments = 6;  // those in registers, on both architectures
inline constexpr std::uint32_t kArgumentMask = 7;  // of an index: a bound that eBPF's verifier can see
inline constexpr std::uint32_t kMaxSteps = 256;    // of one instrumentation point
inline constexpr std::uint32_t kLoadedValues = 2;  // at a time: both sides of a comparison; a power of two

struct Operand {
    Source source = Source::kConstant;
    Width width = Width::k64;
    std::uint16_t index = 0;  // of the cell, argument or loaded value
};

struct Step {
    Operation operation = Operation::kAdd;
    Comparison comparison = Comparison::kEqual;
    std::uint16_t target = 0;    // cell, timer, or steps to skip
    std::uint8_t is_signed = 0;  // the comparison
    std::uint8_t reserved[3] = {};
    Operand left;   // of a test; of a load: where to
    Operand right;  // the value; constants are in `constant`
    std::uint64_t constant = 0;
};
static_assert(sizeof(Step) == 24);

// The data of a call that a hook has. Null arguments: an exit or a line.
struct Call {
    const std::uint64_t* arguments = nullptr;  // kMaxArguments
    std::uint64_t result = 0;
#if !defined(__bpf__)
    const DataSources* data = nullptr;  // null: no step loads any
#endif
};

// Not initialised, which would cost time: a step reads only what an earlier one has loaded.
struct Loaded {
    std::uint64_t values[kLoadedValues];
};

inline std::uint64_t narrow(std::uint64_t value, Width width) {
    switch (width) {
        case Width::k32:
            return static_cast<std::uint32_t>(value);
        case Width::kS32:
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value)));
        case Width::k16:
            return static_cast<std::uint16_t>(value);
        case Width::kS16:
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int16_t>(value)));
        case Width::k8:
            return static_cast<std::uint8_t>(value);
        case Width::kS8:
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int8_t>(value)));
        case Width::k64:
        case Width::kS64:
            break;
    }
    return value;
}

inline std::uint64_t value_of(const Task& task, const Call& call, const Loaded& loaded, const Operand& operand,
                              std::uint64_t constant) {
    switch (operand.source) {
        case Source::kCell:
            return load(cell_of(task, operand.index));
        case Source::kArgument:
            return call.arguments == nullptr ? 0
                                             : narrow(call.arguments[operand.index & kArgumentMask], operand.width);
        case Source::kResult:
            return narrow(call.result, operand.width);
        case Source::kLoaded:
            return loaded.values[operand.index & (kLoadedValues - 1)];
        case Source::kConstant:
            break;
    }
    return constant;
}

inline bool compare(Comparison comparison, bool is_signed, std::uint64_t left, std::uint64_t right) {
    constexpr std::uint64_t kSign = 1ULL << 63U;
    if (is_signed) {  // the same order, moved
        left ^= kSign;
        right ^= kSign;
    }
    switch (comparison) {
        case Comparison::kEqual:
            return left == right;
        case Comparison::kNotEqual:
            return left != right;
        case Comparison::kLess:
            return left < right;
        case Comparison::kLessOrEqual:
            return left <= right;
        case Comparison::kGreater:
            return left > right;
        case Comparison::kGreaterOrEqual:
            return left >= right;
    }
    return false;
}

// One step; returns how many of the following ones are skipped. (As a call it would cost as much again.)
[[gnu::always_inline]] inline std::uint32_t run_step(const Step& step, const Task& task, const Call& call,
                                                     Loaded& loaded) {
    const std::uint64_t value = value_of(task, call, loaded, step.right, step.constant);
    switch (step.operation) {
        case Operation::kSet:
            set(task, step.target, value);
            break;
        case Operation::kAdd:
            add(task, step.target, value);
            break;
        case Operation::kSubtract:
            subtract(task, step.target, value);
            break;
        case Operation::kBind:
            bind(task, step.target, static_cast<std::uint32_t>(value));
            break;
        case Operation::kStart:
            start(task, step.target);
            break;
        case Operation::kStop:
            stop(task, step.target);
            break;
        case Operation::kSkipIf: {
            const std::uint64_t left = value_of(task, call, loaded, step.left, 0);
            return compare(step.comparison, step.is_signed != 0, left, value) ? step.target : 0;
        }
        case Operation::kLoad:  // run()
            break;
        case Operation::kNothing:
            break;
    }
    return 0;
}

inline void run(const Step* step, const Step* end, const Task& task, const Call& call) {
    Loaded loaded;
    while (step < end) {
#if !defined(__bpf__)
        if (step->operation == Operation::kLoad) [[unlikely]] {
            const bool is_read = load_data(*call.data, step->constant, call.arguments,
                                           &loaded.values[step->left.index & (kLoadedValues - 1)]);
            step += 1 + (is_read ? 0 : step->target);
            continue;
        }
#endif
        step += 1 + run_step(*step, task, call, loaded);
    }
}

inline bool valid(const Operand& operand) {
    switch (operand.source) {
        case Source::kConstant:
        case Source::kResult:
            break;
        case Source::kCell:
            return operand.index < kTaskCells;
        case Source::kArgument:
            return operand.index < kMaxArguments && operand.width <= Width::kS8;
        case Source::kLoaded:
            return operand.index < kLoadedValues;
        default:
            return false;
    }
    return operand.width <= Width::kS8;
}

// Checks untrusted steps: run() may execute them. `loads`: the number of loads.
inline bool valid(const Step* steps, std::size_t count, std::uint64_t loads = 0) {
    if (count > kMaxSteps) {
        return false;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const Step& step = steps[i];
        const bool timer = step.operation == Operation::kBind || step.operation == Operation::kStart ||
                           step.operation == Operation::kStop;
        const bool load = step.operation == Operation::kLoad;
        const bool skip = load || step.operation == Operation::kSkipIf;
        const std::size_t bound = skip ? count - i : timer ? kTaskTimers : kTaskCells;
        if (step.operation > Operation::kLoad || step.comparison > Comparison::kGreaterOrEqual ||
            step.target >= bound || !valid(step.left) || !valid(step.right) || (load && step.constant >= loads)) {
            return false;
        }
    }
    return true;
}

}  // namespace kymo::cells
