// kymo gpu run: model a kernel, or all of a list.
#include "cli/gpu/program.h"
#include "cli/gpu/ptx_kernel.h"
#include "cli/gpu/target.h"
#include "cli/gpu/verbs.h"
#include "cli/output/json_output.h"
#include "gpu/report/result_json.h"
#include "gpu/report/timeline.h"
#include "gpu/trace/trace_file.h"
#include "view/json_text.h"
#include "view/text.h"

#include <fmt/format.h>

namespace kymo::cli {
namespace {

using Json = nlohmann::ordered_json;

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole != 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

void print_result(const gpu::KernelResult& result) {
    fmt::print("{} <<<({},{},{}), ({},{},{})>>> on {}, {} model\n", result.kernel, result.grid.x, result.grid.y,
               result.grid.z, result.block.x, result.block.y, result.block.z, result.gpu, result.model);
    if (!result.left_out.empty()) {
        fmt::print("  partial         the trace has {}\n", result.left_out);
    }
    if (result.waiting >= 0.005) {
        fmt::print("{}\n", gpu::waiting_words(result.waiting));
    }
    fmt::print("  time            {:.3f} us, {:.0f} cycles at {:.0f} MHz ({:.0f} of them launch)\n", result.time_us,
               result.cycles, result.mhz, result.launch_cycles);
    fmt::print("  instructions    {} of warps, {} of threads; {} more with no lane active\n",
               result.warp_instructions, result.thread_instructions, result.masked_instructions);
    if (result.model == "basic") {
        fmt::print("  threads         {} simulators, {:.0f} cycles in sum; {:.2f} instructions a cycle\n",
                   result.threads, result.thread_cycles, result.thread_ipc);
        fmt::print("  branched around {} instructions of threads, walked as masked ones\n", result.walked_around);
        fmt::print("  threads' time   ");
        for (unsigned i = 0; i < gpu::kSpent; ++i) {
            const double share = result.thread_cycles > 0 ? 100 * result.spent[i] / result.thread_cycles : 0;
            if (share >= 0.5) {
                fmt::print("{} {:.0f} %  ", gpu::name(static_cast<gpu::Spent>(i)), share);
            }
        }
        fmt::print("\n");
        return;
    }
    if (result.ctas_simulated != result.ctas) {
        fmt::print("  sampled         {} of {} CTAs simulated, equal ones counted: time ± {:.1f} % (--exact: all)\n",
                   result.ctas_simulated, result.ctas, 100 * result.sampling_error);
    }
    fmt::print("  IPC             {:.3f} of warps, whole GPU\n", result.ipc);
    fmt::print("  occupancy       {:.1f} % achieved, {:.1f} % possible (limit: {}); {:.2f} waves\n",
               100 * result.achieved_occupancy, 100 * result.occupancy.theoretical, result.occupancy.limit,
               result.waves);
    fmt::print("  hit rates       L1 {:.1f} % of {} sectors, L2 {:.1f} % of {}\n",
               percent(result.l1_read_hits, result.l1_reads), result.l1_reads,
               percent(result.memory.l2_read_hits, result.memory.l2_reads), result.memory.l2_reads);
    fmt::print("  DRAM            {} sectors read, {} written, {:.1f} GB/s\n", result.memory.dram_reads,
               result.memory.dram_writes, result.dram_gbps);
    fmt::print("  roofline        {:.1f} GFLOP/s of {:.0f} at {:.2f} FLOP/byte; bound by {}\n", result.gflops,
               result.roof_gflops, result.flops_per_byte, result.bound);
    fmt::print("  warps' time     ");
    const double all = result.total.total_cycles();
    for (unsigned i = 0; i < gpu::kCauses; ++i) {
        const double share = all > 0 ? 100 * result.total.cycles[i] / all : 0;
        if (share >= 0.5) {
            fmt::print("{} {:.0f} %  ", gpu::name(static_cast<gpu::Cause>(i)), share);
        }
    }
    fmt::print("\n");
    for (const std::string& opcode : result.unknown_opcodes) {
        fmt::print("  unknown opcode  {} (taken for integer arithmetic)\n", opcode);
    }
}

void print_findings(const std::vector<gpu::Finding>& found) {
    for (const gpu::Finding& finding : found) {
        const std::string where = finding.line != 0
                                      ? fmt::format("line {}", finding.line)
                                      : fmt::format("pc 0x{:x}–0x{:x}", finding.pc_begin, finding.pc_end);
        fmt::print("  {:>4.0f} %  {}: {} ({})\n          {}\n", 100 * finding.share, finding.kind, finding.title,
                   where, finding.direction);
    }
}

// The n-th kernel's recording: OUT.kymo, then OUT-2.kymo, …
std::filesystem::path numbered(const std::filesystem::path& output, std::size_t number) {
    if (number == 1) {
        return output;
    }
    return output.parent_path() / fmt::format("{}-{}{}", output.stem().string(), number, output.extension().string());
}

Result<std::unique_ptr<gpu::Timeline>> timeline_of(const GpuTarget& target, const gpu::Gpu& gpu,
                                                   const gpu::KernelHeader& header,
                                                   const std::filesystem::path& folder, std::uint64_t period) {
    if (target.model == "basic") {
        return gpu::Timeline::create_of_threads(folder, header, gpu, target.launch(gpu), period);
    }
    const auto fits = gpu::occupancy(gpu, header);
    if (!fits) {
        return fits.error();
    }
    return gpu::Timeline::create(folder, header, gpu, target.launch(gpu), fits->ctas * fits->warps_per_cta, period);
}

// `kymo gpu run -- PROGRAM`: the program on the CPU, its kernels on the modelled GPU.
int run_program(const GpuTarget& target, const std::vector<std::string>& command, const std::string& output,
                std::uint64_t period, const JsonOutput& json, const PtxKernel& kernel) {
    if (target.model != "full" || target.warm) {
        return fail({ErrorKind::kUsage,
                     target.warm ? "--warm is for a single launch" : "the basic model is for traces",
                     target.warm ? "a program's launches find the L2 as those before have left it"
                                 : "kymo gpu trace -o DIR -- PROGRAM, then kymo gpu run DIR/kernelslist.g"});
    }
    if (target.partial) {
        return fail({ErrorKind::kUsage, "--partial is for a trace", "leave it out: a program's launches are whole"});
    }
    if (const auto loaded = target.load(); !loaded) {
        return fail(loaded.error());
    }
    if (!output.empty() && std::filesystem::exists(output)) {
        return fail({ErrorKind::kOutputExists, output + " exists already", "name another directory with -o"});
    }
    if (const auto known = gpu::ptx::checks_from(kernel.checks()); !known) {
        return fail(known.error());
    }
    gpu::cudart::JobOptions options;
    if (kernel.machine_code().wanted() && !kernel.machine_code().is_auto()) {
        return fail({ErrorKind::kUsage, "a program has its own machine code", "--machine-code auto"});
    }
    options.checks = kernel.checks();
    options.machine_code = kernel.machine_code().wanted();
    options.gpu = gpu_seen_from_anywhere(target.gpu);
    options.settings = target.settings;
    options.profiled = target.profiled;
    options.exact = target.exact;
    options.period = period;
    options.recording = output.empty() ? output : std::filesystem::absolute(output).string();
    const auto run = [&] {
        const ProgramOutputAside aside(json.is_on_standard_output());
        return run_gpu_program(options, command);
    }();
    if (!run) {
        return fail(run.error());
    }
    const gpu::ProgramReport report(*run);
    if (json.is_asked()) {
        if (const auto error = json.print(view::json_text(report.json()))) {
            return fail(*error);
        }
    } else {
        fmt::print("{}", report.text());
        for (const gpu::RecordedLaunch& launch : report.recorded()) {
            fmt::print("recorded {} of {} in {}\n", view::quantity(launch.samples, "sample"), launch.kernel,
                       launch.folder);
        }
        (void)std::fflush(stdout);
    }
    return tell_problems(*run, command.front());
}

}  // namespace

int gpu_run(int argc, char** argv) {
    CLI::App app("Model a kernel's launch, or run a CUDA program without a GPU.", "kymo gpu run");
    set_usage(app, "kymo gpu run [OPTIONS] TRACE\n       kymo gpu run [OPTIONS] -- PROGRAM ARGUMENTS…");
    GpuTarget target;
    PtxKernel kernel;
    std::string trace;
    std::string output;
    std::uint64_t period = gpu::Timeline::kPeriod;
    JsonOutput json;
    app.add_option("TRACE", trace, "a .traceg, .traceg.xz or .kgt, a kernelslist.g, or a kernel's .ptx");
    target.add_to(app);
    kernel.add_to(app);
    kernel.add_machine_code_to(app);
    app.add_option("--set", target.settings, "change the GPU: l2.size=2x, sm.count=64")->type_name("P=V");
    app.add_option("-o,--output", output, "write a recording into this directory")->type_name("OUT.kymo");
    app.add_option("--period", period, "a sample of a warp every so many cycles, for -o")
        ->check(CLI::Range(1, 1'000'000'000))
        ->capture_default_str();
    json.add_to(app);
    const std::vector<std::string> command = words_after_dashes(argc, argv);
    if (const auto code = parse_options(app, argc, argv)) {
        return *code;
    }
    if (trace.empty() == command.empty()) {
        return fail({ErrorKind::kUsage,
                     trace.empty() ? "no trace and no program to run" : "both a trace and a program to run",
                     "kymo gpu run TRACE, or kymo gpu run -- PROGRAM ARGUMENTS…"});
    }
    if (!command.empty()) {
        return run_program(target, command, output, period, json, kernel);
    }
    if (!output.empty() && target.model == "basic" && target.partial) {
        return fail({ErrorKind::kUsage,
                     "a recording of the basic model has a stream for each thread of the whole launch",
                     "leave out -o, or --partial"});
    }
    const auto loaded = target.load();
    if (!loaded) {
        return fail(loaded.error());
    }
    const auto commands = gpu::open_list(trace);
    if (!commands) {
        return fail(commands.error());
    }
    int code = 0;
    Json all = {{"kernels", Json::array()}, {"findings", Json::array()}};
    std::size_t kernels = 0;
    for (const gpu::ListCommand& command : *commands) {
        if (command.kind != gpu::ListCommand::Kind::kKernel) {
            continue;
        }
        auto source = kernel.open(command.kernel, target.extent(), target.reads_twice(), &*loaded);
        if (!source) {
            return fail(source.error());
        }
        ++kernels;
        std::unique_ptr<gpu::Timeline> timeline;
        if (!output.empty()) {
            auto made = timeline_of(target, *loaded, (*source)->header(), numbered(output, kernels), period);
            if (!made) {
                return fail(made.error());
            }
            timeline = std::move(*made);
        }
        const auto result = target.run(*loaded, **source, timeline.get());
        if (!result) {
            return fail(result.error());
        }
        if (const int checked = kernel.finish(); checked != 0) {
            code = checked;
        }
        const auto found = gpu::findings(*result);
        if (timeline) {
            if (auto done = timeline->finish(*result, found); !done) {
                return fail(done.error());
            }
        }
        if (json.is_asked()) {
            all["kernels"].push_back(gpu::to_json(*result));
            for (const gpu::Finding& finding : found) {
                all["findings"].push_back(gpu::to_json(finding, *result));
            }
            continue;
        }
        print_result(*result);
        print_findings(found);
        if (timeline) {
            fmt::print("  recorded {} in {}\n", view::quantity(timeline->samples(), "sample"),
                       numbered(output, kernels).string());
        }
    }
    if (json.is_asked()) {
        if (const auto error = json.print(view::json_text(std::move(all)))) {
            return fail(*error);
        }
    }
    return code;
}

}  // namespace kymo::cli
