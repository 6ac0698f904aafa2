// kymo export: a recording in other tools' formats.
#include "view/exports/export.h"

#include "cli/verbs.h"
#include "recording/reader.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace kymo::cli {
namespace {

constexpr const char* kExportExamples =
    "examples:\n"
    "  kymo export my_program.kymo --to folded -o stacks.txt\n"
    "  kymo export my_program.kymo --to folded --weight off-cpu\n";

std::string names() {
    std::string all;
    for (const view::Export* one : view::exports()) {
        all += fmt::format("{}{}", all.empty() ? "" : ", ", one->name);
    }
    return all;
}

std::string format_lines() {
    std::string lines = "formats:\n";
    for (const view::Export* one : view::exports()) {
        lines += fmt::format("  {:<8} {}\n", one->name, one->what);
    }
    return lines + "\n";
}

// Never overwrites. Empty name: standard output.
int write_out(const std::string& name, const std::string& text) {
    int descriptor = STDOUT_FILENO;
    if (!name.empty()) {
        descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno == EEXIST) {
            return fail(
                {ErrorKind::kOutputExists, name + " exists already", "name another file with -o, or remove it"});
        }
        if (descriptor < 0) {
            return fail({ErrorKind::kPermission, name + ": " + std::strerror(errno), "name another file with -o"});
        }
    }
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t wrote = ::write(descriptor, text.data() + done, text.size() - done);
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote < 0) {
            const std::string why = std::strerror(errno);
            if (!name.empty()) {
                ::unlink(name.c_str());
            }
            return fail({ErrorKind::kNoSpace, (name.empty() ? "standard output" : name) + ": " + why,
                         "nothing was left behind; make space or write elsewhere"});
        }
        done += static_cast<std::size_t>(wrote);
    }
    return 0;
}

int run_export(int argc, char** argv) {
    CLI::App options("Write a recording in another tool's format.", "kymo export");
    options.footer(format_lines() + kExportExamples);
    std::string folder;
    std::string format;
    std::string weight;
    std::string out;
    bool no_creator = false;
    options.add_option("recording", folder, "the recording, NAME.kymo")->required();
    options.add_option("--to", format, "the format: " + names())->required();
    options.add_option("--weight", weight,
                       "what is counted: user, system, off-cpu, wall, samples or an event's name (processor time)");
    options.add_option("-o,--output", out, "the file to write (standard output)");
    options.add_flag("--no-creator", no_creator, "threads at the root, not below the call path that created them");
    if (const auto code = parse_options(options, argc, argv)) {
        return *code;
    }
    const auto all = view::exports();
    const auto chosen =
        std::find_if(all.begin(), all.end(), [&format](const view::Export* one) { return one->name == format; });
    if (chosen == all.end()) {
        return fail({ErrorKind::kUnsupported, "the format \"" + format + "\" cannot be written yet",
                     "there is: --to " + names()});
    }
    const auto recording = recording::Recording::open(folder);
    if (!recording) {
        return fail(recording.error());
    }
    const auto text = (*chosen)->write(*recording, {.below_creators = !no_creator, .weight = weight});
    if (!text) {
        return fail(text.error());
    }
    return write_out(out, *text);
}

const Registration kExport({"export", "write a recording in another tool's format", 40, run_export});

}  // namespace
}  // namespace kymo::cli
