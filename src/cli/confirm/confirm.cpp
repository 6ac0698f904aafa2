// kymo confirm: the experiment that a finding recommends, where it needs no change of the program.
#include "analysis/analysis.h"
#include "base/clean_text.h"
#include "cli/analysis_progress.h"
#include "cli/confirm/faster_code.h"
#include "cli/confirm/outcome_output.h"
#include "cli/image_options.h"
#include "cli/output/json_output.h"
#include "cli/team.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "confirm/experiment.h"
#include "confirm/speed_up.h"
#include "confirm/timed_runs.h"
#include "parallel/end_workers.h"

#include <cstdio>
#include <fmt/format.h>

namespace kymo::cli {
namespace {

constexpr const char* kConfirmExamples =
    "Runs the recorded program again, as it is and in an experiment, in turns. Its standard input is empty, and its\n"
    "output goes nowhere. Experiments are settings of the C library's allocator and streams, and of OpenMP, that "
    "take\n"
    "the finding's cause away; and, for work of a function, its virtual speed-up: while a thread is in the "
    "function,\n"
    "all others are slowed, which is subtracted at the end. What else a finding recommends is a change of the\n"
    "program.\n\n"
    "examples:\n"
    "  kymo confirm my_program.kymo --list            findings, and the experiments on them\n"
    "  kymo confirm my_program.kymo                   the first finding\n"
    "  kymo confirm my_program.kymo --finding 2 --pairs 20\n"
    "  kymo confirm my_program.kymo --experiment huge-pages --json\n"
    "  kymo confirm my_program.kymo --finding 2 --experiment virtual-speed-up\n"
    "  kymo confirm my_program.kymo --function solve --speed-up 50    what if solve() took half the time?\n";

constexpr std::size_t kPairs = 10;
constexpr double kPercent = 100;

struct Wanted {
    std::string folder;
    std::size_t number = 1;
    std::size_t pairs = kPairs;
    std::string experiment;
    std::string function;  // instead of a finding
    double speed_up = 0;   // percent; 0: what the finding says
    bool is_list = false;
    bool quiet = false;
};

confirm::Platform platform_of(const spacetime::Profile& profile) {
    std::vector<std::string> images;
    for (const spacetime::ImageInfo& image : profile.images) {
        images.push_back(image.path);
    }
    return confirm::platform_of(images, profile.processors);
}

std::vector<confirm::Experiment> experiments_on(const findings::Finding& finding,
                                                const analysis::Analysis& analysis) {
    return confirm::experiments_for(finding.kind, platform_of(analysis.profile),
                                    !code_of(analysis, finding.place.function, finding.place.module).empty());
}

int list(const analysis::Analysis& analysis, const std::string& folder) {
    const std::vector<findings::Finding>& found = analysis.judgement.findings;
    std::string text;
    for (std::size_t i = 0; i < found.size(); ++i) {
        text += finding_text(found[i], i + 1) + "\n";
        const auto experiments = experiments_on(found[i], analysis);
        for (const confirm::Experiment& experiment : experiments) {
            text += fmt::format("   {}: {}\n", experiment.key, experiment.words);
            text += experiment.settings.empty() ? "" : fmt::format("     {}\n", settings_text(experiment));
        }
        if (experiments.empty()) {
            text += "   by hand: " + found[i].confirm + "\n";
        }
    }
    if (text.empty()) {
        text = "Nothing stands out in " + folder + ": there is nothing to confirm.\n";
    }
    return print_now(text) ? 0 : fail({ErrorKind::kNoSpace, "the list could not be written", "is the disk full?"});
}

Result<confirm::Experiment> choose(const findings::Finding& finding, const std::vector<confirm::Experiment>& all,
                                   const Wanted& wanted) {
    if (all.empty()) {
        return Error{ErrorKind::kUnsupported,
                     fmt::format("finding {} ({}) needs an experiment by hand", wanted.number, finding.kind),
                     finding.confirm};
    }
    std::string keys;
    for (const confirm::Experiment& experiment : all) {
        const bool is_meant = wanted.experiment.empty() ? wanted.speed_up == 0 || experiment.is_virtual
                                                        : wanted.experiment == experiment.key;
        if (is_meant) {
            return experiment;
        }
        keys += (keys.empty() ? "" : ", ") + experiment.key;
    }
    return Error{ErrorKind::kUsage,
                 wanted.experiment.empty()
                     ? fmt::format("--speed-up: finding {} ({}) is not work of a function whose code is known",
                                   wanted.number, finding.kind)
                     : fmt::format("--experiment {}: there is none of that name for finding {}", wanted.experiment,
                                   wanted.number),
                 "there are: " + keys};
}

// The finding of that number; or, of a function that the user has chosen, one without a share.
Result<findings::Finding> subject_of(const analysis::Analysis& analysis, const Wanted& wanted) {
    const std::vector<findings::Finding>& found = analysis.judgement.findings;
    if (!wanted.function.empty()) {
        findings::Finding chosen;
        chosen.kind = "function";
        chosen.title = wanted.function + ", chosen by the user";
        chosen.place.function = wanted.function;
        if (code_of(analysis, wanted.function).empty()) {
            return Error{ErrorKind::kUsage,
                         fmt::format("--function {}: this recording has no function of that name whose code is known",
                                     wanted.function),
                         "the report has the names: kymo report " + wanted.folder};
        }
        return chosen;
    }
    if (wanted.number > found.size()) {
        return Error{ErrorKind::kUsage,
                     found.empty() ? "nothing stands out in this recording: there is nothing to confirm"
                                   : fmt::format("--finding {}: there are only {}", wanted.number, found.size()),
                     found.empty() ? "" : "list them with: kymo confirm --list " + wanted.folder};
    }
    return found[wanted.number - 1];
}

Result<confirm::SpeedUpRuns> run(const analysis::Analysis& analysis, const findings::Finding& finding,
                                 const confirm::Experiment& experiment, const Wanted& wanted) {
    const confirm::Command command{analysis.profile.command, analysis.profile.directory};
    const confirm::Told told = [&](const confirm::TimedRuns& so_far) {
        if (!wanted.quiet) {
            tell_pair(so_far, wanted.pairs);
        }
    };
    if (experiment.is_virtual) {
        confirm::SpeedUp faster;
        faster.code = code_of(analysis, finding.place.function, finding.place.module);
        faster.stake_s = finding.is_cost_known ? finding.seconds : 0;
        faster.part = wanted.speed_up / kPercent;
        return confirm::run_faster(command, faster, wanted.pairs, told);
    }
    auto timed = confirm::run_in_turns(command, experiment, wanted.pairs, told);
    if (!timed) {
        return timed.error();
    }
    confirm::SpeedUpRuns runs;
    runs.timed = std::move(*timed);
    return runs;
}

int confirm_finding(const analysis::Analysis& analysis, const Wanted& wanted, const JsonOutput& json) {
    const auto finding = subject_of(analysis, wanted);
    if (!finding) {
        return fail(finding.error());
    }
    const bool is_chosen = !wanted.function.empty();
    const auto experiment = is_chosen ? Result<confirm::Experiment>(confirm::virtual_speed_up())
                                      : choose(*finding, experiments_on(*finding, analysis), wanted);
    if (!experiment) {
        return fail(experiment.error());
    }
    if (analysis.profile.command.empty()) {
        return fail({ErrorKind::kUnsupported, "the recording does not say which command it was made of",
                     experiment->settings.empty() ? "record it with: kymo record -- PROGRAM"
                                                  : "run it with: " + settings_text(*experiment)});
    }
    const std::size_t number = is_chosen ? 0 : wanted.number;
    if (!wanted.quiet && !json.is_asked()) {
        fmt::print(stderr, "{}\n   {}: {}\n", clean_text(finding_text(*finding, number)), experiment->key,
                   experiment->words);
        if (!experiment->settings.empty()) {
            fmt::print(stderr, "   {}\n", clean_text(settings_text(*experiment)));
        }
    }
    if (!parallel::end_workers()) {
        return fail({ErrorKind::kInternal, "threads of the analysis are left over", ""});
    }
    const auto runs = run(analysis, *finding, *experiment, wanted);
    return runs ? show({*finding, number, *experiment, *runs}, json) : fail(runs.error());
}

int run_confirm(int argc, char** argv) {
    CLI::App options("Run the experiment that a finding recommends.", "kymo confirm");
    set_usage(options, "kymo confirm [OPTIONS] REC.kymo");
    options.footer(kConfirmExamples);
    Wanted wanted;
    JsonOutput json;
    options.add_option("recording", wanted.folder, "the recording's directory")->type_name("REC.kymo")->required();
    auto* const finding = options.add_option("--finding", wanted.number, "the finding's number in the report (1)")
                              ->check(CLI::Range(1, 10'000));
    auto* const which =
        options.add_option("--experiment", wanted.experiment, "which one, where there are several (the first)")
            ->type_name("NAME");
    auto* const speed_up =
        options
            .add_option("--speed-up", wanted.speed_up,
                        "virtual speed-up: of the function's time that is saved (what the finding says)")
            ->type_name("PERCENT")
            ->check(CLI::Range(1.0, kPercent));
    options.add_option("--function", wanted.function, "virtual speed-up of this function instead of a finding")
        ->type_name("NAME")
        ->needs(speed_up)
        ->excludes(finding)
        ->excludes(which);
    options.add_option("--pairs", wanted.pairs, "pairs of runs (10); an answer needs 6")->check(CLI::Range(1, 60));
    options.add_flag("--list", wanted.is_list, "show findings and their experiments, and run nothing");
    options.add_flag("-q,--quiet", wanted.quiet, "no line for each pair");
    json.add_to(options);
    add_image_options(options);
    if (const auto code = parse_options(options, argc, argv)) {
        return *code;
    }
    const CommandTeam team;
    if (!team.is_first()) {
        return 0;  // the first process does it alone
    }
    const auto recording = open_with_images(wanted.folder);
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
    return wanted.is_list ? list(*analysed, wanted.folder) : confirm_finding(*analysed, wanted, json);
}

const Registration kConfirm({"confirm", "run the experiment that a finding recommends", 23, run_confirm});

}  // namespace
}  // namespace kymo::cli
