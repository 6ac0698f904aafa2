#include "recording/file_writer.h"

#include "base/checksum.h"
#include "base/file_limit.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace kymo::recording {

namespace {

constexpr std::uint64_t kAhead = 1ULL << 20U;  // allocated at once where no descriptor is kept
// A reservation this small is the least that is worth recording into.
constexpr std::uint64_t kSmallestMapping = kHeaderBytes + kChunkBytes;
constexpr std::uint64_t kFreeNumberMask = 0xFFFFFFFFU;

class KeepErrno {
  public:
    KeepErrno() : saved_(errno) {}
    KeepErrno(const KeepErrno&) = delete;
    KeepErrno& operator=(const KeepErrno&) = delete;
    ~KeepErrno() { errno = saved_; }

  private:
    int saved_;
};

// The calls below go straight to the kernel where glibc's wrapper is a cancellation point: a thread of the
// program with a pending cancellation must not die inside the monitor.
int open_raw(const char* path, int flags, mode_t mode) {
    return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int close_raw(int descriptor) {
    return static_cast<int>(syscall(SYS_close, descriptor));
}

int lock_raw(int descriptor) {
    return static_cast<int>(syscall(SYS_flock, descriptor, LOCK_EX | LOCK_NB));
}

int move_up(int descriptor, int floor) {
    if (floor <= descriptor) {
        return descriptor;
    }
    const auto moved = static_cast<int>(syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, floor));
    if (moved < 0) {
        return descriptor;  // a low limit on descriptors: stay
    }
    close_raw(descriptor);
    return moved;
}

int allocate_by_kernel(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
    // A signal makes some file systems give up half-way; each further try starts with what is there already.
    for (int tries = 0; tries < 1000; ++tries) {
        if (syscall(SYS_fallocate, descriptor, 0, offset, bytes) == 0) {
            return 0;
        }
        if (errno != EINTR) {
            return errno;
        }
    }
    return EINTR;
}

// For file systems without fallocate. The range is the caller's own, so nobody's rows are overwritten.
int allocate_by_zeros(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
    static constexpr char kZeros[4096] = {};
    while (bytes != 0) {
        const std::uint64_t piece = bytes < sizeof kZeros ? bytes : sizeof kZeros;
        const long written = syscall(SYS_pwrite64, descriptor, kZeros, piece, offset);
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            return errno;
        }
        if (written == 0) {
            return ENOSPC;
        }
        offset += static_cast<std::uint64_t>(written);
        bytes -= static_cast<std::uint64_t>(written);
    }
    return 0;
}

std::uint64_t whole_chunks(std::uint64_t bytes) {
    return kHeaderBytes + (bytes - kHeaderBytes) / kGridBytes * kGridBytes;
}

std::atomic_ref<std::uint64_t> used_of(FileHeader& header) {
    return std::atomic_ref<std::uint64_t>(header.used_bytes);
}

}  // namespace

int FileWriter::create(const char* path, const FileOptions& options) {
    const std::uint64_t asked = options.max_bytes == 0 ? kDefaultMaxBytes : options.max_bytes;
    if (is_open()) {
        return EBUSY;
    }
    if (asked < kSmallestMapping || !within_file_limit(kSmallestMapping)) {
        return EFBIG;
    }
    int file = open_raw(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
    if (file < 0) {
        return errno;
    }
    file = move_up(file, options.descriptor_floor);
    lock_raw(file);  // not every file system has locks; nothing here depends on it

    keeps_none_ = false;
    allocated_ = 0;
    allocate_ = options.allocate;
    descriptor_floor_ = options.descriptor_floor;
    descriptor_.store(file, std::memory_order_relaxed);
    full_.store(false, std::memory_order_relaxed);
    last_error_.store(0, std::memory_order_relaxed);
    free_.store(0, std::memory_order_relaxed);
    const std::size_t path_length = std::strlen(path);
    path_[0] = '\0';
    if (path_length < sizeof path_) {
        std::memcpy(path_, path, path_length + 1);
    }

    struct stat status{};
    int error = fstat(file, &status) == 0 ? 0 : errno;
    device_ = status.st_dev;
    inode_ = status.st_ino;
    if (error == 0) {
        error = allocate(0, kHeaderBytes);
    }
    // A limit on address space (RLIMIT_AS) is no reason to fail while a smaller reservation does.
    void* mapping = MAP_FAILED;
    for (mapped_bytes_ = whole_chunks(asked); error == 0 && mapped_bytes_ >= kSmallestMapping;
         mapped_bytes_ = whole_chunks(mapped_bytes_ / 2)) {
        mapping = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
        if (mapping != MAP_FAILED || errno != ENOMEM || mapped_bytes_ / 2 < kSmallestMapping) {
            break;
        }
    }
    if (error == 0 && mapping == MAP_FAILED) {
        error = errno;
    }
    if (error != 0) {
        syscall(SYS_unlinkat, AT_FDCWD, path, 0);
        close_raw(file);
        descriptor_.store(-1, std::memory_order_relaxed);
        return error;
    }

    FileHeader fresh{};
    fresh.major = kMajorVersion;
    fresh.minor = kMinorVersion;
    fresh.header_bytes = kHeaderBytes;
    fresh.machine = options.machine;
    fresh.clock = static_cast<std::uint8_t>(options.clock);
    fresh.chunk_bytes = kGridBytes;
    fresh.pid = options.pid;
    const std::size_t producer = options.producer.size() < kProducerBytes ? options.producer.size() : kProducerBytes;
    fresh.producer_bytes = static_cast<std::uint32_t>(producer);
    if (producer != 0) {
        std::memcpy(fresh.producer, options.producer.data(), producer);
    }
    std::memcpy(fresh.magic, kFileMagic, sizeof kFileMagic);
    fresh.fixed_crc = crc32c(&fresh, offsetof(FileHeader, fixed_crc));
    fresh.used_bytes = kHeaderBytes;
    std::memcpy(mapping, &fresh, sizeof fresh);

    if (file < options.descriptor_floor) {
        // The program may have all of its descriptors in use whenever the file is to grow.
        const std::uint64_t ahead = mapped_bytes_ < kAhead ? mapped_bytes_ : kAhead;
        allocated_ = allocate(0, ahead) == 0 ? ahead : 0;
        keeps_none_ = true;
        descriptor_.store(-1, std::memory_order_relaxed);
        close_raw(file);
    }
    base_.store(static_cast<std::uint8_t*>(mapping), std::memory_order_release);
    generation_.fetch_add(1, std::memory_order_acq_rel);
    return 0;
}

int FileWriter::close() {
    if (!is_open()) {
        return 0;
    }
    FileHeader& file = *header();
    const std::uint64_t used = used_of(file).load(std::memory_order_acquire);
    int error = 0;
    const int ours = descriptor();
    if (ours < 0) {
        error = EBADF;
    } else if (ftruncate(ours, static_cast<off_t>(used)) != 0) {
        error = errno;
    }
    let_go(ours);
    std::atomic_ref<std::uint32_t>(file.closed).store(1, std::memory_order_release);
    drop();
    return error;
}

void FileWriter::abandon() {
    const KeepErrno keep;
    if (is_open()) {
        drop();
    }
}

void FileWriter::drop() {
    std::uint8_t* const base = base_.exchange(nullptr, std::memory_order_acq_rel);
    generation_.fetch_add(1, std::memory_order_acq_rel);
    munmap(base, mapped_bytes_);
    const int ours = descriptor_.exchange(-1, std::memory_order_acq_rel);
    if (ours >= 0 && is_ours(ours)) {
        close_raw(ours);
    }
}

std::uint64_t FileWriter::bytes_used() const {
    return is_open() ? used_of(*header()).load(std::memory_order_relaxed) : 0;
}

bool FileWriter::is_ours(int descriptor) const {
    struct stat status{};
    return descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

int FileWriter::descriptor() {
    int held = descriptor_.load(std::memory_order_acquire);
    if (is_ours(held)) {
        return held;
    }
    if (path_[0] == '\0') {
        return -1;
    }
    int again = open_raw(path_, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0);
    if (again < 0) {
        return -1;
    }
    again = move_up(again, descriptor_floor_);
    if (!is_ours(again)) {
        close_raw(again);
        return -1;
    }
    if (keeps_none_) {
        return again;
    }
    lock_raw(again);
    if (!descriptor_.compare_exchange_strong(held, again, std::memory_order_acq_rel)) {
        close_raw(again);  // another thread was faster
        return held;
    }
    return again;
}

void FileWriter::let_go(int descriptor) const {
    if (keeps_none_ && descriptor >= 0) {
        close_raw(descriptor);
    }
}

void FileWriter::fail(int error) {
    last_error_.store(error, std::memory_order_relaxed);
    full_.store(true, std::memory_order_relaxed);
}

int FileWriter::allocate(std::uint64_t offset, std::uint64_t bytes) {
    if (offset + bytes <= allocated_) {
        return 0;
    }
    if (!within_file_limit(offset + bytes)) {
        return EFBIG;
    }
    const int ours = descriptor();
    if (ours < 0) {
        return EBADF;
    }
    int error = allocate_ != nullptr ? allocate_(ours, offset, bytes) : allocate_by_kernel(ours, offset, bytes);
    if (error == EOPNOTSUPP || error == ENOSYS) {
        error = allocate_by_zeros(ours, offset, bytes);
    }
    let_go(ours);
    return error;
}

ChunkHeader* FileWriter::take(std::size_t bytes, std::uint32_t stream) {
    const KeepErrno keep;
    if (!is_open() || bytes > kMaxChunkBytes || full()) {
        return nullptr;
    }
    const std::uint64_t capacity = (bytes + kGridBytes - 1) / kGridBytes * kGridBytes;
    const auto used = used_of(*header());
    std::uint64_t offset = used.load(std::memory_order_relaxed);
    do {
        if (offset + capacity > mapped_bytes_) {
            if (capacity <= kChunkBytes) {
                fail(EFBIG);
            }
            return nullptr;
        }
    } while (!used.compare_exchange_weak(offset, offset + capacity, std::memory_order_acq_rel));

    std::uint8_t* const begin = base_.load(std::memory_order_relaxed) + offset;
    int error = allocate(offset, capacity);
    if (error == 0 && madvise(begin, capacity, MADV_POPULATE_WRITE) != 0 && errno == EFAULT) {
        error = ENOSPC;  // the kernel would have raised SIGBUS
    }
    if (error != 0) {
        fail(error);
        // Undo the claim unless somebody has claimed behind it; readers step over a claim without a chunk.
        std::uint64_t end = offset + capacity;
        used.compare_exchange_strong(end, offset, std::memory_order_acq_rel);
        return nullptr;
    }
    auto* const chunk = reinterpret_cast<ChunkHeader*>(begin);
    chunk->capacity = static_cast<std::uint32_t>(capacity);
    chunk->stream = stream;
    std::atomic_ref<std::uint32_t>(chunk->magic).store(kChunkMagic, std::memory_order_release);
    return chunk;
}

ChunkHeader* FileWriter::chunk_at(std::uint64_t number) const {
    return reinterpret_cast<ChunkHeader*>(base_.load(std::memory_order_relaxed) + kHeaderBytes +
                                          (number - 1) * kGridBytes);
}

ChunkHeader* FileWriter::take_released() {
    if (!is_open()) {
        return nullptr;
    }
    std::uint64_t head = free_.load(std::memory_order_acquire);
    while ((head & kFreeNumberMask) != 0) {
        ChunkHeader* const chunk = chunk_at(head & kFreeNumberMask);
        // May be stale when another thread has popped the chunk since; the count in the head then differs.
        const std::uint64_t next = std::atomic_ref<std::uint32_t>(chunk->next_free).load(std::memory_order_relaxed);
        const std::uint64_t changes = (head >> 32U) + 1;
        if (free_.compare_exchange_weak(head, changes << 32U | next, std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
            return chunk;
        }
    }
    return nullptr;
}

void FileWriter::give_back(ChunkHeader* chunk) {
    const auto offset =
        static_cast<std::uint64_t>(reinterpret_cast<std::uint8_t*>(chunk) - base_.load(std::memory_order_relaxed));
    const std::uint64_t number = (offset - kHeaderBytes) / kGridBytes + 1;
    const std::atomic_ref<std::uint32_t> next(chunk->next_free);
    std::uint64_t head = free_.load(std::memory_order_relaxed);
    do {
        next.store(static_cast<std::uint32_t>(head & kFreeNumberMask), std::memory_order_relaxed);
    } while (!free_.compare_exchange_weak(head, ((head >> 32U) + 1) << 32U | number, std::memory_order_acq_rel,
                                          std::memory_order_relaxed));
}

}  // namespace kymo::recording
