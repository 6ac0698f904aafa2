// kymo confirm: the experiment that a finding recommends, where it needs no change of the program.
#include "analysis/analysis.h"
#include "base/clean_text.h"
#include "cli/analysis_progress.h"
#include "cli/image_options.h"
#include "cli/output/json_output.h"
#include "cli/team.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "confirm/experiment.h"
#include "confirm/timed_runs.h"
#include "confirm/verdict.h"
#include "findings/statistics/robust.h"
#include "parallel/end_workers.h"
#include "view/json_text.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kymo::cli {
namespace {

constexpr const char* kConfirmExamples =
    "Runs the recorded program again, without recording it: as it is, and with settings of its libraries that take "
    "the\n"
    "finding's cause away, in turns. Its standard input is empty, and its output goes nowhere. Such settings exist "
    "for\n"
    "the C library's allocator and for OpenMP; what else a finding recommends is a change of the program.\n\n"
    "examples:\n"
    "  kymo confirm my_program.kymo --list            findings, and the experiments on them\n"
    "  kymo confirm my_program.kymo                   the first finding\n"
    "  kymo confirm my_program.kymo --finding 2 --pairs 20\n"
    "  kymo confirm my_program.kymo --experiment huge-pages --json\n";

constexpr std::size_t kPairs = 10;

std::string settings_text(const confirm::Experiment& experiment) {
    std::string text;
    for (const confirm::Setting& setting : experiment.settings) {
        text += (text.empty() ? "" : " ") + setting.name + "=" + setting.value;
    }
    return text;
}

std::string in_percent(double share) {
    return fmt::format("{:.1f} %", 100 * share);
}

// "3.2 % longer to 12.0 % shorter".
std::string change_text(double gain) {
    return fmt::format("{} {}", in_percent(std::abs(gain)), gain < 0 ? "longer" : "shorter");
}

std::string finding_text(const findings::Finding& finding, std::size_t number) {
    const std::string place = finding.place.function.empty() ? "" : fmt::format(" in {}", finding.place.function);
    return fmt::format("{}. {}{}: {} of the run", number, finding.kind, place, in_percent(finding.share));
}

confirm::Platform platform_of(const spacetime::Profile& profile) {
    std::vector<std::string> images;
    for (const spacetime::ImageInfo& image : profile.images) {
        images.push_back(image.path);
    }
    return confirm::platform_of(images, profile.processors);
}

int list(const findings::Judgement& judgement, const confirm::Platform& platform, const std::string& folder) {
    std::string text;
    for (std::size_t i = 0; i < judgement.findings.size(); ++i) {
        text += finding_text(judgement.findings[i], i + 1) + "\n";
        const auto experiments = confirm::experiments_for(judgement.findings[i].kind, platform);
        for (const confirm::Experiment& experiment : experiments) {
            text += fmt::format("   {}: {}\n     {}\n", experiment.key, experiment.words, settings_text(experiment));
        }
        if (experiments.empty()) {
            text += "   by hand: " + judgement.findings[i].confirm + "\n";
        }
    }
    if (text.empty()) {
        text = "Nothing stands out in " + folder + ": there is nothing to confirm.\n";
    }
    return print_now(text) ? 0 : fail({ErrorKind::kNoSpace, "the list could not be written", "is the disk full?"});
}

Result<confirm::Experiment> choose(const findings::Finding& finding, std::size_t number,
                                   const confirm::Platform& platform, const std::string& wanted) {
    const auto experiments = confirm::experiments_for(finding.kind, platform);
    if (experiments.empty()) {
        return Error{ErrorKind::kUnsupported,
                     fmt::format("finding {} ({}) needs an experiment by hand", number, finding.kind),
                     finding.confirm};
    }
    if (wanted.empty()) {
        return experiments.front();
    }
    std::string keys;
    for (const confirm::Experiment& experiment : experiments) {
        if (experiment.key == wanted) {
            return experiment;
        }
        keys += (keys.empty() ? "" : ", ") + experiment.key;
    }
    return Error{ErrorKind::kUsage,
                 fmt::format("--experiment {}: there is none of that name for finding {}", wanted, number),
                 "there are: " + keys};
}

void tell_pair(const confirm::TimedRuns& runs, std::size_t pairs) {
    const confirm::Pair& last = runs.pairs.back();
    fmt::print(stderr, "kymo: pair {} of {}: {:.3f} s as it is, {:.3f} s in the experiment\n", runs.pairs.size(),
               pairs, last.plain_s, last.changed_s);
}

std::string outcome_text(const confirm::Outcome& outcome, const std::vector<confirm::Pair>& pairs, double promised) {
    std::vector<double> plain;
    std::vector<double> changed;
    for (const confirm::Pair& pair : pairs) {
        plain.push_back(pair.plain_s);
        changed.push_back(pair.changed_s);
    }
    std::string text =
        fmt::format("{} pairs of runs in turns; medians {:.3f} s as it is, {:.3f} s in the experiment\n",
                    pairs.size(), findings::median(plain), findings::median(changed));
    if (outcome.confidence == 0) {
        return text + fmt::format("undecided: {} pairs are too few for an interval\n", pairs.size());
    }
    text += fmt::format("{}: the run is {} (between {} and {}, confidence {})\n", confirm::word_of(outcome.verdict),
                        change_text(outcome.gain), change_text(outcome.gain_low), change_text(outcome.gain_high),
                        in_percent(outcome.confidence));
    if (outcome.verdict == confirm::Verdict::kUndecided) {
        text += "more pairs make the interval smaller (--pairs), a quiet machine as well\n";
    } else if (outcome.verdict == confirm::Verdict::kConfirmed && outcome.gain_high < promised) {
        text += fmt::format("the finding says {}: the experiment takes a part of the cause away, or it costs less\n",
                            in_percent(promised));
    }
    return text;
}

struct Confirmed {
    const findings::Finding& finding;
    std::size_t number;
    const confirm::Experiment& experiment;
    const confirm::TimedRuns& runs;
};

nlohmann::ordered_json outcome_json(const Confirmed& confirmed, const confirm::Outcome& outcome) {
    const auto& [finding, number, experiment, runs] = confirmed;
    nlohmann::ordered_json json;
    json["finding"] = number;
    json["kind"] = finding.kind;
    json["title"] = finding.title;
    json["share"] = finding.share;
    json["share_low"] = finding.share_low;
    json["experiment"] = experiment.key;
    json["environment"] = nlohmann::ordered_json::object();
    for (const confirm::Setting& setting : experiment.settings) {
        json["environment"][setting.name] = setting.value;
    }
    json["exit_status"] = runs.exit_status;
    json["pairs_s"] = nlohmann::ordered_json::array();
    for (const confirm::Pair& pair : runs.pairs) {
        json["pairs_s"].push_back({pair.plain_s, pair.changed_s});
    }
    const bool has_interval = outcome.confidence > 0;
    const auto or_null = [](bool is_known, double value) {
        return is_known ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
    };
    json["verdict"] = confirm::word_of(outcome.verdict);
    json["gain"] = or_null(!runs.pairs.empty(), outcome.gain);
    json["gain_low"] = or_null(has_interval, outcome.gain_low);
    json["gain_high"] = or_null(has_interval, outcome.gain_high);
    json["confidence"] = or_null(has_interval, outcome.confidence);
    return json;
}

// The exit status.
int show(const Confirmed& confirmed, const JsonOutput& json) {
    const auto& [finding, number, experiment, runs] = confirmed;
    const int status = runs.is_stopped ? 128 + SIGINT : 0;
    if (runs.pairs.empty()) {
        fmt::print(stderr, "kymo: stopped before the first pair of runs\n");
        return status;
    }
    const confirm::Outcome outcome = confirm::outcome_of(runs.pairs, finding.share, experiment.can_refute);
    if (json.is_asked()) {
        const auto error = json.print(view::json_text(outcome_json(confirmed, outcome)));
        return error ? fail(*error) : status;
    }
    if (!print_now(outcome_text(outcome, runs.pairs, finding.share))) {
        return fail({ErrorKind::kNoSpace, "the result could not be written to its end", "is the disk full?"});
    }
    return status;
}

int run_confirm(int argc, char** argv) {
    CLI::App options("Run the experiment that a finding recommends.", "kymo confirm");
    set_usage(options, "kymo confirm [OPTIONS] REC.kymo");
    options.footer(kConfirmExamples);
    std::string folder;
    std::size_t number = 1;
    std::size_t pairs = kPairs;
    std::string wanted;
    bool is_list = false;
    bool quiet = false;
    JsonOutput json;
    options.add_option("recording", folder, "the recording's directory")->type_name("REC.kymo")->required();
    options.add_option("--finding", number, "the finding's number in the report (1)")->check(CLI::Range(1, 10'000));
    options.add_option("--experiment", wanted, "which one, where there are several (the first)")->type_name("NAME");
    options.add_option("--pairs", pairs, "pairs of runs (10); an answer needs 6")->check(CLI::Range(1, 60));
    options.add_flag("--list", is_list, "show findings and their experiments, and run nothing");
    options.add_flag("-q,--quiet", quiet, "no line for each pair");
    json.add_to(options);
    add_image_options(options);
    if (const auto code = parse_options(options, argc, argv)) {
        return *code;
    }
    const CommandTeam team;
    if (!team.is_first()) {
        return 0;  // the first process does it alone
    }
    const auto recording = open_with_images(folder);
    if (!recording) {
        return fail(recording.error());
    }
    AnalysisProgress progress;
    const auto analysed = analysis::analyse(
        *recording, {.spaces = {.on_stage = [&](std::string_view stage) { progress.begin(stage); }}});
    progress.end();
    if (!analysed) {
        return fail(analysed.error());
    }
    const std::vector<findings::Finding>& found = analysed->judgement.findings;
    const confirm::Platform platform = platform_of(analysed->profile);
    if (is_list) {
        return list(analysed->judgement, platform, folder);
    }
    if (number > found.size()) {
        return fail({ErrorKind::kUsage,
                     found.empty() ? "nothing stands out in this recording: there is nothing to confirm"
                                   : fmt::format("--finding {}: there are only {}", number, found.size()),
                     found.empty() ? "" : "list them with: kymo confirm --list " + folder});
    }
    const findings::Finding& finding = found[number - 1];
    const auto experiment = choose(finding, number, platform, wanted);
    if (!experiment) {
        return fail(experiment.error());
    }
    if (analysed->profile.command.empty()) {
        return fail({ErrorKind::kUnsupported, "the recording does not say which command it was made of",
                     "run it with: " + settings_text(*experiment)});
    }
    if (!quiet && !json.is_asked()) {
        fmt::print(stderr, "{}\n   {}: {}\n   {}\n", clean_text(finding_text(finding, number)), experiment->key,
                   experiment->words, clean_text(settings_text(*experiment)));
    }
    if (!parallel::end_workers()) {
        return fail({ErrorKind::kInternal, "threads of the analysis are left over", ""});
    }
    const auto runs = confirm::run_in_turns(analysed->profile.command, analysed->profile.directory,
                                            experiment->settings, pairs, [&](const confirm::TimedRuns& so_far) {
                                                if (!quiet) {
                                                    tell_pair(so_far, pairs);
                                                }
                                            });
    return runs ? show({finding, number, *experiment, *runs}, json) : fail(runs.error());
}

const Registration kConfirm({"confirm", "run the experiment that a finding recommends", 23, run_confirm});

}  // namespace
}  // namespace kymo::cli
