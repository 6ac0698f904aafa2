// Kernels of a PTX module on the CPU: exact, a CTA after another, 32 lanes at a time.
//
// An Execution is a KernelSource: whoever asks it for the next CTA gets that CTA executed, and its trace. So the
// model runs on it as on a file, write_compact() writes it, and execute() wants the results alone.
//
// Contract: a LoadedModule and what it launches are used by one thread; launches of one module one after another. A
// kernel's faults (an address outside of all allocations, a misaligned one, a barrier that never opens, an
// instruction that is not known) are Errors that name instruction, source line, CTA and thread; memory then holds
// what was stored so far. CTAs run in the order of their numbers, so a CTA may wait for an earlier one, never for a
// later one.
//
// Cost: 20–60 ns a warp instruction; memory is that of one CTA.
#pragma once

#include "base/result.h"
#include "gpu/kernel.h"
#include "gpu/ptx/check.h"
#include "gpu/ptx/device_memory.h"
#include "gpu/ptx/module.h"
#include "gpu/sass/code.h"

#include <functional>
#include <memory>
#include <string_view>

namespace kymo::gpu::ptx {

struct Launch {
    Dim3 grid;
    Dim3 block;
    std::uint32_t dynamic_shared = 0;      // bytes a CTA
    std::vector<std::uint8_t> parameters;  // as Function::parameters lays them out; at least parameter_bytes long
};

struct Totals {
    std::uint64_t ctas = 0;
    std::uint64_t warp_instructions = 0;  // PTX instructions with a lane on
    std::uint64_t thread_instructions = 0;
};

struct ExecuteOptions {
    bool trace = true;   // false: next_cta() executes, and gives CTAs without warps
    bool keep = false;   // keep all CTAs' traces, so that rewind() works after the first CTA (a warm L2)
    bool again = false;  // rewind() lets the kernel execute again, on memory as it then is
    std::uint64_t most_warp_instructions = 1ULL << 40U;  // a CTA's; more is taken for a loop without end
    std::function<void(std::string_view)> print;         // what the kernel's printf writes; none: dropped
    Checks checks;                                       // thirty to fifty times slower with them
};

class LoadedModule;

// What kind of fault ended a launch; the Error says the rest.
enum class Fault : std::uint8_t { kNone, kOutOfBounds, kMisaligned, kTrap, kAssertion, kStuck, kUnsupported };

class Execution : public KernelSource {
  public:
    virtual const Totals& totals() const = 0;  // so far
    virtual Fault fault() const = 0;
    // What the checks have seen so far; a line, or a pair of lines that race, once.
    virtual const std::vector<Defect>& defects() const = 0;
    // Executes what is left, without a trace: for a model that stopped early.
    virtual Result<void> finish() = 0;
};

// A module in a device's memory: its variables have addresses, its code is ready to run.
class LoadedModule {
  public:
    // Errors: kUnsupported (names the instruction and its line), kNoSpace, kMalformed (a name that is not there).
    // Functions that no kernel can reach may hold anything; kernels with unknown instructions are refused at launch.
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

    struct KernelFacts {
        std::uint32_t registers = 0;  // a thread: an estimate, from the most that live at once
        std::uint32_t shared_bytes = 0;
        std::uint32_t local_bytes = 0;
        std::uint32_t most_threads = 1024;
    };
    Result<KernelFacts> facts(std::string_view kernel);

    // From now on the kernel's launches are traced as this machine code, which ptxas -lineinfo has made of this very
    // PTX (machine_schedule.h). Errors: kNotFound, kUnsupported (names what cannot be joined; nothing has changed).
    Result<void> use_machine_code(std::string_view kernel, const sass::Code& code);

    // Errors: kNotFound (no such kernel: names those there are), kUsage (a grid or block that cannot be),
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
