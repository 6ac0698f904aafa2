// kymo gpu sweep: the same kernel on changed GPUs.
#include "cli/gpu/target.h"
#include "cli/gpu/verbs.h"
#include "cli/verbs.h"
#include "gpu/trace/trace_file.h"
#include "view/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kymo::cli {

int gpu_sweep(int argc, char** argv) {
    CLI::App app("Model one kernel on a GPU and on changed ones.", "kymo gpu sweep");
    set_usage(app, "kymo gpu sweep [OPTIONS] TRACE --set P=V");
    GpuTarget target;
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
    auto source = gpu::open_kernel(trace, target.extent());
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
    using Json = nlohmann::ordered_json;
    Json rows = Json::array();
    double base = 0;
    std::string left_out;
    for (const std::string& variant : variants) {
        GpuTarget changed = target;
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
        if (rows.empty() && !result->left_out.empty() && !json) {
            fmt::print("partial: the trace has {}\n", result->left_out);
        }
        left_out = result->left_out;
        base = base == 0 ? result->time_us : base;
        const std::string what = variant.empty() ? target.gpu : variant;
        rows.push_back({{"change", what},
                        {"time_us", result->time_us},
                        {"cycles", result->cycles},
                        {"speedup", base / result->time_us},
                        {"error_share", result->sampling_error}});
        if (!json) {
            const auto bar = static_cast<std::size_t>(std::min(60.0, 30 * result->time_us / base));
            fmt::print("{:<32} {:>12.3f} us  {:>6.3f}x  {}\n", what, result->time_us, base / result->time_us,
                       std::string(bar, '#'));
        }
    }
    if (json) {
        fmt::print("{}", view::json_text({{"kernel", (*source)->header().name},
                                          {"partial", left_out.empty() ? Json() : Json(left_out)},
                                          {"sweep", rows}}));
    }
    return 0;
}

}  // namespace kymo::cli
