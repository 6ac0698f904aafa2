// kymo record: run a program and record it.
#include "launch/record.h"

#include "cli/exact_look.h"
#include "cli/record/outside.h"
#include "cli/record/recorded.h"
#include "cli/second_look.h"
#include "cli/verbs.h"
#include "events/request.h"
#include "import/interpreted_names.h"
#include "import/run_generated_names.h"
#include "launch/job.h"
#include "metrics/measured_run.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <vector>

namespace kymo::cli {
namespace {

constexpr const char* kRecordExamples =
    "examples:\n"
    "  kymo record -- ./my_program input.dat            into my_program.kymo\n"
    "  kymo record -F 4000 -o fast.kymo -- xz -T2 -k file\n"
    "  kymo record -e page-faults:period=1 -e cache-misses -- ./my_program\n"
    "  kymo record --duration 30 -- ./server            ended after 30 seconds\n"
    "  mpirun -n 512 kymo record --stage /tmp -o job.kymo ./solver     one file a host on the shared disk\n"
    "  kymo record --pid 4711 --duration 10             a process that runs already\n"
    "  kymo record --comm redis-server                  until Ctrl-C, or until it ends\n"
    "  kymo record --for my_program.kymo -e page-faults:period=1      again, for what was kept\n"
    "  kymo record --for my_program.kymo --exact         again, with every call of the functions around that\n\n"
    "An event is NAME[:period=N|:freq=N][:precise=N]; without period or freq it is counted, and read with every "
    "sample (from outside it is sampled).\n"
    "Always there: task-clock at 1000 samples a second, page-faults, context-switches, cpu-migrations.\n"
    "Where the processor has counters and no -e names an event of theirs: cycles, instructions, cache-misses,\n"
    "branch-misses, dTLB-load-misses and stalled cycles as well, as many as it counts at once, of user mode.\n"
    "kymo doctor --events lists the names. The exit status is the program's own (128 + n when signal n killed it).\n";

// The words before the program: all but the options' own words. CLI11 takes an unknown option for the program.
std::optional<Error> take_command(std::vector<std::string> rest, std::vector<std::string>& command) {
    if (!rest.empty() && rest.front() == "--") {
        rest.erase(rest.begin());
    } else if (!rest.empty() && rest.front().starts_with("-")) {
        return Error{ErrorKind::kUsage, "no such option: " + rest.front(),
                     "kymo record --help shows the options; a program named so is given after --"};
    }
    if (rest.empty()) {
        return Error{ErrorKind::kUsage, "no program given", "kymo record [OPTIONS] -- PROGRAM ARGUMENTS…"};
    }
    command = std::move(rest);
    return std::nullopt;
}

// -e takes lists.
std::vector<std::string> each_of(const std::vector<std::string>& lists) {
    std::vector<std::string> requests;
    for (const std::string& list : lists) {
        std::vector<std::string> some = events::split_requests(list);
        std::move(some.begin(), some.end(), std::back_inserter(requests));
    }
    return requests;
}

int run_record(int argc, char** argv) {
    CLI::App app("Run a program, or attach to running ones, and record where they spend their time.", "kymo record");
    set_usage(app, "kymo record [OPTIONS] [--] PROGRAM ARGUMENTS…, or kymo record [OPTIONS] --pid N");
    app.footer(kRecordExamples);
    app.prefix_command();
    launch::RecordOptions options;
    std::string output;
    std::string stage;
    std::string earlier;
    std::uint64_t frequency = 0;
    double duration = 0;
    bool quiet = false;
    bool live = false;
    bool only_program = false;
    bool all_registers = false;
    bool no_registers = false;
    bool then_report = false;
    bool exact = false;
    double period = 0.25;
    app.add_option("-e,--event", options.events,
                   "an event to measure, or several (E,F,…); may be given several times")
        ->type_name("EVENT")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("-F,--freq", frequency, "samples a second of processor time (default 1000)")
        ->type_name("N")
        ->check(CLI::Range(1, 100'000));
    app.add_option("-o,--output", output, "the recording's directory (default PROGRAM.kymo, or the next free number)")
        ->type_name("OUT.kymo");
    app.add_option("--stage", stage, "write to this directory of the host's own disk and move everything at the end")
        ->type_name("DIR");
    app.add_option("--for", earlier,
                   "measure the events on the code spaces, gaps and patterns that this recording kept; without a "
                   "program, its own command")
        ->type_name("REC.kymo");
    app.add_flag("--exact", exact,
                 "with --for: count and time every call of the functions around what that recording kept");
    app.add_option("--duration", duration, "end the program after so many seconds (SIGTERM, 5 s later SIGKILL)")
        ->type_name("S")
        ->check([](const std::string& text) {
            double seconds = 0;
            const bool good = CLI::detail::lexical_cast(text, seconds) && seconds > 0 && seconds <= 1e9;
            return good ? std::string() : "'" + text + "' is not a number of seconds between 0 and 1000000000";
        });
    app.add_option(
           "--max-size", options.max_bytes,
           "limit of each process's file, as 500MB or 2GB: old samples are made fewer, short waits are added up")
        ->type_name("B")
        ->transform(CLI::AsSizeValue(true));
    app.add_option("--signal", options.signal, "the signal that reports samples (default 23, SIGURG)")
        ->type_name("N")
        ->check(CLI::Range(1, 31));
    app.add_option("--metrics-period", period, "read the program's own metrics every so many seconds (default 0.25)")
        ->type_name("S")
        ->check(CLI::Range(0.001, 3600.0));
    app.add_flag("--live", live, "keep every thread's times and waits where kymo top reads them");
    app.add_flag("--registers", all_registers,
                 "store registers with each sample, to tell more iterations from slower ones (default: with some)");
    app.add_flag("--no-registers", no_registers, "store none: they may hold what the program keeps secret")
        ->excludes("--registers");
    app.add_flag("--no-follow", only_program, "record the program alone, not what it starts");
    app.add_flag("-q,--quiet", quiet, "print nothing but errors");
    app.add_flag("--then-report", then_report, "report when the program has ended (what kymo PROGRAM does)");
    OutsideOptions outside;
    outside.add_to(app);
    if (const auto code = parse_options(app, argc, argv)) {
        return *code;
    }
    options.events = each_of(options.events);
    if (outside.is_attaching()) {
        const auto named = app.count("--output") != 0 ? std::optional(output) : std::nullopt;
        return attach_to(outside, {duration, frequency, options.events, named, quiet, then_report}, app);
    }
    const std::vector<std::string> rest = app.remaining();
    const bool runs_again = app.count("--for") != 0 && (rest.empty() || (rest.size() == 1 && rest[0] == "--"));
    if (const auto error = take_command(rest, options.command); error && !runs_again) {
        return fail(*error);
    }
    const auto job = launch::current_job();
    const bool speaks = !job || job->rank == 0;  // one rank prints for all
    std::vector<std::unique_ptr<launch::CompanionFile>> kept;
    if (exact && app.count("--for") == 0) {
        return fail({ErrorKind::kUsage, "--exact needs --for REC.kymo, which names the functions",
                     "make REC.kymo with kymo record, then: kymo record --for REC.kymo --exact"});
    }
    if (app.count("--for") != 0) {
        if (options.events.empty() && !exact) {
            return fail(
                {ErrorKind::kUsage, "--for: no event given",
                 fmt::format("kymo record --for {0} -e page-faults:period=1, or kymo record --for {0} --exact",
                             earlier)});
        }
        const auto run = open_earlier(earlier, options);
        if (!run) {
            return fail(run.error());
        }
        if (!options.events.empty()) {
            kept.push_back(kept_code_file(*run));
        }
        if (exact) {
            kept.push_back(exact_plan(*run, quiet || !speaks));
        }
        for (const auto& file : kept) {
            file->fit(options);
        }
    }
    options.follow = !only_program;
    options.registers = no_registers    ? launch::Registers::kNone
                        : all_registers ? launch::Registers::kAll
                                        : launch::Registers::kSome;
    const auto from_outside =
        samples_from_outside(outside, options, frequency, app.count("--for") != 0, !quiet && speaks);
    if (!from_outside) {
        return fail(from_outside.error());
    }
    import::RunGeneratedNames generated;
    if (*from_outside != nullptr) {
        (*from_outside)->fit(options);
    } else {
        generated.fit(options);
        if (frequency != 0) {
            options.events.push_back(fmt::format("task-clock:freq={}", frequency));
        }
    }
    if (options.max_bytes != 0 && options.max_bytes < std::uint64_t{256} * 1024) {
        return fail({ErrorKind::kUsage, "--max-size: a file needs 256 KiB (262144) at least",
                     "for example --max-size 100MB"});
    }
    options.duration_ns = static_cast<std::uint64_t>(std::llround(duration * 1e9));
    if (app.count("--output") != 0) {
        options.output = output;
    }
    if (app.count("--stage") != 0) {
        options.stage = stage;
    }
    metrics::RunSettings settings;
    settings.period_ns = static_cast<std::uint64_t>(std::llround(period * 1e9));
    settings.at_start = live;
    settings.processors = speaks;
    auto run = metrics::MeasuredRun::make(settings);
    if (run) {
        run->fit(options);
    } else if (!quiet) {
        fmt::print(stderr, "kymo: the program's own metrics are not recorded: {}\n", run.error().what);
    }
    const auto outcome = launch::record(options);
    if (!outcome) {
        return fail(outcome.error());
    }
    if (!outcome->gone) {
        if (const auto named = import::write_interpreted_names(outcome->recording); !named && !quiet) {
            fmt::print(stderr, "kymo: Python's functions have no names: {}\n", named.error().what);
        }
    }
    // Other ranks may still be running: a report of all of them has to wait.
    const bool can_report = then_report && !outcome->job && !outcome->gone && find_verb("report") != nullptr;
    // One rank prints for all.
    const bool is_speaker = !outcome->job || outcome->job->rank == 0;
    if (!quiet && is_speaker) {
        print_recorded(*outcome, {!can_report, options.from_outside});
        tell_uncounted(options.missing);
    }
    return can_report ? print_report(*outcome) : outcome->exit_status();
}

const Registration kRecord({"record", "run a program and record it", 10, run_record});

}  // namespace
}  // namespace kymo::cli
