// A recording file being written: owns the descriptor and the mapped header, and hands out chunks, each
// mapped for as long as a stream fills it. Part of the monitor: no malloc, no locks, no stdio, no exceptions,
// no cancellation points.
//
// Space. A chunk is claimed by an atomic counter in the file's header, then its bytes are allocated (fallocate,
// or writing zeros if the file system has none), mapped and populated; only then is it touched. So a full
// disk or a limit is an error of take() and never a SIGBUS or SIGXFSZ. After the first failure of the file's
// own (not one of memory) full() stays true: chunks in use can still be filled, and no further system calls are
// made. At max_bytes it is true until a part of the file is freed (FileHeader::freed_bytes).
//
// Address space. Mapped are the header and one chunk a stream, however large the file grows or may grow:
// a program under `ulimit -v` or mlockall() has as much room as without Kymo, except for that. A forked child does
// not get the chunks: they belong to its parent.
//
// Chunks that an ended stream did not fill are kept, mapped, for *new* streams: in a table of single words, so
// that no thread ever reads a chunk that another thread may be unmapping.
//
// Threads and signals. take(), take_released(), give_back() and let_go() may be called by any thread and in any
// handler, also one that interrupted a thread inside the same call: all are lock-free. create(), close() and
// abandon() require that no other thread uses the object. All but create() and close() preserve errno.
//
// Descriptor. A program may close descriptors that it does not own, and open its own under the same number.
// Before the descriptor is used it is checked against the file's device and inode, and opened again by
// path if it is not ours any more. If the limit leaves no number above the floor, none is kept: it is opened when
// the file grows beyond a first megabyte, which is mapped as a whole, and closed again.
//
// Writers hold an advisory whole-file lock (flock), so that pack_file() recognises a live file.
#pragma once

#include "recording/format.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kymo::recording {

inline constexpr std::uint64_t kDefaultMaxBytes = 64ULL << 30U;

struct FileOptions {
    // Of the file, without what was freed in it (FileHeader::freed_bytes); 0: kDefaultMaxBytes. Rounded down to whole
    // chunks.
    std::uint64_t max_bytes = 0;
    std::uint16_t machine = 0;  // ELF e_machine
    ClockDomain clock = ClockDomain::kMonotonic;
    std::uint32_t pid = 0;
    std::string_view producer = {};  // at most kProducerBytes are kept
    // The descriptor is moved to this number or above, so that the program still gets the numbers it
    // expects. 0: not moved.
    int descriptor_floor = 0;
    // Allocates [offset, offset + bytes) of the file: 0 or an errno. Null: fallocate(2). For tests.
    int (*allocate)(int descriptor, std::uint64_t offset, std::uint64_t bytes) = nullptr;
};

class FileWriter {
  public:
    constexpr FileWriter() = default;
    FileWriter(const FileWriter&) = delete;
    FileWriter& operator=(const FileWriter&) = delete;
    // No destructor: the monitor's object must outlive all others. An object that goes out of scope
    // without close() or abandon() leaks its mapping.
    ~FileWriter() = default;

    // Makes a new file, mode 0600; never opens an existing one. 0, or the errno (EEXIST, ENOSPC, EFBIG when
    // max_bytes or RLIMIT_FSIZE has no room for one chunk, ...); nothing is left behind then.
    int create(const char* path, const FileOptions& options);

    // Cuts the file to the chunks handed out, marks it as regularly ended, unmaps. 0 or the first errno.
    // Streams still open on it write no more (their rows count as unwritten), and keep their chunk mapped:
    // release() them first.
    int close();

    // In a forked child: releases mapping and descriptor, leaves the file to the parent.
    void abandon();

    bool is_open() const { return base_.load(std::memory_order_acquire) != nullptr; }
    // −1: none is kept at the moment.
    int descriptor() const { return descriptor_.load(std::memory_order_relaxed); }
    // Bytes of the file handed out so far, header included. 0 when not open.
    std::uint64_t bytes_used() const;
    // No further chunk is handed out: a limit or no space (see last_error()), or, until old rows are condensed,
    // max_bytes.
    bool full() const { return full_.load(std::memory_order_relaxed) || at_limit_.load(std::memory_order_relaxed); }
    // errno of the last failure inside (ENOSPC, EFBIG, ...); 0: none yet.
    int last_error() const { return last_error_.load(std::memory_order_relaxed); }

    // ---- for StreamWriter ----

    // A new chunk of at least `bytes` (header included, at most kMaxChunkBytes), its header filled in
    // for `stream`. Null: no space.
    ChunkHeader* take(std::size_t bytes, std::uint32_t stream);
    // A chunk with room left that an ended stream gave back; rows go behind its committed ones. Null: none.
    ChunkHeader* take_released();
    void give_back(ChunkHeader* chunk);
    // Unmaps a chunk that no thread will write to any more.
    void let_go(ChunkHeader* chunk) const;

    // Changes whenever the mapping does.
    std::uint32_t generation() const { return generation_.load(std::memory_order_acquire); }

  private:
    FileHeader* header() const { return reinterpret_cast<FileHeader*>(base_.load(std::memory_order_relaxed)); }
    int allocate(std::uint64_t offset, std::uint64_t bytes);
    ChunkHeader* map_chunk(std::uint64_t offset, std::uint64_t bytes, int* error);
    int descriptor();  // ours for certain, or -1; done_with() it when it was used
    void done_with(int descriptor) const;
    bool is_ours(int descriptor) const;
    void fail(int error);
    void drop();

    std::atomic<std::uint8_t*> base_{nullptr};
    // Chunks beyond this are unmapped: a stream's remains are some kilobytes.
    static constexpr std::size_t kMostReleased = 1024;
    std::atomic<ChunkHeader*> released_[kMostReleased] = {};
    std::atomic<std::uint32_t> released_count_{0};  // a hint
    std::atomic<std::uint32_t> generation_{0};
    std::atomic<int> descriptor_{-1};
    std::atomic<int> last_error_{0};
    std::atomic<bool> full_{false};
    std::atomic<bool> at_limit_{false};
    std::uint64_t max_bytes_ = 0;  // of the file
    std::uint64_t device_ = 0;
    std::uint64_t inode_ = 0;
    int descriptor_floor_ = 0;
    bool keeps_none_ = false;         // no descriptor between uses
    std::uint64_t allocated_ = 0;     // the file has space up to here
    std::uint64_t mapped_bytes_ = 0;  // from its begin: the header, and what is mapped ahead
    int (*allocate_)(int, std::uint64_t, std::uint64_t) = nullptr;
    char path_[4096] = {};
};

}  // namespace kymo::recording
