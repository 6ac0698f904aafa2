// kymo snapshot: what a recording holds by now, as a recording of its own.
#include "base/clean_text.h"
#include "cli/team.h"
#include "cli/verbs.h"
#include "launch/output.h"
#include "recording/bundle.h"
#include "recording/folder.h"
#include "recording/format.h"
#include "recording/pack.h"
#include "recording/reader.h"

#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace kymo::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSnapshotExamples =
    "The program runs on, and is not disturbed: its recording is only read. Reports of the copy say that the run was "
    "still going on. (kymo report reads a recording that is being written, too; a copy stays as it is.)\n\n"
    "examples:\n"
    "  kymo snapshot server.kymo                    makes server-snapshot.kymo, or the next free number\n"
    "  kymo snapshot server.kymo -o before.kymo\n"
    "  kymo diff before.kymo server.kymo            what has changed since\n";

// server.kymo → server-snapshot, to which .kymo is added.
std::string usual_name(const std::string& folder) {
    fs::path path = fs::path(folder).lexically_normal();
    path = path.has_filename() ? path : path.parent_path();
    return path.stem().string() + "-snapshot";
}

struct Copied {
    std::vector<std::string> names;
    std::uint64_t bytes = 0;
    std::uint64_t damages = 0;
    bool is_running = false;
};

// Files of one name, of several hosts, get names of their own.
std::string free_name(const std::string& name, const std::set<std::string>& taken) {
    const std::string stem = fs::path(name).stem().string();
    std::string free = name;
    for (int number = 2; taken.contains(free); ++number) {
        free = fmt::format("{}-again-{}{}", stem, number, recording::kFileSuffix);
    }
    return free;
}

Result<Copied> copy(const recording::Recording& recording, const recording::Folder& to) {
    Copied copied;
    std::set<std::string> taken;
    for (const recording::File& file : recording.files()) {
        const std::string name = free_name(file.path().filename().string(), taken);
        const auto packed = recording::pack_copy(file, to, name);
        if (!packed) {
            return packed.error();
        }
        taken.insert(name);
        copied.bytes += packed->bytes_after;
        copied.damages += packed->damages;
        copied.is_running = copied.is_running || file.header().has_writer;
    }
    copied.names.assign(taken.begin(), taken.end());
    return copied;
}

int run_snapshot(int argc, char** argv) {
    CLI::App options("Copy what a recording holds by now, also while its program still runs.", "kymo snapshot");
    set_usage(options, "kymo snapshot [OPTIONS] REC.kymo");
    options.footer(kSnapshotExamples);
    std::string folder;
    std::string out;
    options.add_option("recording", folder, "the recording's directory")->type_name("REC.kymo")->required();
    options.add_option("-o,--output", out, "the copy's directory (REC-snapshot.kymo, here, or the next free number)")
        ->type_name("OUT.kymo");
    if (const auto code = parse_options(options, argc, argv)) {
        return *code;
    }
    const CommandTeam team;
    if (!team.is_first()) {
        return 0;  // the first process does it alone
    }
    const auto recording = recording::Recording::open(folder);
    if (!recording) {
        return fail(recording.error());
    }
    const auto path = launch::make_recording_folder(
        options.count("--output") != 0 ? std::optional<fs::path>(out) : std::nullopt, usual_name(folder));
    if (!path) {
        return fail(path.error());
    }
    const auto to = recording::Folder::open_own(*path);
    auto copied = to ? copy(*recording, *to) : Result<Copied>(to.error());
    std::error_code failed;
    if (const fs::path images = fs::path(folder) / recording::kImagesFolder;
        copied && fs::is_directory(fs::symlink_status(images, failed))) {
        fs::copy(images, *path / recording::kImagesFolder, fs::copy_options::recursive, failed);
        if (failed) {
            copied = Error{ErrorKind::kNoSpace, "the copies of programs cannot be copied: " + failed.message(),
                           "use -o with a directory on another disk"};
        }
    }
    if (!copied) {
        fs::remove_all(*path, failed);
        return fail(copied.error());
    }
    if (copied->names.size() > recording::kManyFiles) {
        // Otherwise they are as readable by themselves.
        static_cast<void>(recording::move_into_bundle(*to, copied->names, *to, recording::kProcessBundle,
                                                      recording::kMostBundledBytes));
    }
    for (const std::string& warning : recording->warnings()) {
        fmt::print(stderr, "kymo: {}\n", clean_text(warning));
    }
    if (copied->damages != 0) {
        fmt::print(stderr, "kymo: {} damaged places are not in the copy\n", copied->damages);
    }
    const std::string name = clean_text(fs::relative(*path, failed).string());
    fmt::print(stderr, "kymo: copied {}{} to {} ({} file{}, {:.1f} MB)\nkymo: see it with: kymo report {}\n",
               clean_text(folder), copied->is_running ? ", which is still being written," : "", name,
               copied->names.size(), copied->names.size() == 1 ? "" : "s", static_cast<double>(copied->bytes) / 1e6,
               name);
    return 0;
}

const Registration kSnapshot({"snapshot", "copy a recording as it is by now, while it is written", 43, run_snapshot});

}  // namespace
}  // namespace kymo::cli
