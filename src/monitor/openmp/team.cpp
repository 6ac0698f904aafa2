#include "monitor/openmp/team.h"

#include "monitor/process/log.h"
#include "monitor/sampling/path.h"
#include "monitor/speed_up/speed_up.h"
#include "monitor/threads/busy.h"
#include "monitor/threads/stream.h"
#include "monitor/waits/waits.h"

#include <cerrno>

namespace kymo::monitor {

constinit Teams teams;

namespace {

using recording::WaitKind;

// Ends of regions that are over. A later region may overwrite a place while it is being read: `id` is cleared
// first and written last.
struct Ending {
    std::atomic<std::uint64_t> id{0};
    std::atomic<std::uint64_t> end{0};
    std::atomic<std::uint64_t> construct{0};
    std::atomic<std::uint32_t> last_tid{0};
    std::atomic<std::uint32_t> opener{0};  // thread id
    std::atomic<std::uint32_t> stream{0};
    std::atomic<std::uint32_t> context{0};  // of the construct, in the opener's tree
};
constexpr std::size_t kEndings = 1024;
constinit Ending endings[kEndings];
constinit std::atomic<std::uint64_t> next_region{1};

void leave_word(const Region& region, std::uint64_t end, ContextId context) {
    Ending& place = endings[region.id % kEndings];
    place.id.store(0, std::memory_order_release);
    place.end.store(end, std::memory_order_relaxed);
    place.construct.store(region.construct, std::memory_order_relaxed);
    place.last_tid.store(region.last_tid.load(std::memory_order_relaxed), std::memory_order_relaxed);
    place.opener.store(static_cast<std::uint32_t>(region.tid), std::memory_order_relaxed);
    place.stream.store(static_cast<std::uint32_t>(raw(region.stream)), std::memory_order_relaxed);
    place.context.store(raw(context), std::memory_order_relaxed);
    place.id.store(region.id, std::memory_order_release);
}

struct Known {
    std::uint64_t end = 0;  // 0: nothing is known
    std::uint64_t construct = 0;
    std::uint32_t last_tid = 0;
    std::uint32_t opener = 0;
    StreamId stream{0};
    ContextId context{0};
};

Known word_of(std::uint64_t id) {
    const Ending& place = endings[id % kEndings];
    if (place.id.load(std::memory_order_acquire) != id) {
        return {};
    }
    Known known;
    known.end = place.end.load(std::memory_order_relaxed);
    known.construct = place.construct.load(std::memory_order_relaxed);
    known.last_tid = place.last_tid.load(std::memory_order_relaxed);
    known.opener = place.opener.load(std::memory_order_relaxed);
    known.stream = StreamId{place.stream.load(std::memory_order_relaxed)};
    known.context = ContextId{place.context.load(std::memory_order_relaxed)};
    std::atomic_thread_fence(std::memory_order_acquire);
    return place.id.load(std::memory_order_relaxed) == id ? known : Known{};
}

bool is_idle(const ThreadState& thread) {
    return thread.waits.kind == WaitKind::kOmpIdle && thread.waits.begin.load(std::memory_order_relaxed) != 0;
}

void note_activity(ThreadState& thread, Region& region, std::uint64_t now) {
    region.last_active.store(now, std::memory_order_relaxed);
    region.last_tid.store(static_cast<std::uint32_t>(thread.tid), std::memory_order_relaxed);
}

struct Row {
    WaitKind kind;
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t object;
    std::uint64_t holder;
};

// Under Quiet and Busy, or at the process's end.
template <typename FindContext>
void write_row(ThreadState& thread, const Row& row, std::uint64_t flags, const FindContext& context) {
    if (row.end <= row.begin) {
        return;
    }
    if (thread.waits.count(row.kind, row.end - row.begin, !process_log.is_short())) {
        return;
    }
    recording::Wait wait;
    wait.time = row.begin;
    wait.duration = row.end - row.begin;
    wait.kind = static_cast<std::uint64_t>(row.kind);
    wait.object = row.object;
    wait.holder = row.holder == static_cast<std::uint64_t>(thread.tid) ? 0 : row.holder;
    wait.flags = flags;
    if (!announce(thread)) {
        return;
    }
    wait.context = raw(context());
    thread.writer.append(wait);
}

}  // namespace

void Teams::thread_begin(ThreadState& thread) {
    thread.team = {};
    thread.open_regions = thread.suspended_count = 0;
}

void open_region(ThreadState& thread, Region& region, std::uint64_t construct) {
    region.id = next_region.fetch_add(1, std::memory_order_relaxed);
    region.construct = construct;
    region.stream = thread.stream;
    region.tid = thread.tid;
    region.stack_high = thread.stack.holds(region.registers.sp()) ? thread.stack.high : 0;
    region.joint = thread.team.known_joint();
    region.before = thread.team;
}

void begin_share(ThreadState& thread, Region& region) {
    const bool is_opener = thread.tid == region.tid;
    if (!is_opener && is_idle(thread)) {
        const std::uint64_t now = clock_now();
        const std::uint64_t since = thread.waits.begin.load(std::memory_order_relaxed);
        write_idle(thread, now, &region, 0);
        if (speed_up.on()) {
            speed_up.after_wait_for(thread, since != 0 ? now - since : 0, static_cast<std::uint64_t>(region.tid));
        }
    }
    TeamState& team = thread.team;
    team.in_share = false;
    team.tasks = 0;
    std::atomic_signal_fence(std::memory_order_seq_cst);  // a handler sees all of it or nothing
    team.region = &region;
    team.joint = is_opener ? region.joint : &region;
    team.region_id = region.id;
    team.rounds = 0;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    team.in_share = true;
}

void end_share(ThreadState& thread, Region& region) {
    if (speed_up.on()) {
        speed_up.before_waking(thread);
    }
    const std::uint64_t now = clock_now();
    std::uint64_t none = 0;
    region.first_done.compare_exchange_strong(none, now, std::memory_order_relaxed);
    note_activity(thread, region, now);
    const bool is_opener = thread.tid == region.tid;
    if (!is_opener) {
        thread.team.in_share = false;
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    if (!process.running() || process.paused()) {
        return;
    }
    WaitState& wait = thread.waits;
    wait.kind = is_opener ? WaitKind::kOmpBarrier : WaitKind::kOmpIdle;
    wait.object = region.construct;
    wait.holder = 0;
    if (is_opener) {
        wait.registers = region.registers;
    } else {
        wait.registers = {};
        wait.registers.set_sp(~std::uint64_t{0});  // no frame to fall out of
    }
    wait.open(now, thread.taken_ns);
}

void close_region(ThreadState& thread, Region& region) {
    if (this_thread() != &thread) {
        return;  // a child of fork, whose thread this is not
    }
    const WaitState& wait = thread.waits;
    const std::uint64_t first = region.first_done.load(std::memory_order_relaxed);
    if (first != 0 && clock_now() - first >= kBriefWaitNs && process.is_this_process()) {
        const int error = errno;
        const OwnWork work(thread);
        const Quiet quiet;
        if (const Busy busy(thread); busy.may_write()) {
            leave_word(region, region.last_active.load(std::memory_order_relaxed), enter_construct(thread, region));
        }
        errno = error;
    }
    const std::uint64_t begin = wait.begin.load(std::memory_order_relaxed);
    if (begin != 0 && wait.kind == WaitKind::kOmpBarrier && wait.object == region.construct) {
        end_wait(thread, begin, region.last_tid.load(std::memory_order_relaxed));
    }
    TeamState& team = thread.team;
    team.in_share = false;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const bool inside = region.before.in_share;
    team = region.before;
    team.in_share = false;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    team.in_share = inside;
}

void write_idle(ThreadState& thread, std::uint64_t now, Region* ended_by, std::uint64_t flags) {
    WaitState& wait = thread.waits;
    const std::uint64_t begin = wait.begin.load(std::memory_order_relaxed);
    wait.begin.store(0, std::memory_order_relaxed);
    if (begin == 0 || now <= begin) {
        return;
    }
    if (const std::uint64_t length = wait.length(begin, now, thread.taken_ns); length < kBriefWaitNs) {
        wait.count(WaitKind::kOmpBarrier, length, true);
        return;
    }
    const Known known = word_of(thread.team.region_id);
    const std::uint64_t barrier_end = known.end <= begin ? begin : known.end < now ? known.end : now;
    const auto write = [&] {
        write_row(thread, {WaitKind::kOmpBarrier, begin, barrier_end, known.construct, known.last_tid}, 0,
                  [&] { return enter_joined(thread, known.stream, known.context); });
        // Idle until a thread opens a region; the row needs the region's place, and what the opener did meanwhile.
        const std::uint64_t opener = ended_by != nullptr ? static_cast<std::uint64_t>(ended_by->tid) : known.opener;
        const std::uint64_t object = ended_by != nullptr ? ended_by->construct : known.construct;
        write_row(thread, {WaitKind::kOmpIdle, barrier_end, now, object, opener}, flags, [&] {
            return ended_by != nullptr ? enter_construct(thread, *ended_by)
                                       : enter_joined(thread, known.stream, known.context);
        });
    };
    if (ended_by == nullptr) {
        write();
        return;
    }
    const int error = errno;
    if (process.is_this_process()) {
        const OwnWork work(thread);
        const Quiet quiet;
        if (const Busy busy(thread); busy.may_write()) {
            write();
        }
    }
    errno = error;
}

SuspendedWait begin_task(ThreadState& thread) {
    SuspendedWait suspended;
    WaitState& wait = thread.waits;
    const std::uint64_t begin = wait.begin.load(std::memory_order_relaxed);
    TeamState& team = thread.team;
    ++team.tasks;  // the region lives at least as long as its tasks
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (begin == 0) {
        return suspended;
    }
    suspended = {true, wait.kind, wait.object, wait.holder, wait.registers};
    if (wait.kind != WaitKind::kOmpIdle) {
        end_wait(thread, begin, 0);
        return suspended;
    }
    const std::uint64_t now = clock_now();
    wait.begin.store(0, std::memory_order_relaxed);
    const int error = errno;
    {
        const OwnWork work(thread);
        const Quiet quiet;
        if (const Busy busy(thread); busy.may_write()) {
            write_row(thread, {WaitKind::kOmpBarrier, begin, now, wait.object, 0}, 0,
                      [&] { return enter_construct(thread, *team.region); });
        }
    }
    errno = error;
    return suspended;
}

void end_task(ThreadState& thread, const SuspendedWait& suspended) {
    TeamState& team = thread.team;
    const std::uint64_t now = suspended.waited ? clock_now() : 0;
    if (suspended.waited && team.region != nullptr) {
        note_activity(thread, *team.region, now);
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);
    --team.tasks;
    if (suspended.waited && process.running()) {
        WaitState& wait = thread.waits;
        wait.kind = suspended.kind;
        wait.object = suspended.object;
        wait.holder = suspended.holder;
        wait.registers = suspended.registers;
        wait.open(now, thread.taken_ns);
    }
}

std::uint32_t arrive(ThreadState& thread) {
    if (speed_up.on()) {
        speed_up.before_waking(thread);
    }
    TeamState& team = thread.team;
    const std::uint32_t round = team.rounds++;
    if (team.region != nullptr && team.in_share) {
        team.region->arrived[round % Region::kRounds].store(static_cast<std::uint32_t>(thread.tid),
                                                            std::memory_order_relaxed);
    }
    return round;
}

std::uint64_t last_to_arrive(const ThreadState& thread, std::uint32_t round) {
    const TeamState& team = thread.team;
    return team.region != nullptr && team.in_share
               ? team.region->arrived[round % Region::kRounds].load(std::memory_order_relaxed)
               : 0;
}

}  // namespace kymo::monitor
