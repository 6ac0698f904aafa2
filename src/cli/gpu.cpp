// kymo gpu: replay a GPU kernel's trace on a modelled GPU. Its sub-verbs are in gpu/.
#include "cli/gpu/verbs.h"
#include "cli/help/option_list.h"
#include "cli/verbs.h"

#include <fmt/format.h>

namespace kymo::cli {
namespace {

constexpr const char* kGpuUsage =
    "usage: kymo gpu run TRACE --gpu NAME [OPTIONS]        model a kernel, or all of a kernelslist.g\n"
    "       kymo gpu run --gpu NAME -- PROGRAM ARGS…       run a CUDA program without a GPU, and model its kernels\n"
    "       kymo gpu sweep TRACE --gpu NAME --set P=V …    the same kernel on changed GPUs\n"
    "       kymo gpu trace TRACE -o OUT.kgt                a text trace into the compact form\n"
    "       kymo gpu trace -o DIR -- PROGRAM ARGS…      the traces of a CUDA program's kernels, likewise\n"
    "       kymo gpu run|trace K.ptx --grid G --block B --args …   execute a PTX kernel here, no GPU needed\n"
    "       kymo gpu list                                  the GPUs and their parameters\n\n"
    "kymo gpu run --help and so on tell the options.\n";

constexpr const char* kGpuVerbs =
    "run\tmodel a kernel, or all of a program\n"
    "sweep\tthe same kernel on changed GPUs\n"
    "trace\ta trace in the compact form, or of a program's kernels\n"
    "list\tthe GPUs and their parameters\n";

int run_gpu(int argc, char** argv) {
    const std::string_view verb = argc > 1 ? argv[1] : "";
    if (verb == "run") {
        return gpu_run(argc - 1, argv + 1);
    }
    if (verb == "sweep") {
        return gpu_sweep(argc - 1, argv + 1);
    }
    if (verb == "trace") {
        return gpu_trace(argc - 1, argv + 1);
    }
    if (verb == "list") {
        return gpu_list(argc - 1, argv + 1);
    }
    if (verb == "--help" || verb == "-h") {
        fmt::print("{}", kGpuUsage);
        return 0;
    }
    if (verb == kHelpMan || verb == kHelpOptions) {
        const ManText page{"kymo gpu",
                           "replay a GPU kernel's trace on a modelled GPU",
                           kGpuUsage,
                           {"kymo", "kymo-gpu-run", "kymo-gpu-sweep", "kymo-gpu-trace"}};
        fmt::print("{}", verb == kHelpMan ? man_page(page) : kGpuVerbs);
        return 0;
    }
    return fail({ErrorKind::kUsage, verb.empty() ? "kymo gpu: nothing to do" : fmt::format("kymo gpu: no '{}'", verb),
                 "kymo gpu --help tells: run, sweep, trace, list"});
}

const Registration kGpu({"gpu", "replay a GPU kernel's trace on a modelled GPU", 60, run_gpu});

}  // namespace
}  // namespace kymo::cli
