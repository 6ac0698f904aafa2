// This process's cells: one segment, made when it is first needed, and a row for each thread.
//
// When it acts: begin() once, before threads; enter() and leave() in the thread concerned, leave() before the
// thread's last instructions; after_fork() in the child; finish() at the end. enter() and leave() take no locks
// that a handler of ours may take, and block signals themselves. this_task() may be called anywhere, also in
// handlers.
#pragma once

#include "cells/primitives.h"
#include "cells/segment.h"
#include "cells/settings.h"
#include "cells/switching.h"

#include <atomic>
#include <cstdint>
#include <string_view>

namespace kymo::cells {

class ProcessCells {
  public:
    constexpr ProcessCells() = default;

    // `folder`: contains the settings; false: there are none, or they are invalid. `program`: a name for the
    // segment.
    bool begin(const char* folder, std::uint32_t pid, std::string_view program);
    bool on() const { return on_; }

    // Makes the segment unless it exists. False: it cannot be made.
    bool open();
    bool is_open() const { return open_.load(std::memory_order_acquire); }
    // Whether threads have rows: a thread's cells have been requested. If only channels of descriptors are counted
    // they have not; then no address of a cell is known outside the monitor, and a forked child begins without a
    // segment.
    bool has_tasks() const { return is_open() && tasks_wanted_.load(std::memory_order_relaxed); }
    void want_tasks() { tasks_wanted_.store(true, std::memory_order_relaxed); }
    // Why there is no segment, or (in a forked child) none that other processes can read: an errno. 0: it was not
    // tried, or exists.
    int failure() const { return failure_.load(std::memory_order_relaxed); }

    const Segment& segment() const { return segment_; }

    // A row for the calling thread, if it has none. Null: no segment, or no room.
    const Task* enter(std::uint64_t begin_ns);
    void leave();
    // The calling thread's row, for the standard cells; null: none.
    static Row* this_row();

    std::uint32_t named_cell(const NewCell& cell);
    void bind_all(std::uint32_t timer, std::uint32_t cell);
    std::uint64_t* new_channel(const std::uint64_t (&key)[3], std::uint64_t number, std::string_view name);
    // Its counting has ended; its cells may be reused.
    void end_channel(std::uint64_t* cells);

    // Which cells are switched off from outside (bit c: cell c of tasks). False: unchanged, or another thread is
    // checking. After true the caller applies the change and calls obeyed().
    bool look_for_switches(std::uint64_t (&off)[2]);
    void obeyed(const std::uint64_t (&off)[2]);
    const std::uint32_t (&bindings() const)[kTaskTimers] { return bindings_; }

    void after_fork(std::uint32_t pid);
    void finish(std::uint64_t now);

    // Cells of threads that got no row: shared, and never read.
    const Task& nowhere();

  private:
    bool make_path(char* path, std::size_t capacity, std::uint32_t image) const;
    int create(bool anew, Row* kept, const Object& object);
    SegmentOptions options(std::uint32_t image) const;

    bool on_ = false;
    std::atomic<int> failure_{0};
    std::atomic<bool> open_{false};
    std::atomic<bool> tasks_wanted_{false};
    std::uint32_t pid_ = 0;
    Lock lock_;
    Settings settings_;
    Segment segment_;
    TickRate rate_;
    std::uint32_t bindings_[kTaskTimers] = {};
    Switching switching_;
    char program_[32] = {};
    char text_[kMaxSettings] = {};
    std::uint64_t nowhere_cells_[kTaskCells] = {};
    Timer nowhere_timers_[kTaskTimers] = {};
    Task nowhere_;
};

extern ProcessCells process_cells;

// The data that this_task() reads.
struct OwnCells {
    Task task;
    Row* row = nullptr;
};
extern thread_local constinit OwnCells own_cells;

// The calling thread's cells; null: it has none (no measurement, or it has not entered).
inline const Task* this_task() {
    return own_cells.task.cells == nullptr ? nullptr : &own_cells.task;
}

}  // namespace kymo::cells
