#include "monitor/interpose/call_dispatch.h"

#include "monitor/process/log.h"
#include "monitor/process/process.h"
#include "monitor/threads/registry.h"

#include <atomic>
#include <cerrno>

namespace kymo::monitor {

namespace {

std::atomic<int> told_by{0};  // the pid of the process that has reported it

void set_silent(ThreadState& thread, bool silent) {
    recording::Unavailable row;
    row.what = "samples of threads whose system calls are dispatched to the program (PR_SET_SYSCALL_USER_DISPATCH)";
    row.why = "the call by which a signal's handler returns would be dispatched, too";
    row.remedy = "none: what such threads take is counted, not where";
    const int error = errno;
    {
        const Quiet quiet;
        if (silent) {
            process_log.write_once(&told_by, row);
        }
        thread.counters.set_silent(silent);
        thread.dispatches_calls = silent;
    }  // a pending sample has arrived by now
    errno = error;
}

}  // namespace

long call_with_dispatch(bool begins, long (*call)(void*), void* data) {
    ThreadState* thread = this_thread();
    if (thread == nullptr || !process.running() || !process.is_this_process() ||
        (thread->counters.is_silent() && !thread->dispatches_calls)) {
        return call(data);
    }
    const bool did = thread->dispatches_calls;
    if (begins && !did) {
        set_silent(*thread, true);
    }
    const long result = call(data);
    const bool does = result == 0 ? begins : did;
    if (!does && thread->dispatches_calls) {
        set_silent(*thread, false);
    }
    return result;
}

}  // namespace kymo::monitor
