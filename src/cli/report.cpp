// kymo report: the results of a recording, for people or as JSON.
#include "view/report.h"

#include "analysis/analysis.h"
#include "cli/analysis_progress.h"
#include "cli/image_options.h"
#include "cli/output/json_output.h"
#include "cli/team.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "recording/reader.h"
#include "view/address_map.h"
#include "view/findings.h"
#include "view/json/bounded.h"
#include "view/json_text.h"
#include "view/metric.h"
#include "view/report_markdown.h"
#include "view/threads/account.h"

#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace kymo::cli {
namespace {

constexpr const char* kReportExamples =
    "examples:\n"
    "  kymo report my_program.kymo                   what matters, in at most 60 lines\n"
    "  kymo report my_program.kymo --finding 1       the first finding with its evidence and an experiment\n"
    "  kymo report my_program.kymo --lines --events  with more tables; --all: with all of them\n"
    "  kymo report my_program.kymo --spaces --gaps   code over time, heavy code and gaps alone, whole\n"
    "  kymo report my_program.kymo --thread 4711     a thread, and what it was created with\n"
    "  kymo report my_program.kymo --sort off-cpu --top 20\n"
    "  kymo report my_program.kymo --sort page-faults\n"
    "  kymo report my_program.kymo --markdown        for a pull request or a chat\n"
    "  kymo report my_program.kymo --json | jq '.functions[0]'\n"
    "  kymo report my_program.kymo --json=full       with long lists whole\n"
    "  mpirun -n 4 kymo report job.kymo              a large job, by four processes on any number of hosts\n";

constexpr std::size_t kAlone = 20;  // rows of tables that are shown alone

int run_report(int argc, char** argv) {
    CLI::App options("Show what a recording holds: what stands out, call paths, functions, lines, threads, events.",
                     "kymo report");
    set_usage(options, "kymo report [OPTIONS] REC.kymo");
    options.footer(kReportExamples);
    std::string folder;
    std::string sort;
    JsonOutput json;
    bool markdown = false;
    bool no_creator = false;
    std::optional<std::size_t> top;
    bool all = false;
    std::optional<std::size_t> finding;
    std::optional<std::uint64_t> thread;
    bool map = false;
    view::MoreTables more;
    double percent = -1;
    double space_share = 1;
    double overlap = 90;
    std::string filter;
    options.add_option("recording", folder, "the recording's directory")->type_name("REC.kymo")->required();
    auto* const as_json = json.add_with_whole_to(options);
    options.add_flag("--markdown", markdown, "what matters as Markdown, for pull requests and chats")
        ->excludes(as_json);
    options.add_flag("--all", all, "all tables, and all findings in full");
    options
        .add_option("--finding", finding,
                    "only this finding, by its number, in full, with the occurrences it counted")
        ->check(CLI::Range(1, 1'000'000));
    options.add_flag("--findings", more.findings, "all findings in full, what is good, and the control");
    options.add_flag("--lines", more.lines, "with source lines");
    options
        .add_option("--thread", thread,
                    "only this thread, by its number: its time, who created it, from where and in what state")
        ->type_name("TID")
        ->excludes(as_json);
    options
        .add_flag("--map", map, "only the address map over time: heap, stacks, files, anonymous and shared memory")
        ->excludes(as_json);
    options.add_flag("--threads", more.threads,
                     "with each thread, why it was off the processor, and who blocks whom");
    options.add_flag("--events", more.events, "with the events' counts, and the host's metrics");
    options.add_flag("--memory", more.memory, "with each process's resident memory over time");
    options.add_flag("--channels", more.channels, "with messages and bytes between every two ends, as matrices");
    options.add_flag("--spaces", more.spaces,
                     "only code over time and heavy code, whole, with events here and elsewhere");
    options.add_flag("--gaps", more.gaps, "only the gaps between occurrences, the longest one by one");
    options.add_flag("--neighbours", more.neighbours, "only code between its neighbours, with events");
    options.add_option("--top", top, "rows of each table (5; with --all 10; of what is shown alone 20)")
        ->check(CLI::Range(1, 1'000'000));
    options.add_option("--sort", sort,
                       "sort by user, system, off-cpu, wall, samples or an event's name (processor time)");
    options.add_option("--percent", percent, "leave out call paths under this share (1)")
        ->check(CLI::Range(0.0, 100.0));
    options.add_option("--space-share", space_share, "keep code spaces above this share of time or weight (1)")
        ->check(CLI::Range(0.01, 100.0));
    options.add_option("--overlap", overlap, "code spaces that overlap by this share are the same (90)")
        ->check(CLI::Range(1.0, 100.0));
    options
        .add_option("--filter", filter,
                    "of code spaces, gaps and neighbours: only where function, file or module holds this text")
        ->type_name("TEXT");
    options.add_flag("--no-creator", no_creator, "threads at the root, not below the call path that created them");
    add_image_options(options);
    if (const auto code = parse_options(options, argc, argv)) {
        return *code;
    }
    const CommandTeam team;
    const auto recording = open_with_images(folder);
    if (const auto opened = team.agree(recording); !opened) {
        return team.fail(opened.error());
    }
    const auto per_million = [](double percent) { return static_cast<std::uint32_t>(std::lround(percent * 10'000)); };
    view::ReportOptions shown{.style = terminal_style()};
    AnalysisProgress progress(team.is_first());
    const analysis::SpaceTimeOptions wanted{
        .below_creators = !no_creator,
        .spaces = {.space_share = {per_million(space_share)},
                   .same_overlap = {per_million(overlap)},
                   .on_stage = [&](std::string_view stage) { progress.begin(stage); },
                   .team = team.get()},
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
        return team.fail(analysed.error());
    }
    if (!team.is_first()) {
        return 0;
    }
    std::string text;
    if (json.is_asked()) {
        auto report = view::report_json(*analysed);
        const auto error =
            json.print(view::json_text(json.is_whole() ? std::move(report) : view::bounded(std::move(report))));
        return error ? fail(*error) : 0;
    }
    if (markdown) {
        text = view::report_markdown(*analysed, shown.metric, top.value_or(5));
    } else if (finding) {
        const std::size_t there = analysed->judgement.findings.size();
        if (*finding > there) {
            return fail({ErrorKind::kUsage,
                         fmt::format("--finding {}: {}", *finding,
                                     there == 0   ? "nothing stands out in this recording"
                                     : there == 1 ? "there is only one"
                                                  : fmt::format("there are only {}", there)),
                         "list them with: kymo report " + folder});
        }
        text = view::terminal_finding(shown.style, analysed->evidence, analysed->judgement, *finding,
                                      top.value_or(kAlone));
    } else if (thread) {
        auto account = view::thread_accounts(shown.style, *analysed, *thread);
        if (!account) {
            return fail(account.error());
        }
        text = std::move(*account);
    } else if (map) {
        const auto areas = spacetime::load_address_map(*recording);
        if (!areas) {
            return fail(areas.error());
        }
        text = view::terminal_address_map(shown.style, analysed->profile, *areas, top.value_or(kAlone));
    } else {
        more.spaces = more.spaces || (!filter.empty() && !more.has_collections());
        shown.is_short = !all;
        shown.more = more;
        const bool is_alone = more.is_collections_alone();
        shown.top = top.value_or(!shown.is_short ? 10 : is_alone ? kAlone : 5);
        shown.limits = view::ShortLimits::all(shown.top);
        shown.fits_a_look = shown.is_short && !top && !more.has_collections() && !more.has_others();
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
