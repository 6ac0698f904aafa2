// kymo export: a recording in other tools' formats.
#include "view/exports/export.h"

#include "archive/remove_at_end.h"
#include "base/clean_text.h"
#include "cli/image_options.h"
#include "cli/team.h"
#include "cli/verbs.h"
#include "program/copy_images.h"
#include "recording/reader.h"
#include "view/exports/new_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace kymo::cli {
namespace {

constexpr const char* kExportExamples =
    "examples:\n"
    "  kymo export my_program.kymo --to folded -o stacks.txt\n"
    "  kymo export my_program.kymo --to folded --weight off-cpu\n"
    "  kymo export my_program.kymo --to pprof -o profile.pb.gz   then: go tool pprof -top profile.pb.gz\n"
    "  kymo export my_program.kymo --to images -o images   then, elsewhere: kymo report my_program.kymo --images "
    "images\n";
constexpr const char* kImages = "images";

std::string names() {
    std::string all;
    for (const view::Export* one : view::exports()) {
        all += fmt::format("{}{}", all.empty() ? "" : ", ", one->name);
    }
    return fmt::format("{}, {}", all, kImages);
}

std::string format_lines() {
    std::string lines = "formats:\n";
    for (const view::Export* one : view::exports()) {
        lines += fmt::format("  {:<10} {}\n", one->name, one->what);
    }
    lines += fmt::format("  {:<10} {}\n", kImages,
                         "a directory of the programs and libraries it names, for --images on another machine");
    return lines + "\n";
}

Result<void> write_stream(const view::Export& format, const recording::Recording& recording,
                          const view::ExportOptions& options, const std::string& name) {
    auto file = view::NewFile::make(name, format.is_binary ? format.name.data() : nullptr);
    if (!file) {
        return file.error();
    }
    view::Output out(file->descriptor(), name.empty() ? "standard output" : name);
    auto done = format.write(recording, options, out);
    done = done ? out.finish() : done;
    return done ? file->keep() : done;
}

// For formats that are not byte streams: a database, a directory. It gets its name when it is complete.
Result<void> write_at(const view::Export& format, const recording::Recording& recording,
                      const view::ExportOptions& options, std::string name) {
    while (name.size() > 1 && name.ends_with('/')) {
        name.pop_back();
    }
    if (name.empty()) {
        return Error{ErrorKind::kUsage, fmt::format("--to {} writes a file or directory of its own", format.name),
                     "name it with -o"};
    }
    std::error_code unseen;
    if (std::filesystem::exists(std::filesystem::symlink_status(name, unseen))) {
        return Error{ErrorKind::kOutputExists, name + " exists already", "name another with -o, or remove it"};
    }
    const std::string part = fmt::format("{}.part-{}", name, getpid());
    archive::remove_at_end(part);
    if (const auto done = format.write_at(recording, options, part); !done) {
        std::filesystem::remove_all(part, unseen);
        Error error = done.error();
        if (const std::size_t at = error.what.find(part); at != std::string::npos) {
            error.what.replace(at, part.size(), name);
        }
        return error;
    }
    // Without replacing a file made meanwhile; some file systems do not support that.
    if (renameat2(AT_FDCWD, part.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0 ||
        (errno == EINVAL && std::rename(part.c_str(), name.c_str()) == 0)) {
        return {};
    }
    const Error error{ErrorKind::kOutputExists, name + ": " + std::strerror(errno), "name another with -o"};
    std::filesystem::remove_all(part, unseen);
    return error;
}

int export_images(const std::string& folder, const std::string& out) {
    if (out.empty()) {
        return fail({ErrorKind::kUsage, "--to images writes a directory", "name it with -o"});
    }
    const auto recording = open_with_images(folder);
    if (!recording) {
        return fail(recording.error());
    }
    const auto names = analysis::recorded_images(*recording);
    if (!names) {
        return fail(names.error());
    }
    const auto copied = program::copy_images(*names, out);
    if (!copied) {
        return fail(copied.error());
    }
    for (const std::string& problem : copied->problems) {
        fmt::print(stderr, "kymo: {}\n", clean_text(problem));
    }
    const auto count = [](std::size_t n, const char* one) {
        return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
    };
    fmt::print(stderr, "kymo: copied {} and {} to {}\n", count(copied->images, "image"),
               count(copied->debug_files, "debug file"), out);
    return 0;
}

int run_export(int argc, char** argv) {
    CLI::App options("Write a recording in another tool's format.", "kymo export");
    set_usage(options, "kymo export [OPTIONS] REC.kymo --to FORMAT");
    options.footer(format_lines() + kExportExamples);
    std::string folder;
    std::string format;
    std::string weight;
    std::string out;
    bool no_creator = false;
    options.add_option("recording", folder, "the recording's directory")->type_name("REC.kymo")->required();
    options.add_option("--to", format, "the format: " + names())->required();
    options.add_option("--weight", weight,
                       "what is counted: user, system, off-cpu, wall, samples or an event's name (processor time)");
    options.add_option("-o,--output", out, "the file to write (standard output); of images: the directory");
    options.add_flag("--no-creator", no_creator, "threads at the root, not below the call path that created them");
    add_image_options(options);
    if (const auto code = parse_options(options, argc, argv)) {
        return *code;
    }
    const CommandTeam team;
    if (!team.is_first()) {
        return 0;  // the first process does it alone
    }
    if (format == kImages) {
        return export_images(folder, out);
    }
    const auto all = view::exports();
    const auto chosen =
        std::find_if(all.begin(), all.end(), [&format](const view::Export* one) { return one->name == format; });
    if (chosen == all.end()) {
        return fail({ErrorKind::kUnsupported, "the format \"" + format + "\" cannot be written yet",
                     "there is: --to " + names()});
    }
    if (!weight.empty() && !(*chosen)->has_weight) {
        return fail({ErrorKind::kUsage, format + " holds all that is counted: there is no --weight to choose",
                     "leave --weight out"});
    }
    const auto recording = open_with_images(folder);
    if (!recording) {
        return fail(recording.error());
    }
    const view::ExportOptions how{.below_creators = !no_creator, .weight = weight};
    const auto done = (*chosen)->write != nullptr ? write_stream(**chosen, *recording, how, out)
                                                  : write_at(**chosen, *recording, how, out);
    return done ? 0 : fail(done.error());
}

const Registration kExport({"export", "write a recording in another tool's format", 40, run_export});

}  // namespace
}  // namespace kymo::cli
