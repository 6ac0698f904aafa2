// kymo gpu trace: a text trace into the compact form.
#include "cli/gpu/verbs.h"
#include "cli/verbs.h"
#include "gpu/compact_trace.h"
#include "gpu/trace_file.h"

#include <fmt/format.h>

namespace kymo::cli {

int gpu_trace(int argc, char** argv) {
    CLI::App app("Write a trace in the compact form.", "kymo gpu trace");
    std::string trace;
    std::string output;
    app.add_option("TRACE", trace, "a .traceg or .traceg.xz")->required();
    app.add_option("-o,--output", output, "the new file")->type_name("OUT.kgt")->required();
    if (const auto code = parse_options(app, argc, argv)) {
        return *code;
    }
    auto source = gpu::open_kernel(trace);
    if (!source) {
        return fail(source.error());
    }
    const auto size = gpu::write_compact(**source, output);
    if (!size) {
        return fail(size.error());
    }
    fmt::print(
        "{}: {} CTAs, {} warps, {} warp instructions, {} bytes ({:.2f} an instruction)\n", output, size->ctas,
        size->warps, size->instructions, size->bytes,
        static_cast<double>(size->bytes) / static_cast<double>(std::max<std::uint64_t>(size->instructions, 1)));
    return 0;
}

}  // namespace kymo::cli
