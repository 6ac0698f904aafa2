// What a launch is made of, for as long as it runs.
#pragma once

#include "gpu/ptx/execute/device_memory.h"
#include "gpu/ptx/execute/launch.h"
#include "gpu/ptx/execute/operand_plan.h"
#include "gpu/ptx/parse/module.h"
#include "gpu/ptx/schedule/schedule_recorder.h"
#include "gpu/ptx/select/compile.h"

#include <cstdint>
#include <vector>

namespace kymo::gpu::ptx {

struct LaunchParts {
    const Module* module = nullptr;
    const Compiled* kernel = nullptr;
    std::vector<const Compiled*> functions;    // by number in Module::functions; null: not called
    std::vector<std::uint32_t> program_begin;  // the same: where its instructions begin in `program`
    const Program* program = nullptr;          // null: no trace
    const OperandPlan* operands = nullptr;     // null: their values are not traced
    const Schedule* schedule = nullptr;        // null: the trace is of machine-like instructions
    Launch launch;
    std::uint64_t shared_bytes = 0;  // static ones
    const DeviceMemory* memory = nullptr;
    const ExecuteOptions* options = nullptr;
};

}  // namespace kymo::gpu::ptx
