// gpu_accuracy [OPTIONS] TABLE: compares modelled with measured times of kernels; no row is left out. For those who
// change the models: docs/measurements.md has the results.

#include "accuracy/accuracy.h"
#include "accuracy/measured_kernels.h"
#include "gpu/ptx/joined_code.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kymo::gpu {
namespace {

struct AccuracyAsked {
    std::string table;
    std::string gpu = "h100-pcie";
    std::string model = "full";
    std::string only;
    std::vector<std::string> settings;
    std::string ptx;
    std::string machine_code;
    bool rows_too = false;
};

void add_options(CLI::App& app, AccuracyAsked& asked) {
    app.add_option("TABLE", asked.table, "tab-separated: benchmark, parameters, profiler, time_us")->required();
    app.add_option("--gpu", asked.gpu, "the GPU it was measured on")->type_name("NAME")->capture_default_str();
    app.add_option("--model", asked.model, "full or basic")
        ->check(CLI::IsMember({"full", "basic"}))
        ->capture_default_str();
    app.add_option("--set", asked.settings, "change the GPU, as in kymo gpu run: what does a mechanism gain?")
        ->type_name("P=V");
    app.add_option("--only", asked.only, "benchmarks whose name contains this");
    app.add_option("--ptx", asked.ptx,
                   "execute the kernels vector_add, gemm, atax_row and atax_column of this PTX; default: generated "
                   "traces of them")
        ->type_name("FILE");
    app.add_option("--machine-code", asked.machine_code,
                   "of PTX: issue as its machine code does, which ptxas makes (auto) or a cubin has (its file)")
        ->type_name("auto|FILE");
    app.add_flag("--rows", asked.rows_too, "print every row too");
}

int refuse(const Error& error) {
    fmt::print(stderr, "gpu_accuracy: {}\n      {}\n", error.what, error.next);
    return static_cast<int>(error.kind);
}

Result<Gpu> changed_gpu(const AccuracyAsked& asked) {
    auto loaded = load_gpu(asked.gpu);
    for (std::size_t i = 0; loaded && i < asked.settings.size(); ++i) {
        if (auto set = set_parameter(*loaded, asked.settings[i]); !set) {
            return set.error();
        }
    }
    return loaded;
}

// Where the rows' launches come from.
Result<RowLaunches> launches_of(const AccuracyAsked& asked, const Gpu& gpu) {
    if (asked.ptx.empty()) {
        return RowLaunches(generated_launches);
    }
    auto kernels = ptx::MeasuredKernels::open(asked.ptx);
    if (!kernels) {
        return kernels.error();
    }
    if (!asked.machine_code.empty()) {
        const auto remark = [](const Error& why) {
            fmt::print(stderr, "gpu_accuracy: {} ({})\n", why.what, why.next);
        };
        if (auto used = ptx::join_code((*kernels)->module(), asked.ptx, asked.machine_code, gpu,
                                       ptx::MeasuredKernels::names(), remark);
            !used) {
            return used.error();
        }
    }
    return RowLaunches([shared = std::shared_ptr<ptx::MeasuredKernels>(std::move(*kernels))](const AccuracyRow& row) {
        return shared->launches(row);
    });
}

void print_row(const AccuracyRow& row) {
    const std::string outcome = row.modelled_us > 0
                                    ? fmt::format("{:>10.3f} us {:>+7.1f} %", row.modelled_us, 100 * row.error())
                                    : row.why_not;
    fmt::print("{:<24} {:<32} {:<5} {:>10.3f} us {}\n", row.benchmark, row.parameters, row.profiler, row.measured_us,
               outcome);
    std::fflush(stdout);
}

void print_summaries(const std::string& model, const std::vector<AccuracySummary>& summaries) {
    fmt::print("{:<28} {:>5} {:>8} {:>8} {:>10} {:>8} {:>12}\n", model + " model", "rows", "MAPE", "median",
               "within 15%", "bias", "correlation");
    for (const AccuracySummary& one : summaries) {
        fmt::print("{:<28} {:>5} {:>6.1f} % {:>6.1f} % {:>8.0f} % {:>+6.1f} % {:>12.4f}\n", one.what, one.rows,
                   100 * one.mape, 100 * one.median, 100 * one.within_15, 100 * one.bias, one.correlation);
    }
}

int compare_times(const AccuracyAsked& asked) {
    const auto loaded = changed_gpu(asked);
    if (!loaded) {
        return refuse(loaded.error());
    }
    auto rows = read_measured(asked.table);
    if (!rows) {
        return refuse(rows.error());
    }
    std::erase_if(*rows, [&](const AccuracyRow& row) { return row.benchmark.find(asked.only) == std::string::npos; });
    const auto launches = launches_of(asked, *loaded);
    if (!launches) {
        return refuse(launches.error());
    }
    std::size_t missing = 0;
    for (AccuracyRow& row : *rows) {
        model_row(*loaded, asked.model == "full" ? Model::kFull : Model::kBasic, row, *launches);
        missing += row.modelled_us > 0 ? 0 : 1;
        if (asked.rows_too) {
            print_row(row);
        }
    }
    print_summaries(asked.model, summarise(*rows));
    fmt::print("not modelled: {} of {} rows\n", missing, rows->size());
    return 0;
}

}  // namespace
}  // namespace kymo::gpu

int main(int argc, char** argv) {
    CLI::App app("Compare modelled with measured times; no row is left out.", "gpu_accuracy");
    kymo::gpu::AccuracyAsked asked;
    add_options(app, asked);
    CLI11_PARSE(app, argc, argv);
    return kymo::gpu::compare_times(asked);
}
