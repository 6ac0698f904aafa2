#include "archive/pack.h"
#include "archive/remove_at_end.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kymo::archive {
namespace {

namespace fs = std::filesystem;
using Reader = std::unique_ptr<struct archive, int (*)(struct archive*)>;

constexpr std::uint64_t kMostEntries = 1'000'000;
constexpr std::size_t kBlock = 1 << 16;

// By its first bytes, in either byte order. A pipe is not looked into: its bytes come once.
bool is_of_perf(int file) {
    std::array<char, 8> begin{};
    const bool is_read = ::pread(file, begin.data(), begin.size(), 0) == static_cast<ssize_t>(begin.size());
    const std::string_view magic(begin.data(), begin.size());
    return is_read && (magic == "PERFILE2" || magic == "2ELIFREP");
}

Result<fs::path> new_folder() {
    const char* const given = std::getenv("TMPDIR");
    std::string name = fmt::format("{}/kymo-XXXXXX", given != nullptr && *given != '\0' ? given : "/tmp");
    if (::mkdtemp(name.data()) == nullptr) {
        return Error{ErrorKind::kPermission, fmt::format("{}: {}", name, std::strerror(errno)),
                     "name a directory with room in TMPDIR"};
    }
    return fs::path(name);
}

std::string why(struct archive* reader) {
    const char* const text = archive_error_string(reader);
    std::string said = text != nullptr ? text : "it is damaged";
    std::replace(said.begin(), said.end(), '\n', ' ');
    return said;
}

bool leads_out(const fs::path& path) {
    return path.empty() || path.is_absolute() ||
           std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

class Unpacking {
  public:
    Unpacking(struct archive* reader, std::string name, fs::path folder)
        : reader_(reader), name_(std::move(name)), folder_(std::move(folder)) {
        struct statvfs room{};
        if (::statvfs(folder_.c_str(), &room) == 0) {
            left_ = static_cast<std::uint64_t>(room.f_bavail) * room.f_frsize / 10 * 9;
        }
    }

    Result<void> run() {
        archive_entry* entry = nullptr;
        std::uint64_t entries = 0;
        int code = archive_read_next_header(reader_, &entry);
        for (; code == ARCHIVE_OK || code == ARCHIVE_WARN; code = archive_read_next_header(reader_, &entry)) {
            if (++entries > kMostEntries) {
                return bad("it has more than a million files");
            }
            if (auto put = one(*entry); !put) {
                return put;
            }
        }
        if (code != ARCHIVE_EOF) {
            return bad(why(reader_));
        }
        return entries == 0 ? bad("it is empty") : Result<void>();
    }

  private:
    Error bad(const std::string& what) const {
        return {ErrorKind::kMalformed, fmt::format("{} is not a packed recording: {}", name_, what),
                "kymo pack REC.kymo makes one"};
    }

    Result<void> one(archive_entry& entry) {
        const char* const name = archive_entry_pathname(&entry);
        const fs::path path = fs::path(name != nullptr ? name : "").lexically_normal();
        const auto type = archive_entry_filetype(&entry);
        if (leads_out(path) || archive_entry_hardlink(&entry) != nullptr || (type != AE_IFREG && type != AE_IFDIR)) {
            return bad("it has more than files and directories of its own");
        }
        std::error_code error;
        fs::create_directories(folder_ / (type == AE_IFDIR ? path : path.parent_path()), error);
        if (error) {
            return bad(error.message());
        }
        return type == AE_IFDIR ? Result<void>() : file(folder_ / path);
    }

    Result<void> file(const fs::path& path) {
        const int out = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (out < 0) {
            return bad(std::strerror(errno));
        }
        std::array<char, kBlock> block{};
        Result<void> result;
        for (la_ssize_t got = 1; got > 0 && result;) {
            got = archive_read_data(reader_, block.data(), block.size());
            if (got < 0) {
                result = bad(why(reader_));
            } else if (static_cast<std::uint64_t>(got) > left_ || !write_all(out, block.data(), got)) {
                result = Error{ErrorKind::kNoSpace, fmt::format("{} does not fit into {}", name_, folder_.string()),
                               "name a directory with more room in TMPDIR"};
            } else {
                left_ -= static_cast<std::uint64_t>(got);
            }
        }
        ::close(out);
        return result;
    }

    static bool write_all(int out, const char* from, la_ssize_t count) {
        while (count > 0) {
            const ssize_t put = ::write(out, from, static_cast<std::size_t>(count));
            if (put < 0 && errno != EINTR) {
                return false;
            }
            from += put > 0 ? put : 0;
            count -= put > 0 ? put : 0;
        }
        return true;
    }

    struct archive* reader_;
    std::string name_;
    fs::path folder_;
    std::uint64_t left_ = 0;  // bytes that may be written
};

}  // namespace

bool is_packed(const std::string& path) {
    std::error_code unseen;
    const fs::file_status status = fs::status(path, unseen);
    return path == "-" || fs::is_regular_file(status) || fs::is_fifo(status);
}

Result<fs::path> unpack(const std::string& path) {
    const std::string name = path == "-" ? "standard input" : path;
    const int from = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (from < 0) {
        return Error{ErrorKind::kPermission, path + ": " + std::strerror(errno), ""};
    }
    if (is_of_perf(from)) {
        ::close(from);
        return Error{ErrorKind::kMalformed, name + " is a file of perf record", "kymo import " + name};
    }
    const Reader reader(archive_read_new(), archive_read_free);
    archive_read_support_format_tar(reader.get());
    archive_read_support_filter_zstd(reader.get());
    archive_read_support_filter_gzip(reader.get());
    archive_read_support_filter_xz(reader.get());
    Result<fs::path> result = new_folder();
    if (result) {
        remove_at_end(*result);
        Result<void> done;
        if (archive_read_open_fd(reader.get(), from, kBlock) == ARCHIVE_OK) {
            done = Unpacking(reader.get(), name, *result).run();
        } else {
            done =
                Error{ErrorKind::kMalformed, fmt::format("{} is not a packed recording: {}", name, why(reader.get())),
                      "kymo pack REC.kymo makes one"};
        }
        if (!done) {
            result = done.error();
        }
    }
    if (from != STDIN_FILENO) {
        ::close(from);
    }
    if (!result) {
        return result;
    }
    // What the archive has at its top.
    std::error_code ignored;
    fs::path top;
    std::size_t count = 0;
    for (const auto& at : fs::directory_iterator(*result, ignored)) {
        top = at.path();
        ++count;
    }
    return count == 1 && fs::is_directory(top, ignored) ? top : *result;
}

}  // namespace kymo::archive
