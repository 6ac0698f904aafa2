// PTX modules that are executed: whatever they do, the outcome is results or an error, and no memory but their own is
// touched. A CTA may execute a few thousand operations.
#include "gpu/ptx/execute/execute.h"
#include "gpu/ptx/parse/parse.h"

#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using namespace kymo::gpu::ptx;

constexpr std::size_t kBytes = 4096;
constexpr std::uint32_t kMostParameters = 512;

// Parameters that point into an allocation, small numbers between them: both are common in kernels.
std::vector<std::uint8_t> parameters(std::uint32_t bytes, std::uint64_t memory) {
    std::vector<std::uint8_t> made(bytes + sizeof memory);
    for (std::uint32_t at = 0; at < bytes; at += sizeof memory) {
        const std::uint64_t value = at % 32 == 24 ? 33 : memory + at;
        std::memcpy(made.data() + at, &value, sizeof value);
    }
    return made;
}

void launch(LoadedModule& module, const Function& kernel, std::uint64_t memory) {
    for (const auto& [trace, checks] : {std::pair(false, Checks{}), {true, Checks{}}, {true, Checks{true, true}}}) {
        ExecuteOptions options;
        options.trace = trace;
        options.checks = checks;
        options.most_warp_instructions = 3000;
        options.print = [](std::string_view text) {
            if (text.size() > 1U << 20U) {
                std::abort();
            }
        };
        auto execution =
            module.launch(kernel.name, {{2}, {40}, 64, parameters(kernel.parameter_bytes, memory)}, options);
        if (!execution) {
            return;
        }
        while (const auto cta = (*execution)->next_cta()) {
            if (!*cta) {
                break;
            }
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto module = parse(text, "fuzz");
    if (!module) {
        return 0;
    }
    DeviceMemory device(std::uint64_t{1} << 30U);
    device.watch();
    const auto memory = device.allocate(kBytes, DeviceMemory::Contents::kUnknown);
    // What lies beside: the host's, which a kernel that misses its memory would hit.
    const std::vector<std::uint8_t> before(kBytes, 0xA5);
    std::vector<std::uint8_t> host = before;
    auto loaded = LoadedModule::load(*module, device);
    if (!loaded || !memory) {
        return 0;
    }
    unsigned kernels = 0;
    for (const Function& function : (*module)->functions) {
        if (function.is_kernel && function.is_defined && function.parameter_bytes <= kMostParameters &&
            kernels++ < 3) {
            launch(**loaded, function, *memory);
        }
    }
    if (host != before) {
        std::abort();
    }
    return 0;
}
