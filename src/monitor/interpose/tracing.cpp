#include "monitor/interpose/tracing.h"

#include "monitor/interpose/raw_system_calls.h"
#include "monitor/interpose/real.h"
#include "monitor/process/log.h"
#include "monitor/process/process.h"
#include "monitor/text.h"
#include "monitor/threads/registry.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <signal.h>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

namespace {

constexpr long kTraceMe = 0;  // PTRACE_TRACEME; sys/ptrace.h declares a ptrace() of another kind

std::atomic<bool> is_known{false};  // a thread of this process is traced, or was
std::atomic<int> told_by{0};        // the pid of the process that has reported it

struct Status {
    int parent = 0;
    int tracer = 0;
};

int number_after(const char* text, const char* name) {
    const char* at = strstr(text, name);
    int number = 0;
    for (at += at == nullptr ? 0 : strlen(name); at != nullptr && *at >= '0' && *at <= '9'; ++at) {
        number = number * 10 + (*at - '0');
    }
    return number;
}

// Zeros if it cannot be read. The needed lines are in the first 300 bytes.
Status status_of(const char* path) {
    char text[400] = "";
    const long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return {};
    }
    const long got = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    text[got < 0 ? 0 : got] = 0;
    return {number_after(text, "\nPPid:\t"), number_after(text, "\nTracerPid:\t")};
}

int parent_of(int pid) {
    char path[40];
    Text(path, sizeof path) << "/proc/" << static_cast<unsigned long>(pid) << "/status";
    return status_of(path).parent;
}

// Kymo, the program, or what that has started.
bool belongs_to_recording(int tracer) {
    const auto first = static_cast<int>(process.session().pid);
    if (first == 0) {
        return false;  // preloaded by hand: its begin is not known
    }
    if (tracer == parent_of(first)) {
        return true;
    }
    constexpr int kDeepest = 100;
    int pid = tracer;
    for (int depth = 0; pid > 1 && pid != first && depth < kDeepest; ++depth) {
        pid = parent_of(pid);
    }
    return pid == first;
}

bool is_traced_from_within() {
    const int error = errno;
    const int tracer = status_of("/proc/thread-self/status").tracer;
    const bool is = tracer != 0 && belongs_to_recording(tracer);
    errno = error;
    return is;
}

void tell() {
    recording::Unavailable row;
    row.what = "samples of threads that are traced (ptrace)";
    row.why = "each sampling signal would stop them for their tracer";
    row.remedy = "record the program without its debugger or tracer";
    process_log.write_once(&told_by, row);
}

// Calls `call` while no sampling signal is pending or can be sent; the result of is_traced() then holds from there
// on.
template <typename Call, typename IsTraced>
auto call_silently(ThreadState& thread, const Call& call, const IsTraced& is_traced) {
    {
        const Quiet quiet;
        thread.counters.set_silent(true);
    }  // a pending sample has arrived by now
    const auto result = call();
    const int error = errno;
    const bool is = is_traced(result);
    const Quiet quiet;
    if (is) {
        is_known = true;
        tell();
    } else {
        thread.counters.set_silent(false);
    }
    errno = error;
    return result;
}

// The calling thread, if it is sampled.
ThreadState* sampled_thread() {
    ThreadState* thread = this_thread();
    const bool is =
        thread != nullptr && process.running() && process.is_this_process() && !thread->counters.is_silent();
    return is ? thread : nullptr;
}

// The calling thread requests to be traced by its parent. `ask` returns 0, or ptrace()'s result when it fails.
template <typename Ask>
long ask_to_be_traced(const Ask& ask) {
    ThreadState* thread = sampled_thread();
    if (thread == nullptr || thread->tid != static_cast<int>(syscall(SYS_gettid))) {
        return ask();
    }
    return call_silently(*thread, ask, [](long result) { return result == 0; });
}

// The calling thread may stop itself, which is how a child waits for its parent to attach (PTRACE_SEIZE). An
// attached tracer sees every signal from the moment the thread continues, so none is sent until it is known
// whether there is one.
template <typename Stop>
int stop_unseen(const Stop& stop) {
    ThreadState* thread = sampled_thread();
    return thread == nullptr ? stop() : call_silently(*thread, stop, [](int) { return is_traced_from_within(); });
}

Real<long (*)(int, ...)> real_ptrace{"ptrace"};
Real<int (*)(pid_t, int)> real_kill{"kill"};
Real<int (*)(int)> real_raise{"raise"};

// A vfork child may be the first to call one, and must not write to its parent's memory; so may a handler.
__attribute__((constructor)) void look_up() {
    real_ptrace.get();
    real_kill.get();
    real_raise.get();
}

}  // namespace

constinit Tracing tracing;

bool Tracing::begin() {
    is_known = is_traced_from_within();
    return true;
}

void Tracing::thread_begin(ThreadState& thread) {
    const bool is_traced = is_known.load(std::memory_order_relaxed) && is_traced_from_within();
    thread.counters.set_silent(is_traced);
    if (is_traced) {
        tell();
    }
}

}  // namespace kymo::monitor

using namespace kymo::monitor;

KYMO_INTERPOSE long ptrace(int request, long task, void* address, void* data) {
    const auto call = [=] { return real_ptrace.get()(request, task, address, data); };
    return request == kTraceMe ? ask_to_be_traced(call) : call();
}

KYMO_INTERPOSE int kill(pid_t pid, int signal) noexcept {
    const auto call = [=] { return real_kill.get()(pid, signal); };
    return signal == SIGSTOP ? stop_unseen(call) : call();
}

KYMO_INTERPOSE int raise(int signal) noexcept {
    const auto call = [=] { return real_raise.get()(signal); };
    return signal == SIGSTOP ? stop_unseen(call) : call();
}

long kymo_ptrace_call(long number, long request, long task, long address, long data, long fifth, long sixth) {
    const auto real = kymo_next_syscall;
    const auto call = [=] { return real(number, request, task, address, data, fifth, sixth); };
    return request == kTraceMe ? ask_to_be_traced(call) : call();
}
