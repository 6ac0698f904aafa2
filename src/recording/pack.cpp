#include "recording/pack.h"

#include "base/checksum.h"
#include "base/file_limit.h"
#include "recording/chunk_walker.h"
#include "recording/crc.h"
#include "recording/reader.h"
#include "recording/record.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace kymo::recording {

namespace {

constexpr std::size_t kWriteBytes = std::size_t{1} << 20U;

Error write_error(const std::filesystem::path& path, int error) {
    const std::string what = path.string() + " was not packed: " + std::strerror(error);
    if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
        return {ErrorKind::kNoSpace, what, "it can be read as it is; free some space to pack it"};
    }
    if (error == EACCES || error == EPERM || error == EROFS) {
        return {ErrorKind::kPermission, what, "it can be read as it is"};
    }
    return {ErrorKind::kInternal, what, "it can be read as it is"};
}

// The packed file in the making: removed again unless finish() was called.
class Output {
  public:
    Output(const Folder& folder, const std::string& target)
        : folder_(folder), target_(target), name_(target + ".packing") {}
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    ~Output() {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
            folder_.remove(name_);
        }
    }

    // All return 0 or an errno.
    int open(const struct stat& like) {
        folder_.remove(name_);  // left by an earlier packing that was killed
        descriptor_ = openat(folder_.descriptor(), name_.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, like.st_mode & 0777);
        if (descriptor_ < 0) {
            return errno;
        }
        // As root: the file keeps its owner.
        return fchown(descriptor_, like.st_uid, like.st_gid) == 0 || geteuid() != 0 ? 0 : errno;
    }

    int write(const void* bytes, std::size_t size) {
        const auto* const from = static_cast<const std::uint8_t*>(bytes);
        pending_.insert(pending_.end(), from, from + size);
        written_ += size;
        return pending_.size() < kWriteBytes ? 0 : flush();
    }

    int finish(FileHeader header, bool has_writer) {
        header.used_bytes = written_;
        header.freed_bytes = 0;
        header.packed = has_writer ? kPackedWhileWritten : 1;
        if (const int error = flush(); error != 0) {
            return error;
        }
        if (pwrite(descriptor_, &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header)) {
            return errno;
        }
        if (::close(std::exchange(descriptor_, -1)) != 0 || !folder_.rename(name_, target_)) {
            const int error = errno;
            folder_.remove(name_);
            return error;
        }
        return 0;
    }

    std::uint64_t written() const { return written_; }

  private:
    int flush() {
        // Beyond this limit the kernel kills instead of refusing.
        if (!within_file_limit(written_)) {
            return EFBIG;
        }
        for (std::size_t done = 0; done < pending_.size();) {
            const ssize_t got = ::write(descriptor_, pending_.data() + done, pending_.size() - done);
            if (got < 0 && errno != EINTR) {
                return errno;
            }
            done += got < 0 ? 0 : static_cast<std::size_t>(got);
        }
        pending_.clear();
        return 0;
    }

    const Folder& folder_;
    std::string target_;
    std::string name_;
    int descriptor_ = -1;
    std::uint64_t written_ = 0;
    std::vector<std::uint8_t> pending_;
};

// Adds the table descriptions among a chunk's records to `copies`, unchanged.
void copy_descriptions(const Chunk& chunk, std::vector<std::uint8_t>& copies) {
    const std::uint8_t* at = chunk.payload.data();
    const std::uint8_t* const end = at + chunk.payload.size();
    for (Record record; at != end;) {
        const std::uint8_t* const from = at;
        if (!read_record(at, end, record)) {
            return;
        }
        if (record.number == kSchemaTable && copies.size() + record.body.size() < kMaxChunkBytes / 2) {
            copies.insert(copies.end(), from, at);
        }
    }
}

int write_chunk(Output& output, const Chunk& chunk) {
    const std::size_t size = sizeof(ChunkHeader) + chunk.payload.size();
    const std::size_t capacity = (size + 7) / 8 * 8;
    ChunkHeader header{};
    header.magic = kChunkMagic;
    header.capacity = static_cast<std::uint32_t>(capacity);
    header.committed = static_cast<std::uint32_t>(chunk.payload.size());
    header.stream = raw(chunk.stream);
    header.payload_crc = chunk_crc(chunk.payload);
    header.header_crc = crc32c(&header, offsetof(ChunkHeader, header_crc));
    static constexpr std::uint8_t kPadding[8] = {};
    int error = output.write(&header, sizeof header);
    if (error == 0) {
        error = output.write(chunk.payload.data(), chunk.payload.size());
    }
    if (error == 0) {
        error = output.write(kPadding, capacity - size);
    }
    return error;
}

}  // namespace

Result<PackReport> pack_file(const std::filesystem::path& path) {
    const Result<Folder> folder = Folder::open(path.has_parent_path() ? path.parent_path() : ".");
    if (!folder) {
        return folder.error();
    }
    return pack_file(*folder, path.filename().string());
}

namespace {

// Writers hold this lock; it is released when we close the file. A reader may hold it for a moment.
bool is_locked(int descriptor) {
    constexpr int kTries = 5;
    constexpr timespec kPause{0, 2'000'000};
    for (int tries = 0; flock(descriptor, LOCK_EX | LOCK_NB) != 0; ++tries) {
        if (errno != EWOULDBLOCK) {
            return false;  // the file system has no locks
        }
        if (tries == kTries) {
            return true;
        }
        nanosleep(&kPause, nullptr);
    }
    return false;
}

// `report`: what of the file could not be read. A copy lacks that; otherwise it is an error.
Result<PackReport> write_packed(const File& file, const File::Reading& reading, const struct stat& like,
                                const Folder& folder, const std::string& name, ScanReport& report, bool is_copy,
                                std::span<const std::uint8_t> more = {}) {
    std::vector<std::uint8_t> head(file.header().header_bytes);
    if (reading.read(head.data(), head.size(), 0) != static_cast<ssize_t>(head.size())) {
        return Error{ErrorKind::kMalformed, file.path().string() + " is cut off inside its header",
                     "it holds no rows"};
    }
    // The writer leaves room in its header, which is most of a small file.
    FileHeader header;
    std::memcpy(&header, head.data(), sizeof header);
    if (std::all_of(head.begin() + sizeof header, head.end(), [](std::uint8_t byte) { return byte == 0; })) {
        head.resize(kMinHeaderBytes);
        header.header_bytes = kMinHeaderBytes;
        header.fixed_crc = crc32c(&header, offsetof(FileHeader, fixed_crc));
    }
    Output output(folder, name);
    int error = output.open(like);
    if (error == 0) {
        error = output.write(head.data(), head.size());
    }
    std::vector<std::uint8_t> descriptions;
    ChunkWalker walker(file, report);
    for (Chunk chunk; error == 0;) {
        const Result<bool> more = walker.next(chunk);
        if (!more) {
            return more.error();
        }
        if (!*more) {
            break;
        }
        copy_descriptions(chunk, descriptions);
        error = write_chunk(output, chunk);
    }
    if (error == 0 && !more.empty()) {
        error = write_chunk(output, {.offset = 0, .stream = StreamId{0}, .payload = more});
    }
    // Without its descriptions a file cannot be read: they are there twice, at opposite ends. A packed one has them
    // so.
    if (error == 0 && !descriptions.empty() && !file.header().packed) {
        error = write_chunk(output, {.offset = 0, .stream = StreamId{0}, .payload = descriptions});
    }
    if (error == 0 && !report.whole() && !is_copy) {
        return Error{ErrorKind::kMalformed,
                     file.path().string() + " is damaged at offset " + std::to_string(report.damaged.front().offset) +
                         " (" + report.damaged.front().what + ") and was not packed",
                     "it can be read as it is; the damaged places are skipped"};
    }
    if (error == 0) {
        error = output.finish(header, is_copy && file.header().has_writer);
    }
    if (error != 0) {
        return write_error(folder.path() / name, error);
    }
    return PackReport{file.bytes(), output.written(), report.damages};
}

}  // namespace

Result<PackReport> pack_file(const Folder& folder, const std::string& name, std::span<const std::uint8_t> more) {
    const std::filesystem::path path = folder.path() / name;
    Result<File> opened = File::open(folder, name);
    if (!opened) {
        return opened.error();
    }
    const File& file = *opened;
    const File::Reading reading(file);
    struct stat status{};
    if (fstat(reading.own_descriptor(), &status) != 0) {
        return write_error(path, errno);
    }
    if (file.header().packed && more.empty()) {
        const auto bytes = static_cast<std::uint64_t>(status.st_size);
        return PackReport{bytes, bytes};
    }
    if (is_locked(reading.own_descriptor())) {
        return Error{ErrorKind::kUnsupported, path.string() + " is still being written",
                     "pack it when the program has ended"};
    }
    ScanReport report;
    return write_packed(file, reading, status, folder, name, report, false, more);
}

Result<PackReport> pack_copy(const File& file, const Folder& to, const std::string& name) {
    const File::Reading reading(file);
    if (reading.error() != 0) {
        return write_error(file.path(), reading.error());
    }
    struct stat like{};
    like.st_mode = 0600;
    like.st_uid = geteuid();
    like.st_gid = getegid();
    ScanReport report;
    return write_packed(file, reading, like, to, name, report, true);
}

}  // namespace kymo::recording
