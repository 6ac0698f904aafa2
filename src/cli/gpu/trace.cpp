// kymo gpu trace: a text trace, or a PTX kernel that is executed, into the compact form or as text; or the traces of
// a CUDA program's kernels.
#include "cli/gpu/program.h"
#include "cli/gpu/ptx_kernel.h"
#include "cli/gpu/target.h"
#include "cli/gpu/verbs.h"
#include "cli/verbs.h"
#include "gpu/trace/compact_trace.h"
#include "gpu/trace/text_writer.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>

namespace kymo::cli {
namespace {

Result<void> make_trace_folder(const std::string& output) {
    if (mkdir(output.c_str(), 0777) != 0) {
        const int why = errno;
        return Error{why == EEXIST ? ErrorKind::kOutputExists : ErrorKind::kPermission,
                     output + ": " + std::strerror(why), "name a new directory with -o"};
    }
    return {};
}

// `kymo gpu trace -o DIR -- PROGRAM`: a trace a launch, and kernelslist.g, which names them in order.
int trace_program(const std::string& gpu, bool text, const std::string& output, const PtxKernel& kernel,
                  const std::vector<std::string>& command) {
    if (const auto known = gpu::ptx::checks_from(kernel.checks()); !known) {
        return fail(known.error());
    }
    if (const auto loaded = gpu::load_gpu(gpu); !loaded) {
        return fail(loaded.error());
    }
    if (auto made = make_trace_folder(output); !made) {
        return fail(made.error());
    }
    gpu::cudart::JobOptions options;
    options.gpu = gpu_seen_from_anywhere(gpu);
    options.traces = std::filesystem::absolute(output);
    options.text_traces = text;
    options.checks = kernel.checks();
    options.values = kernel.values();
    const auto run = run_gpu_program(options, command);
    if (!run) {
        (void)rmdir(output.c_str());
        return fail(run.error());
    }
    std::uint64_t instructions = 0;
    std::size_t launches = 0;
    for (const auto& line : run->lines) {
        if (line.contains("trace")) {
            ++launches;
            instructions += line["trace"]["instructions"].get<std::uint64_t>();
        }
    }
    fmt::print("{}: {} launch{}, {} warp instructions\n", (options.traces / "kernelslist.g").string(), launches,
               launches == 1 ? "" : "es", instructions);
    (void)std::fflush(stdout);
    return tell_problems(*run, command.front());
}

// `kymo gpu trace --real -o DIR -- PROGRAM`: the same by the tracer of this machine's GPU.
int trace_real(const std::string& named, bool text, const std::string& output,
               const std::vector<std::string>& command) {
    const auto tracer = gpu::find_tracer(named);
    if (!tracer) {
        return fail(tracer.error());
    }
    if (auto made = make_trace_folder(output); !made) {
        return fail(made.error());
    }
    const auto folder = std::filesystem::absolute(output);
    const auto traced = trace_gpu_program(*tracer, text, folder, command);
    if (!traced) {
        (void)rmdir(output.c_str());  // if nothing was written
        return fail(traced.error());
    }
    fmt::print("{}: {} launch{}", (folder / "kernelslist.g").string(), traced->launches,
               traced->launches == 1 ? "" : "es");
    fmt::print("{}\n", text ? std::string() : fmt::format(", {} warp instructions", traced->instructions));
    return traced->exit_status;
}

}  // namespace

int gpu_trace(int argc, char** argv) {
    CLI::App app(
        "Write a trace in the compact form or as text, or that of a PTX kernel or the kernels of a CUDA program, "
        "which "
        "are executed without a GPU.",
        "kymo gpu trace");
    PtxKernel kernel;
    set_usage(app,
              "kymo gpu trace [OPTIONS] TRACE -o OUT.kgt\n       kymo gpu trace [OPTIONS] -o DIR -- PROGRAM "
              "ARGUMENTS…");
    std::string trace;
    std::string output;
    std::string gpu = GpuTarget().gpu;
    bool text = false;
    app.add_option("TRACE", trace, "a .traceg or .traceg.xz, or a kernel's .ptx");
    kernel.add_to(app);
    kernel.add_values_to(app);
    app.add_option("-o,--output", output, "the new file (.traceg: the text form), or of a program the new directory")
        ->type_name("OUT")
        ->required();
    app.add_option("--gpu", gpu, "of a program: the GPU that it is to see")->type_name("NAME")->capture_default_str();
    app.add_flag("--text", text, "in the published text form");
    bool real = false;
    std::string tracer;
    app.add_flag("--real", real, "of a program: on the GPU of this machine, by Accel-Sim's NVBit tracer");
    app.add_option("--tracer", tracer, "with --real: the tracer's tool; otherwise KYMO_NVBIT_TRACER names it")
        ->type_name("TRACER_TOOL.SO")
        ->needs("--real");
    const std::vector<std::string> command = words_after_dashes(argc, argv);
    if (const auto code = parse_options(app, argc, argv)) {
        return *code;
    }
    if (trace.empty() == command.empty()) {
        return fail({ErrorKind::kUsage,
                     trace.empty() ? "no trace and no program to run" : "both a trace and a program to run",
                     "kymo gpu trace TRACE -o OUT.kgt, or kymo gpu trace -o DIR -- PROGRAM ARGUMENTS…"});
    }
    if (real && (command.empty() || !kernel.checks().empty() || kernel.values())) {
        return fail({ErrorKind::kUsage,
                     command.empty() ? "--real is for programs"
                                     : "--check and --values are for kernels that are executed here",
                     "kymo gpu trace --real -o DIR -- PROGRAM ARGUMENTS…"});
    }
    if (real) {
        return trace_real(tracer, text, output, command);
    }
    if (!command.empty()) {
        return trace_program(gpu, text, output, kernel, command);
    }
    auto source = kernel.open(trace, gpu::Extent::kAsWritten);
    if (!source) {
        return fail(source.error());
    }
    if (text || output.ends_with(".traceg")) {
        const auto written = gpu::write_text(**source, output);
        if (!written) {
            return fail(written.error());
        }
        fmt::print("{}: {} CTAs, {} warps, {} warp instructions\n", output, written->ctas, written->warps,
                   written->instructions);
        return kernel.finish();
    }
    const auto size = gpu::write_compact(**source, output);
    if (!size) {
        return fail(size.error());
    }
    fmt::print(
        "{}: {} CTAs, {} warps, {} warp instructions, {} bytes ({:.2f} an instruction)\n", output, size->ctas,
        size->warps, size->instructions, size->bytes,
        static_cast<double>(size->bytes) / static_cast<double>(std::max<std::uint64_t>(size->instructions, 1)));
    return kernel.finish();
}

}  // namespace kymo::cli
