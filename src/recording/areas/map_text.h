// The text of /proc/PID/maps, in pieces as they are read, as areas: accessible ones, adjacent ones of
// one file joined. Guards of stacks and address space that an allocator keeps for later are left out.
//
//   text.begin();
//   text.add(bytes, [](const MapArea& area) { … });   // any number of times
//   text.finish([](const MapArea& area) { … });
//
// Contract: as MapLine. An area's path is valid during the call alone. Longer lines than the buffer lose their end.
#pragma once

#include "recording/areas/map_line.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::recording {

class MapText {
  public:
    void begin() {
        used_ = 0;
        has_pending_ = false;
    }

    template <typename Take>
    void add(std::span<const std::uint8_t> bytes, const Take& take) {
        for (const std::uint8_t byte : bytes) {
            if (byte != '\n') {
                line_[used_] = static_cast<char>(byte);
                used_ += used_ + 1 < sizeof line_ ? 1 : 0;
                continue;
            }
            take_line({line_, used_}, take);
            used_ = 0;
        }
    }

    // Hands on the last area; a last line without its end is dropped.
    template <typename Take>
    void finish(const Take& take) {
        if (has_pending_) {
            has_pending_ = false;
            hand_on(pending_, take);
        }
    }

  private:
    template <typename Take>
    void take_line(std::string_view line, const Take& take) {
        MapArea area;
        if (!MapLine(line).parse(area)) {
            return;
        }
        if (has_pending_ && area.file != 0 && area.file == pending_.file && area.begin == pending_.end) {
            pending_.end = area.end;
            pending_.protection |= area.protection;
            return;
        }
        finish(take);
        if (area.file == 0) {
            hand_on(area, take);
            return;
        }
        const std::size_t size = area.path.size() < sizeof path_ ? area.path.size() : sizeof path_;
        __builtin_memcpy(path_, area.path.data(), size);
        pending_ = area;
        pending_.path = {path_, size};
        has_pending_ = true;
    }

    template <typename Take>
    static void hand_on(const MapArea& area, const Take& take) {
        if ((area.protection & (kAreaRead | kAreaWrite | kAreaExecute)) != 0) {
            take(area);
        }
    }

    MapArea pending_;  // a file's, until an area of another file
    bool has_pending_ = false;
    char path_[4096] = {};  // pending_'s
    char line_[4352] = {};
    std::size_t used_ = 0;
};

// FNV-1a of an area's kind, wherever it lies: KnownArea::identity.
inline std::uint64_t identity_of(AreaKind kind, std::uint64_t protection, std::uint64_t file, std::string_view path) {
    constexpr std::uint64_t kPrime = 0x100000001b3;
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * kPrime; };
    add(static_cast<std::uint64_t>(kind));
    add(protection);
    add(file);
    for (const char c : path) {
        add(static_cast<unsigned char>(c));
    }
    return hash;
}

}  // namespace kymo::recording
