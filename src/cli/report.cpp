// kymo report: what a recording says, for people or as JSON.
#include "view/report.h"

#include "analysis/analysis.h"
#include "cli/analysis_progress.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "recording/reader.h"
#include "view/json_text.h"
#include "view/metric.h"

#include <cmath>
#include <optional>

namespace kymo::cli {
namespace {

constexpr const char* kReportExamples =
    "examples:\n"
    "  kymo report my_program.kymo\n"
    "  kymo report my_program.kymo --sort off-cpu --top 20\n"
    "  kymo report my_program.kymo --sort page-faults\n"
    "  kymo report my_program.kymo --json | jq '.functions[0]'\n";

int run_report(int argc, char** argv) {
    CLI::App options("Show what a recording holds: what stands out, call paths, functions, lines, threads, events.",
                     "kymo report");
    options.footer(kReportExamples);
    std::string folder;
    std::string sort;
    bool json = false;
    bool no_creator = false;
    std::optional<std::size_t> top;
    bool all = false;
    double percent = -1;
    double space_share = 1;
    double overlap = 90;
    std::string filter;
    options.add_option("recording", folder, "the recording, NAME.kymo")->required();
    options.add_flag("--json", json, "one JSON object, for programs (docs/json.md)");
    options.add_option("--top", top, "rows of each table (10)")->check(CLI::Range(1, 1'000'000));
    options.add_flag("--all", all, "all tables, also where there are many processes");
    options.add_option("--sort", sort,
                       "sort by user, system, off-cpu, wall, samples or an event's name (processor time)");
    options.add_option("--percent", percent, "leave out call paths under this share (1)")
        ->check(CLI::Range(0.0, 100.0));
    options.add_option("--space-share", space_share, "keep code spaces above this share of time or weight (1)")
        ->check(CLI::Range(0.01, 100.0));
    options.add_option("--overlap", overlap, "code spaces that overlap by this share are the same (90)")
        ->check(CLI::Range(1.0, 100.0));
    options.add_option("--filter", filter, "of code spaces: only where function, file or module holds this text")
        ->type_name("TEXT");
    options.add_flag("--no-creator", no_creator, "threads at the root, not below the call path that created them");
    if (const auto code = parse_options(options, argc, argv)) {
        return *code;
    }
    const auto recording = recording::Recording::open(folder);
    if (!recording) {
        return fail(recording.error());
    }
    const auto per_million = [](double percent) { return static_cast<std::uint32_t>(std::lround(percent * 10'000)); };
    view::ReportOptions shown{.style = terminal_style()};
    AnalysisProgress progress;
    const analysis::SpaceTimeOptions wanted{
        .below_creators = !no_creator,
        .spaces = {.space_share = {per_million(space_share)},
                   .same_overlap = {per_million(overlap)},
                   .on_stage = [&](std::string_view stage) { progress.begin(stage); }},
        .check = [&](const spacetime::Profile& profile) -> std::optional<Error> {
            auto metric = view::find_metric(profile, sort);
            if (!metric) {
                return metric.error();
            }
            shown.metric = std::move(*metric);
            return std::nullopt;
        }};
    const auto analysed = analysis::analyse(*recording, wanted, analysis::Looks::kBoth);
    progress.end();
    if (!analysed) {
        return fail(analysed.error());
    }
    std::string text;
    if (json) {
        text = view::json_text(view::report_json(*analysed));
    } else {
        shown.is_brief = !all && !top && analysed->profile.processes.size() > view::kManyProcesses;
        shown.top = top.value_or(shown.is_brief ? 5 : 10);
        if (percent >= 0) {
            shown.percent = percent;
        }
        text = view::report_text(*analysed, shown, filter);
    }
    if (!print_now(text)) {
        return fail({ErrorKind::kNoSpace, "the report could not be written to its end", "is the disk full?"});
    }
    return 0;
}

const Registration kReport({"report", "show what a recording holds", 20, run_report});

}  // namespace
}  // namespace kymo::cli
