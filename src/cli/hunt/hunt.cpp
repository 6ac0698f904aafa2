// kymo hunt: which instructions cause most of an event, found while the program runs, without a log; or in a
// recording.
#include "hunt/hunt.h"

#include "base/clean_text.h"
#include "cli/hunt/hunt_progress.h"
#include "cli/image_options.h"
#include "cli/output/json_output.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "events/request.h"
#include "recording/reader.h"
#include "spacetime/hunt_results/hunt_results.h"
#include "spacetime/hunt_results/load_hunt_results.h"
#include "spacetime/hunt_results/replay.h"
#include "view/hunt_results.h"
#include "view/json_text.h"
#include "view/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace kymo::cli {
namespace {

constexpr const char* kHuntExamples =
    "examples:\n"
    "  kymo hunt -e page-faults -- ./my_program\n"
    "  kymo hunt -e task-clock --share 0.1 -- ./my_program input.dat\n"
    "  sudo kymo hunt -e context-switches --key call-site -- ./my_program\n"
    "  kymo hunt -e cache-misses:period=10007 --json -- ./my_program\n"
    "  kymo hunt -e page-faults --test pair --terminals 400,40 -- ./my_program\n"
    "  kymo report my_program.kymo        the same results later, beside everything else\n"
    "  kymo hunt --replay run.kymo -e task-clock --key line        hunt in a recording's samples\n";

struct HuntAsked {
    hunt::HuntOptions options;
    std::string output;
    std::string replay;
    std::string key = "instruction";
    std::string engine = "auto";
    std::string form = "sequential";
    std::string terminals;  // "T1,T2"
    std::uint32_t rest = 0;
    std::string tell;
    std::string notify;
    double duration = 0;
    JsonOutput json;
    bool quiet = false;
    bool only_program = false;
    std::size_t top = 10;
};

void add_options(CLI::App& app, HuntAsked& asked) {
    pairs::Wish& wish = asked.options.wish;
    app.add_option("-e,--event", asked.options.event, "the event whose causes are hunted for")
        ->type_name("EVENT")
        ->required();
    app.add_option("--share", wish.share, "find what causes this share of the events or more (0.05)");
    app.add_option("--refuse", wish.refuse, "do not report what causes this share or less (0.4 of --share)");
    app.add_option("--confidence", wish.confidence, "a source under test is found with this probability (0.99)");
    app.add_option("--false-reports", wish.false_reports,
                   "false reports to expect in the whole run, at most (1 - confidence)");
    app.add_option("--pairs", wish.cells, "addresses under test at once, 1 to 16 (4)");
    app.add_option("--every", wish.period, "test one event of so many on average, at random distances (1)");
    app.add_option("--key", asked.key,
                   "what makes two events one source: instruction, image, call-site, data-page, "
                   "data-line; with --replay also function, line, block (instruction)");
    app.add_option("--test", asked.form, "sequential, or the literal pair of counters: pair (sequential)");
    app.add_option(
           "--terminals", asked.terminals,
           "of the literal pair: a source is found when it has T2 of the T1 events after its capture or before "
           "(what --share and --confidence lead to)")
        ->type_name("T1,T2");
    app.add_option("--rest", asked.rest,
                   "after a test a pair rests up to so many events, at random, before it captures again; 0: none (a "
                   "quarter of what a hopeless test takes)");
    app.add_option("--engine", asked.engine, "program, kernel, or auto (auto: the kernel's where it is permitted)");
    app.add_option("--replay", asked.replay, "hunt in this recording's samples of the event; nothing is run")
        ->type_name("REC.kymo");
    app.add_option("-o,--output", asked.output,
                   "the recording's directory (default PROGRAM.kymo, or the next free number)")
        ->type_name("OUT.kymo");
    app.add_option("--tell", asked.tell,
                   "write each result, as it is found, as a JSON line to fd:N, unix:PATH, or the end of a file")
        ->type_name("TO");
    app.add_option("--notify", asked.notify, "send this process a signal (USR1) at each result")
        ->type_name("PID[:SIGNAL]");
    app.add_option("--duration", asked.duration, "end the program after so many seconds")->type_name("S");
    app.add_option("--top", asked.top, "heavy hitters to show (10)")->check(CLI::Range(1, 1'000'000));
    app.add_flag("--no-follow", asked.only_program, "hunt in the program alone, not in what it starts");
    asked.json.add_to(app);
    app.add_flag("-q,--quiet", asked.quiet, "print the results and errors, nothing else");
}

// Nothing is run: options about running a program contradict --replay.
std::optional<Error> settle_replay(const CLI::App& app, const HuntAsked& asked,
                                   const std::vector<std::string>& rest) {
    for (const char* option : {"--engine", "--output", "--duration", "--no-follow", "--tell", "--notify"}) {
        if (app.count(option) != 0) {
            return Error{ErrorKind::kUsage, fmt::format("{} and --replay contradict each other", option),
                         "--replay runs nothing and writes nothing: drop one of them"};
        }
    }
    if (!rest.empty()) {
        return Error{ErrorKind::kUsage, fmt::format("--replay and a program ({}) contradict each other", rest.back()),
                     "kymo hunt --replay REC.kymo -e EVENT [OPTIONS]"};
    }
    const auto request = events::parse_request(asked.options.event);
    if (!request) {
        return request.error();
    }
    if (request->mode != events::Mode::kCount || request->precise != 0) {
        return Error{ErrorKind::kUsage,
                     fmt::format("-e {}: a recording's samples are as they were taken", asked.options.event),
                     fmt::format("with --replay give the event's name alone: -e {}", request->name)};
    }
    return std::nullopt;
}

// --terminals and --rest.
std::optional<Error> settle_pair(const CLI::App& app, HuntAsked& asked) {
    pairs::Wish& wish = asked.options.wish;
    if (app.count("--rest") != 0) {
        if (asked.rest >= 1U << 20U) {
            return Error{ErrorKind::kUsage, fmt::format("a rest of {} events is too long", asked.rest),
                         "it is below 1048576"};
        }
        wish.gap = asked.rest == 0 ? 0 : asked.rest + 1;
    }
    if (asked.terminals.empty()) {
        return std::nullopt;
    }
    for (const char* option : {"--confidence", "--false-reports"}) {
        if (app.count(option) != 0) {
            return Error{ErrorKind::kUsage, fmt::format("{} and --terminals contradict each other", option),
                         "the terminals decide it: drop one of them"};
        }
    }
    if (app.count("--test") != 0 && asked.form != "pair") {
        return Error{ErrorKind::kUsage, "--test sequential has no terminals", "use --test pair"};
    }
    pairs::Terminals terminals;
    const char* const end = asked.terminals.data() + asked.terminals.size();
    const auto all = std::from_chars(asked.terminals.data(), end, terminals.all);
    const bool has_comma = all.ec == std::errc{} && all.ptr != end && *all.ptr == ',';
    const auto matching = has_comma ? std::from_chars(all.ptr + 1, end, terminals.matching) : all;
    if (!has_comma || matching.ec != std::errc{} || matching.ptr != end) {
        return Error{ErrorKind::kUsage, fmt::format("--terminals {} are not two numbers", asked.terminals),
                     "all events, then matching ones: for example --terminals 400,12"};
    }
    wish = pairs::with_terminals(wish, terminals, app.count("--share") != 0, app.count("--refuse") != 0);
    return std::nullopt;
}

std::optional<Error> settle(const CLI::App& app, HuntAsked& asked) {
    hunt::HuntOptions& options = asked.options;
    if (app.count("--refuse") == 0) {
        options.wish.refuse = 0.4 * options.wish.share;
    }
    if (app.count("--false-reports") == 0) {
        options.wish.false_reports = 1 - options.wish.confidence;
    }
    const auto key = hunt::key_named(asked.key);
    if (!key) {
        return Error{ErrorKind::kUsage, "no such key: " + asked.key,
                     "the keys are instruction, block, line, function, image, call-site, data-page and data-line"};
    }
    options.key = *key;
    if (asked.engine == "program") {
        options.engine = hunt::Engine::kProgram;
    } else if (asked.engine == "kernel") {
        options.engine = hunt::Engine::kKernel;
    } else if (asked.engine != "auto") {
        return Error{ErrorKind::kUsage, "no such engine: " + asked.engine,
                     "the engines are program, kernel and auto"};
    }
    if (asked.form == "pair") {
        options.wish.form = pairs::Form::kPair;
    } else if (asked.form != "sequential") {
        return Error{ErrorKind::kUsage, "no such test: " + asked.form, "the tests are sequential and pair"};
    }
    if (const auto error = settle_pair(app, asked)) {
        return error;
    }
    if (app.count("--duration") != 0 && !(asked.duration > 0 && asked.duration <= 1e9)) {
        return Error{ErrorKind::kUsage, fmt::format("--duration {} is not a valid duration", asked.duration),
                     "it takes a number of seconds, for example 10"};
    }
    options.run.duration_ns = static_cast<std::uint64_t>(std::llround(asked.duration * 1e9));
    options.run.follow = !asked.only_program;
    if (!asked.output.empty()) {
        options.run.output = asked.output;
    }
    std::vector<std::string> rest = app.remaining();
    if (!asked.replay.empty()) {
        return settle_replay(app, asked, rest);
    }
    if (!rest.empty() && rest.front() == "--") {
        rest.erase(rest.begin());
    } else if (!rest.empty() && rest.front().starts_with("-")) {
        return Error{ErrorKind::kUsage, "no such option: " + rest.front(),
                     "kymo hunt --help shows the options; a program named so is given after --"};
    }
    if (rest.empty()) {
        return Error{ErrorKind::kUsage, "no program given", "kymo hunt -e EVENT [OPTIONS] -- PROGRAM ARGUMENTS…"};
    }
    options.run.command = std::move(rest);
    return std::nullopt;
}

int print_hunt_results(const HuntAsked& asked, nlohmann::ordered_json&& head, const spacetime::HuntResults& results,
                       int status) {
    if (asked.json.is_asked()) {
        head["hunt"] = view::json_hunt(results);
        head["finds"] = view::json_hunt_results(results);
        const auto error = asked.json.print(view::json_text(std::move(head)));
        return error ? fail(*error) : status;
    }
    if (!print_now(view::terminal_hunt_results(terminal_style(), results, asked.top))) {
        return fail({ErrorKind::kNoSpace, "the results could not be written to their end", "is the disk full?"});
    }
    return status;
}

int show(const HuntAsked& asked, const hunt::HuntOutcome& outcome) {
    const auto recording = open_with_images(outcome.run.recording);
    if (!recording) {
        return fail(recording.error());
    }
    const auto results = spacetime::load_hunt_results(*recording);
    if (!results) {
        return fail(results.error());
    }
    nlohmann::ordered_json head;
    head["recording"] = outcome.run.recording.string();
    head["exit_status"] = outcome.run.exit_status();
    return print_hunt_results(asked, std::move(head), *results, outcome.run.exit_status());
}

int run_replay(const HuntAsked& asked, bool tells) {
    const auto recording = open_with_images(asked.replay);
    if (!recording) {
        return fail(recording.error());
    }
    for (const std::string& warning : recording->warnings()) {
        fmt::print(stderr, "kymo: {}\n", clean_text(warning));
    }
    spacetime::Replay replay;
    replay.event = asked.options.event;
    replay.wish = asked.options.wish;
    replay.key = asked.options.key;
    if (tells) {
        replay.on_progress = [](std::uint64_t done, std::uint64_t all) {
            fmt::print(stderr, "\rkymo: {} of {} million samples", done >> 20U, all >> 20U);
            if (done + (1U << 20U) > all) {
                fmt::print(stderr, "\n");
            }
        };
    }
    const auto results = spacetime::replay_hunt(recording->files(), replay);
    if (!results) {
        return fail(results.error());
    }
    nlohmann::ordered_json head;
    head["recording"] = asked.replay;
    return print_hunt_results(asked, std::move(head), *results, 0);
}

int run_hunt(int argc, char** argv) {
    CLI::App app("Find what causes most of an event, while the program runs and without a log.", "kymo hunt");
    set_usage(app, "kymo hunt -e EVENT [OPTIONS] [--] PROGRAM ARGUMENTS…");
    app.footer(kHuntExamples);
    app.prefix_command();
    HuntAsked asked;
    add_options(app, asked);
    add_image_options(app);
    if (const auto code = parse_options(app, argc, argv)) {
        return *code;
    }
    if (const auto error = settle(app, asked)) {
        return fail(*error);
    }
    const bool tells = !asked.quiet && ::isatty(STDERR_FILENO) == 1;
    if (!asked.replay.empty()) {
        return run_replay(asked, tells);
    }
    if (tells) {
        asked.options.on_start = [&](const pairs::Promise& promise, bool kernel) {
            fmt::print(stderr,
                       "kymo: hunting for {} {}; a source of {:.3g} % takes {:.0f} to {:.0f} events to report\n",
                       asked.options.event, kernel ? "in the kernel" : "in the program",
                       100 * asked.options.wish.share, promise.events_alone, promise.events_among_many);
        };
    }
    auto listener = hunt::Listener::open(asked.tell, asked.notify);
    if (!listener) {
        return fail(listener.error());
    }
    HuntProgress progress(tells, listener->is_there() ? &*listener : nullptr);
    if (tells || listener->is_there()) {
        asked.options.run.participants.push_back(&progress);
    }
    const auto outcome = [&] {
        const ProgramOutputAside aside(asked.json.is_on_standard_output());
        return hunt::hunt(asked.options);
    }();
    if (!outcome) {
        return fail(outcome.error());
    }
    if (!asked.quiet && !outcome->note.empty()) {
        fmt::print(stderr, "kymo: hunted in the program, for {}\n", outcome->note);
    }
    if (listener->lost() != 0) {
        fmt::print(stderr, "kymo: --tell {}: {} not read there\n", asked.tell,
                   view::quantity(listener->lost(), "result was", "results were"));
    }
    if (outcome->run.gone) {
        return fail(*outcome->run.gone);
    }
    if (outcome->run.processes == 0) {
        fmt::print(stderr,
                   "kymo: the program itself was not measured: the monitor was never loaded, or found no session\n"
                   "      check that the program does not clear LD_PRELOAD, and see kymo doctor\n");
    }
    return show(asked, *outcome);
}

const Registration kHunt({"hunt", "find what causes most of an event, while it runs", 15, run_hunt});

}  // namespace
}  // namespace kymo::cli
