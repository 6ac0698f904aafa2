#include "recording/file_writer.h"

#include "base/checksum.h"
#include "base/file_limit.h"
#include "recording/raw_file.h"

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

constexpr std::uint64_t kAhead = 1ULL << 20U;  // allocated and mapped at once if no descriptor is kept
// The smallest useful size.
constexpr std::uint64_t kSmallestFile = kHeaderBytes + kChunkBytes;

class KeepErrno {
  public:
    KeepErrno() : saved_(errno) {}
    KeepErrno(const KeepErrno&) = delete;
    KeepErrno& operator=(const KeepErrno&) = delete;
    ~KeepErrno() { errno = saved_; }

  private:
    int saved_;
};

std::uint64_t whole_chunks(std::uint64_t bytes) {
    return kHeaderBytes + (bytes - kHeaderBytes) / kGridBytes * kGridBytes;
}

std::atomic_ref<std::uint64_t> used_of(FileHeader& header) {
    return std::atomic_ref<std::uint64_t>(header.used_bytes);
}

std::atomic_ref<std::uint64_t> freed_of(FileHeader& header) {
    return std::atomic_ref<std::uint64_t>(header.freed_bytes);
}

}  // namespace

int FileWriter::create(const char* path, const FileOptions& options) {
    const std::uint64_t asked = options.max_bytes == 0 ? kDefaultMaxBytes : options.max_bytes;
    if (is_open()) {
        return EBUSY;
    }
    if (asked < kSmallestFile || !within_file_limit(kSmallestFile)) {
        return EFBIG;
    }
    int file = open_raw(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
    if (file < 0) {
        return errno;
    }
    file = move_up(file, options.descriptor_floor);
    lock_raw(file);  // some file systems have no locks; nothing here depends on it

    keeps_none_ = false;
    allocated_ = 0;
    allocate_ = options.allocate;
    descriptor_floor_ = options.descriptor_floor;
    descriptor_.store(file, std::memory_order_relaxed);
    full_.store(false, std::memory_order_relaxed);
    at_limit_.store(false, std::memory_order_relaxed);
    last_error_.store(0, std::memory_order_relaxed);
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
    max_bytes_ = whole_chunks(asked);
    mapped_bytes_ = kHeaderBytes;
    if (error == 0 && file < options.descriptor_floor) {
        // The program may use all of its descriptors when the file has to grow.
        const std::uint64_t ahead = max_bytes_ < kAhead ? max_bytes_ : kAhead;
        mapped_bytes_ = allocate(0, ahead) == 0 ? ahead : kHeaderBytes;
        allocated_ = mapped_bytes_;
    }
    void* const mapping =
        error == 0 ? mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
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
    for (auto& place : released_) {
        if (ChunkHeader* const chunk = place.exchange(nullptr, std::memory_order_acq_rel); chunk != nullptr) {
            let_go(chunk);
        }
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
    std::atomic_ref<std::uint32_t>(file.closed).store(1, std::memory_order_release);
    if (ours >= 0) {
        // Chunks that streams have not released keep the open file, and its lock, alive.
        syscall(SYS_flock, ours, LOCK_UN);
    }
    done_with(ours);
    drop();
    return error;
}

void FileWriter::abandon() {
    const KeepErrno keep;
    if (is_open()) {
        for (auto& place : released_) {
            place.store(nullptr, std::memory_order_relaxed);  // mapped in the parent only
        }
        drop();
    }
}

void FileWriter::drop() {
    std::uint8_t* const base = base_.exchange(nullptr, std::memory_order_acq_rel);
    generation_.fetch_add(1, std::memory_order_acq_rel);
    munmap(base, mapped_bytes_);
    released_count_.store(0, std::memory_order_relaxed);
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

void FileWriter::done_with(int descriptor) const {
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
    done_with(ours);
    return error;
}

ChunkHeader* FileWriter::take(std::size_t bytes, std::uint32_t stream) {
    const KeepErrno keep;
    if (!is_open() || bytes > kMaxChunkBytes || full_.load(std::memory_order_relaxed)) {
        return nullptr;
    }
    const std::uint64_t capacity = (bytes + kGridBytes - 1) / kGridBytes * kGridBytes;
    const auto used = used_of(*header());
    std::uint64_t offset = used.load(std::memory_order_relaxed);
    do {
        if (offset + capacity > max_bytes_ + freed_of(*header()).load(std::memory_order_relaxed)) {
            if (capacity <= kChunkBytes) {
                last_error_.store(EFBIG, std::memory_order_relaxed);
                at_limit_.store(true, std::memory_order_relaxed);
            }
            return nullptr;
        }
    } while (!used.compare_exchange_weak(offset, offset + capacity, std::memory_order_acq_rel));

    int error = allocate(offset, capacity);
    ChunkHeader* const chunk = error == 0 ? map_chunk(offset, capacity, &error) : nullptr;
    if (chunk == nullptr) {
        if (error != ENOMEM) {  // memory may become available again
            fail(error);
        }
        // Undo the claim unless another one follows it; readers skip a claim without a chunk.
        std::uint64_t end = offset + capacity;
        used.compare_exchange_strong(end, offset, std::memory_order_acq_rel);
        return nullptr;
    }
    at_limit_.store(false, std::memory_order_relaxed);
    chunk->capacity = static_cast<std::uint32_t>(capacity);
    chunk->stream = stream;
    std::atomic_ref<std::uint32_t>(chunk->magic).store(kChunkMagic, std::memory_order_release);
    return chunk;
}

ChunkHeader* FileWriter::map_chunk(std::uint64_t offset, std::uint64_t bytes, int* error) {
    void* begin = base_.load(std::memory_order_relaxed) + offset;
    const bool mapped_ahead = offset + bytes <= mapped_bytes_;
    if (!mapped_ahead) {
        const int ours = descriptor();
        begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ours, static_cast<off_t>(offset));
        *error = errno;
        done_with(ours);
        if (begin == MAP_FAILED) {
            return nullptr;
        }
        *error = 0;
        madvise(begin, bytes, MADV_DONTFORK);
    }
    if (madvise(begin, bytes, MADV_POPULATE_WRITE) != 0 && errno == EFAULT) {
        *error = ENOSPC;  // the kernel would have raised SIGBUS
        if (!mapped_ahead) {
            munmap(begin, bytes);
        }
        return nullptr;
    }
    return static_cast<ChunkHeader*>(begin);
}

ChunkHeader* FileWriter::take_released() {
    if (!is_open() || released_count_.load(std::memory_order_relaxed) == 0) {
        return nullptr;
    }
    for (auto& place : released_) {
        if (place.load(std::memory_order_relaxed) == nullptr) {
            continue;
        }
        if (ChunkHeader* const chunk = place.exchange(nullptr, std::memory_order_acq_rel); chunk != nullptr) {
            released_count_.fetch_sub(1, std::memory_order_relaxed);
            return chunk;
        }
    }
    return nullptr;
}

void FileWriter::give_back(ChunkHeader* chunk) {
    for (auto& place : released_) {
        ChunkHeader* free = nullptr;
        if (place.load(std::memory_order_relaxed) == nullptr &&
            place.compare_exchange_strong(free, chunk, std::memory_order_acq_rel)) {
            released_count_.fetch_add(1, std::memory_order_relaxed);
            return;
        }
    }
    let_go(chunk);
}

void FileWriter::let_go(ChunkHeader* chunk) const {
    const KeepErrno keep;
    const std::uint8_t* const base = base_.load(std::memory_order_relaxed);
    if (base != nullptr &&
        reinterpret_cast<std::uintptr_t>(chunk) - reinterpret_cast<std::uintptr_t>(base) < mapped_bytes_) {
        return;  // mapped ahead
    }
    munmap(chunk, chunk->capacity);
}

}  // namespace kymo::recording
