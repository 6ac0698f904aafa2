// kymo export: a recording in other tools' formats.
#include "cli/verbs.h"
#include "recording/reader.h"
#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/make_profile.h"
#include "spacetime/profile/profile.h"
#include "view/folded.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace kymo::cli {
namespace {

constexpr const char* kExportExamples =
    "formats:\n"
    "  folded   one line a call path, \"main;run;kernel 1234\": flame-graph tools. Weight: microseconds, or a "
    "count\n\n"
    "examples:\n"
    "  kymo export my_program.kymo --to folded -o stacks.txt\n"
    "  kymo export my_program.kymo --to folded --weight off-cpu\n";

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
    options.footer(kExportExamples);
    std::string folder;
    std::string format;
    std::string weight;
    std::string out;
    bool no_creator = false;
    options.add_option("recording", folder, "the recording, NAME.kymo")->required();
    options.add_option("--to", format, "the format: folded")->required();
    options.add_option("--weight", weight,
                       "what is counted: user, system, off-cpu, wall, samples or an event's name (processor time)");
    options.add_option("-o,--output", out, "the file to write (standard output)");
    options.add_flag("--no-creator", no_creator, "threads at the root, not below the call path that created them");
    if (const auto code = parse_options(options, argc, argv)) {
        return *code;
    }
    if (format != "folded") {
        return fail({ErrorKind::kUnsupported, "the format \"" + format + "\" cannot be written yet",
                     "there is: --to folded"});
    }
    const auto recording = recording::Recording::open(folder);
    if (!recording) {
        return fail(recording.error());
    }
    const auto profile = spacetime::load_profile(*recording, {.below_creators = !no_creator});
    if (!profile) {
        return fail(profile.error());
    }
    const auto metric = view::find_metric(*profile, weight);
    if (!metric) {
        return fail(metric.error());
    }
    return write_out(out, view::folded_stacks(spacetime::make_call_tree(*profile), *metric));
}

const Registration kExport({"export", "write a recording in another tool's format", 40, run_export});

}  // namespace
}  // namespace kymo::cli
