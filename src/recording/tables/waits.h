// The waits of threads. See recording/tables.h.
#pragma once

#include "recording/schema.h"

#include <cstdint>

namespace kymo::recording {

// The kind of object that a thread waited for. Values are part of the format: new ones at the end.
enum class WaitKind : std::uint8_t {
    kMutex = 1,      // object of 1 to 8: the address of the synchronisation object
    kReadLock = 2,   // a read-write lock, to read
    kWriteLock = 3,  // a read-write lock, to write
    kSpinLock = 4,
    kCondition = 5,
    kBarrier = 6,
    kSemaphore = 7,
    kJoin = 8,     // object: the joined thread's handle
    kRead = 9,     // read and receive; object: the descriptor, and what it was open on (FileKind)
    kWrite = 10,   // write and send; object likewise
    kPoll = 11,    // poll, select, epoll; object: the epoll descriptor, or 0
    kAccept = 12,  // object of 12 to 14: as of 9
    kConnect = 13,
    kSync = 14,
    kSleep = 15,  // object: 0
    kChild = 16,  // waitpid and its kin; object: 0
    kOnce = 17,   // another thread's initialiser; object: the flag
    kFutex = 18,  // by the system call itself; object: the word
    // OpenMP. A waiting thread may spin, so that these waits can be in processor time as well.
    kOmpBarrier = 20,   // also the implicit ones; object of 20, 24, 25 and 26: the parallel construct's call
    kOmpCritical = 21,  // object of 21 to 23 and 27: the lock
    kOmpLock = 22,
    kOmpOrdered = 23,
    kOmpTasks = 24,   // taskwait, and the end of a taskgroup
    kOmpSingle = 25,  // for the result of the thread that executes a `single`
    kOmpIdle = 26,    // a worker between two regions; object: the construct that ends it
    kOmpAtomic = 27,
    kFileLock = 28,  // another process's or thread's lock on a file, or on a part of it; object: as of 9
    kMessage = 29,   // a queue of messages that is empty or full; object: its number
    kSignal = 30,    // a signal; object: 0
};
inline constexpr unsigned kWaitKinds = 31;  // with the unused 0 and 19

// Waits for other threads of the process, by locks etc., which may spin; the others are blocking system calls.
constexpr bool is_synchronisation(WaitKind kind) {
    return (kind >= WaitKind::kMutex && kind <= WaitKind::kJoin) || kind == WaitKind::kOnce ||
           kind == WaitKind::kFutex || (kind >= WaitKind::kOmpBarrier && kind <= WaitKind::kOmpAtomic);
}

// What a descriptor referred to: the file type of st_mode, inode(7), four bits. Bits 32 to 35 of a wait's object,
// whose low half is the descriptor.
enum class FileKind : std::uint8_t {
    kUnknown = 0,  // not determined, closed meanwhile, or none of these (an eventfd)
    kPipe = 1,
    kDevice = 2,  // a character device: a terminal, /dev/null
    kDirectory = 4,
    kDisk = 6,
    kFile = 8,
    kSocket = 12,
};
inline constexpr unsigned kFileKindBit = 32;

constexpr bool has_file_kind(WaitKind kind) {
    return kind == WaitKind::kRead || kind == WaitKind::kWrite || kind == WaitKind::kAccept ||
           kind == WaitKind::kConnect || kind == WaitKind::kSync || kind == WaitKind::kFileLock;
}
constexpr FileKind file_kind_of(WaitKind kind, std::uint64_t object) {
    constexpr std::uint64_t kMask = 0xf;
    return has_file_kind(kind) ? static_cast<FileKind>(object >> kFileKindBit & kMask) : FileKind::kUnknown;
}
constexpr std::uint32_t descriptor_of(std::uint64_t object) {
    return static_cast<std::uint32_t>(object);
}

// A thread waited from `time` for `duration`: in its own stream, written after the wait. Waits shorter than
// WaitBrief's bound are omitted.
struct Wait {
    std::uint64_t time = 0;
    std::uint64_t duration = 0;
    std::uint64_t kind = 0;  // WaitKind
    std::uint64_t object = 0;
    std::uint64_t context = 0;  // ContextId of the caller of the waiting function; 0: not known
    // The thread it waited for, as a thread id of this process; 0: none or not known. Locks: the owner when the
    // wait began. Conditions, barriers, semaphores: the last to signal, arrive or post before its end. Joins: the
    // joined thread. Of programs measured from outside, but for joins: the thread that woke it.
    std::uint64_t holder = 0;
    std::uint64_t flags = 0;  // WaitFlags

    static constexpr const char* kTable = "wait";
    static constexpr std::uint32_t kTableId = 28;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Wait::time);
        visit("duration", ColumnType::kUint, "ns", &Wait::duration);
        visit("kind", ColumnType::kUint, "", &Wait::kind);
        visit("object", ColumnType::kUint, "address", &Wait::object);
        visit("context", ColumnType::kUint, "", &Wait::context);
        visit("holder", ColumnType::kUint, "", &Wait::holder);
        visit("flags", ColumnType::kUint, "", &Wait::flags);
    }
};

// Wait::flags
inline constexpr std::uint64_t kWaitOpen = 0x1;       // the process ended meanwhile
inline constexpr std::uint64_t kWaitAbandoned = 0x2;  // never returned: the thread was cancelled, or jumped out

// The waits of a stream that were too short to be rows of their own (under `below`), added up by kind. Written with
// the stream's end.
struct WaitBrief {
    std::uint64_t stream = 0;
    std::uint64_t kind = 0;  // WaitKind
    std::uint64_t count = 0;
    std::uint64_t duration = 0;
    std::uint64_t below = 0;
    std::uint64_t condensed = 0;  // of `count`: were rows of their own until old rows were condensed

    static constexpr auto kOmittedIfZero = &WaitBrief::condensed;  // the last column

    static constexpr const char* kTable = "wait-brief";
    static constexpr std::uint32_t kTableId = 29;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("stream", ColumnType::kUint, "", &WaitBrief::stream);
        visit("kind", ColumnType::kUint, "", &WaitBrief::kind);
        visit("count", ColumnType::kUint, "", &WaitBrief::count);
        visit("duration", ColumnType::kUint, "ns", &WaitBrief::duration);
        visit("below", ColumnType::kUint, "ns", &WaitBrief::below);
        visit("condensed", ColumnType::kUint, "", &WaitBrief::condensed);
    }
};

}  // namespace kymo::recording
