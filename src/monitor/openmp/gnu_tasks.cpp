// Explicit tasks of libgomp. A task may be executed inside a wait (a barrier, taskwait), by any thread of the
// team; that time is not waiting, so the task's function is replaced by one of ours.
//
// libgomp copies the data that belongs to a task, by a function of the compiler's if there is one. The wrapper
// passes a Head with the program's data behind it. Where the compiler has a function, the wrapper passes the Head
// alone, copied by a function of ours, which puts the data behind it in the room that libgomp makes. A taskloop's
// first two words of data are the bounds of the task's iterations, written by libgomp into the copy, and its
// reductions are registered by the third: Head has these words in front.
//
// libgomp executes a task at once where enough wait already, and of a loop with more tasks than that all of them:
// without a function that copies it then makes no copies; with one it keeps those of all the loop's tasks on the
// stack. So there is a function of ours only where the compiler has one.
//
// Not replaced are, and time of theirs inside a wait counts as waiting:
//   - a task with a `detach` clause: libgomp writes into its data beforehand;
//   - one with more data than kMostData and no function that copies it: a second copy might not fit the stack;
//   - those of a loop of more than kMostCopied tasks with a function that copies.

#include "monitor/openmp/gnu.h"

#include <string.h>
#include <type_traits>

using namespace kymo::monitor;

namespace {

using Function = void (*)(void*);
using Copy = void (*)(void* to, void* from);

constexpr unsigned kDetach = 1U << 13U;    // GOMP_TASK_FLAG_DETACH
constexpr unsigned kUp = 1U << 8U;         // GOMP_TASK_FLAG_UP: of unsigned loops
constexpr unsigned kGrainSize = 1U << 9U;  // GOMP_TASK_FLAG_GRAINSIZE
constexpr std::size_t kLoopWords = 3;
constexpr long kMostData = 64 << 10;
constexpr unsigned long kMostCopied = 2048;

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

bool is_to_be_seen(unsigned flags, Copy copy, long bytes) {
    return openmp_thread() != nullptr && (flags & kDetach) == 0 && (copy != nullptr || bytes <= kMostData);
}

// Calls `create` with the data, the function that copies it, its size and its alignment.
template <typename Create>
void with_data(Head* head, long alignment, const Create& create) {
    const auto unit = static_cast<std::size_t>(alignment_for(alignment));
    if (head->copy != nullptr) {
        create(static_cast<void*>(head), copy_task, room_for(*head), static_cast<long>(unit));
        return;
    }
    const auto room = static_cast<std::size_t>(room_for(*head));
    const auto at = reinterpret_cast<std::uintptr_t>(__builtin_alloca(room + unit));
    void* block = reinterpret_cast<void*>((at + unit - 1) / unit * unit);
    copy_task(block, head);
    create(block, Copy{nullptr}, static_cast<long>(room), static_cast<long>(unit));
}

}  // namespace

// Later versions of libgomp have more parameters than earlier ones; missing ones are passed on without being read.
KYMO_GNU(void, GOMP_task, "GOMP_2.0")(Function function, void* data, Copy copy, long bytes, long alignment,
                                      bool is_deferred, unsigned flags, void** depend, int priority, void* detach) {
    const auto real = KYMO_REAL_GNU(GOMP_task);
    if (!is_to_be_seen(flags, copy, bytes)) {
        real(function, data, copy, bytes, alignment, is_deferred, flags, depend, priority, detach);
        return;
    }
    Head head = head_of(function, data, copy, bytes, alignment);
    with_data(&head, alignment, [&](void* given, Copy by, long room, long unit) {
        real(run_task, given, by, room, unit, is_deferred, flags, depend, priority, detach);
    });
}

namespace {

// How many tasks a loop has at most; `tasks`: their number, or with kGrainSize the iterations of each; 0: libgomp
// makes one a thread.
template <typename Bound>
unsigned long most_tasks(unsigned flags, unsigned long tasks, Bound begin, Bound end, Bound step) {
    if (tasks == 0 || (flags & kGrainSize) == 0) {
        return tasks;
    }
    const bool is_up = std::is_signed_v<Bound> ? step > 0 : (flags & kUp) != 0;
    const auto from = static_cast<unsigned long>(is_up ? begin : end);
    const auto to = static_cast<unsigned long>(is_up ? end : begin);
    const unsigned long distance = to - from;
    const unsigned long stride = is_up ? static_cast<unsigned long>(step) : 0 - static_cast<unsigned long>(step);
    return stride == 0 ? 0 : distance / stride / tasks + 1;
}

template <typename Real, typename Bound>
void loop_of_tasks(Real real, Function function, void* data, Copy copy, long bytes, long alignment, unsigned flags,
                   unsigned long tasks, int priority, Bound begin, Bound end, Bound step) {
    if (!is_to_be_seen(flags, copy, bytes) || bytes < static_cast<long>(2 * sizeof(std::uint64_t)) ||
        (copy != nullptr && most_tasks(flags, tasks, begin, end, step) > kMostCopied)) {
        real(function, data, copy, bytes, alignment, flags, tasks, priority, begin, end, step);
        return;
    }
    Head head = head_of(function, data, copy, bytes, alignment);
    head.is_loop = true;
    const std::size_t words = head.bytes < sizeof head.loop ? 2 * sizeof(std::uint64_t) : sizeof head.loop;
    memcpy(head.loop, data, words);
    with_data(&head, alignment, [&](void* given, Copy by, long room, long unit) {
        real(run_task, given, by, room, unit, flags, tasks, priority, begin, end, step);
    });
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
