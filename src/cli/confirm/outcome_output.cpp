#include "cli/confirm/outcome_output.h"

#include "cli/terminal.h"
#include "cli/verbs.h"
#include "confirm/verdict.h"
#include "findings/statistics/robust.h"
#include "view/json_text.h"

#include <cmath>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kymo::cli {
namespace {

std::string in_percent(double share) {
    return fmt::format("{:.1f} %", 100 * share);
}

// "3.2 % longer to 12.0 % shorter".
std::string change_text(double gain) {
    return fmt::format("{} {}", in_percent(std::abs(gain)), gain < 0 ? "longer" : "shorter");
}

// The part of the run that the experiment should save, if the finding is right; 0: not known.
double promised(const Confirmed& confirmed) {
    const double part = confirmed.experiment.is_virtual ? confirmed.runs.of_stake : 1;
    return confirmed.number == 0 ? 0 : part * confirmed.finding.share;
}

std::string speed_up_text(const Confirmed& confirmed) {
    return fmt::format("{} as if it took {} less of its {:.3f} s of processor time{}\n",
                       confirmed.finding.place.function, in_percent(confirmed.runs.part), confirmed.runs.inside_s,
                       confirmed.number == 0
                           ? ""
                           : fmt::format(", which should save {} of the run", in_percent(promised(confirmed))));
}

std::string outcome_text(const Confirmed& confirmed, const confirm::Outcome& outcome) {
    const std::vector<confirm::Pair>& pairs = confirmed.runs.timed.pairs;
    const bool is_virtual = confirmed.experiment.is_virtual;
    std::vector<double> plain;
    std::vector<double> changed;
    for (const confirm::Pair& pair : pairs) {
        plain.push_back(pair.plain_s);
        changed.push_back(pair.changed_s);
    }
    std::string text =
        fmt::format("{}{} pairs of runs in turns; medians {:.3f} s as it is, {:.3f} s in the experiment{}\n",
                    is_virtual ? speed_up_text(confirmed) : "", pairs.size(), findings::median(plain),
                    findings::median(changed), is_virtual ? ", without the delays" : "");
    if (outcome.confidence == 0) {
        return text + fmt::format("undecided: {} pairs are too few for an interval\n", pairs.size());
    }
    text += fmt::format("{}: the run {} {} (between {} and {}, confidence {})\n", confirm::word_of(outcome.verdict),
                        is_virtual ? "would be" : "is", change_text(outcome.gain), change_text(outcome.gain_low),
                        change_text(outcome.gain_high), in_percent(outcome.confidence));
    if (outcome.verdict == confirm::Verdict::kUndecided) {
        text += "more pairs make the interval smaller (--pairs), a quiet machine as well\n";
    } else if (outcome.verdict == confirm::Verdict::kConfirmed && outcome.gain_high < promised(confirmed)) {
        text += is_virtual
                    ? fmt::format(
                          "the finding says {}: other threads then hold the run up, or the function has less "
                          "of it\n",
                          in_percent(promised(confirmed)))
                    : fmt::format(
                          "the finding says {}: the experiment takes a part of the cause away, or it costs less\n",
                          in_percent(promised(confirmed)));
    }
    return text;
}

nlohmann::ordered_json or_null(bool is_known, double value) {
    return is_known ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

nlohmann::ordered_json outcome_json(const Confirmed& confirmed, const confirm::Outcome& outcome) {
    const auto& [finding, number, experiment, runs] = confirmed;
    const bool is_finding = number != 0;
    nlohmann::ordered_json json;
    json["finding"] = is_finding ? nlohmann::ordered_json(number) : nlohmann::ordered_json();
    json["kind"] = finding.kind;
    json["title"] = finding.title;
    json["function"] = finding.place.function;
    json["share"] = or_null(is_finding, finding.share);
    json["share_low"] = or_null(is_finding, finding.share_low);
    json["experiment"] = experiment.key;
    json["environment"] = nlohmann::ordered_json::object();
    for (const confirm::Setting& setting : experiment.settings) {
        json["environment"][setting.name] = setting.value;
    }
    json["speed_up"] = or_null(experiment.is_virtual, runs.part);
    json["inside_s"] = or_null(experiment.is_virtual, runs.inside_s);
    json["promised"] = or_null(is_finding, promised(confirmed));
    json["exit_status"] = runs.timed.exit_status;
    json["pairs_s"] = nlohmann::ordered_json::array();
    for (const confirm::Pair& pair : runs.timed.pairs) {
        json["pairs_s"].push_back({pair.plain_s, pair.changed_s});
    }
    const bool has_interval = outcome.confidence > 0;
    json["verdict"] = confirm::word_of(outcome.verdict);
    json["gain"] = or_null(!runs.timed.pairs.empty(), outcome.gain);
    json["gain_low"] = or_null(has_interval, outcome.gain_low);
    json["gain_high"] = or_null(has_interval, outcome.gain_high);
    json["confidence"] = or_null(has_interval, outcome.confidence);
    return json;
}

}  // namespace

std::string settings_text(const confirm::Experiment& experiment) {
    std::string text;
    for (const confirm::Setting& setting : experiment.settings) {
        text += (text.empty() ? "" : " ") + setting.name + "=" + setting.value;
    }
    return text;
}

std::string finding_text(const findings::Finding& finding, std::size_t number) {
    if (number == 0) {
        return finding.title;
    }
    const std::string place = finding.place.function.empty() ? "" : fmt::format(" in {}", finding.place.function);
    return fmt::format("{}. {}{}: {} of the run", number, finding.kind, place, in_percent(finding.share));
}

void tell_pair(const confirm::TimedRuns& runs, std::size_t pairs) {
    const confirm::Pair& last = runs.pairs.back();
    fmt::print(stderr, "kymo: pair {} of {}: {:.3f} s as it is, {:.3f} s in the experiment\n", runs.pairs.size(),
               pairs, last.plain_s, last.changed_s);
}

int show(const Confirmed& confirmed, const JsonOutput& json) {
    const confirm::TimedRuns& timed = confirmed.runs.timed;
    const int status = timed.is_stopped ? 128 + SIGINT : 0;
    if (timed.pairs.empty()) {
        fmt::print(stderr, "kymo: stopped before the first pair of runs\n");
        return status;
    }
    const confirm::Outcome outcome =
        confirm::outcome_of(timed.pairs, promised(confirmed), confirmed.experiment.can_refute);
    if (json.is_asked()) {
        const auto error = json.print(view::json_text(outcome_json(confirmed, outcome)));
        return error ? fail(*error) : status;
    }
    if (!print_now(outcome_text(confirmed, outcome))) {
        return fail({ErrorKind::kNoSpace, "the result could not be written to its end", "is the disk full?"});
    }
    return status;
}

}  // namespace kymo::cli
