// Cubins: whatever the bytes, the outcome is instructions or an error; and what is joined to a PTX kernel can be
// executed, and replayed.
#include "gpu/ptx/execute/execute.h"
#include "gpu/ptx/parse/parse.h"
#include "gpu/trace/warp_code.h"

#include <cstdlib>
#include <cstring>

namespace {

using namespace kymo::gpu;

struct Kernel {
    Kernel() {
        const auto module = ptx::parse_file(KYMO_ROWS_PTX);
        auto loaded = module ? ptx::LoadedModule::load(*module, memory) : module.error();
        const auto data = memory.allocate(4096);
        if (!loaded || !data) {
            std::abort();
        }
        rows = std::move(*loaded);
        const std::uint64_t out = *data + 2048;
        const int width = 7;
        const int count = 40;
        parameters.resize(24);
        std::memcpy(parameters.data(), &*data, 8);
        std::memcpy(parameters.data() + 8, &out, 8);
        std::memcpy(parameters.data() + 16, &width, 4);
        std::memcpy(parameters.data() + 20, &count, 4);
    }
    ptx::DeviceMemory memory;
    std::unique_ptr<ptx::LoadedModule> rows;
    std::vector<std::uint8_t> parameters;
};

void execute(Kernel& kernel, const sass::Code& code) {
    if (!kernel.rows->use_machine_code("rows", code)) {
        return;
    }
    auto execution = kernel.rows->launch("rows", {{1}, {64}, 0, kernel.parameters});
    if (!execution) {
        std::abort();
    }
    const auto cta = (*execution)->next_cta();
    if (!cta || !*cta) {
        std::abort();
    }
    for (const WarpTrace& warp : (**cta).warps) {
        std::uint64_t steps = 0;
        WarpCursor cursor((*execution)->program(), warp);
        while (cursor.next()) {
            ++steps;
        }
        if (cursor.broken() || steps != warp.instructions) {
            std::abort();
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Kernel kernel;
    constexpr std::size_t kMost = 64U << 10U;  // ways are looked for in all of the code
    if (size > kMost) {
        return 0;
    }
    const auto code = sass::read_code({data, size}, "fuzz");
    if (code) {
        for (const auto& [name, function] : *code) {
            execute(kernel, function);
        }
    }
    return 0;
}
