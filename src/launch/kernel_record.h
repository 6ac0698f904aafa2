// The kernel's records about tasks and switches, taken from a ring into values. A pure function of the record.
#pragma once

#include "events/probe.h"
#include "events/ring.h"

#include <cstdint>
#include <cstring>
#include <string>

namespace kymo::launch {

enum class KernelChange : std::uint8_t {
    kSwitchOut,
    kSwitchIn,
    kFork,
    kExec,
    kRename,
    kExit,
    kLost,
    kMap,
    kMapData,
    kFault
};

struct KernelRecord {
    std::uint64_t time = 0;  // ns of CLOCK_MONOTONIC
    KernelChange change = KernelChange::kLost;
    bool preempted = false;  // kSwitchOut: it was still runnable
    std::uint32_t processor = 0;
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
    std::uint32_t parent_pid = 0;  // kFork, kExit
    std::uint32_t parent_tid = 0;
    std::uint64_t lost = 0;  // kLost: number of records
    char name[17] = {};      // kExec, kRename; NUL-terminated
    // kMap: the file that was mapped for execution. kMapData: other mappings; "//anon" and "[heap]" are
    // memory that the program took from the system.
    std::string path;
    std::uint64_t address = 0;  // kMap, kMapData, kFault
    std::uint64_t bytes = 0;    // kMap, kMapData: of the area, including an adjacent one that is joined to it
    std::uint64_t faults = 0;   // kFault: the number of page faults it represents
};

// False: a kind that is not used, or a record too short for its kind.
inline bool parse_kernel_record(const events::RingRecord& record, KernelRecord& out) {
    if (record.type() == PERF_RECORD_SAMPLE) {  // the only record without a trailer
        if (record.size() < events::kFaultSampleWords) {
            return false;
        }
        out = KernelRecord{};
        out.change = KernelChange::kFault;
        out.pid = static_cast<std::uint32_t>(record[1]);
        out.tid = static_cast<std::uint32_t>(record[1] >> 32U);
        out.time = record[2];
        out.address = record[3];
        out.processor = static_cast<std::uint32_t>(record[4]);
        return true;
    }
    constexpr std::size_t kTrailer = 4;
    constexpr std::uint16_t kPreempted = 1U << 14U;  // PERF_RECORD_MISC_SWITCH_OUT_PREEMPT
    events::RingTrailer trailer;
    if (!events::parse_trailer(record, trailer)) {
        return false;
    }
    const std::size_t body = record.size() - kTrailer;
    const auto low = [&](std::size_t i) { return static_cast<std::uint32_t>(record[i]); };
    const auto high = [&](std::size_t i) { return static_cast<std::uint32_t>(record[i] >> 32U); };
    out = KernelRecord{};
    out.time = trailer.time;
    out.processor = trailer.processor;
    out.pid = trailer.pid;
    out.tid = trailer.tid;
    switch (record.type()) {
        case PERF_RECORD_SWITCH:
        case PERF_RECORD_SWITCH_CPU_WIDE:  // the whole machine's records: with the other task before the trailer
            out.change = (record.misc() & PERF_RECORD_MISC_SWITCH_OUT) != 0 ? KernelChange::kSwitchOut
                                                                            : KernelChange::kSwitchIn;
            out.preempted = (record.misc() & kPreempted) != 0;
            return true;
        case PERF_RECORD_FORK:
        case PERF_RECORD_EXIT:
            if (body < 3) {
                return false;
            }
            out.change = record.type() == PERF_RECORD_FORK ? KernelChange::kFork : KernelChange::kExit;
            out.pid = low(0);
            out.parent_pid = high(0);
            out.tid = low(1);
            out.parent_tid = high(1);
            return true;
        case PERF_RECORD_COMM:
            if (body < 2) {
                return false;
            }
            out.change =
                (record.misc() & PERF_RECORD_MISC_COMM_EXEC) != 0 ? KernelChange::kExec : KernelChange::kRename;
            out.pid = low(0);
            out.tid = high(0);
            for (std::size_t i = 0; i < 2 && 1 + i < body; ++i) {
                const std::uint64_t word = record[1 + i];
                std::memcpy(out.name + i * 8, &word, 8);
            }
            return true;
        case PERF_RECORD_LOST:
            if (body < 2) {
                return false;
            }
            out.change = KernelChange::kLost;
            out.lost = record[1];
            return true;
        case PERF_RECORD_MMAP: {
            constexpr std::size_t kPath = 4;  // after pid and tid, address, length, offset
            if (body <= kPath) {
                return false;
            }
            out.change =
                (record.misc() & PERF_RECORD_MISC_MMAP_DATA) != 0 ? KernelChange::kMapData : KernelChange::kMap;
            out.address = record[1];
            out.bytes = record[2];
            out.pid = low(0);
            out.tid = high(0);
            for (std::size_t i = kPath; i < body; ++i) {
                const std::uint64_t word = record[i];
                char letters[sizeof word];
                std::memcpy(letters, &word, sizeof word);
                out.path.append(letters, strnlen(letters, sizeof word));
                if (letters[sizeof word - 1] == 0) {
                    break;
                }
            }
            return true;
        }
        default:
            return false;
    }
}

}  // namespace kymo::launch
