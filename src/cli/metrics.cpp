// kymo metrics: the metrics of a recording by their addresses, with their course and the code that ran meanwhile.
#include "analysis/images.h"
#include "analysis/space_time.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "recording/reader.h"
#include "spacetime/metrics/load_run_metrics.h"
#include "view/json_text.h"
#include "view/metric_address.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace kymo::cli {
namespace {

constexpr const char* kMetricsExamples =
    "examples:\n"
    "  kymo metrics solver.kymo                                all metrics there are, by their addresses\n"
    "  kymo metrics solver.kymo channel/system/0/bytes         one: its value, its course, and the code meanwhile\n"
    "  kymo metrics solver.kymo task/process/4711/lock-wait channel/process/4711/blocked --json\n"
    "An address is KIND/LEVEL/NUMBER/METRIC. Kinds: task, processor, channel. Levels: the kind itself (one thread,\n"
    "processor, channel), process (its id), host (0, 1, …), system (0). Numbers are a host's or a process's own:\n"
    "processor/host/1/processor/0/busy is processor 0 of host 1, channel/process/4711/channel/3/bytes one channel.\n";

Result<std::string> show(const recording::Recording& recording, const spacetime::RunMetrics& run,
                         const std::vector<MetricAddress>& addresses, bool json) {
    if (addresses.empty()) {
        return json ? view::json_text(view::json_addresses(run)) : view::terminal_addresses(terminal_style(), run);
    }
    const auto analysed = analysis::analyse_space_time(recording);
    if (!analysed) {
        return analysed.error();
    }
    std::string text;
    nlohmann::ordered_json all = nlohmann::ordered_json::object();
    for (const MetricAddress& address : addresses) {
        const auto there = spacetime::load_run_metrics(recording.files(), address);
        if (!there) {
            return there.error();
        }
        if (json) {
            all[to_text(address)] = view::json_addressed(*there, address, analysed->evidence);
        } else {
            text += view::terminal_addressed(terminal_style(), *there, address, analysed->evidence);
        }
    }
    return json ? view::json_text(std::move(all)) : text;
}

int run_metrics(int argc, char** argv) {
    CLI::App app("Show the metrics of a recording by their addresses.", "kymo metrics");
    set_usage(app, "kymo metrics [OPTIONS] REC.kymo [KIND/LEVEL/NUMBER/METRIC]…");
    app.footer(kMetricsExamples);
    std::string folder;
    std::vector<std::string> asked;
    bool json = false;
    app.add_option("recording", folder, "the recording's directory")->type_name("REC.kymo")->required();
    app.add_option("address", asked, "whose metric, and which")->type_name("ADDRESS");
    app.add_flag("--json", json, "one JSON object (docs/json.md)");
    if (const auto code = parse_options(app, argc, argv)) {
        return *code;
    }
    std::vector<MetricAddress> addresses;
    for (const std::string& text : asked) {
        auto address = parse_address(text);
        if (!address) {
            return fail({ErrorKind::kUsage, "'" + text + "' is not a valid metric address",
                         "KIND/LEVEL/NUMBER/METRIC, for example channel/system/0/bytes (kymo metrics --help)"});
        }
        addresses.push_back(std::move(*address));
    }
    const auto recording = analysis::open_with_images(folder);
    if (!recording) {
        return fail(recording.error());
    }
    const auto run = spacetime::load_run_metrics(recording->files(), spacetime::EndsAre::kAmongAll);
    if (!run) {
        return fail(run.error());
    }
    for (const MetricAddress& address : addresses) {
        if (const auto problem = view::why_unknown(*run, address)) {
            return fail(*problem);
        }
    }
    const auto text = show(*recording, *run, addresses, json);
    if (!text) {
        return fail(text.error());
    }
    if (!print_now(*text)) {
        return fail({ErrorKind::kNoSpace, "the metrics could not be written to their end", "is the disk full?"});
    }
    return 0;
}

const Registration kMetrics({"metrics", "show metrics of a recording by their addresses", 21, run_metrics});

}  // namespace
}  // namespace kymo::cli
