// Explicit tasks of libgomp. A task may be executed inside a wait (a barrier, taskwait), by any thread of the
// team; that time is not waiting, so the task's function is replaced by one of ours.
//
// libgomp copies the data that belongs to a task, by a function of the compiler's if there is one. The wrapper
// passes a Head instead, copied by a function of ours, which puts the program's data behind it in the room that
// libgomp makes. A taskloop's first two words of data are the bounds of the task's iterations, written by libgomp
// into the copy, and its reductions are registered by the third: Head has these words in front.
//
// A task with a `detach` clause is not replaced: libgomp writes into its data beforehand. Such a task's time
// inside a wait counts as waiting.

#include "monitor/openmp/gnu.h"

#include <string.h>

using namespace kymo::monitor;

namespace {

using Function = void (*)(void*);
using Copy = void (*)(void* to, void* from);

constexpr unsigned kDetach = 1U << 13U;  // GOMP_TASK_FLAG_DETACH
constexpr std::size_t kLoopWords = 3;

struct Head {
    std::uint64_t loop[kLoopWords] = {};
    bool is_loop = false;
    Function function = nullptr;
    Copy copy = nullptr;
    void* data = nullptr;  // the program's, while it is being created
    std::size_t bytes = 0;
    std::size_t offset = 0;  // from the head to the copy
};

void copy_task(void* to, void* from) {
    const Head& head = *static_cast<const Head*>(from);
    memcpy(to, &head, sizeof head);
    char* data = static_cast<char*>(to) + head.offset;
    if (head.copy != nullptr) {
        head.copy(data, head.data);
    } else if (head.bytes != 0) {
        memcpy(data, head.data, head.bytes);
    }
}

void run_task(void* given) {
    const Head& head = *static_cast<const Head*>(given);
    void* data = static_cast<char*>(given) + head.offset;
    if (head.is_loop) {
        memcpy(data, head.loop, 2 * sizeof(std::uint64_t));
    }
    ThreadState* thread = openmp_thread();
    if (thread == nullptr) {
        head.function(data);
        return;
    }
    const SuspendedWait suspended = begin_task(*thread);
    head.function(data);
    if (this_thread() == thread) {
        end_task(*thread, suspended);
    }
}

Head head_of(Function function, void* data, Copy copy, long bytes, long alignment) {
    Head head;
    head.function = function;
    head.copy = copy;
    head.data = data;
    head.bytes = static_cast<std::size_t>(bytes);
    const auto unit = static_cast<std::size_t>(alignment > 0 ? alignment : 1);
    head.offset = (sizeof(Head) + unit - 1) / unit * unit;
    return head;
}

long room_for(const Head& head) {
    return static_cast<long>(head.offset + head.bytes);
}

long alignment_for(long alignment) {
    return alignment > static_cast<long>(alignof(Head)) ? alignment : static_cast<long>(alignof(Head));
}

bool is_to_be_seen(unsigned flags) {
    return openmp_thread() != nullptr && (flags & kDetach) == 0;
}

}  // namespace

// Later versions of libgomp have more parameters than earlier ones; missing ones are passed on without being read.
KYMO_GNU(void, GOMP_task, "GOMP_2.0")(Function function, void* data, Copy copy, long bytes, long alignment,
                                      bool is_deferred, unsigned flags, void** depend, int priority, void* detach) {
    const auto real = KYMO_REAL_GNU(GOMP_task);
    if (!is_to_be_seen(flags)) {
        real(function, data, copy, bytes, alignment, is_deferred, flags, depend, priority, detach);
        return;
    }
    Head head = head_of(function, data, copy, bytes, alignment);
    real(run_task, &head, copy_task, room_for(head), alignment_for(alignment), is_deferred, flags, depend, priority,
         detach);
}

namespace {

template <typename Real, typename Bound>
void loop_of_tasks(Real real, Function function, void* data, Copy copy, long bytes, long alignment, unsigned flags,
                   unsigned long tasks, int priority, Bound begin, Bound end, Bound step) {
    if (!is_to_be_seen(flags) || bytes < static_cast<long>(2 * sizeof(std::uint64_t))) {
        real(function, data, copy, bytes, alignment, flags, tasks, priority, begin, end, step);
        return;
    }
    Head head = head_of(function, data, copy, bytes, alignment);
    head.is_loop = true;
    const std::size_t words = head.bytes < sizeof head.loop ? 2 * sizeof(std::uint64_t) : sizeof head.loop;
    memcpy(head.loop, data, words);
    real(run_task, &head, copy_task, room_for(head), alignment_for(alignment), flags, tasks, priority, begin, end,
         step);
}

}  // namespace

KYMO_GNU(void, GOMP_taskloop, "GOMP_4.5")(Function function, void* data, Copy copy, long bytes, long alignment,
                                          unsigned flags, unsigned long tasks, int priority, long begin, long end,
                                          long step) {
    loop_of_tasks(KYMO_REAL_GNU(GOMP_taskloop), function, data, copy, bytes, alignment, flags, tasks, priority, begin,
                  end, step);
}

KYMO_GNU(void, GOMP_taskloop_ull, "GOMP_4.5")(Function function, void* data, Copy copy, long bytes, long alignment,
                                              unsigned flags, unsigned long tasks, int priority,
                                              unsigned long long begin, unsigned long long end,
                                              unsigned long long step) {
    loop_of_tasks(KYMO_REAL_GNU(GOMP_taskloop_ull), function, data, copy, bytes, alignment, flags, tasks, priority,
                  begin, end, step);
}
