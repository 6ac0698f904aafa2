#include "monitor/channels/counting.h"

#include "cells/process_cells.h"
#include "monitor/channels/end.h"
#include "monitor/metrics/cells.h"
#include "monitor/threads/busy.h"

#include <cerrno>

namespace kymo::monitor {

constinit Channels channels;
constinit DescriptorChanges descriptor_changes;

namespace {

using cells::process_cells;

// Number of ends that a process distinguishes; further ones are one channel of each kind, whose other end is not
// known.
constexpr std::uint32_t kMostEnds = 4096;
constinit std::atomic<std::uint32_t> ends_met{0};

// Cells of channels that got no row: shared, and never read.
constinit std::uint64_t nowhere[cells::kStandardCells];

void end_rows(ChannelSlot& slot) {
    for (std::uint64_t*& cells : slot.cells) {
        if (cells != nullptr && cells != nowhere) {
            process_cells.end_channel(cells);
        }
        cells = nullptr;
    }
}

std::uint64_t* make_row(const ChannelEnd& end, bool receives) {
    const unsigned side = receives ? 1 : 0;
    const std::uint64_t key[3] = {end.numbers[side], end.others[side], end_direction(end.kind, receives)};
    std::uint64_t* const cells =
        process_cells.new_channel(key, number_of(end, receives), {end.name, __builtin_strlen(end.name)});
    if (cells == nullptr) {
        tell_no_cells();
    }
    return cells == nullptr ? nowhere : cells;
}

// The descriptor may be new, or may have been replaced.
bool look_up(ChannelSlot& slot, int descriptor, bool receives, std::uint64_t begin) {
    const std::uint32_t seen = descriptor_changes.of(descriptor);
    const std::uint64_t object = object_of(descriptor);
    const bool is_same = slot.seen != 0 && slot.object == object && slot.seen == seen;
    if (!is_same) {
        end_rows(slot);
        slot = {};
    }
    slot.looked = begin;
    if (object == 0) {
        slot.seen = seen;
        return false;
    }
    const unsigned side = receives ? 1 : 0;
    if (is_same && (!slot.is_end || slot.cells[side] != nullptr)) {
        return slot.is_end;
    }
    ChannelEnd end;
    bool is_final = true;
    const bool is_end = identify(descriptor, object, end, is_final);
    if (!is_end && !is_final) {
        return false;
    }
    if (is_end) {
        if (ends_met.fetch_add(1, std::memory_order_relaxed) >= kMostEnds) {
            end.numbers[side] = static_cast<std::uint64_t>(process.pid()) << 8U | side;
            end.others[side] = 0;
            __builtin_strcpy(end.name, "ends beyond 4,096");
        }
        slot.cells[side] = make_row(end, receives);
    }
    slot.seen = seen;
    slot.object = object;
    slot.is_end = is_end;
    return is_end;
}

}  // namespace

void count_call(ThreadState& thread, int descriptor, bool receives, std::uint64_t begin, const Moved& moved) {
    // In a signal handler it may have forked meanwhile, and this is the child.
    if (this_thread() != &thread || !process_cells.on() || descriptor < 0) {
        return;
    }
    if (const ChannelSlot* known = known_slot(thread, descriptor, begin); known != nullptr) {
        if (!known->is_end) {
            return;
        }
        if (std::uint64_t* const cells = known->cells[receives ? 1 : 0]; cells != nullptr) {
            count_in(cells, moved);
            return;
        }
    }
    if (moved.messages == 0 && moved.ns < kBriefWaitNs) {
        return;  // too little time to be worth a call into the kernel
    }
    const int error = errno;
    if (process.is_this_process()) {
        const OwnWork work(thread);
        const Quiet quiet;
        if (const Busy busy(thread); busy.may_write()) {
            ChannelSlot* const slot = thread.channels.slot(descriptor);
            if (slot != nullptr && work.in_kernel([&] { return look_up(*slot, descriptor, receives, begin); })) {
                count_in(slot->cells[receives ? 1 : 0], moved);
            }
        }
    }
    errno = error;
}

void Channels::thread_end(ThreadState& thread) {
    for (std::uint32_t i = 0; i < thread.channels.capacity; ++i) {
        end_rows(thread.channels.slots[i]);
    }
    thread.channels.release();
}

// The rows belong to the parent's segment.
void Channels::after_fork(ThreadState* own) {
    ends_after_fork();
    ends_met.store(0, std::memory_order_relaxed);
    if (own != nullptr) {
        own->channels.release();
    }
}

}  // namespace kymo::monitor
