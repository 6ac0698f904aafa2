// kymo measure: metric descriptions on an unchanged program.
#include "cli/analysis_progress.h"
#include "cli/output/json_output.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "events/session.h"
#include "hooks/plan_file.h"
#include "launch/job.h"
#include "launch/record.h"
#include "launch/run/companion_file.h"
#include "metrics/description.h"
#include "metrics/description_file.h"
#include "metrics/parser.h"
#include "metrics/points.h"
#include "metrics/probed_run.h"
#include "recording/reader.h"
#include "spacetime/metrics/load_run_metrics.h"
#include "view/channels.h"
#include "view/json_text.h"
#include "view/metrics.h"
#include "view/text.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

namespace kymo::cli {
namespace {

constexpr const char* kMeasureExamples =
    "examples:\n"
    "  kymo measure send_in_foo.kym -- ./my_program\n"
    "  kymo measure send_in_foo.kym --json -- ./my_program input.dat\n"
    "  kymo measure send_in_foo.kym -- mpirun -n 4 ./solver\n"
    "  kymo measure -- mpirun -n 4 ./solver      what is counted without a description: processors, messages\n"
    "  kymo report my_program.kymo        the same metrics later, beside everything else\n"
    "a description, with more in docs/metrics.md:\n"
    "  metric send_in_foo \"time foo spends sending messages\" unit ns {\n"
    "    cell in_foo\n"
    "    at entry foo                      : add in_foo 1\n"
    "    at exit  foo                      : sub in_foo 1\n"
    "    at entry MPI_Send when in_foo > 0 : start\n"
    "    at exit  MPI_Send when in_foo > 0 : stop\n"
    "  }\n";

struct MeasureAsked {
    launch::RecordOptions run;
    std::vector<std::string> words;  // that are not options
    std::string description;         // the file; empty: only what is counted without a description
    std::string output;
    double period = 0.1;
    double duration = 0;
    JsonOutput json;
    bool quiet = false;
};

nlohmann::ordered_json json_metric(const spacetime::RunMetrics& run, const metrics::Metric& metric) {
    nlohmann::ordered_json json;
    const spacetime::RunMetric* measured = run.find(Resource::kTask, metric.name);
    json["value"] = measured == nullptr ? nlohmann::ordered_json(0)
                                        : view::json_total(*measured, measured->aggregate(ResourceLevel::kSystem, 0));
    json["unit"] = metric.unit;
    json["per"] = measured == nullptr || metric.per == ResourceLevel::kSystem
                      ? nlohmann::ordered_json::object()
                      : view::json_parts(run, *measured)["values"];
    return json;
}

// A described metric without values in the run: the run's missing parts give the reason.
void tell_missing(const metrics::Description& description, const spacetime::RunMetrics& run) {
    const auto missing = std::find_if(
        description.metrics.begin(), description.metrics.end(),
        [&](const metrics::Metric& metric) { return run.find(Resource::kTask, metric.name) == nullptr; });
    if (missing == description.metrics.end()) {
        return;
    }
    fmt::print(stderr, "kymo: nothing was counted for '{}'{}\n", missing->name, run.absences.empty() ? "" : ":");
    for (const spacetime::Absence& absence : run.absences) {
        fmt::print(stderr, "      {}: {}{}{}\n", absence.what, absence.why, absence.remedy.empty() ? "" : " — ",
                   absence.remedy);
    }
}

int show(const MeasureAsked& asked, const metrics::Description& description, const launch::RecordOutcome& outcome) {
    const auto recording = recording::Recording::open(outcome.recording);
    if (!recording) {
        return fail(recording.error());
    }
    const auto run = spacetime::load_run_metrics(recording->files());
    if (!run) {
        return fail(run.error());
    }
    tell_missing(description, *run);
    if (asked.json.is_asked()) {
        nlohmann::ordered_json json;
        json["recording"] = outcome.recording.string();
        json["exit_status"] = outcome.exit_status();
        json["metrics"] = nlohmann::ordered_json::object();
        for (const metrics::Metric& metric : description.metrics) {
            json["metrics"][metric.name] = json_metric(*run, metric);
        }
        json["channels"] = view::json_channels(*run);
        const auto error = asked.json.print(view::json_text(std::move(json)));
        return error ? fail(*error) : outcome.exit_status();
    }
    const std::size_t top = description.metrics.size() + 10;
    const std::string text =
        view::terminal_metrics(terminal_style(), *run, top) + view::terminal_channels(terminal_style(), *run, top);
    if (!print_now(text)) {
        return fail({ErrorKind::kNoSpace, "the metrics could not be written to their end", "is the disk full?"});
    }
    return outcome.exit_status();
}

// Each rank of a job has a session in the folder until its program has ended.
void await_other_ranks(const MeasureAsked& asked, const launch::RecordOutcome& outcome) {
    constexpr int kTries = 100;
    constexpr auto kPause = std::chrono::milliseconds(50);
    const auto running = [&] {
        std::error_code ignored;
        const std::filesystem::directory_iterator files(outcome.recording, ignored);
        return std::count_if(begin(files), end(files), [](const auto& file) {
            return file.path().filename().string().starts_with(events::kSessionFile);
        });
    };
    for (int i = 0; i < kTries && running() != 0; ++i) {
        std::this_thread::sleep_for(kPause);
    }
    if (const auto left = running(); left != 0 && !asked.quiet) {
        fmt::print(stderr,
                   "kymo: {} ranks have not ended yet: what follows is without their last; later: kymo report {}\n",
                   left, outcome.recording.string());
    }
}

// Prints what probes do not see.
void tell_unseen(const metrics::ProbedRun& probed, const launch::RecordOutcome& outcome) {
    if (probed.unreturned() != 0) {
        const events::Missing missing = probed.unreturned_calls();
        fmt::print(stderr, "kymo: not seen: {}: {}; {}\n", missing.what, missing.why, missing.remedy);
    }
    const auto recording = recording::Recording::open(outcome.recording);
    if (const std::size_t forked = recording ? metrics::forked_processes(*recording) : 0; forked != 0) {
        fmt::print(stderr, "kymo: the program has forked {}: nothing was counted in {}\n",
                   view::quantity(forked, "process", "processes"), forked == 1 ? "it" : "them");
    }
}

constexpr const char* kMeasureUsage = "kymo measure [OPTIONS] [METRICS.kym] -- PROGRAM ARGUMENTS…";

// Options may follow the description, too. None: continue; otherwise the exit code.
std::optional<int> parse_words(CLI::App& app, int argc, char** argv, MeasureAsked& asked) {
    if (const auto code = parse_options(app, argc, argv)) {
        return code;
    }
    asked.words = app.remaining();
    if (asked.words.empty() || asked.words.front().starts_with("-")) {
        return std::nullopt;
    }
    asked.description = asked.words.front();
    asked.words.erase(asked.words.begin());
    if (asked.words.empty() || !asked.words.front().starts_with("-")) {
        return std::nullopt;
    }
    std::vector<char*> again = {argv[0]};
    for (std::string& word : asked.words) {
        again.push_back(word.data());
    }
    const auto code = parse_options(app, static_cast<int>(again.size()), again.data());
    asked.words = app.remaining();
    return code;
}

std::optional<Error> settle(MeasureAsked& asked) {
    const bool parted = !asked.words.empty() && asked.words.front() == "--";
    if (parted) {
        asked.words.erase(asked.words.begin());
    } else if (!asked.words.empty() && asked.words.front().starts_with("-")) {
        return Error{ErrorKind::kUsage, "no such option: " + asked.words.front(), kMeasureUsage};
    }
    if (asked.description.empty() && !parted) {
        return Error{ErrorKind::kUsage, "no metric description given", kMeasureUsage};
    }
    if (asked.words.empty()) {
        return Error{ErrorKind::kUsage, "no program given", kMeasureUsage};
    }
    asked.run.command = std::move(asked.words);
    asked.run.duration_ns = static_cast<std::uint64_t>(std::llround(asked.duration * 1e9));
    if (!asked.output.empty()) {
        asked.run.output = asked.output;
    }
    return std::nullopt;
}

metrics::PointsWish points_wish(const MeasureAsked& asked) {
    metrics::PointsWish wish;
    wish.command = asked.run.command;
    wish.description = asked.description;
    if (!asked.quiet) {
        wish.note = [](const std::string& line) { fmt::print(stderr, "kymo: {}\n", line); };
    }
    wish.while_trying = [](const std::function<void()>& try_out) {
        AnalysisProgress progress;
        progress.begin("probes");
        try_out();
        progress.end();
    };
    return wish;
}

int run_measure(int argc, char** argv) {
    CLI::App app("Measure metrics that a text file describes, on a program as it is.", "kymo measure");
    set_usage(app, kMeasureUsage);
    app.footer(kMeasureExamples);
    app.prefix_command();
    MeasureAsked asked;
    asked.json.add_to(app);
    app.add_option("-o,--output", asked.output,
                   "the recording's directory (default PROGRAM.kymo, or the next free number)")
        ->type_name("OUT.kymo");
    app.add_option("--period", asked.period, "read the metrics every so many seconds (default 0.1)")
        ->type_name("S")
        ->check(CLI::Range(0.001, 3600.0));
    app.add_option("--duration", asked.duration, "end the program after so many seconds")
        ->type_name("S")
        ->check(CLI::Range(0.001, 1e9));
    app.add_flag("-q,--quiet", asked.quiet, "print nothing but the metrics and errors");
    if (const auto code = parse_words(app, argc, argv, asked)) {
        return *code;
    }
    if (const auto error = settle(asked)) {
        return fail(*error);
    }
    const auto description = metrics::read_description(asked.description);
    if (!description) {
        return fail(description.error());
    }
    auto points = metrics::plan_points(*description, points_wish(asked));
    if (!points) {
        return fail(points.error());
    }
    metrics::RunSettings settings;
    settings.period_ns = static_cast<std::uint64_t>(std::llround(asked.period * 1e9));
    settings.at_start = true;
    const auto job = launch::current_job();
    settings.processors = !job || job->rank == 0;
    settings.cells = description->cells;
    settings.timers = description->timers;
    auto run = metrics::MeasuredRun::make(settings);
    if (!run) {
        return fail(run.error());
    }
    run->fit(asked.run);
    std::optional<metrics::ProbedRun> probed;
    launch::CompanionFile plan(hooks::kPlanFile, points->planned.file);
    if (points->probes) {
        probed.emplace(metrics::ProbedRun::Plan{std::move(*points->probes), points->planned.probes,
                                                points->gains_rights, description->cells},
                       run->folder(), settings.period_ns);
        probed->fit(asked.run);
    } else if (!description->points.empty()) {
        plan.fit(asked.run);
    }
    const auto outcome = [&] {
        const ProgramOutputAside aside(asked.json.is_on_standard_output());
        return launch::record(asked.run);
    }();
    if (!outcome) {
        return fail(outcome.error());
    }
    if (outcome->processes == 0 && !probed) {
        fmt::print(stderr,
                   "kymo: the program itself was not measured: the monitor was never loaded, or found no session\n"
                   "      check that the program does not clear LD_PRELOAD, and see kymo doctor\n");
    }
    if (!asked.quiet) {
        tell_uncounted(asked.run.missing);
    }
    if (run->refused() != 0 && !asked.quiet) {
        fmt::print(stderr, "kymo: {} without a place for metrics: nothing is counted there\n",
                   view::quantity(run->refused(), "thread"));
    }
    if (probed && !asked.quiet) {
        tell_unseen(*probed, *outcome);
    }
    if (probed && probed->missed() != 0 && !asked.quiet) {
        fmt::print(stderr, "kymo: {} a thread came to an instrumentation point and had no place for metrics\n",
                   view::quantity(probed->missed(), "time"));
    }
    if (outcome->job) {
        if (outcome->job->rank != 0) {
            return outcome->exit_status();  // rank 0 reports for all
        }
        await_other_ranks(asked, *outcome);
    }
    return show(asked, *description, *outcome);
}

const Registration kMeasure({"measure", "measure metrics that a text file describes", 16, run_measure});

}  // namespace
}  // namespace kymo::cli
