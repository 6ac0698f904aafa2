#include "base/checksum.h"
#include "recording/reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace kymo::recording {

namespace {

// O_NONBLOCK: opening a pipe of that name must not block.
constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

Error open_error(const std::filesystem::path& path, int error) {
    const std::string name = path.string();
    if (error == ENOENT || error == ENOTDIR) {
        return {ErrorKind::kNotFound, name + " does not exist", "check the name"};
    }
    if (error == EACCES || error == EPERM) {
        return {ErrorKind::kPermission, name + " may not be read by this user",
                "only the user who made a recording can read it: run as that user, or get a copy"};
    }
    return {ErrorKind::kMalformed, name + " cannot be read: " + std::strerror(error), "check the disk"};
}

Error malformed(const std::filesystem::path& path, const std::string& what) {
    return {ErrorKind::kMalformed, path.string() + what, "give a recording made by kymo record"};
}

// The defect of a completely read header; none if it is usable.
std::optional<Error> refuse(const std::filesystem::path& path, const FileHeader& raw) {
    if (std::memcmp(raw.magic, kFileMagic, sizeof kFileMagic) != 0) {
        static constexpr FileHeader kUnwritten{};
        if (std::memcmp(&raw, &kUnwritten, sizeof raw) == 0) {
            return malformed(path, " holds nothing: the program ended before its first row");
        }
        return malformed(path, " is not a Kymo recording (offset 0: wrong magic)");
    }
    if (raw.major > kMajorVersion) {
        return Error{ErrorKind::kNewerFormat,
                     path.string() + " has format version " + std::to_string(raw.major) + "." +
                         std::to_string(raw.minor) + ", this program reads up to " + std::to_string(kMajorVersion),
                     "read it with the version of kymo that made it, or a later one"};
    }
    if (raw.fixed_crc != crc32c(&raw, offsetof(FileHeader, fixed_crc))) {
        return malformed(path, " is damaged (offset 96: the header's checksum does not match)");
    }
    if (raw.major == 0) {
        return malformed(path, " is damaged (offset 8: version 0)");
    }
    if (raw.header_bytes < kMinHeaderBytes || raw.header_bytes > kMaxHeaderBytes || raw.header_bytes % 8 != 0) {
        return malformed(path, " is damaged (offset 12: header size)");
    }
    if (raw.chunk_bytes < kMinGridBytes || raw.chunk_bytes > kMaxChunkBytes || raw.chunk_bytes % 8 != 0) {
        return malformed(path, " is damaged (offset 20: chunk size)");
    }
    if (raw.producer_bytes > kProducerBytes) {
        return malformed(path, " is damaged (offset 28: length of the producer's name)");
    }
    if (raw.clock != static_cast<std::uint8_t>(ClockDomain::kMonotonic) &&
        raw.clock != static_cast<std::uint8_t>(ClockDomain::kModelled)) {
        return Error{ErrorKind::kNewerFormat, path.string() + " counts time by an unknown clock (offset 18)",
                     "read it with the version of kymo that made it, or a later one"};
    }
    return std::nullopt;
}

// Writers hold this lock from before the header is there; where the file system has no locks, none is seen.
bool has_writer(int descriptor) {
    if (descriptor < 0) {
        return false;
    }
    if (flock(descriptor, LOCK_SH | LOCK_NB) == 0) {
        flock(descriptor, LOCK_UN);
        return false;
    }
    return errno == EWOULDBLOCK;
}

}  // namespace

Result<File> File::open(const std::filesystem::path& path) {
    return of_descriptor(path, ::open(path.c_str(), kOpenFlags));
}

Result<File> File::open(std::shared_ptr<const Descriptor> bundle, std::filesystem::path path, std::uint64_t begin,
                        std::uint64_t bytes) {
    File file;
    file.path_ = std::move(path);
    file.bundle_ = std::move(bundle);
    file.begin_ = begin;
    file.bytes_ = bytes;
    return read_header(std::move(file));
}

Result<File> File::open(const Folder& folder, const std::string& name) {
    std::filesystem::path path = folder.path() / name;
    // Other kinds than regular files are not even opened: opening a device can have effects.
    struct stat status{};
    if (fstatat(folder.descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
        if (S_ISLNK(status.st_mode)) {
            return malformed(path, " is a symbolic link and not a recording's file");
        }
        if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
            return malformed(path, " is not a regular file");
        }
    }
    const int descriptor = openat(folder.descriptor(), name.c_str(), kOpenFlags | O_NOFOLLOW);
    return of_descriptor(std::move(path), descriptor);
}

Result<File> File::of_descriptor(std::filesystem::path given, int descriptor) {
    File file;
    file.path_ = std::move(given);
    file.descriptor_ = descriptor;
    const std::filesystem::path& path = file.path_;
    if (file.descriptor_ < 0) {
        return open_error(path, errno);
    }
    struct stat status{};
    if (fstat(file.descriptor_, &status) != 0) {
        return open_error(path, errno);
    }
    if (S_ISDIR(status.st_mode)) {
        return malformed(path, " is a directory and not a recording's file");
    }
    if (!S_ISREG(status.st_mode)) {
        return malformed(path, " is not a regular file");
    }
    file.device_ = status.st_dev;
    file.inode_ = status.st_ino;
    file.bytes_ = static_cast<std::uint64_t>(status.st_size);
    return read_header(std::move(file));
}

Result<File> File::read_header(File file) {
    const std::filesystem::path& path = file.path_;
    if (file.bytes_ == 0) {
        return malformed(path, " is empty: the program ended before anything was recorded");
    }
    FileHeader raw{};
    const ssize_t got = Reading(file).read(&raw, sizeof raw, 0);
    if (got < 0) {
        return open_error(path, errno);
    }
    if (got < static_cast<ssize_t>(sizeof raw)) {
        if (std::memcmp(raw.magic, kFileMagic, sizeof kFileMagic) != 0) {
            return malformed(path, " is not a Kymo recording (offset 0: wrong magic)");
        }
        return malformed(path, " is cut off inside its header (offset " + std::to_string(got) + ")");
    }
    if (std::optional<Error> error = refuse(path, raw)) {
        return *std::move(error);
    }
    Header& header = file.header_;
    header.major = raw.major;
    header.minor = raw.minor;
    header.machine = raw.machine;
    header.clock = static_cast<ClockDomain>(raw.clock);
    header.pid = raw.pid;
    header.producer.assign(raw.producer, raw.producer_bytes);
    header.closed = raw.closed != 0;
    header.packed = raw.packed != 0;
    header.has_writer = raw.packed == kPackedWhileWritten ||
                        (raw.packed == 0 && raw.closed == 0 && has_writer(Reading(file).own_descriptor()));
    header.header_bytes = raw.header_bytes;
    header.chunk_bytes = raw.chunk_bytes;
    header.used_bytes = raw.used_bytes;
    header.freed_bytes = raw.packed == 0 ? raw.freed_bytes : 0;
    return file;
}

File::File(File&& other) noexcept
    : path_(std::move(other.path_)),
      bundle_(std::move(other.bundle_)),
      begin_(other.begin_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      folder_(std::move(other.folder_)),
      device_(other.device_),
      inode_(other.inode_),
      bytes_(other.bytes_),
      header_(std::move(other.header_)),
      excerpt_(other.excerpt_) {}

File& File::operator=(File&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(bundle_, other.bundle_);
    std::swap(begin_, other.begin_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(folder_, other.folder_);
    std::swap(device_, other.device_);
    std::swap(inode_, other.inode_);
    std::swap(bytes_, other.bytes_);
    std::swap(header_, other.header_);
    std::swap(excerpt_, other.excerpt_);
    return *this;
}

void File::close_between_readings(std::shared_ptr<const Folder> folder) {
    folder_ = std::move(folder);
    if (descriptor_ >= 0) {
        ::close(std::exchange(descriptor_, -1));
    }
}

File::Reading::Reading(const File& file)
    : descriptor_(file.bundle_ != nullptr ? file.bundle_->number() : file.descriptor_),
      begin_(file.begin_),
      bytes_(file.bytes_),
      is_in_bundle_(file.bundle_ != nullptr) {
    if (descriptor_ >= 0 || file.folder_ == nullptr) {
        return;
    }
    is_own_ = true;
    descriptor_ = openat(file.folder_->descriptor(), file.path_.filename().c_str(), kOpenFlags | O_NOFOLLOW);
    struct stat status{};
    if (descriptor_ >= 0 &&
        (fstat(descriptor_, &status) != 0 || status.st_dev != file.device_ || status.st_ino != file.inode_)) {
        ::close(std::exchange(descriptor_, -1));
        errno = ESTALE;
    }
    error_ = descriptor_ < 0 ? errno : 0;
}

File::Reading::~Reading() {
    if (is_own_ && descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

std::optional<std::uint64_t> File::Reading::size() const {
    if (is_in_bundle_) {
        return bytes_;
    }
    struct stat status{};
    if (fstat(descriptor_, &status) != 0) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(status.st_size);
}

ssize_t File::Reading::read(void* to, std::size_t bytes, std::uint64_t offset) const {
    if (is_in_bundle_) {
        bytes = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, bytes_ - std::min(offset, bytes_)));
    }
    return pread(descriptor_, to, bytes, static_cast<off_t>(begin_ + offset));
}

std::int64_t File::Reading::seek(std::uint64_t offset, int whence) const {
    if (is_in_bundle_ && offset >= bytes_) {
        errno = ENXIO;
        return -1;
    }
    const std::int64_t found = lseek(descriptor_, static_cast<off_t>(begin_ + offset), whence);
    if (found < 0 || !is_in_bundle_) {
        return found;
    }
    const std::uint64_t inside = static_cast<std::uint64_t>(found) - begin_;
    if (inside >= bytes_ && whence == SEEK_DATA) {
        errno = ENXIO;
        return -1;
    }
    return static_cast<std::int64_t>(std::min(inside, bytes_));
}

File::~File() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

}  // namespace kymo::recording
