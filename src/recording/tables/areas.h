// The address space over time: every area that the kernel lists for the process, whatever its contents. See
// recording/tables.h.
#pragma once

#include "recording/schema.h"

#include <cstdint>
#include <string_view>

namespace kymo::recording {

enum class AreaKind : std::uint8_t {
    kAnonymous = 0,  // private memory without a file; thread stacks among it
    kFile = 1,
    kHeap = 2,       // memory from brk()
    kMainStack = 3,  // of the process's first thread
    kShared = 4,     // memory that processes share, of no file in a directory
    kKernel = 5,     // the kernel's own: "[vdso]", "[vvar]"
};

// Area::protection
inline constexpr std::uint64_t kAreaRead = 1;
inline constexpr std::uint64_t kAreaWrite = 2;
inline constexpr std::uint64_t kAreaExecute = 4;
inline constexpr std::uint64_t kAreaShared = 8;  // writes are seen by other processes

// Seen from `time` on, by the process's monitor, or by `kymo record` from outside (`pid`): each numbers its areas
// by itself. A further row of the same number has its new state. Adjacent areas of one file are one.
struct Area {
    std::uint64_t time = 0;
    std::uint64_t area = 0;  // from 1
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t kind = 0;        // AreaKind
    std::uint64_t protection = 0;  // kAreaRead …; of several areas of one file all
    std::string_view path = {};    // as the kernel lists it
    std::uint64_t owner = 0;       // StreamId of the thread whose stack it is; 0: none, or not known
    std::uint64_t pid = 0;         // the process's, in the kernel's numbers; 0: that of the file

    static constexpr const char* kTable = "area";
    static constexpr std::uint32_t kTableId = 59;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Area::time);
        visit("area", ColumnType::kUint, "", &Area::area);
        visit("begin", ColumnType::kUint, "address", &Area::begin);
        visit("end", ColumnType::kUint, "address", &Area::end);
        visit("kind", ColumnType::kUint, "", &Area::kind);
        visit("protection", ColumnType::kUint, "", &Area::protection);
        visit("path", ColumnType::kText, "", &Area::path);
        visit("owner", ColumnType::kUint, "", &Area::owner);
        visit("pid", ColumnType::kUint, "", &Area::pid);
    }
};

// The area is gone. Area 0: the kernel's list was read at this time, with the account of all readings so far. Earlier
// monitors have a row of area 0 at the process's end alone.
struct AreaEnd {
    std::uint64_t time = 0;
    std::uint64_t area = 0;
    std::uint64_t readings = 0;     // of the kernel's list so far
    std::uint64_t passed_over = 0;  // times at which it was not read, to keep the cost down
    std::uint64_t lost = 0;  // largest number of areas that had no room in one reading, and rows beyond the maximum
    std::uint64_t pid = 0;   // as Area's

    static constexpr const char* kTable = "area-end";
    static constexpr std::uint32_t kTableId = 60;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &AreaEnd::time);
        visit("area", ColumnType::kUint, "", &AreaEnd::area);
        visit("readings", ColumnType::kUint, "", &AreaEnd::readings);
        visit("passed_over", ColumnType::kUint, "", &AreaEnd::passed_over);
        visit("lost", ColumnType::kUint, "", &AreaEnd::lost);
        visit("pid", ColumnType::kUint, "", &AreaEnd::pid);
    }
};

// A page fault of a thread in user mode, one of `faults`, and the address without a page: written by
// `kymo record` if the session samples page faults by a period.
struct PageFault {
    std::uint64_t time = 0;
    std::uint64_t pid = 0;
    std::uint64_t tid = 0;
    std::uint64_t address = 0;
    std::uint64_t faults = 0;  // the number that the row represents

    static constexpr const char* kTable = "page-fault";
    static constexpr std::uint32_t kTableId = 63;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &PageFault::time);
        visit("pid", ColumnType::kUint, "", &PageFault::pid);
        visit("tid", ColumnType::kUint, "", &PageFault::tid);
        visit("address", ColumnType::kDelta, "address", &PageFault::address);
        visit("faults", ColumnType::kUint, "", &PageFault::faults);
    }
};

}  // namespace kymo::recording
