#include "recording/bundle.h"

#include "base/checksum.h"
#include "base/clean_text.h"
#include "base/descriptor.h"
#include "base/file_limit.h"
#include "recording/format.h"
#include "recording/reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace kymo::recording {

namespace {

constexpr std::size_t kCopyBytes = std::size_t{1} << 20U;
constexpr std::size_t kNameBytes = 255;
constexpr std::size_t kMostBundleWarnings = 20;
constexpr int kLockTries = 600;  // with 50 ms between them

constexpr std::uint64_t padded(std::uint64_t bytes) {
    return (bytes + 7) / 8 * 8;
}

std::uint32_t member_crc(const MemberHeader& header, std::string_view name) {
    return crc32c(name.data(), name.size(), crc32c(&header, offsetof(MemberHeader, crc)));
}

bool is_file_name(std::string_view name) {
    return name.ends_with(kFileSuffix) && name.find('/') == std::string_view::npos &&
           name.find('\0') == std::string_view::npos;
}

// All of the bytes, or as many as there are; −1 and errno.
ssize_t read_fully(int descriptor, void* to, std::size_t bytes, std::uint64_t offset) {
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t got =
            pread(descriptor, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return -1;
        }
        if (got == 0) {
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    return static_cast<ssize_t>(done);
}

// 0 or an errno. Beyond the limit on file sizes the kernel kills instead of refusing.
int write_fully(int descriptor, const void* from, std::size_t bytes, std::uint64_t offset) {
    if (!within_file_limit(offset + bytes)) {
        return EFBIG;
    }
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t put = pwrite(descriptor, static_cast<const char*>(from) + done, bytes - done,
                                   static_cast<off_t>(offset + done));
        if (put < 0 && errno != EINTR) {
            return errno;
        }
        done += put < 0 ? 0 : static_cast<std::size_t>(put);
    }
    return 0;
}

// Of the bytes of a bundle's first header: why it cannot be read, if so.
std::optional<Error> refuse_bundle(const BundleHeader& header, ssize_t got, const std::filesystem::path& path) {
    const std::string name = path.string();
    if (got < static_cast<ssize_t>(sizeof header) ||
        std::memcmp(header.magic, kBundleMagic, sizeof kBundleMagic) != 0) {
        return Error{ErrorKind::kMalformed, name + " is not a bundle of recording files (offset 0)",
                     "give a recording made by kymo record"};
    }
    if (header.major > kBundleMajor) {
        return Error{ErrorKind::kNewerFormat,
                     name + " has format version " + std::to_string(header.major) + ", this program reads up to " +
                         std::to_string(kBundleMajor),
                     "read it with the version of kymo that made it, or a later one"};
    }
    if (header.fixed_crc != crc32c(&header, offsetof(BundleHeader, fixed_crc)) ||
        header.header_bytes < sizeof header || header.header_bytes > kMaxHeaderBytes ||
        header.header_bytes % 8 != 0) {
        return Error{ErrorKind::kMalformed, name + " is damaged (offset 0: its header)",
                     "give a recording made by kymo record"};
    }
    return std::nullopt;
}

// Through a bundle's members.
class MemberReader {
  public:
    MemberReader(int descriptor, std::uint64_t end) : descriptor_(descriptor), end_(end) {}

    // The member whose header is at `at`; none: no sound one is there.
    std::optional<Member> member_at(std::uint64_t at) {
        std::array<char, sizeof(MemberHeader) + kNameBytes> bytes{};
        const ssize_t got =
            read_fully(descriptor_, bytes.data(), std::min<std::uint64_t>(bytes.size(), end_ - at), at);
        MemberHeader header;
        if (got < static_cast<ssize_t>(sizeof header)) {
            return std::nullopt;
        }
        std::memcpy(&header, bytes.data(), sizeof header);
        if (header.magic != kMemberMagic || header.name_bytes > kNameBytes ||
            sizeof header + header.name_bytes > static_cast<std::size_t>(got) ||
            header.header_bytes != padded(sizeof header + header.name_bytes)) {
            return std::nullopt;
        }
        const std::string_view name(bytes.data() + sizeof header, header.name_bytes);
        const std::uint64_t begin = at + header.header_bytes;
        if (header.crc != member_crc(header, name) || !is_file_name(name) || begin > end_) {
            return std::nullopt;
        }
        return Member{std::string(name), begin, header.bytes};
    }

    // The next sound header behind `at`, or the end.
    std::uint64_t behind_damage(std::uint64_t at) {
        std::vector<char> bytes(kCopyBytes);
        for (at += 8; at + sizeof(MemberHeader) <= end_;) {
            const ssize_t got =
                read_fully(descriptor_, bytes.data(), std::min<std::uint64_t>(bytes.size(), end_ - at), at);
            if (got < static_cast<ssize_t>(sizeof(MemberHeader))) {
                break;
            }
            for (std::size_t i = 0; i + sizeof(std::uint32_t) <= static_cast<std::size_t>(got); i += 8) {
                std::uint32_t magic = 0;
                std::memcpy(&magic, bytes.data() + i, sizeof magic);
                if (magic == kMemberMagic && member_at(at + i)) {
                    return at + i;
                }
            }
            at += padded(static_cast<std::uint64_t>(got) - 7);
        }
        return end_;
    }

  private:
    int descriptor_;
    std::uint64_t end_;
};

Error not_moved(const std::filesystem::path& path, int error) {
    const bool is_space = error == ENOSPC || error == EDQUOT || error == EFBIG;
    return {is_space ? ErrorKind::kNoSpace : ErrorKind::kPermission,
            path.string() + " cannot be written: " + std::strerror(error),
            "the files are as readable by themselves, there are only many of them"};
}

bool lock_for_writing(int descriptor) {
    for (int tries = 0; tries < kLockTries; ++tries) {
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
            return true;
        }
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return false;
        }
        constexpr timespec kPause{0, 50'000'000};
        nanosleep(&kPause, nullptr);
    }
    return false;
}

// Writing behind a bundle's last member; what is written counts from finish() on.
class Appender {
  public:
    explicit Appender(int descriptor) : descriptor_(descriptor) {}

    // The lock is held. Error: another file of that name is there.
    Result<void> begin(const std::filesystem::path& path) {
        BundleHeader header{};
        struct stat status{};
        if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
            return not_moved(path, EINVAL);
        }
        if (status.st_size == 0) {
            std::memcpy(header.magic, kBundleMagic, sizeof kBundleMagic);
            header.major = kBundleMajor;
            header.header_bytes = sizeof header;
            header.fixed_crc = crc32c(&header, offsetof(BundleHeader, fixed_crc));
            header.used_bytes = sizeof header;
            if (const int error = write_fully(descriptor_, &header, sizeof header, 0); error != 0) {
                return not_moved(path, error);
            }
        } else if (auto error = refuse_bundle(header, read_fully(descriptor_, &header, sizeof header, 0), path)) {
            return *std::move(error);
        }
        const auto size = std::max<std::uint64_t>(static_cast<std::uint64_t>(status.st_size), sizeof header);
        before_ = at_ = padded(std::clamp<std::uint64_t>(header.used_bytes, header.header_bytes,
                                                         std::max<std::uint64_t>(size, header.header_bytes)));
        return {};
    }

    // 0 or an errno.
    int add(const std::string& name, int file, std::uint64_t bytes) {
        MemberHeader header{};
        header.magic = kMemberMagic;
        header.header_bytes = static_cast<std::uint32_t>(padded(sizeof header + name.size()));
        header.bytes = bytes;
        header.name_bytes = static_cast<std::uint32_t>(name.size());
        header.crc = member_crc(header, name);
        const auto* const raw = reinterpret_cast<const char*>(&header);
        pending_.insert(pending_.end(), raw, raw + sizeof header);
        pending_.insert(pending_.end(), name.begin(), name.end());
        pending_.resize(static_cast<std::size_t>(padded(pending_.size())));
        for (std::uint64_t done = 0; done < bytes;) {
            const std::size_t old = pending_.size();
            const std::size_t piece = std::min<std::uint64_t>(kCopyBytes, bytes - done);
            pending_.resize(old + piece);
            const ssize_t got = read_fully(file, pending_.data() + old, piece, done);
            if (got != static_cast<ssize_t>(piece)) {
                return got < 0 ? errno : EIO;
            }
            done += piece;
            if (const int error = pending_.size() < kCopyBytes ? 0 : flush(false); error != 0) {
                return error;
            }
        }
        pending_.resize(static_cast<std::size_t>(padded(pending_.size())));
        return 0;
    }

    // 0 or an errno: then the bundle is as it was.
    int finish() {
        int error = flush(true);
        if (error == 0 && fsync(descriptor_) != 0) {
            error = errno;
        }
        if (error == 0) {
            error = write_fully(descriptor_, &at_, sizeof at_, offsetof(BundleHeader, used_bytes));
        }
        if (error == 0 && fsync(descriptor_) != 0) {
            error = errno;
        }
        return error;
    }

    void undo() {
        write_fully(descriptor_, &before_, sizeof before_, offsetof(BundleHeader, used_bytes));
        static_cast<void>(ftruncate(descriptor_, static_cast<off_t>(before_)) == 0);
    }

  private:
    // Whole words of what is pending, so that padding stays a matter of its length; at the end all of it.
    int flush(bool is_last) {
        const std::size_t bytes = is_last ? pending_.size() : pending_.size() / 8 * 8;
        if (const int error = write_fully(descriptor_, pending_.data(), bytes, at_); error != 0) {
            return error;
        }
        at_ += bytes;
        pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(bytes));
        return 0;
    }

    int descriptor_;
    std::uint64_t before_ = 0;
    std::uint64_t at_ = 0;
    std::vector<char> pending_;
};

// A packed regular file of at most so many bytes, open; −1: it is not.
int open_packed(const Folder& folder, const std::string& name, std::uint64_t most_bytes, std::uint64_t& bytes) {
    const int file = openat(folder.descriptor(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat status{};
    FileHeader header{};
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        static_cast<std::uint64_t>(status.st_size) <= most_bytes &&
        read_fully(file, &header, sizeof header, 0) == static_cast<ssize_t>(sizeof header) && header.packed != 0 &&
        std::memcmp(header.magic, kFileMagic, sizeof kFileMagic) == 0) {
        bytes = static_cast<std::uint64_t>(status.st_size);
        return file;
    }
    if (file >= 0) {
        ::close(file);
    }
    return -1;
}

}  // namespace

Result<BundleMembers> read_members(int descriptor, const std::filesystem::path& path) {
    BundleHeader header{};
    struct stat status{};
    const ssize_t got = read_fully(descriptor, &header, sizeof header, 0);
    if (got < 0 || fstat(descriptor, &status) != 0) {
        return Error{ErrorKind::kMalformed, path.string() + " cannot be read: " + std::strerror(errno),
                     "check the disk"};
    }
    if (auto error = refuse_bundle(header, got, path)) {
        return *std::move(error);
    }
    const auto size = static_cast<std::uint64_t>(status.st_size);
    const std::uint64_t end = std::min(header.used_bytes, size);
    BundleMembers found;
    const auto warn = [&](std::uint64_t at, const std::string& what) {
        if (found.warnings.size() < kMostBundleWarnings) {
            found.warnings.push_back(clean_text(path.string() + ": " + what + " at offset " + std::to_string(at)));
        }
    };
    MemberReader reader(descriptor, end);
    std::uint64_t at = header.header_bytes;
    while (at < end && found.members.size() < kMostMembers) {
        auto member = reader.member_at(at);
        if (!member) {
            const std::uint64_t next = reader.behind_damage(at);
            warn(at, std::to_string(next - at) + " bytes are no file");
            at = next;
            continue;
        }
        member->bytes = std::min(member->bytes, end - member->begin);
        at = member->begin + padded(member->bytes);
        found.members.push_back(*std::move(member));
    }
    if (header.used_bytes > size) {
        warn(size, std::to_string(header.used_bytes - size) + " bytes are missing");
    }
    return found;
}

Result<std::size_t> move_into_bundle(const Folder& from, std::span<const std::string> names, const Folder& to,
                                     const std::string& bundle, std::uint64_t most_bytes) {
    const std::filesystem::path path = to.path() / bundle;
    const Descriptor out(
        openat(to.descriptor(), bundle.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (out.number() < 0) {
        return not_moved(path, errno);
    }
    if (!lock_for_writing(out.number())) {
        return Error{ErrorKind::kUnsupported, path.string() + " cannot be locked",
                     "the files are as readable by themselves, there are only many of them"};
    }
    Appender appender(out.number());
    if (auto begun = appender.begin(path); !begun) {
        return begun.error();
    }
    std::vector<std::string> moved;
    int error = 0;
    for (const std::string& name : names) {
        std::uint64_t bytes = 0;
        const Descriptor file(
            name.size() > kNameBytes || !is_file_name(name) ? -1 : open_packed(from, name, most_bytes, bytes));
        if (file.number() < 0) {
            continue;
        }
        error = appender.add(name, file.number(), bytes);
        if (error != 0) {
            break;
        }
        moved.push_back(name);
    }
    if (error == 0) {
        error = appender.finish();
    }
    if (error != 0) {
        appender.undo();
        return not_moved(path, error);
    }
    for (const std::string& name : moved) {
        from.remove(name);
    }
    return moved.size();
}

bool is_in_bundle(const Folder& folder, const std::string& name) {
    const auto bundles = folder.names(kBundleSuffix);
    return bundles && std::any_of(bundles->begin(), bundles->end(), [&](const std::string& bundle) {
               const Descriptor file(
                   openat(folder.descriptor(), bundle.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
               if (file.number() < 0) {
                   return false;
               }
               const auto found = read_members(file.number(), bundle);
               return found && std::any_of(found->members.begin(), found->members.end(),
                                           [&](const Member& member) { return member.name == name; });
           });
}

}  // namespace kymo::recording
