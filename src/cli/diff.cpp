// kymo diff: what is slower in one set of recordings than in another, and a limit for build pipelines.
#include "cli/analysis_progress.h"
#include "cli/help/missing_parts.h"
#include "cli/image_options.h"
#include "cli/team.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "compare/compare.h"
#include "recording/reader.h"
#include "view/comparison/comparison.h"
#include "view/comparison/run_timeline.h"
#include "view/exports/new_file.h"
#include "view/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>

namespace kymo::cli {
namespace {

constexpr const char* kDiffExamples =
    "examples:\n"
    "  kymo diff before.kymo after.kymo                   sizes only: one run a side\n"
    "  kymo diff before*.kymo -- after*.kymo              with p-values, from five runs a side on\n"
    "  kymo diff before*.kymo -- after*.kymo --markdown   for a pull request\n"
    "  kymo diff before.kymo after.kymo -o compared.html  a page: both clocks side by side, a flame graph of "
    "differences\n"
    "  kymo diff before*.kymo -- after*.kymo --fail-on 3% --fail-on function:sort=10%\n"
    "exit status 12: something grew by more than a --fail-on allows (docs/exit-codes.md)\n";

constexpr int kExceeded = 12;

// "3%", "wall=5%", "processor=5%", "function:NAME=5%", "wait:NAME=…", "event:NAME=…".
Result<std::vector<compare::Limit>> limits_from(const std::vector<std::string>& words) {
    std::vector<compare::Limit> limits;
    for (const std::string& word : words) {
        const std::size_t equals = word.rfind('=');
        const std::string what = equals == std::string::npos ? "" : word.substr(0, equals);
        std::string_view number = std::string_view(word).substr(equals == std::string::npos ? 0 : equals + 1);
        double percent = 0;
        const bool has_sign = number.ends_with('%');
        number.remove_suffix(has_sign ? 1 : 0);
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), percent);
        const auto named = [&](std::string_view kind) { return what.starts_with(kind) && what.size() > kind.size(); };
        if (error != std::errc() || end != number.data() + number.size() || !has_sign || !(percent >= 0)) {
            return Error{ErrorKind::kUsage, "--fail-on \"" + word + "\" is not a limit",
                         "for example --fail-on 3%, --fail-on wall=5% or --fail-on function:NAME=10%"};
        }
        const double share = percent / 100;
        if (what.empty()) {
            limits.push_back({compare::kWallTime, share});
            limits.push_back({compare::kProcessorTime, share});
        } else if (what == "wall") {
            limits.push_back({compare::kWallTime, share});
        } else if (what == "processor") {
            limits.push_back({compare::kProcessorTime, share});
        } else if (named("function:")) {
            limits.push_back({{compare::RowKind::kFunction, what.substr(9)}, share});
        } else if (named("wait:")) {
            limits.push_back({{compare::RowKind::kWait, what.substr(5)}, share});
        } else if (named("event:")) {
            limits.push_back({{compare::RowKind::kEvent, what.substr(6)}, share});
        } else {
            return Error{ErrorKind::kUsage, fmt::format("--fail-on \"{}\": there is no \"{}\"", word, what),
                         "there are wall, processor, function:NAME, wait:NAME and event:NAME"};
        }
    }
    return limits;
}

class DiffRun {
  public:
    DiffRun(std::size_t recordings, bool is_shown) : recordings_(recordings), progress_(is_shown) {}

    Result<std::vector<compare::RunFigures>> load(const std::vector<std::string>& names,
                                                  const compare::FiguresOptions& options) {
        std::vector<compare::RunFigures> runs;
        for (const std::string& name : names) {
            stage_ = fmt::format("recording {} of {}", ++done_, recordings_);
            progress_.begin(stage_);
            const auto recording = open_with_images(name);
            const Result<void> own = recording ? Result<void>() : recording.error();
            if (const auto opened = team::agree(options.team, own); !opened) {
                return opened.error();
            }
            auto figures = compare::figures_of(*recording, name, options);
            if (!figures) {
                return figures.error();
            }
            runs.push_back(std::move(*figures));
        }
        return runs;
    }
    Result<view::PageRun> timeline_of(const std::string& name) {
        stage_ = "page: " + name;
        progress_.begin(stage_);
        const auto recording = open_with_images(name);
        if (!recording) {
            return recording.error();
        }
        auto timeline = view::run_timeline(*recording);
        if (!timeline) {
            return timeline.error();
        }
        return view::PageRun{name, std::move(*timeline)};
    }
    void end() { progress_.end(); }

  private:
    std::size_t recordings_;
    std::size_t done_ = 0;
    std::string stage_;
    AnalysisProgress progress_;
};

// The recording whose wall time is the side's median, or the one below that.
std::string median_run(const std::vector<compare::RunFigures>& runs) {
    std::vector<std::pair<double, std::string>> times;
    for (const compare::RunFigures& run : runs) {
        const auto wall = run.rows.find(compare::kWallTime);
        times.emplace_back(wall == run.rows.end() ? 0 : wall->second.value, run.name);
    }
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
    std::nth_element(times.begin(), middle, times.end());
    return middle->second;
}

std::string side_name(const std::vector<std::string>& names) {
    return names.size() == 1 ? names[0] : fmt::format("{} runs: {} …", names.size(), names[0]);
}

// Prints the exceeded limits to standard error.
int tell_exceeded(const compare::Comparison& comparison, const std::vector<compare::Limit>& limits) {
    for (const compare::Limit& limit : limits) {
        if (limit.key.kind != compare::RowKind::kWhole && comparison.find(limit.key) == nullptr) {
            fmt::print(stderr, "kymo: --fail-on: \"{}\" is in none of the runs, or too small to compare\n",
                       limit.key.name);
        }
    }
    const auto over = compare::exceeded(comparison, limits);
    for (const compare::Limit& limit : over) {
        fmt::print(stderr, "kymo: {} grew by {:.1f} %: more than {:g} %\n", limit.key.name,
                   100 * comparison.find(limit.key)->ratio(), 100 * limit.share);
    }
    return over.empty() ? 0 : kExceeded;
}

// Whether the word is an option whose value is the next word.
bool takes_value(const CLI::App& options, std::string_view word) {
    const CLI::Option* const option = word.starts_with('-') && word.find('=') == std::string_view::npos
                                          ? options.get_option_no_throw(std::string(word))
                                          : nullptr;
    return option != nullptr && option->get_expected_min() > 0;
}

int run_diff(int argc, char** argv) {
    CLI::App options("Compare two recordings, or two sets of them: what became slower, and what faster.",
                     "kymo diff");
    set_usage(options, "kymo diff [OPTIONS] BASE NEW\n       kymo diff [OPTIONS] BASE… -- NEW…");
    options.footer(kDiffExamples);
    std::vector<std::string> first;
    std::vector<std::string> fail_on;
    bool json = false;
    bool markdown = false;
    bool no_findings = false;
    std::string page;
    view::ComparisonOptions shown;
    options.add_option("recordings", first, "BASE and NEW; or those of the base, and behind -- the new ones")
        ->required();
    auto* const as_json = options.add_flag("--json", json, "one JSON object, for programs (docs/diff.md)");
    options.add_flag("--markdown", markdown, "for pull requests and chats")->excludes(as_json);
    options.add_option("-o,--output", page,
                       "also write a page with both sides, for a browser; -: that alone, to standard output");
    options.add_option("--top", shown.top, "rows of each table (5)")->check(CLI::Range(1, 1'000'000));
    options.add_flag("--all", shown.all, "also what is not significant");
    options
        .add_option("--fail-on", fail_on,
                    "exit with 12 where wall or processor time grew significantly, by more than this: 3%, wall=3%, "
                    "processor=3%, function:NAME=3%, wait:NAME=3%, event:NAME=3%; may be given several times")
        ->type_name("LIMIT")
        ->allow_extra_args(false);
    options.add_flag("--no-findings", no_findings, "compare times and counts alone, which is quicker");
    add_image_options(options);
    // Options may be on both sides of the names; a word behind -- that is not an option is a new recording.
    std::vector<char*> words;
    std::vector<std::string> second;
    bool is_behind = false;
    for (int i = 0; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--" && !is_behind) {
            is_behind = true;
        } else if (is_behind && !word.starts_with('-') && (words.empty() || !takes_value(options, words.back()))) {
            second.emplace_back(word);
        } else {
            words.push_back(argv[i]);
        }
    }
    if (const auto code = parse_options(options, static_cast<int>(words.size()), words.data())) {
        return *code;
    }
    if (!is_behind && first.size() == 2) {
        second = {first[1]};
        first.pop_back();
    }
    if (second.empty()) {
        return fail({ErrorKind::kUsage,
                     is_behind ? "no new recording behind --"
                               : fmt::format("{} recording{}: which are the new ones?", first.size(),
                                             first.size() == 1 ? "" : "s"),
                     "kymo diff BASE NEW, or kymo diff BASE… -- NEW…"});
    }
    const auto limits = limits_from(fail_on);
    if (!limits) {
        return fail(limits.error());
    }
    if (!page.empty() && view::comparison_shell().empty()) {
        return fail(no_page_error());
    }
    const CommandTeam team;
    if (const auto is_new = team.agree(view::check_new_name(page)); !is_new) {
        return team.fail(is_new.error());
    }
    if (no_findings && !team.is_first()) {
        return 0;  // which one process does alone
    }
    const compare::FiguresOptions how{.findings = !no_findings, .team = no_findings ? nullptr : team.get()};
    DiffRun run(first.size() + second.size(), team.is_first());
    auto base = run.load(first, how);
    auto other = base ? run.load(second, how) : base;
    if (!other) {
        run.end();
        return team.fail(other.error());
    }
    if (!team.is_first()) {
        return 0;
    }
    const std::string base_run = median_run(*base);
    const std::string other_run = median_run(*other);
    const compare::Comparison comparison = compare::compare(std::move(*base), std::move(*other));
    shown.base = side_name(first);
    shown.other = side_name(second);
    if (!page.empty()) {
        auto base_time = run.timeline_of(base_run);
        auto other_time = base_time ? run.timeline_of(other_run) : base_time;
        run.end();
        if (!other_time) {
            return fail(other_time.error());
        }
        view::choose_rows(base_time->timeline, other_time->timeline);
        const auto written = view::write_new_file(
            page, view::comparison_page(comparison, shown, *base_time, *other_time, view::comparison_shell()));
        if (!written) {
            return fail(written.error());
        }
    }
    run.end();
    if (page == "-") {
        return tell_exceeded(comparison, *limits);
    }
    const std::string text = json       ? view::json_text(view::comparison_json(comparison))
                             : markdown ? view::comparison_markdown(comparison, shown)
                                        : view::comparison_text(terminal_style(), comparison, shown);
    if (!print_now(text)) {
        return 0;
    }
    return tell_exceeded(comparison, *limits);
}

const Registration kDiff({"diff", "compare recordings: what became slower", 22, run_diff});

}  // namespace
}  // namespace kymo::cli
