#include "monitor/interpose/seccomp.h"

#include "base/native.h"
#include "base/own_memory.h"
#include "base/system_call_filter.h"
#include "image/arena.h"
#include "monitor/interpose/raw_system_calls.h"
#include "monitor/process/life.h"
#include "monitor/process/log.h"
#include "unwind/readable.h"

#include <cerrno>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

namespace {

std::atomic<bool> barred{false};
std::atomic<bool> asks_about_signals{true};

// The monitor's system calls once the program runs, with the arguments that filters examine.
struct OwnCall {
    int number;
    std::uint64_t arguments[6];
};
constexpr std::uint64_t kDescriptor = 1000;  // any high one

constexpr std::uint32_t kArchitecture = processor::kMachine | __AUDIT_ARCH_64BIT | __AUDIT_ARCH_LE;

constexpr OwnCall kOwnCalls[] = {
    {SYS_rt_sigreturn, {}},
    {SYS_rt_sigprocmask, {SIG_SETMASK, 0, 0, 8}},
    {SYS_rt_sigprocmask, {unwind::kNoChangeOfMask, 0, 0, 8}},
    {SYS_rt_sigtimedwait, {}},
    {SYS_sigaltstack, {}},
    {SYS_read, {kDescriptor}},
    {SYS_pread64, {kDescriptor}},
    {SYS_close, {kDescriptor}},
    {SYS_openat, {static_cast<std::uint64_t>(AT_FDCWD), 0, O_RDONLY | O_CLOEXEC}},
    {SYS_openat, {static_cast<std::uint64_t>(AT_FDCWD), 0, O_WRONLY | O_APPEND | O_CLOEXEC}},
    {SYS_write, {kDescriptor}},
    {SYS_openat, {static_cast<std::uint64_t>(AT_FDCWD), 0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW}},
    {SYS_faccessat, {static_cast<std::uint64_t>(AT_FDCWD)}},
    {SYS_unlinkat, {static_cast<std::uint64_t>(AT_FDCWD)}},
    {SYS_getsockname, {kDescriptor}},
    {SYS_getpeername, {kDescriptor}},
    {SYS_getsockopt, {kDescriptor, SOL_SOCKET}},
    {SYS_readlinkat, {static_cast<std::uint64_t>(AT_FDCWD)}},
    {SYS_newfstatat, {kDescriptor}},
    {SYS_fcntl, {kDescriptor, F_DUPFD_CLOEXEC, kDescriptor}},
    {SYS_fcntl, {kDescriptor, F_SETOWN_EX}},
    {SYS_fcntl, {kDescriptor, F_SETFL, O_ASYNC}},
    {SYS_ioctl, {kDescriptor, PERF_EVENT_IOC_ENABLE}},
    {SYS_perf_event_open, {0, 0, ~std::uint64_t{0}, ~std::uint64_t{0}}},
    {SYS_fallocate, {kDescriptor}},
    {SYS_ftruncate, {kDescriptor}},
    {SYS_flock, {kDescriptor}},
    {SYS_mmap, {0, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, kDescriptor}},
    {SYS_mmap, {0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, ~std::uint64_t{0}}},
    {SYS_munmap, {}},
    {SYS_mremap, {}},
    {SYS_madvise, {0, 65536, MADV_DONTFORK}},
    {SYS_prlimit64, {}},
    {SYS_getrusage, {static_cast<std::uint64_t>(RUSAGE_THREAD)}},
    {SYS_clock_gettime, {}},
    {SYS_getcpu, {}},
    {SYS_gettid, {}},
    {SYS_getpid, {}},
    {SYS_getppid, {}},
    {SYS_sched_yield, {}},
    {SYS_futex, {0, FUTEX_WAIT | FUTEX_PRIVATE_FLAG}},
    {SYS_futex, {0, FUTEX_WAKE | FUTEX_PRIVATE_FLAG}},
    {SYS_process_vm_readv, {}},
    {SYS_timer_create, {}},
    {SYS_timer_settime, {}},
    {SYS_timer_delete, {}},
    {SYS_prctl, {PR_GET_NAME}},
};

// Optional calls (interrupted_calls.h).
constexpr OwnCall kAboutSignals[] = {{SYS_rt_sigpending, {}}, {SYS_rt_sigaction, {}}};

bool spares(std::span<const sock_filter> filter, std::span<const OwnCall> calls) {
    for (const OwnCall& own : calls) {
        seccomp_data call{};
        call.nr = own.number;
        call.arch = kArchitecture;
        call.instruction_pointer = reinterpret_cast<std::uint64_t>(&spares);
        __builtin_memcpy(call.args, own.arguments, sizeof call.args);
        if (!is_survived(run_filter(filter, call))) {
            return false;
        }
    }
    return true;
}

// An unreadable filter is refused by the kernel.
bool spares_the_monitor(std::uint64_t program) {
    sock_fprog given{};
    if (!copy_own_memory(program, &given, sizeof given) || given.len == 0 || given.len > BPF_MAXINSNS) {
        return true;
    }
    const std::size_t bytes = given.len * sizeof(sock_filter);
    auto* filter = static_cast<sock_filter*>(image::map_pages(bytes));
    if (filter == nullptr) {
        return false;
    }
    bool is_spared = true;
    if (copy_own_memory(reinterpret_cast<std::uint64_t>(given.filter), filter, bytes)) {
        is_spared = spares({filter, given.len}, kOwnCalls);
        if (!spares({filter, given.len}, kAboutSignals)) {
            asks_about_signals.store(false);
        }
    }
    image::unmap_pages(filter, bytes);
    return is_spared;
}

void end_measurement() {
    const int error = errno;
    recording::Unavailable row;
    row.what = "everything after the program has limited its system calls";
    row.why = "its seccomp filter would kill it for calls that measuring takes";
    row.remedy = "turn the program's sandbox off for the recording, or let it allow Kymo's calls (docs/monitor.md)";
    {
        const Quiet quiet;
        process_log.write(row);
    }
    finish(Process::End::kImmediateExit);
    barred.store(true);
    errno = error;
}

}  // namespace

bool is_barred_by_filter() {
    return barred.load(std::memory_order_relaxed);
}

bool may_ask_about_signals() {
    return asks_about_signals.load(std::memory_order_relaxed);
}

void before_filter(bool strict, std::uint64_t program) {
    if (process.running() && process.is_this_process() && (strict || !spares_the_monitor(program))) {
        end_measurement();
    }
}

}  // namespace kymo::monitor

using namespace kymo::monitor;

long kymo_seccomp_call(long number, long operation, long flags, long program, long fourth, long fifth, long sixth) {
    if (operation == SECCOMP_SET_MODE_STRICT || operation == SECCOMP_SET_MODE_FILTER) {
        before_filter(operation == SECCOMP_SET_MODE_STRICT, static_cast<std::uint64_t>(program));
    }
    return kymo_next_syscall(number, operation, flags, program, fourth, fifth, sixth);
}
