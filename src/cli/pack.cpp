// kymo pack: a recording, with everything that names its functions, in one file.
#include "archive/pack.h"

#include "archive/remove_at_end.h"
#include "base/clean_text.h"
#include "cli/image_options.h"
#include "cli/team.h"
#include "cli/verbs.h"
#include "program/copy_images.h"
#include "recording/format.h"
#include "view/exports/new_file.h"
#include "view/exports/run.h"
#include "view/page/code.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace kymo::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPackExamples =
    "The file is a tar archive compressed by xz; every verb that reads a recording reads it, also from standard "
    "input.\n\n"
    "examples:\n"
    "  kymo pack my_program.kymo                    makes my_program.kymo.tar.xz\n"
    "  kymo report my_program.kymo.tar.xz\n"
    "  kymo pack my_program.kymo -o - | ssh host kymo report -\n";
constexpr std::size_t kMostSources = 4000;
constexpr std::uintmax_t kMostSourceBytes = 64U << 20U;  // all together

struct Scratch {
    fs::path path;
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
};

// Every regular file below `folder`, as `top` and its path there, in order.
void add_folder(const fs::path& folder, const fs::path& top, std::vector<archive::Entry>& entries) {
    std::error_code unseen;
    for (const auto& at : fs::recursive_directory_iterator(folder, unseen)) {
        if (at.is_regular_file(unseen) && !at.is_symlink(unseen)) {
            entries.push_back({at.path(), (top / at.path().lexically_relative(folder)).string()});
        }
    }
}

// Source files found here, each at its path below the images.
Result<std::size_t> add_sources(const recording::Recording& recording, const fs::path& top,
                                std::vector<archive::Entry>& entries) {
    const auto run = view::load_export_run(recording, {.below_creators = true, .weight = {}}, view::Findings::kNone);
    if (!run) {
        return run.error();
    }
    const auto& files = run->tree.symbols.files;
    const std::set<std::string> named(files.begin(), files.end());
    std::size_t count = 0;
    std::uintmax_t bytes = 0;
    for (const std::string& name : named) {
        if (!view::is_source_name(name)) {
            continue;  // paths come from others' debug information
        }
        for (const std::string& place : view::source_places(run->profile, name)) {
            std::error_code unseen;
            const fs::path path = fs::path(place).lexically_normal();
            if (!path.is_absolute() || view::read_source(path.string()).empty()) {
                continue;
            }
            bytes += fs::file_size(path, unseen);
            if (++count > kMostSources || bytes > kMostSourceBytes) {
                return count - 1;
            }
            entries.push_back({path, (top / path.relative_path()).string()});
            break;
        }
    }
    return count;
}

std::string usual_name(const std::string& folder) {
    fs::path path = fs::path(folder).lexically_normal();
    path = path.has_filename() ? path.filename() : path.parent_path().filename();
    return path.string() + ".tar.xz";
}

int run_pack(int argc, char** argv) {
    CLI::App options("Put a recording, its programs and its sources into one file.", "kymo pack");
    set_usage(options, "kymo pack [OPTIONS] REC.kymo");
    options.footer(kPackExamples);
    std::string folder;
    std::string out;
    bool no_images = false;
    bool no_sources = false;
    options.add_option("recording", folder, "the recording's directory")->type_name("REC.kymo")->required();
    options.add_option("-o,--output", out, "the file to write (REC.kymo.tar.xz, here); -: standard output");
    options.add_flag("--no-images", no_images, "leave out programs, libraries and their debug information");
    options.add_flag("--no-sources", no_sources, "leave out source files");
    add_image_options(options);
    if (const auto code = parse_options(options, argc, argv)) {
        return *code;
    }
    const CommandTeam team;
    if (!team.is_first()) {
        return 0;  // the first process does it alone
    }
    if (archive::is_packed(folder)) {
        return fail(
            {ErrorKind::kUsage, folder + " is packed already, or no recording", "name a recording's directory"});
    }
    const auto recording = open_with_images(folder);
    if (!recording) {
        return fail(recording.error());
    }
    out = out.empty() ? usual_name(folder) : out;
    const fs::path top = fs::path(usual_name(folder)).stem().stem();
    std::vector<archive::Entry> entries;
    add_folder(folder, top, entries);

    Scratch scratch;
    program::CopiedImages copied;
    if (!no_images) {
        std::string name = (fs::temp_directory_path() / "kymo-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            return fail({ErrorKind::kPermission, name + ": " + std::strerror(errno), "name a directory in TMPDIR"});
        }
        scratch.path = name;
        archive::remove_at_end(name);
        const auto names = analysis::recorded_images(*recording);
        auto done = names ? program::copy_images(*names, name) : names.error();
        if (!done) {
            return fail(done.error());
        }
        copied = std::move(*done);
        add_folder(name, top / recording::kImagesFolder, entries);
    }
    std::size_t sources = 0;
    if (!no_sources) {
        const auto added = add_sources(*recording, top / recording::kImagesFolder, entries);
        if (!added) {
            return fail(added.error());
        }
        sources = *added;
    }
    // The recording's own copies of images come first, and are kept.
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    entries.erase(
        std::unique(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name == b.name; }),
        entries.end());

    auto file = view::NewFile::make(out, "a packed recording");
    if (!file) {
        return fail(file.error());
    }
    const auto bytes = archive::pack(entries, file->descriptor());
    if (!bytes) {
        return fail(bytes.error());
    }
    if (const auto kept = file->keep(); !kept) {
        return fail(kept.error());
    }
    for (const std::string& problem : copied.problems) {
        fmt::print(stderr, "kymo: {}\n", clean_text(problem));
    }
    const auto counted = [](std::size_t n, const char* one) {
        return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
    };
    fmt::print(stderr, "kymo: packed {}, {} and {}, {:.1f} MB, into {}\n", counted(entries.size(), "file"),
               counted(copied.images, "image"), counted(sources, "source"), static_cast<double>(*bytes) / 1e6,
               out == "-" ? "standard output" : out);
    return 0;
}

const Registration kPack({"pack", "put a recording and what names its functions into one file", 42, run_pack});

}  // namespace
}  // namespace kymo::cli
