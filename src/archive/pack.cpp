#include "archive/pack.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::archive {
namespace {

using Writer = std::unique_ptr<struct archive, int (*)(struct archive*)>;
using Header = std::unique_ptr<archive_entry, void (*)(archive_entry*)>;

Error cannot_write(struct archive* writer) {
    const int code = archive_errno(writer);
    return {code == ENOSPC ? ErrorKind::kNoSpace : ErrorKind::kPermission,
            std::string("the packed recording cannot be written: ") + std::strerror(code),
            code == ENOSPC ? "name a file elsewhere with -o" : ""};
}

Error cannot_read(const std::filesystem::path& file) {
    return {ErrorKind::kPermission, file.string() + ": " + std::strerror(errno), ""};
}

// The file's bytes, as many as its header says: a file that grows meanwhile is cut, one that shrinks is an error.
Result<std::uint64_t> put_file(struct archive* writer, const Entry& entry) {
    const int descriptor = ::open(entry.file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        return cannot_read(entry.file);
    }
    const auto close = [](const int* open) { ::close(*open); };
    const std::unique_ptr<const int, decltype(close)> closed(&descriptor, close);
    struct stat status{};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        return Error{ErrorKind::kPermission, entry.file.string() + ": no regular file", ""};
    }
    const Header header(archive_entry_new(), archive_entry_free);
    archive_entry_set_pathname(header.get(), entry.name.c_str());
    archive_entry_set_size(header.get(), status.st_size);
    archive_entry_set_filetype(header.get(), AE_IFREG);
    archive_entry_set_perm(header.get(), 0644);
    archive_entry_set_mtime(header.get(), 0, 0);
    if (archive_write_header(writer, header.get()) != ARCHIVE_OK) {
        return cannot_write(writer);
    }
    std::array<char, 1 << 16> buffer{};
    auto left = static_cast<std::uint64_t>(status.st_size);
    while (left != 0) {
        const ssize_t got = ::read(descriptor, buffer.data(), std::min<std::uint64_t>(buffer.size(), left));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got < 0 ? cannot_read(entry.file)
                           : Error{ErrorKind::kPermission, entry.file.string() + ": became shorter", "pack it again"};
        }
        if (archive_write_data(writer, buffer.data(), static_cast<std::size_t>(got)) != got) {
            return cannot_write(writer);
        }
        left -= static_cast<std::uint64_t>(got);
    }
    return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

Result<std::uint64_t> pack(const std::vector<Entry>& entries, int descriptor) {
    const Writer writer(archive_write_new(), archive_write_free);
    archive_write_add_filter_xz(writer.get());  // it has a checksum; libarchive's zstd has none
    archive_write_set_filter_option(writer.get(), "xz", "compression-level", "0");
    archive_write_set_format_pax_restricted(writer.get());
    archive_write_set_bytes_in_last_block(writer.get(), 1);
    if (archive_write_open_fd(writer.get(), descriptor) != ARCHIVE_OK) {
        return cannot_write(writer.get());
    }
    std::uint64_t bytes = 0;
    for (const Entry& entry : entries) {
        const auto put = put_file(writer.get(), entry);
        if (!put) {
            archive_write_fail(writer.get());
            return put.error();
        }
        bytes += *put;
    }
    if (archive_write_close(writer.get()) != ARCHIVE_OK) {
        return cannot_write(writer.get());
    }
    return bytes;
}

}  // namespace kymo::archive
