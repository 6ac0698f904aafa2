#include "import/perf/spool.h"

#include "base/file_limit.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace kymo::import::perf {
namespace {

Error no_room(const std::string& folder, const char* why) {
    return {ErrorKind::kNoSpace, fmt::format("what perf recorded does not fit into {}: {}", folder, why),
            "name a directory with more room in TMPDIR"};
}

// Where the file system has no files without names.
int named_for_a_moment(const std::string& folder) {
    std::string name = folder + "/kymo-XXXXXX";
    const int file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file >= 0) {
        ::unlink(name.c_str());
    }
    return file;
}

}  // namespace

Result<Spool> Spool::make() {
    const char* const given = std::getenv("TMPDIR");
    Spool spool;
    spool.folder_ = given != nullptr && *given != '\0' ? given : "/tmp";
    int file = ::open(spool.folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    file = file >= 0 ? file : named_for_a_moment(spool.folder_);
    if (file < 0) {
        return Error{ErrorKind::kPermission, fmt::format("{}: {}", spool.folder_, std::strerror(errno)),
                     "name a directory with room in TMPDIR"};
    }
    spool.file_ = Descriptor(file);
    struct statvfs room{};
    if (::fstatvfs(file, &room) == 0) {
        spool.room_ = static_cast<std::uint64_t>(room.f_bavail) * room.f_frsize / 10 * 9;
    }
    return spool;
}

Result<void> Spool::append(std::span<const std::uint8_t> bytes) {
    if (bytes.size() > room_ - size_) {
        return no_room(folder_, std::strerror(ENOSPC));
    }
    if (!within_file_limit(size_ + bytes.size())) {
        return no_room(folder_, std::strerror(EFBIG));
    }
    while (!bytes.empty()) {
        const ssize_t put = ::write(file_.number(), bytes.data(), bytes.size());
        if (put < 0 && errno != EINTR) {
            return no_room(folder_, std::strerror(errno));
        }
        const std::size_t count = put > 0 ? static_cast<std::size_t>(put) : 0;
        size_ += count;
        bytes = bytes.subspan(count);
    }
    return {};
}

}  // namespace kymo::import::perf
