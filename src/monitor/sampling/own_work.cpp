#include "monitor/sampling/own_work.h"

#include "monitor/clock.h"

#include <algorithm>
#include <utility>

namespace kymo::monitor {
namespace {

__extension__ using Wide = unsigned __int128;

// The part before `time` of work that is still going on; such work may end behind the handler (OwnWork).
std::uint64_t own_work_since(ThreadState& thread, std::uint64_t time) {
    constexpr std::uint64_t kAtIt = ~std::uint64_t{0};
    const bool is_within = time >= thread.own_work_begin && time < thread.own_work_end;
    std::uint64_t all = thread.own_work_ns;
    if (thread.own_work_end == kAtIt) {
        all += (is_within ? time : clock_now()) - thread.own_work_begin;
    } else if (is_within) {
        all -= std::min(all, thread.own_work_end - time);
    }
    const std::uint64_t since = all - std::min(all, thread.own_work_written);
    thread.own_work_written = std::max(all, thread.own_work_written);
    return since;
}

// The part of this work that was in the kernel, estimated from all work in this thread so far. 0: not known.
std::uint64_t own_system_part(const ThreadState& thread, std::uint64_t own_ns) {
    if (thread.own_system_ns == 0 || thread.own_work_ns == 0) {
        return 0;
    }
    // Whole numbers: floating-point division would trap in a thread whose arithmetic traps.
    const std::uint64_t system = std::min(thread.own_system_ns, thread.own_work_ns);
    return static_cast<std::uint64_t>(static_cast<Wide>(own_ns) * system / thread.own_work_ns);
}

// Time in the wrappers of calls that may block, beside that work: too often and too little for readings of its
// own.
std::uint64_t own_work_of_calls(ThreadState& thread) {
    const std::uint64_t calls = thread.waits.all.count.load(std::memory_order_relaxed);
    return (calls - std::exchange(thread.own_calls_written, calls)) * WaitState::call_ns;
}

}  // namespace

OwnWorkSince take_own_work(ThreadState& thread, std::uint64_t time) {
    const std::uint64_t work = own_work_since(thread, time);
    const std::uint64_t calls = own_work_of_calls(thread);
    OwnWorkSince own;
    own.ns = work + calls;
    own.system_ns = own_system_part(thread, work);
    own.user_ns = calls + (own.system_ns != 0 ? work - own.system_ns : 0);
    return own;
}

}  // namespace kymo::monitor
