// Trace files of either form, plain or xz: whatever the bytes, the outcome is CTAs or an error, and what was read can
// be modelled.
#include "gpu/basic/basic_model.h"
#include "gpu/model/full_model.h"
#include "gpu/trace/compact_trace.h"
#include "gpu/trace/text_trace.h"
#include "gpu/trace/tracez_input.h"

#include <cstdlib>
#include <cstring>
#include <sstream>

namespace {

using namespace kymo::gpu;

kymo::Result<std::unique_ptr<KernelSource>> open(std::span<const std::uint8_t> bytes) {
    if (bytes.size() >= 8 && std::memcmp(bytes.data(), kCompactMagic, 8) == 0) {
        auto trace = CompactTrace::open(bytes_in_memory(bytes), "fuzz");
        if (!trace) {
            return trace.error();
        }
        return std::unique_ptr<KernelSource>(std::move(*trace));
    }
    std::unique_ptr<ByteInput> input = bytes_in_memory(bytes);
    if (is_tracez(bytes)) {
        const std::string copy(bytes.begin(), bytes.end());
        auto by_warp = open_tracez(std::make_unique<std::istringstream>(copy), "fuzz");
        if (!by_warp) {
            return by_warp.error();
        }
        input = std::move(*by_warp);
    }
    auto trace = TextTrace::open(std::move(input), "fuzz");
    if (!trace) {
        return trace.error();
    }
    return std::unique_ptr<KernelSource>(std::move(*trace));
}

// A few bytes can stand for many instructions: what is too long to model is only read.
bool small_enough(KernelSource& source) {
    std::uint64_t instructions = 0;
    std::uint64_t warps = 0;
    for (;;) {
        auto cta = source.next_cta();
        if (!cta) {
            return false;
        }
        if (!*cta) {
            return source.rewind().ok();
        }
        for (const WarpTrace& warp : (**cta).warps) {
            WarpCursor cursor(source.program(), warp);
            while (cursor.next() && instructions < 20'000) {
                ++instructions;
            }
            if (++warps > 200 || instructions >= 20'000) {
                return false;
            }
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Gpu gpu = [] {
        auto loaded = load_gpu("rtx2080ti");
        if (!loaded || !set_parameter(*loaded, "sm.count=2") || !set_parameter(*loaded, "l2.size=65536")) {
            std::abort();
        }
        return *loaded;
    }();
    auto source = open({data, size});
    if (!source || !small_enough(**source)) {
        return 0;
    }
    const auto full = run_full(gpu, gpu.boost, **source);
    if (full && !(full->cycles >= 0)) {
        std::abort();
    }
    if ((*source)->rewind()) {
        (void)run_basic(gpu, gpu.boost, **source);
    }
    return 0;
}
