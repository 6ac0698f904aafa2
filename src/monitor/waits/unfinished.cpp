#include "monitor/waits/unfinished.h"

#include "monitor/openmp/team.h"
#include "monitor/sampling/path.h"
#include "monitor/threads/stream.h"
#include "monitor/waits/waits.h"

namespace kymo::monitor {

void write_unfinished_wait(ThreadState& thread, std::uint64_t now, bool own_thread) {
    WaitState& wait = thread.waits;
    const std::uint64_t begin = wait.begin.load(std::memory_order_acquire);
    if (begin == 0 || now < begin || now - begin < kBriefWaitNs) {
        return;
    }
    if (wait.kind == recording::WaitKind::kOmpIdle) {
        write_idle(thread, now, nullptr, own_thread ? 0 : recording::kWaitOpen);
        return;
    }
    // The thread's own frames of that wait are gone; another thread's stack does not change while it waits.
    const ContextId context =
        own_thread || wait.registers.pc == 0 ? ContextId{0} : enter_own_path(thread, wait.registers);
    if (announce(thread)) {
        write_wait(thread, wait, begin, now, context, own_thread ? recording::kWaitAbandoned : recording::kWaitOpen);
    }
    wait.begin.store(0, std::memory_order_relaxed);
}

}  // namespace kymo::monitor
