// kymo gpu: replay a GPU kernel's trace on a modelled GPU.
#include "cli/verbs.h"
#include "gpu/accuracy.h"
#include "gpu/basic_model.h"
#include "gpu/compact_trace.h"
#include "gpu/full_model.h"
#include "gpu/result_json.h"
#include "gpu/timeline.h"
#include "gpu/trace_file.h"

#include <cstdio>
#include <fmt/format.h>

namespace kymo::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kUsage =
    "usage: kymo gpu run TRACE --gpu NAME [OPTIONS]        model a kernel, or all of a kernelslist.g\n"
    "       kymo gpu sweep TRACE --gpu NAME --set P=V …    the same kernel on changed GPUs\n"
    "       kymo gpu trace TRACE -o OUT.kgt                a text trace into the compact form\n"
    "       kymo gpu accuracy MEASURED.tsv --gpu NAME      modelled against measured times\n"
    "       kymo gpu list                                  the GPUs and their parameters\n\n"
    "kymo gpu run --help and so on tell the options.\n";

// The options that say which GPU and how it is run.
struct Target {
    std::string gpu = "a100-pcie";
    std::vector<std::string> settings;
    std::string model = "full";
    bool profiled = false;
    bool warm = false;

    void add_to(CLI::App& app) {
        app.add_option("--gpu", gpu, "a GPU's name (kymo gpu list) or file")
            ->type_name("NAME")
            ->capture_default_str();
        app.add_option("--model", model, "full, or basic: one thread at a time, fixed latencies")
            ->check(CLI::IsMember({"full", "basic"}))
            ->capture_default_str();
        app.add_flag("--profiled", profiled,
                     "as under a profiler that holds the base clock (Nsight Compute), not at boost");
        app.add_flag("--warm", warm, "the L2 holds what the same launch before left there");
    }
    Result<gpu::Gpu> load() const {
        auto loaded = gpu::load_gpu(gpu);
        for (std::size_t i = 0; loaded && i < settings.size(); ++i) {
            if (auto set = gpu::set_parameter(*loaded, settings[i]); !set) {
                return set.error();
            }
        }
        return loaded;
    }
    const gpu::LaunchCosts& launch(const gpu::Gpu& loaded) const { return profiled ? loaded.profiled : loaded.boost; }
    Result<gpu::KernelResult> run(const gpu::Gpu& loaded, gpu::KernelSource& source,
                                  gpu::IssueObserver* observer = nullptr) const {
        if (model == "basic") {
            return gpu::run_basic(loaded, launch(loaded), source);
        }
        return gpu::run_full(loaded, launch(loaded), source, {warm, observer});
    }
};

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole != 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

void print_result(const gpu::KernelResult& result) {
    fmt::print("{} <<<({},{},{}), ({},{},{})>>> on {}, {} model\n", result.kernel, result.grid.x, result.grid.y,
               result.grid.z, result.block.x, result.block.y, result.block.z, result.gpu, result.model);
    fmt::print("  time            {:.3f} us, {:.0f} cycles at {:.0f} MHz ({:.0f} of them launch)\n", result.time_us,
               result.cycles, result.mhz, result.launch_cycles);
    fmt::print("  instructions    {} of warps, {} of threads; {} more with no lane active\n",
               result.warp_instructions, result.thread_instructions, result.masked_instructions);
    if (result.model == "basic") {
        fmt::print("  threads         {:.0f} cycles in sum; {:.2f} instructions a cycle\n", result.thread_cycles,
                   result.thread_ipc);
        return;
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

// Where the n-th kernel's recording goes: OUT.kymo, then OUT-2.kymo, …
std::filesystem::path numbered(const std::filesystem::path& output, std::size_t number) {
    if (number == 1) {
        return output;
    }
    return output.parent_path() / fmt::format("{}-{}{}", output.stem().string(), number, output.extension().string());
}

int run_model(int argc, char** argv) {
    CLI::App app("Model a kernel's launch.", "kymo gpu run");
    Target target;
    std::string trace;
    std::string output;
    std::uint64_t period = gpu::Timeline::kPeriod;
    bool json = false;
    app.add_option("TRACE", trace, "a .traceg, .traceg.xz or .kgt, or a kernelslist.g")->required();
    target.add_to(app);
    app.add_option("--set", target.settings, "change the GPU: l2.size=2x, sm.count=64")->type_name("P=V");
    app.add_option("-o,--output", output, "write a recording into this folder")->type_name("OUT.kymo");
    app.add_option("--period", period, "a sample of a warp every so many cycles, for -o")
        ->check(CLI::Range(1, 1'000'000'000))
        ->capture_default_str();
    app.add_flag("--json", json, "print one JSON object");
    if (const auto code = parse_options(app, argc, argv)) {
        return *code;
    }
    if (!output.empty() && target.model != "full") {
        return fail(
            {ErrorKind::kUsage, "the basic model has no timeline to record", "leave out -o, or --model basic"});
    }
    const auto loaded = target.load();
    if (!loaded) {
        return fail(loaded.error());
    }
    const auto commands = gpu::open_list(trace);
    if (!commands) {
        return fail(commands.error());
    }
    Json all = {{"kernels", Json::array()}, {"findings", Json::array()}};
    std::size_t kernels = 0;
    for (const gpu::ListCommand& command : *commands) {
        if (command.kind != gpu::ListCommand::Kind::kKernel) {
            continue;
        }
        auto source = gpu::open_kernel(command.kernel);
        if (!source) {
            return fail(source.error());
        }
        ++kernels;
        std::unique_ptr<gpu::Timeline> timeline;
        if (!output.empty()) {
            const auto fits = gpu::occupancy(*loaded, (*source)->header());
            if (!fits) {
                return fail(fits.error());
            }
            auto made = gpu::Timeline::create(numbered(output, kernels), (*source)->header(), *loaded,
                                              target.launch(*loaded), fits->ctas * fits->warps_per_cta, period);
            if (!made) {
                return fail(made.error());
            }
            timeline = std::move(*made);
        }
        const auto result = target.run(*loaded, **source, timeline.get());
        if (!result) {
            return fail(result.error());
        }
        const auto found = gpu::findings(*result);
        if (timeline) {
            if (auto done = timeline->finish(*result, found); !done) {
                return fail(done.error());
            }
        }
        if (json) {
            all["kernels"].push_back(gpu::to_json(*result));
            for (const gpu::Finding& finding : found) {
                all["findings"].push_back(gpu::to_json(finding, *result));
            }
            continue;
        }
        print_result(*result);
        print_findings(found);
        if (timeline) {
            fmt::print("  recorded {} samples in {}\n", timeline->samples(), numbered(output, kernels).string());
        }
    }
    if (json) {
        fmt::print("{}\n", all.dump(1));
    }
    return 0;
}

int sweep(int argc, char** argv) {
    CLI::App app("Model one kernel on a GPU and on changed ones.", "kymo gpu sweep");
    Target target;
    std::string trace;
    std::vector<std::string> changes;
    bool json = false;
    app.add_option("TRACE", trace, "a kernel's trace")->required();
    target.add_to(app);
    app.add_option("--set", changes, "a changed GPU each; several changes joined by ',', values of a curve by '|'")
        ->type_name("P=V")
        ->required();
    app.add_flag("--json", json, "print one JSON object");
    app.footer(
        "examples:\n  kymo gpu sweep k.traceg --gpu a100-pcie --set l2.size=2x --set dram.bandwidth=1.5x\n"
        "  kymo gpu sweep k.traceg --gpu a100-pcie --set 'dram.bandwidth=0.5x|1x|2x|4x'\n");
    if (const auto code = parse_options(app, argc, argv)) {
        return *code;
    }
    auto source = gpu::open_kernel(trace);
    if (!source) {
        return fail(source.error());
    }
    // One variant a value of a curve.
    std::vector<std::string> variants = {""};
    for (const std::string& change : changes) {
        const std::string name = change.substr(0, change.find('=') + 1);
        std::string rest = change.substr(std::min(name.size(), change.size()));
        for (std::size_t bar = rest.find('|'); bar != std::string::npos; bar = rest.find('|')) {
            variants.push_back(name + rest.substr(0, bar));
            rest.erase(0, bar + 1);
        }
        variants.push_back(name + rest);
    }
    Json rows = Json::array();
    double base = 0;
    for (const std::string& variant : variants) {
        Target changed = target;
        for (std::size_t at = 0; at < variant.size();) {
            const std::size_t comma = std::min(variant.find(',', at), variant.size());
            changed.settings.push_back(variant.substr(at, comma - at));
            at = comma + 1;
        }
        const auto loaded = changed.load();
        if (!loaded) {
            return fail(loaded.error());
        }
        if (auto back = (*source)->rewind(); !back) {
            return fail(back.error());
        }
        const auto result = changed.run(*loaded, **source);
        if (!result) {
            return fail(result.error());
        }
        base = base == 0 ? result->time_us : base;
        const std::string what = variant.empty() ? target.gpu : variant;
        rows.push_back({{"change", what},
                        {"time_us", result->time_us},
                        {"cycles", result->cycles},
                        {"speedup", base / result->time_us}});
        if (!json) {
            const auto bar = static_cast<std::size_t>(std::min(60.0, 30 * result->time_us / base));
            fmt::print("{:<32} {:>12.3f} us  {:>6.3f}x  {}\n", what, result->time_us, base / result->time_us,
                       std::string(bar, '#'));
        }
    }
    if (json) {
        fmt::print("{}\n", Json({{"kernel", (*source)->header().name}, {"sweep", rows}}).dump(1));
    }
    return 0;
}

int convert(int argc, char** argv) {
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

int accuracy(int argc, char** argv) {
    CLI::App app("Compare modelled with measured times; no row is left out.", "kymo gpu accuracy");
    std::string table;
    std::string name = "h100-pcie";
    std::string model = "full";
    std::string only;
    std::vector<std::string> settings;
    bool rows_too = false;
    bool json = false;
    app.add_option("TABLE", table, "tab-separated: benchmark, parameters, profiler, time_us")->required();
    app.add_option("--gpu", name, "the GPU it was measured on")->type_name("NAME")->capture_default_str();
    app.add_option("--model", model, "full or basic")->check(CLI::IsMember({"full", "basic"}))->capture_default_str();
    app.add_option("--set", settings, "change the GPU, as in run: what does a mechanism gain?")->type_name("P=V");
    app.add_option("--only", only, "benchmarks whose name contains this");
    app.add_flag("--rows", rows_too, "print every row too");
    app.add_flag("--json", json, "print one JSON object");
    if (const auto code = parse_options(app, argc, argv)) {
        return *code;
    }
    Target target;
    target.gpu = name;
    target.settings = settings;
    const auto loaded = target.load();
    if (!loaded) {
        return fail(loaded.error());
    }
    auto rows = gpu::read_measured(table);
    if (!rows) {
        return fail(rows.error());
    }
    std::erase_if(*rows, [&](const gpu::AccuracyRow& row) { return row.benchmark.find(only) == std::string::npos; });
    std::size_t missing = 0;
    Json list = Json::array();
    for (gpu::AccuracyRow& row : *rows) {
        gpu::model_row(*loaded, model == "full" ? gpu::Model::kFull : gpu::Model::kBasic, row);
        missing += row.modelled_us > 0 ? 0 : 1;
        if (json) {
            list.push_back({{"benchmark", row.benchmark},
                            {"parameters", row.parameters},
                            {"profiler", row.profiler},
                            {"measured_us", row.measured_us},
                            {"modelled_us", row.modelled_us},
                            {"why_not", row.why_not}});
        } else if (rows_too) {
            const std::string outcome =
                row.modelled_us > 0 ? fmt::format("{:>10.3f} us {:>+7.1f} %", row.modelled_us, 100 * row.error())
                                    : row.why_not;
            fmt::print("{:<24} {:<32} {:<5} {:>10.3f} us {}\n", row.benchmark, row.parameters, row.profiler,
                       row.measured_us, outcome);
            std::fflush(stdout);
        }
    }
    const auto summaries = gpu::summarise(*rows);
    if (json) {
        Json totals = Json::array();
        for (const gpu::AccuracySummary& one : summaries) {
            totals.push_back({{"what", one.what},
                              {"rows", one.rows},
                              {"mape", one.mape},
                              {"median", one.median},
                              {"within_15", one.within_15},
                              {"bias", one.bias},
                              {"correlation", one.correlation}});
        }
        fmt::print(
            "{}\n",
            Json({{"model", model}, {"gpu", name}, {"not_modelled", missing}, {"summary", totals}, {"rows", list}})
                .dump(1));
        return 0;
    }
    fmt::print("{:<28} {:>5} {:>8} {:>8} {:>10} {:>8} {:>12}\n", model + " model", "rows", "MAPE", "median",
               "within 15%", "bias", "correlation");
    for (const gpu::AccuracySummary& one : summaries) {
        fmt::print("{:<28} {:>5} {:>6.1f} % {:>6.1f} % {:>8.0f} % {:>+6.1f} % {:>12.4f}\n", one.what, one.rows,
                   100 * one.mape, 100 * one.median, 100 * one.within_15, 100 * one.bias, one.correlation);
    }
    fmt::print("not modelled: {} of {} rows\n", missing, rows->size());
    return 0;
}

int list_gpus() {
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

int run_gpu(int argc, char** argv) {
    const std::string_view verb = argc > 1 ? argv[1] : "";
    if (verb == "run") {
        return run_model(argc - 1, argv + 1);
    }
    if (verb == "sweep") {
        return sweep(argc - 1, argv + 1);
    }
    if (verb == "trace") {
        return convert(argc - 1, argv + 1);
    }
    if (verb == "accuracy") {
        return accuracy(argc - 1, argv + 1);
    }
    if (verb == "list") {
        return list_gpus();
    }
    if (verb == "--help" || verb == "-h") {
        fmt::print("{}", kUsage);
        return 0;
    }
    return fail({ErrorKind::kUsage, verb.empty() ? "kymo gpu: nothing to do" : fmt::format("kymo gpu: no '{}'", verb),
                 "kymo gpu --help tells: run, sweep, trace, accuracy, list"});
}

const Registration kGpu({"gpu", "replay a GPU kernel's trace on a modelled GPU", 60, run_gpu});

}  // namespace
}  // namespace kymo::cli
