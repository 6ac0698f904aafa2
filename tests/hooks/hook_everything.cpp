// hook_everything functions|places MONITOR RECORDING PROGRAM ARGUMENTS…: records a program with every function hooked
// that can be, its and its libraries', and those that they call of the C library (with an addition more, which takes
// the longer way), at entry and exit; or with a hook at every place inside its functions that can be had, as close as
// they go. Prints to the error stream how many, and what was refused; exits as the program.
#include "hooks/plan/image_functions.h"
#include "hooks/plan/plan_writer.h"
#include "hooks/plan/planner.h"
#include "hooks/plan_file.h"
#include "launch/program.h"
#include "launch/record.h"
#include "launch/run/companion_file.h"

#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>

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

std::string hook_functions(std::span<const std::filesystem::path> images) {
    const hooks::Request everything[] = {{{}, "*", {add(64)}, {add(65)}},
                                         {"libc.so*", "*", {add(64), add(66)}, {add(65)}}};
    hooks::Planned planned = hooks::plan({{images.begin(), images.end()}, {}}, everything);
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
    return std::move(planned.file);
}

std::string hook_places(std::span<const std::filesystem::path> images) {
    hooks::PlanWriter writer;
    const cells::Step steps[] = {add(64)};
    const std::uint32_t point = writer.add_point(steps, {});
    std::size_t hooked = 0;
    std::map<std::string, std::size_t> reasons;
    for (const std::filesystem::path& path : images) {
        hooks::ImageFunctions image(path);
        if (!image.problem().empty() || image.is_c_library()) {
            continue;
        }
        program::ImageCode code(program::ImageName{path.string(), image.build_id(), 0});
        std::vector<hooks::PlanEntry> entries;
        std::set<std::uint64_t> instructions;
        for (std::uint32_t i = 0; i < code.size(); ++i) {
            if (const program::FlowGraph* graph = code.flow(i); graph != nullptr) {
                instructions.insert(graph->instructions.begin(), graph->instructions.end());
            }
        }
        std::uint64_t behind = 0;
        for (const std::uint64_t at : instructions) {
            hooks::PlanEntry entry;
            if (at < behind) {
                continue;
            }
            if (const std::string reason = image.places().plan(at, behind, &entry); !reason.empty()) {
                ++reasons[reason];
                continue;
            }
            entry.point = point;
            entries.push_back(entry);
            behind = entry.offset + entry.original_bytes;
        }
        hooked += entries.size();
        writer.add_image(path, image.build_id(), entries);
    }
    fmt::print(stderr, "hooked {} + 0, refused {}\n", hooked, reasons.size());
    for (const auto& [reason, count] : reasons) {
        fmt::print(stderr, "refused {}: {}\n", count, reason);
    }
    return writer.text();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) {
        return fail({ErrorKind::kUsage, "functions|places MONITOR RECORDING PROGRAM ARGUMENTS…", {}});
    }
    launch::RecordOptions options;
    options.monitor = argv[2];
    options.output = argv[3];
    options.command.assign(argv + 4, argv + argc);
    const char* path = std::getenv("PATH");
    const auto program = launch::find_program(options.command[0], path != nullptr ? path : "");
    if (!program) {
        return fail(program.error());
    }
    const auto images = hooks::images_of(program->path);
    if (!images) {
        return fail(images.error());
    }
    const std::string plan = std::string_view(argv[1]) == "places" ? hook_places(*images) : hook_functions(*images);
    launch::CompanionFile companion(hooks::kPlanFile, plan);
    companion.fit(options);
    const auto done = launch::record(options);
    return done ? done->exit_status() : fail(done.error());
}
