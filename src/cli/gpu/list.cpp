// kymo gpu list: the GPUs and their parameters.
#include "cli/gpu/verbs.h"
#include "cli/verbs.h"
#include "gpu/gpu_file.h"

#include <fmt/format.h>

namespace kymo::cli {

int gpu_list(int argc, char** argv) {
    CLI::App app("List the GPUs that can be modelled, and the parameters that --set changes.", "kymo gpu list");
    set_usage(app, "kymo gpu list");
    if (const auto code = parse_options(app, argc, argv)) {
        return *code;
    }
    for (const gpu::BuiltInGpu& built_in : gpu::built_in_gpus()) {
        const auto loaded = gpu::load_gpu(built_in.name);
        if (!loaded) {
            return fail(loaded.error());
        }
        fmt::print("{:<12} {}: {:.0f} SMs, {:.0f} MHz, L2 {:.1f} MiB, DRAM {:.0f} GB/s\n", built_in.name,
                   loaded->full_name, loaded->sms, loaded->boost.mhz, loaded->l2_size / 1048576,
                   loaded->dram_bandwidth);
    }
    gpu::Gpu any;
    fmt::print("\nparameters of --set:\n");
    for (const gpu::Parameter& parameter : gpu::parameters(any)) {
        fmt::print("  {:<28} {}\n", parameter.name, parameter.unit);
    }
    return 0;
}

}  // namespace kymo::cli
