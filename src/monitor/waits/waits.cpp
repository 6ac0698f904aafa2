#include "monitor/waits/waits.h"

#include "monitor/areas/address_map.h"
#include "monitor/hunt/hunt.h"
#include "monitor/process/log.h"
#include "monitor/sampling/path.h"
#include "monitor/sampling/switch_rows.h"
#include "monitor/speed_up/speed_up.h"
#include "monitor/threads/busy.h"
#include "monitor/threads/stream.h"
#include "monitor/waits/wakers.h"

#include <algorithm>
#include <cerrno>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

// From the linker: where this library lies. NOLINTBEGIN(readability-identifier-naming)
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start;
extern "C" __attribute__((visibility("hidden"))) const char _end;
// NOLINTEND(readability-identifier-naming)

namespace kymo::monitor {

constinit Waiting waiting;

static constinit Wakers wakers;

// The work of waited() around a brief call.
__attribute__((noinline)) static void count_nothing() {
    static constinit WaitState state;
    state.kind = WaitKind::kSleep;
    unwind::capture_here(state.registers);
    const std::uint64_t begin = clock_now();
    state.open(begin, 0);
    state.begin.store(0, std::memory_order_relaxed);
    state.count(state.kind, state.length(begin, clock_now(), 0), true);
}

bool Waiting::begin() {
    // Some 3 µs in all, in every process.
    constexpr unsigned kRounds = 4;
    constexpr unsigned kCalls = 8;
    WaitState::call_ns = ~std::uint64_t{0};
    for (unsigned round = 0; round < kRounds; ++round) {
        const std::uint64_t before = clock_now();
        for (unsigned i = 0; i < kCalls; ++i) {
            count_nothing();
        }
        WaitState::call_ns = std::min(WaitState::call_ns, (clock_now() - before) / kCalls);
    }
    return true;
}

void write_wait(ThreadState& thread, const WaitState& wait, std::uint64_t begin, std::uint64_t end, ContextId context,
                std::uint64_t flags) {
    recording::Wait row;
    row.time = begin;
    row.duration = end - begin;
    row.kind = static_cast<std::uint64_t>(wait.kind);
    row.object = wait.object;
    row.context = raw(context);
    row.holder = wait.holder;
    row.flags = flags;
    thread.writer.append(row);
}

// Called after the wait, which took longer than this call: 1.3 us on a virtual machine.
static std::uint64_t with_file_kind(const WaitState& wait) {
    struct stat status{};
    if (!recording::has_file_kind(wait.kind) || fstat(static_cast<int>(wait.object), &status) != 0) {
        return wait.object;
    }
    constexpr unsigned kTypeBit = 12;  // of st_mode
    return recording::descriptor_of(wait.object) | static_cast<std::uint64_t>((status.st_mode & S_IFMT) >> kTypeBit)
                                                       << recording::kFileKindBit;
}

bool is_own_code(const void* address) {
    const auto at = reinterpret_cast<std::uint64_t>(address);
    return at - reinterpret_cast<std::uint64_t>(&__ehdr_start) <
           reinterpret_cast<std::uint64_t>(&_end) - reinterpret_cast<std::uint64_t>(&__ehdr_start);
}

// Addresses have 47 bits; a round's low bits are above them.
static std::uint64_t use_of(const void* object, std::uint64_t round) {
    return address_of(object) ^ (round << 48U);
}

void note_waker(const void* object, std::uint64_t round) {
    if (ThreadState* thread = waiting_thread(); thread != nullptr) {
        if (speed_up.on()) {
            speed_up.before_waking(*thread);
        }
        wakers.note(use_of(object, round), thread->tid);
    }
}

void note_waker_is(const void* object, std::uint64_t tid) {
    wakers.note(use_of(object, 0), static_cast<int>(tid));
}

std::uint64_t waker_of(const void* object, std::uint64_t round) {
    return wakers.last(use_of(object, round));
}

// The C library makes the clock's number of the thread's own (clock_getcpuclockid's formula, which is kernel ABI),
// and makes none of a thread that has ended. So neither a list need be searched nor a lock taken.
int thread_id_of(pthread_t handle) {
    constexpr unsigned kBitsOfKind = 3;
    clockid_t clock = 0;
    return pthread_getcpuclockid(handle, &clock) == 0 ? ~(clock >> kBitsOfKind) : 0;
}

std::uint64_t end_wait_here(ThreadState& thread, std::uint64_t begin, std::uint64_t waker, bool is_over) {
    const std::uint64_t end = clock_now();
    WaitState& wait = thread.waits;
    // A signal handler of the program may have waited itself meanwhile, and then this wait's description is gone; or
    // it forked, and this is the child, whose thread it is not.
    if (this_thread() != &thread || wait.begin.load(std::memory_order_relaxed) != begin ||
        begin < thread.begin_time) {
        return end;
    }
    wait.begin.store(0, std::memory_order_relaxed);
    if (speed_up.on()) {
        const bool has_waited = end - begin >= kBriefWaitNs;  // otherwise it went on without the other
        if (has_waited && is_over && recording::is_synchronisation(wait.kind)) {
            speed_up.after_wait_for(thread, end - begin, waker != 0 ? waker : wait.holder);
        } else {
            speed_up.after_wait(thread);
        }
    }
    if (wait.count(wait.kind, wait.length(begin, end, thread.taken_ns), !process_log.is_short())) {
        return end;
    }
    const int error = errno;
    if (process.is_this_process()) {
        if (wait.holder == 0 && waker != static_cast<std::uint64_t>(thread.tid)) {
            wait.holder = waker;
        }
        const OwnWork work(thread);
        const std::uint64_t mask = work.in_kernel([] { return change_mask(SIG_SETMASK, kAllSignals); });
        if (const Busy busy(thread); busy.may_write()) {
            const ContextId context = enter_own_path(thread, wait.registers);
            if (announce(thread)) {
                wait.object = work.in_kernel([&] { return with_file_kind(wait); });
                write_wait(thread, wait, begin, end, context, 0);
                hunt.news_after_wait(thread, begin, context);
                SwitchRows::write(thread);
                work.in_kernel([end] { return address_map.look_after_wait(end); });
            }
        }
        work.in_kernel([mask] { return change_mask(SIG_SETMASK, mask); });
    }
    errno = error;
    return end;
}

}  // namespace kymo::monitor
