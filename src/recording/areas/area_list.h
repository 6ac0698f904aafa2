// The areas of an address space as last read, and their changes at another reading.
//
// A reading is begin(), then add() for each area by rising addresses, then finish(). An area keeps its number while
// it overlaps the area of that number at the previous reading and is of the same kind (file, protection, path): it
// has then grown, shrunk or lost a part. If an area was cut in two the first part keeps the number.
//
// Contract: one thread at a time; no allocation. `kMost` areas a reading; more are counted and skipped.
#pragma once

#include "base/ids.h"

#include <cstddef>
#include <cstdint>

namespace kymo::recording {

struct KnownArea {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t identity = 0;  // equal for areas that are the same kind of thing
    std::uint32_t number = 0;
    std::uint32_t owner = 0;  // the stream whose stack it is
};

template <std::size_t kMost>
class AreaList {
  public:
    void begin() {
        next_ = 1 - now_;
        size_[next_] = 0;
        at_ = 0;
        missed_ = 0;
    }

    // Calls changed(const KnownArea&) for a new or changed area, and gone(number) for areas before it that are gone.
    template <typename Changed, typename Gone>
    void add(KnownArea area, const Changed& changed, const Gone& gone) {
        while (at_ < size_[now_] && old().end <= area.begin) {
            gone(old().number);
            ++at_;
        }
        if (size_[next_] == kMost) {
            ++missed_;
            return;
        }
        if (size_[next_] != 0 && area.begin < lists_[next_][size_[next_] - 1].end) {
            return;  // the list changed while it was read
        }
        bool is_same = false;
        if (at_ < size_[now_] && old().begin < area.end && old().identity == area.identity) {
            area.number = old().number;
            is_same = old().begin == area.begin && old().end == area.end && old().owner == area.owner;
            ++at_;
        } else {
            area.number = ++last_number_;
        }
        lists_[next_][size_[next_]++] = area;
        if (!is_same) {
            changed(area);
        }
    }

    // The areas that were not seen any more are gone. Returns the number of areas without room.
    template <typename Gone>
    std::size_t finish(const Gone& gone) {
        for (; at_ < size_[now_]; ++at_) {
            gone(old().number);
        }
        now_ = next_;
        return missed_;
    }

    void forget() {
        now_ = next_ = 0;
        size_[0] = size_[1] = 0;
        last_number_ = 0;
    }

  private:
    const KnownArea& old() const { return lists_[now_][at_]; }

    unsigned now_ = 0;
    unsigned next_ = 0;
    std::size_t size_[2] = {};
    std::size_t at_ = 0;  // in the list of the previous reading
    std::size_t missed_ = 0;
    std::uint32_t last_number_ = 0;
    KnownArea lists_[2][kMost] = {};
};

}  // namespace kymo::recording
