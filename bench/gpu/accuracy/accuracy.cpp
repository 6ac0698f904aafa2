#include "accuracy/accuracy.h"

#include "accuracy/generate.h"
#include "gpu/basic/basic_model.h"
#include "gpu/model/full_model.h"
#include "gpu/trace/byte_input.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace kymo::gpu {
namespace {

std::uint32_t parameter(const std::string& text, const std::string& key) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string_view word(text.data() + at, end - at);
        if (word.starts_with(key + "=")) {
            std::uint32_t value = 0;
            const auto parsed = std::from_chars(word.data() + key.size() + 1, word.data() + word.size(), value);
            return parsed.ec == std::errc() && value <= 1U << 28U ? value : 0;
        }
        at = end + 1;
    }
    return 0;
}

AccuracySummary summary(const std::string& what, const std::vector<const AccuracyRow*>& rows) {
    AccuracySummary result;
    result.what = what;
    result.rows = rows.size();
    std::vector<double> errors;
    double sx = 0;
    double sy = 0;
    double sxx = 0;
    double syy = 0;
    double sxy = 0;
    const auto count = static_cast<double>(rows.size());
    for (const AccuracyRow* row : rows) {
        errors.push_back(std::abs(row->error()));
        result.mape += errors.back() / count;
        result.bias += row->error() / count;
        result.within_15 += errors.back() <= 0.15 ? 1 / count : 0;
        const double x = std::log(row->measured_us);
        const double y = std::log(row->modelled_us);
        sx += x;
        sy += y;
        sxx += x * x;
        syy += y * y;
        sxy += x * y;
    }
    std::sort(errors.begin(), errors.end());
    const std::size_t middle = errors.size() / 2;
    result.median = errors.size() % 2 == 1 ? errors[middle] : (errors[middle - 1] + errors[middle]) / 2;
    const double spread = std::sqrt((count * sxx - sx * sx) * (count * syy - sy * sy));
    result.correlation = spread > 0 ? (count * sxy - sx * sy) / spread : 0;
    return result;
}

}  // namespace

Result<std::vector<AccuracyRow>> read_measured(const std::filesystem::path& table) {
    auto bytes = open_bytes(table);
    if (!bytes) {
        return bytes.error();
    }
    LineInput lines(std::move(*bytes), table.string());
    std::vector<AccuracyRow> rows;
    std::string_view line;
    for (bool first = true;; first = false) {
        auto more = lines.next(line);
        if (!more) {
            return more.error();
        }
        if (!*more) {
            break;
        }
        if (first) {
            if (!line.starts_with("benchmark\tparameters\tprofiler\ttime_us")) {
                return Error{ErrorKind::kMalformed,
                             lines.malformed("the columns benchmark, parameters, profiler, time_us").what,
                             "give a table of measured kernel times"};
            }
            continue;
        }
        std::array<std::string_view, 4> cells;
        std::string_view rest = line;
        for (std::string_view& cell : cells) {
            const std::size_t tab = std::min(rest.find('\t'), rest.size());
            cell = rest.substr(0, tab);
            rest.remove_prefix(std::min(tab + 1, rest.size()));
        }
        AccuracyRow row{std::string(cells[0]), std::string(cells[1]), std::string(cells[2]), 0, 0, {}};
        const auto parsed = std::from_chars(cells[3].data(), cells[3].data() + cells[3].size(), row.measured_us);
        if (parsed.ec != std::errc() || !(row.measured_us > 0) || (row.profiler != "nsys" && row.profiler != "ncu")) {
            return lines.malformed("a benchmark, its parameters, nsys or ncu, and a time in microseconds");
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::uint32_t row_parameter(const AccuracyRow& row, const std::string& key) {
    return parameter(row.parameters, key);
}

Result<std::vector<std::unique_ptr<KernelSource>>> generated_launches(const AccuracyRow& row) {
    const auto get = [&](const char* key) { return parameter(row.parameters, key); };
    std::vector<std::unique_ptr<KernelSource>> made;
    const std::uint32_t threads = get("thread");
    const std::uint32_t ctas = get("block");
    const std::uint32_t size = get("size");
    const std::uint32_t width = get("blockDimX");
    const bool launch = threads != 0 && threads <= 1024 && ctas != 0;
    if (row.benchmark == "emptykernel" && launch) {
        made.push_back(empty_kernel(ctas, threads));
    } else if (row.benchmark.starts_with("ffmakernel") && launch) {
        made.push_back(ffma_kernel(ctas, threads, get("iters")));
    } else if (row.benchmark == "vectoradd" && size != 0) {
        made.push_back(vector_add_kernel(size));
    } else if (row.benchmark == "gemm" && size != 0 && size <= 4096 && width != 0 && width <= 32) {
        made.push_back(gemm_kernel(size, width));
    } else if (row.benchmark == "atax" && size != 0 && size <= 8192 && width != 0 && width <= 1024) {
        made.push_back(atax_row_kernel(size, width));
        made.push_back(atax_column_kernel(size, width));
    }
    return made;
}

void model_row(const Gpu& gpu, Model model, AccuracyRow& row, const RowLaunches& launches) {
    const auto sources = launches(row);
    if (!sources || sources->empty()) {
        row.why_not = sources ? "no trace of this benchmark" : sources.error().what;
        return;
    }
    const bool profiled = row.profiler == "ncu";
    const LaunchCosts& launch = profiled ? gpu.profiled : gpu.boost;
    double sum = 0;
    for (const auto& source : *sources) {
        FullOptions options;
        options.warm_l2 = !profiled;
        options.exact = true;
        const auto result =
            model == Model::kFull ? run_full(gpu, launch, *source, options) : run_basic(gpu, launch, *source);
        if (!result) {
            row.why_not = result.error().what;
            return;
        }
        sum += result->time_us;
    }
    row.modelled_us = sum;
}

std::vector<AccuracySummary> summarise(const std::vector<AccuracyRow>& rows) {
    std::map<std::string, std::vector<const AccuracyRow*>> groups;
    std::vector<const AccuracyRow*> all;
    for (const AccuracyRow& row : rows) {
        if (row.modelled_us > 0) {
            groups[row.benchmark + " " + row.profiler].push_back(&row);
            all.push_back(&row);
        }
    }
    std::vector<AccuracySummary> summaries;
    summaries.reserve(groups.size() + 1);
    for (const auto& [what, members] : groups) {
        summaries.push_back(summary(what, members));
    }
    if (!all.empty()) {
        summaries.push_back(summary("all", all));
    }
    return summaries;
}

}  // namespace kymo::gpu
