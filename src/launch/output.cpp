#include "launch/output.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>

namespace kymo::launch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffix = ".kymo";

// The `n`-th name of the series x.kymo, x-2.kymo, x-3.kymo, …
fs::path numbered(const fs::path& folder, int n) {
    if (n == 1) {
        return folder;
    }
    std::string text = folder.string();
    const bool suffixed = text.ends_with(kSuffix);
    text.resize(text.size() - (suffixed ? std::strlen(kSuffix) : 0));
    return text + "-" + std::to_string(n) + (suffixed ? kSuffix : "");
}

constexpr int kMaxNumber = 100'000;

fs::path first_free(const fs::path& folder) {
    std::error_code ignored;
    int n = 2;
    while (n < kMaxNumber && fs::exists(fs::symlink_status(numbered(folder, n), ignored))) {
        ++n;
    }
    return numbered(folder, n);
}

Error refused(const fs::path& folder, int error) {
    const std::string name = folder.string();
    const fs::path absolute = fs::absolute(folder);
    const std::string parent = absolute.parent_path().string();
    switch (error) {
        case EEXIST:
            return {ErrorKind::kOutputExists, name + " exists already", "use -o " + first_free(folder).string()};
        case ENOENT:
        case ENOTDIR:
            return {ErrorKind::kNotFound, "there is no directory " + parent, "mkdir -p " + parent};
        case EACCES:
        case EPERM:
        case EROFS:
            return {ErrorKind::kPermission, "not permitted to write to " + parent + " (" + std::strerror(error) + ")",
                    "use -o with a directory of yours, for example -o /tmp/" + absolute.filename().string()};
        case ENOSPC:
        case EDQUOT:
            return {ErrorKind::kNoSpace, "no space left for " + name, "use -o with a directory on another disk"};
        default:
            return {ErrorKind::kPermission, "cannot make " + name + ": " + std::strerror(error),
                    "use -o with another directory"};
    }
}

}  // namespace

Result<fs::path> make_recording_folder(const std::optional<fs::path>& asked, const std::string& program,
                                       const std::optional<Job>& job) {
    const fs::path wanted = asked ? *asked : fs::path(fs::path(program).filename().string() + kSuffix);
    if (wanted.empty()) {
        return Error{ErrorKind::kUsage, "the name of the recording is empty", "use -o OUT.kymo"};
    }
    for (int n = 1; n < kMaxNumber; ++n) {
        fs::path folder = numbered(wanted, n);
        // A trailing slash would make the parent the folder itself.
        if (!folder.has_filename() && folder.has_parent_path()) {
            folder = folder.parent_path();
        }
        const int error = job ? make_job_folder(folder, *job) : mkdir(folder.c_str(), 0700) == 0 ? 0 : errno;
        if (error == 0) {
            return fs::absolute(folder).lexically_normal();
        }
        if (error != EEXIST || asked) {
            return refused(folder, error);
        }
    }
    return refused(wanted, EEXIST);
}

}  // namespace kymo::launch
