// kymo gpu accuracy: modelled against measured times.
#include "gpu/report/accuracy.h"

#include "cli/gpu/machine_code.h"
#include "cli/gpu/target.h"
#include "cli/gpu/verbs.h"
#include "cli/verbs.h"
#include "gpu/ptx/measured_kernels.h"
#include "view/json_text.h"

#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kymo::cli {

int gpu_accuracy(int argc, char** argv) {
    CLI::App app("Compare modelled with measured times; no row is left out.", "kymo gpu accuracy");
    set_usage(app, "kymo gpu accuracy [OPTIONS] TABLE");
    std::string table;
    std::string name = "h100-pcie";
    std::string model = "full";
    std::string only;
    std::vector<std::string> settings;
    std::string ptx;
    MachineCode machine_code;
    bool rows_too = false;
    bool json = false;
    app.add_option("TABLE", table, "tab-separated: benchmark, parameters, profiler, time_us")->required();
    app.add_option("--gpu", name, "the GPU it was measured on")->type_name("NAME")->capture_default_str();
    app.add_option("--model", model, "full or basic")->check(CLI::IsMember({"full", "basic"}))->capture_default_str();
    app.add_option("--set", settings, "change the GPU, as in run: what does a mechanism gain?")->type_name("P=V");
    app.add_option("--only", only, "benchmarks whose name contains this");
    app.add_option("--ptx", ptx, "execute the kernels vector_add, gemm, atax_row and atax_column of this PTX")
        ->type_name("FILE");
    machine_code.add_to(app);
    app.add_flag("--rows", rows_too, "print every row too");
    app.add_flag("--json", json, "print one JSON object");
    if (const auto code = parse_options(app, argc, argv)) {
        return *code;
    }
    GpuTarget target;
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
    gpu::RowLaunches launches = gpu::generated_launches;
    if (!ptx.empty()) {
        auto kernels = gpu::ptx::MeasuredKernels::open(ptx);
        if (!kernels) {
            return fail(kernels.error());
        }
        if (machine_code.wanted()) {
            if (auto used = gpu::ptx::join_code((*kernels)->module(), ptx, machine_code.whence(), *loaded,
                                                gpu::ptx::MeasuredKernels::names(), say_estimated);
                !used) {
                return fail(used.error());
            }
        }
        launches = [shared = std::shared_ptr<gpu::ptx::MeasuredKernels>(std::move(*kernels))](
                       const gpu::AccuracyRow& row) { return shared->launches(row); };
    }
    std::size_t missing = 0;
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (gpu::AccuracyRow& row : *rows) {
        gpu::model_row(*loaded, model == "full" ? gpu::Model::kFull : gpu::Model::kBasic, row, launches);
        missing += row.modelled_us > 0 ? 0 : 1;
        if (json) {
            list.push_back({{"benchmark", row.benchmark},
                            {"parameters", row.parameters},
                            {"profiler", row.profiler},
                            {"measured_us", row.measured_us},
                            {"modelled_us", row.modelled_us > 0 ? Json(row.modelled_us) : Json()},
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
                              {"mean_error_share", one.mape},
                              {"median_error_share", one.median},
                              {"within_15_percent_share", one.within_15},
                              {"bias_share", one.bias},
                              {"correlation", one.correlation}});
        }
        fmt::print(
            "{}",
            view::json_text(
                {{"model", model}, {"gpu", name}, {"not_modelled", missing}, {"summary", totals}, {"rows", list}}));
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

}  // namespace kymo::cli
