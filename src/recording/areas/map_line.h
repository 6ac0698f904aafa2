// A line of /proc/self/maps (proc(5)) as an area.
//
//   7f12c0021000-7f12c4000000 rw-p 00000000 00:00 0          [heap]
//
// Contract: no allocation, no C library; usable anywhere. Other lines are not areas.
#pragma once

#include "recording/tables/areas.h"

#include <cstdint>
#include <string_view>

namespace kymo::recording {

struct MapArea {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    AreaKind kind = AreaKind::kAnonymous;
    std::uint64_t protection = 0;
    std::uint64_t file = 0;  // device and inode; 0: none
    std::string_view path = {};
};

class MapLine {
  public:
    explicit MapLine(std::string_view text) : rest_(text) {}

    // False: not a line of that form. The path is a part of the text.
    bool parse(MapArea& area) {
        area = {};
        if (!hexadecimal(area.begin) || !skip('-') || !hexadecimal(area.end) || !skip(' ') ||
            area.end <= area.begin || rest_.size() < kFlags) {
            return false;
        }
        protect(area);
        std::uint64_t offset = 0;
        std::uint64_t major = 0;
        std::uint64_t minor = 0;
        std::uint64_t inode = 0;
        if (!skip(' ') || !hexadecimal(offset) || !skip(' ') || !hexadecimal(major) || !skip(':') ||
            !hexadecimal(minor) || !skip(' ') || !decimal(inode)) {
            return false;
        }
        area.file = inode == 0 ? 0 : inode ^ major << kMajorBit ^ minor << kMinorBit;
        while (skip(' ')) {
        }
        area.path = rest_;
        area.kind = kind_of(area);
        return true;
    }

  private:
    static constexpr std::size_t kFlags = 4;  // "rw-p"
    static constexpr unsigned kMajorBit = 52;
    static constexpr unsigned kMinorBit = 40;

    bool skip(char wanted) {
        const bool is_there = !rest_.empty() && rest_.front() == wanted;
        rest_.remove_prefix(is_there ? 1 : 0);
        return is_there;
    }

    bool number(unsigned base, std::uint64_t& value) {
        std::size_t digits = 0;
        for (; digits < rest_.size(); ++digits) {
            const char c = rest_[digits];
            const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                                   : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10
                                                          : base;
            if (digit >= base) {
                break;
            }
            value = value * base + digit;
        }
        rest_.remove_prefix(digits);
        return digits != 0;
    }
    bool hexadecimal(std::uint64_t& value) { return number(16, value); }
    bool decimal(std::uint64_t& value) { return number(10, value); }

    void protect(MapArea& area) {
        area.protection = (rest_[0] == 'r' ? kAreaRead : 0) | (rest_[1] == 'w' ? kAreaWrite : 0) |
                          (rest_[2] == 'x' ? kAreaExecute : 0) | (rest_[3] == 's' ? kAreaShared : 0);
        rest_.remove_prefix(kFlags);
    }

    // Memory shared without a name is a file of the kernel's own: "/dev/zero (deleted)", "/memfd:NAME (deleted)",
    // "/SYSV00000000 (deleted)".
    static AreaKind kind_of(const MapArea& area) {
        if (area.path == "[heap]") {
            return AreaKind::kHeap;
        }
        if (area.path == "[stack]") {
            return AreaKind::kMainStack;
        }
        if (area.path.starts_with("[anon") || area.path.empty()) {
            return (area.protection & kAreaShared) != 0 ? AreaKind::kShared : AreaKind::kAnonymous;
        }
        if (area.path.starts_with('[')) {
            return AreaKind::kKernel;
        }
        const bool is_unnamed = area.path.starts_with("/dev/zero") || area.path.starts_with("/memfd:") ||
                                area.path.starts_with("/SYSV") || area.path.starts_with("/dev/shm/");
        return is_unnamed && (area.protection & kAreaShared) != 0 ? AreaKind::kShared : AreaKind::kFile;
    }

    std::string_view rest_;
};

}  // namespace kymo::recording
