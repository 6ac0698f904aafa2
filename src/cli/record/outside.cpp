#include "cli/record/outside.h"

#include "attach/asked_events.h"
#include "attach/attach.h"
#include "base/clean_text.h"
#include "cli/record/recorded.h"
#include "cli/verbs.h"
#include "launch/job.h"
#include "launch/program.h"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace kymo::cli {
namespace {

// Options of the verb that need the monitor or the program's start.
constexpr const char* kOnlyStarted[] = {"--stage", "--for",       "--exact",  "--max-size",
                                        "--live",  "--registers", "--signal", "--no-follow"};

std::optional<Error> other_option(const CLI::App& app, std::string_view what) {
    for (const char* name : kOnlyStarted) {
        if (app.count(name) != 0) {
            return Error{ErrorKind::kUsage, fmt::format("{} cannot be combined with {}", name, what),
                         "kymo record --help shows what can"};
        }
    }
    return std::nullopt;
}

}  // namespace

void OutsideOptions::add_to(CLI::App& app) {
    app.add_option("-p,--pid", processes, "attach to these running processes, and what they start (N,M,…)")
        ->type_name("N")
        ->delimiter(',')
        ->check(CLI::PositiveNumber);
    app.add_option("--comm", named, "attach to the running processes of this name")->type_name("NAME");
    app.add_option("--cgroup", cgroup, "attach to the processes of this control group")->type_name("DIR");
    app.add_flag("-a,--all", machine, "record all that runs on the machine");
    app.add_flag(
        "--from-outside", from_outside,
        "load nothing into the program: the kernel samples it (chosen for programs that are linked statically)");
    app.add_option(
           "--stack", stack_bytes,
           "bytes of stack that are copied with each sample from outside (default: as many as call paths need)")
        ->type_name("B")
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::Range(std::uint32_t{256}, attach::kMostStackBytes));
}

Result<attach::SampleSettings> OutsideOptions::samples(std::uint64_t frequency,
                                                       const std::vector<std::string>& requests) const {
    attach::SampleSettings settings;
    settings.clock_period_ns = frequency != 0 ? attach::kNsPerSecond / frequency : settings.clock_period_ns;
    if (stack_bytes != 0) {
        settings.stack_bytes = stack_bytes / 8 * 8;
        settings.fits_stack = false;
    }
    events::KernelOpener opener;
    if (auto asked = attach::ask_for(requests, events::probe(opener), opener, &settings); !asked) {
        return asked.error();
    }
    return settings;
}

int attach_to(const OutsideOptions& options, const AttachCommon& common, const CLI::App& app) {
    const int asked = (options.processes.empty() ? 0 : 1) + (options.named.empty() ? 0 : 1) +
                      (options.cgroup.empty() ? 0 : 1) + (options.machine ? 1 : 0);
    if (asked > 1) {
        return fail({ErrorKind::kUsage, "--pid, --comm, --cgroup and --all exclude each other", "give one of them"});
    }
    if (const auto error = other_option(app, "attaching")) {
        return fail(*error);
    }
    if (!app.remaining().empty()) {
        return fail({ErrorKind::kUsage, "a program is given, and running ones to attach to",
                     "give one of the two: kymo record -- PROGRAM, or kymo record --pid N"});
    }
    attach::AttachOptions wanted;
    wanted.processes = options.processes;
    wanted.named = options.named;
    wanted.cgroup = options.cgroup;
    wanted.machine = options.machine;
    auto samples = options.samples(common.frequency, common.events);
    if (!samples) {
        return fail(samples.error());
    }
    wanted.samples = *std::move(samples);
    wanted.duration_ns = static_cast<std::uint64_t>(std::llround(common.duration * 1e9));
    if (common.output) {
        wanted.output = *common.output;
    }
    const auto started = [&](std::size_t processes) {
        if (!common.quiet) {
            fmt::print(stderr, "kymo: recording {} process{}{}\n", processes, processes == 1 ? "" : "es",
                       common.duration > 0 ? fmt::format(" for {:g} s", common.duration) : "; Ctrl-C ends it");
        }
    };
    const auto outcome = attach::attach(wanted, started);
    if (!outcome) {
        return fail(outcome.error());
    }
    if (!common.quiet) {
        print_recorded(*outcome, {!common.then_report, true});
    }
    return common.then_report && !outcome->gone ? print_report(*outcome) : outcome->exit_status();
}

Result<std::unique_ptr<attach::OutsideSamples>> samples_from_outside(const OutsideOptions& options,
                                                                     const launch::RecordOptions& run,
                                                                     std::uint64_t frequency, bool looks_again,
                                                                     bool says) {
    const char* search_path = std::getenv("PATH");
    const auto program = launch::find_program(
        run.command.front(), search_path != nullptr ? search_path : "/usr/bin:/bin", launch::Fitness::kAny);
    // What changes its rights loses the kernel's events too, unless root measures it.
    const bool is_barred = program && program->obstacle && (!program->gains_rights || geteuid() == 0);
    if (!options.from_outside && (!is_barred || launch::current_job())) {
        return std::unique_ptr<attach::OutsideSamples>();
    }
    if (looks_again || run.registers == launch::Registers::kAll || !run.follow || run.max_bytes != 0) {
        return Error{ErrorKind::kUsage,
                     "--for, --registers, --no-follow and --max-size need the monitor in the program",
                     is_barred ? "record without them: " + program->obstacle->what : "leave out --from-outside"};
    }
    if (says && is_barred && !options.from_outside) {
        fmt::print(stderr, "kymo: measured from outside: {}\n", clean_text(program->obstacle->what));
    }
    auto samples = options.samples(frequency, run.events);
    if (!samples) {
        return samples.error();
    }
    return std::make_unique<attach::OutsideSamples>(*samples);
}

}  // namespace kymo::cli
