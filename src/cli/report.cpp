// kymo report: what a recording says, for people or as JSON.
#include "cli/second_look.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "findings/told.h"
#include "recording/reader.h"
#include "spacetime/evidence/evidence.h"
#include "spacetime/evidence/make_evidence.h"
#include "spacetime/finds/finds.h"
#include "spacetime/finds/load_finds.h"
#include "spacetime/metrics/run_metrics.h"
#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/make_profile.h"
#include "spacetime/profile/profile.h"
#include "spacetime/waits/wait_table.h"
#include "spacetime/waits/waits.h"
#include "view/channels.h"
#include "view/findings.h"
#include "view/finds.h"
#include "view/hosts.h"
#include "view/json.h"
#include "view/metrics.h"
#include "view/spaces/look.h"
#include "view/spaces/space_json.h"
#include "view/spaces/space_tables.h"
#include "view/terminal.h"
#include "view/waits.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
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
    auto profile = spacetime::load_profile(*recording, {.below_creators = !no_creator});
    if (!profile) {
        return fail(profile.error());
    }
    auto metric = view::find_metric(*profile, sort);
    if (!metric) {
        return fail(metric.error());
    }
    const auto per_million = static_cast<std::uint32_t>(std::lround(space_share * 10'000));
    spacetime::NamedRun named = spacetime::name_run(*profile, {per_million});
    const spacetime::CallTree& tree = named.tree;
    spacetime::EvidenceOptions wanted{.space_share = {per_million},
                                      .same_overlap = {static_cast<std::uint32_t>(std::lround(overlap * 10'000))}};
    const auto earlier = EarlierLook::of(*recording, wanted);
    if (!earlier) {
        return fail(earlier.error());
    }
    wanted.looked_at = earlier->evidence();
    const auto evidence = spacetime::make_evidence(*recording, *profile, named, wanted);
    if (!evidence) {
        return fail(evidence.error());
    }
    // Images whose code cannot be read are told with their names already.
    for (const std::string& warning : evidence->warnings) {
        const auto& told = named.code->problems();
        if (std::find(told.begin(), told.end(), warning) == told.end()) {
            profile->warnings.push_back(warning);
        }
    }
    const auto judgement = findings::judge_recording(*recording, *evidence);
    if (!judgement) {
        return fail(judgement.error());
    }
    const spacetime::Waits& waits = profile->waits;
    const spacetime::WaitTable wait_table = spacetime::make_wait_table(waits);
    const auto finds = spacetime::load_finds(*recording);
    if (!finds) {
        return fail(finds.error());
    }
    const spacetime::SecondLook look = earlier->join(*evidence);
    const auto metrics = spacetime::load_run_metrics(recording->files());
    if (!metrics) {
        return fail(metrics.error());
    }
    std::string text;
    if (json) {
        auto report = view::json_report(*profile, tree);
        report["findings"] = view::json_findings(*evidence, judgement->findings);
        report["advantages"] = view::json_findings(*evidence, judgement->advantages);
        report["spaces"] = view::json_spaces(*evidence);
        report["same_spaces"] = view::json_same_spaces(*evidence);
        report["intervals"] = view::json_intervals(*evidence);
        report["patterns"] = view::json_patterns(*evidence);
        report["waits"] = view::json_waits(waits, wait_table);
        report["blocking"] = view::json_blocking(waits, wait_table);
        report["brief_waits"] = view::json_brief_waits(waits);
        report["findings_control"] = view::json_control(judgement->control);
        report["hunt"] = view::json_hunt(*finds);
        report["finds"] = view::json_finds(*finds);
        report["second_look"] = view::json_second_look(look, earlier->evidence());
        report["hosts"] = view::json_hosts(*metrics);
        report["metrics"] = view::json_metrics(*metrics);
        report["channels"] = view::json_channels(*metrics);
        text = report.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
        text += '\n';
    } else {
        const bool is_brief = !all && !top && profile->processes.size() > view::kManyProcesses;
        view::ReportOptions shown{.style = terminal_style(),
                                  .metric = std::move(*metric),
                                  .top = top.value_or(is_brief ? 5 : 10),
                                  .is_brief = is_brief};
        if (percent >= 0) {
            shown.percent = percent;
        }
        const bool has_code = !profile->threads.empty() || !profile->processes.empty();
        if (has_code) {
            text = view::terminal_alarms(shown.style, *profile) +
                   view::terminal_findings(shown.style, *evidence, *judgement, shown.top, is_brief ? 2 : SIZE_MAX) +
                   "\n";
        }
        text += view::terminal_report(*profile, tree, shown) + view::terminal_hosts(shown.style, *metrics, shown.top);
        if (has_code && is_brief) {
            text += view::terminal_waits(shown.style, waits, wait_table, shown.top);
        } else if (has_code) {
            text += view::terminal_spaces(*evidence, shown, filter) +
                    view::terminal_second_look(shown, look, earlier->evidence(), filter) +
                    view::terminal_waits(shown.style, waits, wait_table, shown.top);
        }
        text += view::terminal_metrics(shown.style, *metrics, shown.top) +
                view::terminal_channels(shown.style, *metrics, shown.top) +
                view::terminal_finds(shown.style, *finds, shown.top);
        if (is_brief) {
            text += view::left_out_note(shown.style, profile->processes.size());
        }
    }
    if (!print_now(text)) {
        return fail({ErrorKind::kNoSpace, "the report could not be written to its end", "is the disk full?"});
    }
    return 0;
}

const Registration kReport({"report", "show what a recording holds", 20, run_report});

}  // namespace
}  // namespace kymo::cli
