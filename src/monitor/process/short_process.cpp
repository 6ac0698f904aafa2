#include "monitor/process/short_process.h"

#include "base/checksum.h"
#include "base/file_limit.h"
#include "image/describe.h"
#include "monitor/clock.h"
#include "monitor/sampling/process_counters.h"
#include "monitor/text.h"
#include "monitor/threads/thread_state.h"
#include "recording/encode.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

namespace {

constexpr std::size_t kCommandBytes = 512;
constexpr std::size_t kRowBytes = 8192;  // of all: an executable's path is 4 KiB at most

struct BriefWaits {
    std::uint64_t kinds[recording::kWaitKinds];
    std::uint64_t counts[recording::kWaitKinds];
    std::uint64_t durations[recording::kWaitKinds];
    std::size_t size = 0;

    explicit BriefWaits(const ThreadState& thread) {
        for (unsigned kind = 0; kind < recording::kWaitKinds; ++kind) {
            const WaitState::Sum& sum = thread.waits.brief[kind];
            if (const std::uint64_t count = sum.count.load(std::memory_order_relaxed); count != 0) {
                kinds[size] = kind;
                counts[size] = count;
                durations[size++] = sum.duration.load(std::memory_order_relaxed);
            }
        }
    }
};

// A packed chunk (docs/recording-format.md) of one record. Returns its size; 0: no room.
std::size_t make_chunk(const recording::ShortProcess& row, std::span<std::uint8_t> room) {
    using recording::ChunkHeader;
    const recording::RowRecord<recording::ShortProcess> record{row};
    std::uint64_t bases[recording::RowRecord<recording::ShortProcess>::kDeltas] = {};
    const std::size_t body = record.body(bases);
    if (sizeof(ChunkHeader) + 3 * kMaxVarintBytes + body > room.size()) {
        return 0;
    }
    std::uint8_t* const payload = room.data() + sizeof(ChunkHeader);
    std::uint8_t* at = encode_varint(payload, recording::ShortProcess::kTableId);
    at = encode_varint(at, body);
    at = record.write(at, bases);
    const auto committed = static_cast<std::size_t>(at - payload);
    while ((at - payload) % 8 != 0) {
        *at++ = 0;
    }
    ChunkHeader header{};
    header.magic = recording::kChunkMagic;
    header.capacity = static_cast<std::uint32_t>(at - room.data());
    header.committed = static_cast<std::uint32_t>(committed);
    header.payload_crc = crc32c(payload, committed);
    header.header_crc = crc32c(&header, offsetof(ChunkHeader, header_crc));
    __builtin_memcpy(room.data(), &header, sizeof header);
    return header.capacity;
}

bool append_to(const char* path, std::uint64_t max_bytes, std::span<const std::uint8_t> chunk) {
    const auto file = static_cast<int>(
        syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK));
    if (file < 0) {
        return false;
    }
    struct stat facts{};
    bool done = false;
    if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode)) {
        const std::uint64_t end = static_cast<std::uint64_t>(facts.st_size) + chunk.size();
        done = (max_bytes == 0 || end <= max_bytes) && within_file_limit(end) &&
               syscall(SYS_write, file, chunk.data(), chunk.size()) == static_cast<long>(chunk.size());
    }
    syscall(SYS_close, file);
    return done;
}

}  // namespace

bool write_short_process(ThreadState& thread, Process::End how) {
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0) {
        return false;
    }
    const events::Session& session = process.session();
    static char path[events::kPathBytes + 64];
    static char executable[events::kPathBytes];
    static char command[kCommandBytes];
    static std::uint8_t chunk[kRowBytes];
    Text(path, sizeof path) << session.directory << "/" << events::kShortProcesses;

    CounterValues values;
    rusage space{};
    thread.counters.read(values, own_usage(space));
    process_counters.read(values);
    const BriefWaits waits(thread);
    recording::ShortProcess row;
    row.time = process.start_time();
    row.end = clock_now();
    row.pid = static_cast<std::uint64_t>(process.pid());
    row.kernel_pid = process.kernel_numbers().of_process();
    row.parent_pid = static_cast<std::uint64_t>(syscall(SYS_getppid));
    row.executable = image::own_program_path(executable);
    row.command = process.arguments(command);
    row.how = static_cast<std::uint64_t>(how);
    row.totals = {values.value, session.event_count};
    row.user_ns = nanoseconds(usage.ru_utime);
    row.system_ns = nanoseconds(usage.ru_stime);
    row.voluntary = static_cast<std::uint64_t>(usage.ru_nvcsw);
    row.involuntary = static_cast<std::uint64_t>(usage.ru_nivcsw);
    row.wait_kinds = {waits.kinds, waits.size};
    row.wait_counts = {waits.counts, waits.size};
    row.wait_durations = {waits.durations, waits.size};
    const std::size_t bytes = make_chunk(row, chunk);
    return bytes != 0 && append_to(path, session.max_bytes, {chunk, bytes});
}

}  // namespace kymo::monitor
