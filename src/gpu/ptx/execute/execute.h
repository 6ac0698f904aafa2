// Kernels of a PTX module on the CPU: exact, one CTA after another, 32 lanes at a time.
//
// An Execution is a KernelSource: a request for the next CTA executes it and returns its trace. So the model reads
// it like a file, write_compact() writes it, and execute() runs it for the results alone.
//
// Contract: a LoadedModule and its launches are used by one thread; launches of one module run one after another.
// A kernel's faults (an address outside of all allocations, a misaligned one, a barrier that never opens, an
// unknown instruction) are Errors that name instruction, source line, CTA and thread; memory then contains what
// was stored so far. CTAs run in the order of their numbers, so a CTA may wait for an earlier one, never for a
// later one.
//
// Cost: 20–60 ns per warp instruction; memory is that of one CTA.
#pragma once

#include "base/result.h"
#include "gpu/ptx/check/check.h"
#include "gpu/ptx/execute/device_memory.h"
#include "gpu/ptx/execute/launch.h"
#include "gpu/ptx/parse/module.h"
#include "gpu/sass/code.h"
#include "gpu/trace/kernel.h"

#include <functional>
#include <memory>
#include <string_view>

namespace kymo::gpu::ptx {

// A module in a device's memory: its variables have addresses, its code is ready to run.
class LoadedModule {
  public:
    // Errors: kUnsupported (names the instruction and its line), kNoSpace, kMalformed (an undefined name).
    // Functions that no kernel can reach may contain anything; kernels with unknown instructions are refused at
    // launch.
    static Result<std::unique_ptr<LoadedModule>> load(std::shared_ptr<const Module> module, DeviceMemory& memory);
    ~LoadedModule();
    LoadedModule(const LoadedModule&) = delete;
    LoadedModule& operator=(const LoadedModule&) = delete;

    const Module& module() const;
    // Of a .global or .const variable; for cudaMemcpyToSymbol.
    struct Symbol {
        std::uint64_t address = 0;
        std::uint64_t bytes = 0;
    };
    std::optional<Symbol> symbol(std::string_view name) const;

    Result<KernelFacts> facts(std::string_view kernel);

    // From now on the kernel's launches are traced as this machine code, which ptxas -lineinfo has made of this
    // PTX (machine_schedule.h). Errors: kNotFound, kUnsupported (names what cannot be joined; nothing has
    // changed).
    Result<void> use_machine_code(std::string_view kernel, const sass::Code& code);

    // Errors: kNotFound (no such kernel: names the existing ones), kUsage (an impossible grid or block),
    // kUnsupported.
    Result<std::unique_ptr<Execution>> launch(std::string_view kernel, Launch launch, ExecuteOptions options = {});

  private:
    struct Parts;
    explicit LoadedModule(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

// The whole launch for its results alone.
Result<Totals> execute(LoadedModule& module, std::string_view kernel, Launch launch);

}  // namespace kymo::gpu::ptx
