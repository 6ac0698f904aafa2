// hook_everything MONITOR RECORDING PROGRAM ARGUMENTS…: records a program with every function hooked that can be, its
// and its libraries', and those that they call of the C library, at entry and exit. Prints to the error stream how
// many, and what was refused; exits as the program.
#include "hooks/plan/planner.h"
#include "hooks/plan_file.h"
#include "launch/program.h"
#include "launch/record.h"

#include <cstdlib>
#include <fmt/format.h>
#include <map>

using namespace kymo;

namespace {

int fail(const Error& error) {
    fmt::print(stderr, "hook_everything: {}\n", error.what);
    return 99;
}

cells::Step add(std::uint16_t cell) {
    cells::Step step;
    step.operation = cells::Operation::kAdd;
    step.target = cell;
    step.constant = 1;
    return step;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        return fail({ErrorKind::kUsage, "MONITOR RECORDING PROGRAM ARGUMENTS…", {}});
    }
    launch::RecordOptions options;
    options.monitor = argv[1];
    options.output = argv[2];
    options.command.assign(argv + 3, argv + argc);
    const char* path = std::getenv("PATH");
    const auto program = launch::find_program(options.command[0], path != nullptr ? path : "");
    if (!program) {
        return fail(program.error());
    }
    const auto images = hooks::images_of(program->path);
    if (!images) {
        return fail(images.error());
    }
    const hooks::Request everything[] = {{{}, "*", {add(64)}, {add(65)}}, {"libc.so*", "*", {add(64)}, {add(65)}}};
    const hooks::Planned planned = hooks::plan(*images, everything);
    const hooks::Outcome& own = planned.outcomes[0];
    const hooks::Outcome& of_c_library = planned.outcomes[1];
    fmt::print(stderr, "hooked {} + {}, refused {}\n", own.entries, own.imports + of_c_library.imports,
               own.refused.size());
    std::map<std::string, std::size_t> reasons;
    for (const hooks::Refused& refused : own.refused) {
        ++reasons[refused.reason];
    }
    for (const auto& [reason, count] : reasons) {
        fmt::print(stderr, "refused {}: {}\n", count, reason);
    }
    options.companion = [&planned](const events::Session&) -> Result<launch::Companion> {
        return launch::Companion{hooks::kPlanFile, planned.file, {}};
    };
    const auto done = launch::record(options);
    return done ? done->exit_status() : fail(done.error());
}
