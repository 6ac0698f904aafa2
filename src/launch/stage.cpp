#include "launch/stage.h"

#include "base/checksum.h"
#include "base/descriptor.h"
#include "recording/format.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace kymo::launch {
namespace {

namespace fs = std::filesystem;

constexpr int kTries = 100;

Error refused(const fs::path& directory, int error) {
    const std::string name = directory.string();
    if (error == ENOENT || error == ENOTDIR) {
        return {ErrorKind::kNotFound, "--stage: there is no directory " + name, "mkdir -p " + name};
    }
    if (error == ENOSPC || error == EDQUOT) {
        return {ErrorKind::kNoSpace, "--stage: no space left in " + name, "use --stage with another directory"};
    }
    return {error == EEXIST ? ErrorKind::kOutputExists : ErrorKind::kPermission,
            "--stage: cannot write to " + name + ": " + std::strerror(error),
            "use --stage with a directory of yours on this host, for example --stage \"${TMPDIR:-/tmp}\""};
}

// Waits until the bytes are on the disk: a network's file system reports here what it could not write.
std::error_code sync(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    return {!file || fsync(file.number()) != 0 ? errno : 0, std::system_category()};
}

// Complete or absent; nothing is replaced. Success if there is no such file to move.
std::error_code move_file(const recording::Folder& from, const recording::Folder& to, const std::string& name) {
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(from.reach(name), error))) {
        return {};
    }
    if (fs::exists(fs::symlink_status(to.reach(name), error))) {
        return std::make_error_code(std::errc::file_exists);
    }
    const std::string part = name + ".moving";
    fs::copy_file(from.reach(name), to.reach(part), error);
    if (!error) {
        error = sync(to.reach(part));
    }
    if (!error && !to.rename(part, name)) {
        error = {errno, std::system_category()};
    }
    if (error) {
        to.remove(part);
        return error;
    }
    from.remove(name);
    return {};
}

// Another rank may have copied the same.
std::error_code move_images(const recording::Folder& from, const recording::Folder& to) {
    std::error_code error;
    const std::string images = from.reach(recording::kImagesFolder);
    if (!fs::is_directory(fs::symlink_status(images, error))) {
        return {};
    }
    fs::copy(images, to.reach(recording::kImagesFolder),
             fs::copy_options::recursive | fs::copy_options::skip_existing, error);
    return error;
}

}  // namespace

Result<void> Stage::check(const fs::path& directory) {
    std::error_code failed;
    if (const fs::path absolute = fs::absolute(directory, failed); !fs::is_directory(absolute, failed)) {
        return refused(absolute, ENOTDIR);
    }
    return access(directory.c_str(), W_OK | X_OK) == 0 ? Result<void>() : refused(directory, errno);
}

Result<Stage> Stage::make(const fs::path& directory, const fs::path& recording, const std::optional<Job>& job) {
    std::error_code failed;
    const fs::path absolute = fs::absolute(directory, failed).lexically_normal();
    if (!job) {
        std::string name = (absolute / (recording.filename().string() + ".XXXXXX")).string();
        if (mkdtemp(name.data()) == nullptr) {
            return refused(absolute, errno);
        }
        auto folder = recording::Folder::open_own(name);
        return folder ? Result<Stage>(Stage(std::move(folder).value(), false)) : folder.error();
    }
    // The same for all ranks of this job and recording, and no other's.
    const std::string identity = recording.string() + '\n' + job->id;
    const fs::path place =
        absolute / fmt::format("{}.{:08x}", recording.filename().string(), crc32c(identity.data(), identity.size()));
    for (int tries = 0; tries < kTries; ++tries) {
        if (const int error = make_job_folder(place, *job); error != 0) {
            return refused(absolute, error);
        }
        auto folder = recording::Folder::open_own(place);
        // Held until the end: a rank that ends meanwhile leaves the folder to this one.
        if (folder && flock(folder->descriptor(), LOCK_SH) == 0 && folder->is_in_place()) {
            return Stage(std::move(folder).value(), true);
        }
    }
    return refused(absolute, EAGAIN);
}

std::vector<std::string> Stage::move_to(const recording::Folder& recording,
                                        const std::vector<std::string>& files) const {
    std::vector<std::string> problems;
    const auto move = [&](const std::string& what, std::error_code error) {
        if (error) {
            problems.push_back(fmt::format("{} stays in {}: it cannot be moved to {}: {}", what,
                                           folder_.path().string(), recording.path().string(), error.message()));
        }
        return !error;
    };
    // Beyond a limit on file sizes the kernel would kill instead of refusing.
    auto* const before = std::signal(SIGXFSZ, SIG_IGN);
    for (const std::string& name : files) {
        move(name, move_file(folder_, recording, name));
    }
    if (move(recording::kImagesFolder, move_images(folder_, recording)) && !is_of_job_) {
        std::error_code ignored;
        fs::remove_all(folder_.reach(recording::kImagesFolder), ignored);
    }
    std::signal(SIGXFSZ, before);
    return problems;
}

void Stage::remove_if_empty() const {
    if (is_of_job_) {
        if (flock(folder_.descriptor(), LOCK_EX | LOCK_NB) != 0) {
            return;  // another rank is still there
        }
        // The last rank on this host: only the job's name is left, and perhaps images, which every rank has moved.
        const auto left = folder_.names("");
        if (!left || std::any_of(left->begin(), left->end(), [](const std::string& name) {
                return name != kJobFile && name != recording::kImagesFolder;
            })) {
            return;
        }
        std::error_code ignored;
        fs::remove_all(folder_.reach(recording::kImagesFolder), ignored);
        folder_.remove(kJobFile);
    }
    if (folder_.is_in_place()) {
        rmdir(folder_.path().c_str());  // only when empty
    }
}

}  // namespace kymo::launch
