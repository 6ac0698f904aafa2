// The part of the monitor that keeps the address space over time: areas of /proc/self/maps, as rows of what has
// changed since the look before.
//
// It looks behind a wait while the process has one thread, and at the process's end, never in a handler; nowhere
// before the process has a file (process/log.h). The list takes a descriptor for a moment: with other threads, one of
// them could open a file meanwhile and find another number than it would have alone. The first kFreeLooks are always
// taken, of the others only as many as take at most 1/kCost of the time; the last one is always taken. The number
// of those passed over is counted.
#pragma once

#include "base/exclusion.h"
#include "monitor/part.h"
#include "recording/areas/area_list.h"
#include "recording/areas/map_text.h"

#include <atomic>
#include <cstdint>

namespace kymo::monitor {

class AddressMap : public Part {
  public:
    static constexpr std::size_t kMostAreas = 4096;  // at a look
    static constexpr std::uint64_t kMostRows = 1U << 16U;
    static constexpr std::uint64_t kFreeLooks = 16;
    static constexpr std::uint64_t kCost = 200;

    void after_fork(ThreadState* own);
    void finish(Process::End how);

    // Behind a wait that has got a row, under Quiet and Busy: at most ten times a second. False: it was not time.
    bool look_after_wait(std::uint64_t now) {
        const bool is_time = now > last_asked_.load(std::memory_order_relaxed) + kPause;
        if (is_time) {
            look_if_cheap();
        }
        return is_time;
    }

  private:
    static constexpr std::uint64_t kPause = 100'000'000;

    void look_if_cheap();
    void look();
    void take(const recording::MapArea& area);
    void gather_stacks();
    std::uint32_t owner_of(const recording::MapArea& area) const;
    void tell_end(std::uint32_t number);
    void write_account() const;
    bool has_row();

    // A thread's stack, whose lower part need not be mapped.
    struct Stack {
        std::uint64_t last = 0;  // its highest address
        std::uint32_t stream = 0;
    };

    Lock lock_;
    Stack stacks_[kMostAreas] = {};  // by rising addresses
    std::size_t stack_count_ = 0;
    recording::AreaList<kMostAreas> areas_;
    recording::MapText text_;
    std::uint8_t block_[4096] = {};
    std::uint64_t time_ = 0;  // of the look at hand
    std::atomic<std::uint64_t> last_asked_{0};
    std::uint64_t spent_ = 0;  // ns, on all looks
    std::uint64_t looks_ = 0;
    std::uint64_t passed_over_ = 0;
    std::uint64_t rows_ = 0;
    std::uint64_t lost_rows_ = 0;
    std::uint64_t lost_areas_ = 0;
};

extern AddressMap address_map;

}  // namespace kymo::monitor
