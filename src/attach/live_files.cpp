#include "attach/live_files.h"

#include "base/descriptor.h"
#include "launch/kernel_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <string>
#include <sys/stat.h>

namespace kymo::attach {
namespace {

namespace fs = std::filesystem;

bool is_same(const struct stat& one, const struct stat& other) {
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

}  // namespace

fs::path LiveFiles::locate(const import::perf::Mapping& row) {
    constexpr std::string_view kDeleted = " (deleted)";
    const std::string path(row.path);
    if (row.path.ends_with(kDeleted)) {
        // Another file may have its name by now. The kernel keeps the old one as long as it is mapped.
        const std::string kept =
            fmt::format("/proc/{}/map_files/{:x}-{:x}", row.pid, row.begin, row.begin + row.length);
        const Descriptor file(open(kept.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        if (!file) {
            return {};
        }
        copies_.keep(file.number(), path.substr(0, path.size() - kDeleted.size()));
        return kept;
    }
    launch::KernelRecord record;
    record.change = launch::KernelChange::kMap;
    record.pid = row.pid;
    record.path = path;
    copies_.take(record);
    const std::string inside = fmt::format("/proc/{}/root{}", row.pid, path);
    struct stat its{};
    struct stat ours{};
    const bool is_here = stat(path.c_str(), &ours) == 0;
    if (stat(inside.c_str(), &its) == 0) {
        return is_here && is_same(its, ours) ? path : inside;
    }
    // It has ended, or its root may not be seen by this user.
    return is_here && (row.inode == 0 || row.inode == ours.st_ino) ? fs::path(path) : fs::path();
}

}  // namespace kymo::attach
