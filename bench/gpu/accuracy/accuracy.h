// The error of the models: measured tables against modelled times, without omissions.
//
// A table is tab-separated with a header line and the columns benchmark, parameters ("thread=1024 block=64"),
// profiler ("nsys": boost clock, warm; "ncu": base clock, caches flushed before) and time_us. Traces of the known
// benchmarks are generated (generate.h); rows of others are counted as not modelled and never silently omitted.
#pragma once

#include "gpu/gpu_file.h"
#include "gpu/model/result.h"
#include "gpu/trace/kernel.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kymo::gpu {

struct AccuracyRow {
    std::string benchmark;
    std::string parameters;
    std::string profiler;
    double measured_us = 0;
    double modelled_us = 0;  // 0: not modelled
    std::string why_not;
    double error() const { return (modelled_us - measured_us) / measured_us; }  // relative
};

struct AccuracySummary {
    std::string what;
    std::size_t rows = 0;
    double mape = 0;         // mean of |error|
    double median = 0;       // of |error|
    double within_15 = 0;    // share of rows
    double bias = 0;         // mean of error: positive is too slow
    double correlation = 0;  // Pearson, of the logarithms
};

// Errors: kNotFound; kMalformed with file, line and what was expected.
Result<std::vector<AccuracyRow>> read_measured(const std::filesystem::path& table);

enum class Model : std::uint8_t { kBasic, kFull };

// The launches whose times add up to a row's; none: an unknown benchmark.
using RowLaunches = std::function<Result<std::vector<std::unique_ptr<KernelSource>>>(const AccuracyRow& row)>;
Result<std::vector<std::unique_ptr<KernelSource>>> generated_launches(const AccuracyRow& row);
// "thread=1024 block=64" → the number behind a key; 0 without.
std::uint32_t row_parameter(const AccuracyRow& row, const std::string& key);

// Fills in modelled_us; an error of one row is its why_not.
void model_row(const Gpu& gpu, Model model, AccuracyRow& row, const RowLaunches& launches = generated_launches);

// By benchmark, and over all modelled rows as the last one ("all").
std::vector<AccuracySummary> summarise(const std::vector<AccuracyRow>& rows);

}  // namespace kymo::gpu
