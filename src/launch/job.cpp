#include "launch/job.h"

#include "base/job_rank.h"
#include "launch/private_file.h"
#include "recording/folder.h"
#include "recording/format.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::launch {
namespace {

namespace fs = std::filesystem;

// The starter's process, which all ranks of one host have in common: its number, and its start time, since numbers
// are reused.
std::string parent_identity() {
    const pid_t parent = getppid();
    std::ifstream file("/proc/" + std::to_string(parent) + "/stat");
    std::string text;
    std::getline(file, text);
    constexpr int kStartTime = 20;  // words after the name in brackets
    std::istringstream words(text.substr(std::min(text.rfind(')') + 1, text.size())));
    std::string word;
    for (int i = 0; i < kStartTime; ++i) {
        words >> word;
    }
    return std::to_string(parent) + "." + word;
}

std::string job_text(const Job& job) {
    return "kymo-job 1\nid " + job.id + "\nsize " + std::to_string(job.size) + "\n";
}

bool is_of_job(const fs::path& path, const Job& job) {
    const auto folder = recording::Folder::open_own(path);
    if (!folder) {
        return false;
    }
    const int file = openat(folder->descriptor(), kJobFile, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const std::string expected = job_text(job);
    std::string text(expected.size() + 1, '\0');
    const ssize_t got = file >= 0 ? read(file, text.data(), text.size()) : -1;
    if (file >= 0) {
        close(file);
    }
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text == expected;
}

// Like rename(2), but never replaces anything. 0 or −1.
int move_to_free_name(const fs::path& from, const fs::path& to) {
    const int moved = renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
    if (moved == 0 || (errno != EINVAL && errno != ENOSYS)) {
        return moved;
    }
    // The file system cannot: a folder at the target is then refused because it is not empty.
    struct stat facts{};
    if (lstat(to.c_str(), &facts) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(from.c_str(), to.c_str());
}

}  // namespace

std::optional<Job> current_job() {
    const JobRank found = find_job_rank([](const char* name) { return std::getenv(name); });
    if (!found.known) {
        return std::nullopt;
    }
    std::string id = found.job != nullptr ? found.job : "";
    if (found.step != nullptr) {
        id += std::string(".") + found.step;
    }
    if (id.empty()) {
        id = "parent-" + parent_identity();
    }
    return Job{found.rank, found.size, id};
}

std::string process_file_ending(const std::optional<Job>& job) {
    return (job ? "-rank-" + std::to_string(job->rank) : std::string()) + recording::kFileSuffix;
}

int make_job_folder(const fs::path& folder, const Job& job) {
    struct stat facts{};
    if (lstat(folder.c_str(), &facts) == 0) {  // checked first: a folder appears complete, with its job's file in it
        return is_of_job(folder, job) ? 0 : EEXIST;
    }
    const fs::path aside = folder.string() + ".rank-" + std::to_string(job.rank) + "." + std::to_string(getpid());
    if (mkdir(aside.c_str(), 0700) != 0) {
        return errno == EEXIST ? EACCES : errno;
    }
    const auto made = recording::Folder::open_own(aside);
    if (!made) {
        return EACCES;
    }
    int error = 0;
    if (const auto written = write_private(*made, kJobFile, job_text(job)); !written) {
        error = written.error().kind == ErrorKind::kNoSpace ? ENOSPC : EACCES;
    } else if (move_to_free_name(aside, folder) != 0) {
        error = errno;
    }
    if (error != 0) {
        made->remove(kJobFile);
        rmdir(aside.c_str());
    }
    if ((error == EEXIST || error == ENOTEMPTY) && is_of_job(folder, job)) {
        error = 0;  // another rank was first
    }
    return error == ENOTEMPTY ? EEXIST : error;
}

}  // namespace kymo::launch
