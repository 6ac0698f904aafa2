// A launch: its request, its results, and its possible faults.
#pragma once

#include "base/result.h"
#include "gpu/ptx/check/check.h"
#include "gpu/trace/kernel.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

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
    std::uint64_t waiting_instructions = 0;  // of the warps', while they may have repeated themselves: at most
};

struct ExecuteOptions {
    bool trace = true;    // false: next_cta() executes, and gives CTAs without warps
    bool values = false;  // with the operands' values; not of launches that are traced as machine code
    bool keep = false;    // keep all CTAs' traces, so that rewind() works after the first CTA (a warm L2)
    bool again = false;   // rewind() lets the kernel execute again, on memory as it then is
    std::uint64_t most_warp_instructions = 1ULL << 40U;  // a CTA's; more is taken for a loop without end
    std::function<void(std::string_view)> print;         // what the kernel's printf writes; none: dropped
    // How long a kernel that only waits may keep waiting for other threads of this process to write what it waits
    // for.
    std::chrono::milliseconds patience{0};
    std::function<void(const Dim3& cta, std::string_view place)> at;  // called now and then; place: empty, or a
                                                                      // line
    Checks checks;                                                    // thirty to fifty times slower with them
};

// What a kernel takes.
struct KernelFacts {
    std::uint32_t registers = 0;  // per thread: an estimate, from the maximum live at once
    std::uint32_t shared_bytes = 0;
    std::uint32_t local_bytes = 0;
    std::uint32_t most_threads = 1024;
};

// What kind of fault ended a launch; the Error has the details.
enum class Fault : std::uint8_t { kNone, kOutOfBounds, kMisaligned, kTrap, kAssertion, kStuck, kUnsupported };

class Execution : public KernelSource {
  public:
    virtual const Totals& totals() const = 0;  // so far
    virtual Fault fault() const = 0;
    // What the checks have found so far; each line, or pair of racing lines, once.
    virtual const std::vector<Defect>& defects() const = 0;
    // Executes what is left, without a trace: for a model that stopped early.
    virtual Result<void> finish() = 0;
};

}  // namespace kymo::gpu::ptx
