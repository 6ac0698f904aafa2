// Counts the traffic of descriptors: messages, bytes and time by channel and thread, in the process's cells.
//
// Each wrapper of a call that reads or writes uses waited_at_end(). A call that moves at least a byte is a
// message. The channel of a descriptor is looked up at the thread's first call that succeeds (or waits), and again
// after the descriptor was closed or 10 ms have passed; in between a call costs some loads and the additions. The
// process's segment is made when the first channel is found.
//
// Contract: that of waited() (waits/waits.h). Nothing is looked up in a vfork child.
#pragma once

#include "cells/primitives.h"
#include "cells/standard.h"
#include "monitor/channels/changes.h"
#include "monitor/waits/waits.h"

#include <cerrno>
#include <cstdint>

namespace kymo::monitor {

class Channels : public Part {
  public:
    static void thread_begin(ThreadState& thread) { thread.channels = {}; }
    static void thread_end(ThreadState& thread);
    static void after_fork(ThreadState* own);
};

extern Channels channels;

// What a call moved, and how long it took.
struct Moved {
    std::uint64_t messages;
    std::uint64_t bytes;
    std::uint64_t largest;
    std::uint64_t ns;
    bool has_failed;
};

inline constexpr std::uint64_t kTrustNs = 10'000'000;  // a slot's descriptor is checked again after this time

// The data known of the descriptor; null: it must be looked up.
inline const ChannelSlot* known_slot(const ThreadState& thread, int descriptor, std::uint64_t now) {
    const ChannelTable& table = thread.channels;
    if (static_cast<std::uint32_t>(descriptor) >= table.capacity) {
        return nullptr;
    }
    const ChannelSlot* const slot = &table.slots[descriptor];
    return slot->seen == descriptor_changes.of(descriptor) && now - slot->looked < kTrustNs ? slot : nullptr;
}

// Adds it to a channel's cells.
__attribute__((always_inline)) inline void count_in(std::uint64_t* cells, const Moved& moved) {
    using cells::ChannelCell;
    const auto add = [cells](ChannelCell cell, std::uint64_t by) {
        cells::increase(cells[static_cast<std::uint32_t>(cell)], by);
    };
    add(ChannelCell::kCalls, 1);
    add(ChannelCell::kBlocked, moved.ns);
    if (moved.messages != 0) {
        add(ChannelCell::kMessages, moved.messages);
        add(ChannelCell::kBytes, moved.bytes);
        std::uint64_t& largest = cells[static_cast<std::uint32_t>(ChannelCell::kLargest)];
        if (moved.largest > cells::load(largest)) {
            cells::store(largest, moved.largest);
        }
    } else if (moved.has_failed) {
        add(ChannelCell::kErrors, 1);
    }
}

// Looks up the descriptor's object if necessary, then counts the call. errno is kept.
void count_call(ThreadState& thread, int descriptor, bool receives, std::uint64_t begin, const Moved& moved);

// As waited(); `moved_by` converts the result to what was moved. Data written to `descriptor` was received from
// `from`, if that is not negative; the time is counted for the first one.
template <typename Call, typename MovedBy>
__attribute__((always_inline)) inline auto waited_at_end(WaitKind kind, int descriptor, bool receives, int from,
                                                         const Call& call, const MovedBy& moved_by) {
    ThreadState* thread = waiting_thread();
    if (thread == nullptr || thread->waits.is_in_team_wait()) {
        return call();
    }
    WaitState& state = thread->waits;
    state.kind = kind;
    state.object = static_cast<std::uint64_t>(descriptor);
    state.holder = 0;
    unwind::capture_here(state.registers);
    const std::uint64_t begin = clock_now();
    state.open(begin, thread->taken_ns);
    const auto result = call();
    const std::uint64_t end = end_wait(*thread, begin, 0);
    const ChannelSlot* const slot = known_slot(*thread, descriptor, begin);
    if (slot != nullptr && !slot->is_end && from < 0) {
        return result;
    }
    Moved moved = moved_by(result);
    moved.ns = end - begin;
    if (std::uint64_t* const cells = slot == nullptr ? nullptr : slot->cells[receives ? 1 : 0]; cells != nullptr) {
        count_in(cells, moved);
    } else {
        count_call(*thread, descriptor, receives, begin, moved);
    }
    if (from >= 0 && moved.messages != 0) {
        moved.ns = 0;
        count_call(*thread, from, true, begin, moved);
    }
    return result;
}

// Call directly after a call: whether it failed, and not because there was nothing to do yet.
inline bool has_failed(long result) {
    return result < 0 && errno != EAGAIN && errno != EINTR;
}

// Of a call that returns how many bytes it moved. `is_taken` false: it left them in place.
inline Moved moved_bytes(long result, bool is_taken = true) {
    const bool has_moved = result > 0 && is_taken;
    const std::uint64_t bytes = has_moved ? static_cast<std::uint64_t>(result) : 0;
    return {has_moved ? 1U : 0U, bytes, bytes, 0, has_failed(result)};
}

// One wrapper of a call that reads or writes: as KYMO_WAITING_CALL; whether it receives; what it moved, of `result`.
#define KYMO_END_CALL(RESULT, NAME, KIND, DESCRIPTOR, RECEIVES, MOVED, PARAMETERS, ARGUMENTS, ...) \
    KYMO_THROUGH_CALL(RESULT, NAME, KIND, DESCRIPTOR, RECEIVES, -1, MOVED, PARAMETERS, ARGUMENTS, __VA_ARGS__)
// And from which descriptor.
#define KYMO_THROUGH_CALL(RESULT, NAME, KIND, DESCRIPTOR, RECEIVES, FROM, MOVED, PARAMETERS, ARGUMENTS, ...) \
    KYMO_MEASURED_CALL(RESULT, NAME, PARAMETERS, ARGUMENTS,                                                  \
                       (waited_at_end(                                                                       \
                           WaitKind::KIND, DESCRIPTOR, RECEIVES, FROM, [&] { return real ARGUMENTS; },       \
                           [&](RESULT result) { return MOVED; })),                                           \
                       __VA_ARGS__)

}  // namespace kymo::monitor
