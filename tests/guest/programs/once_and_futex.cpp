// Initialisers that throw, are cancelled, call others and fork; the futex system call with every answer that it can
// give; and raw system calls that return on another stack.
#include "../burn.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <linux/futex.h>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <stdexcept>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <threads.h>
#include <unistd.h>

namespace {

int calls = 0;

void throws_first() {
    std::once_flag flag;
    for (int i = 0; i < 3; ++i) {
        try {
            std::call_once(flag, [&] {
                burn(5);
                if (++calls < 2) {
                    throw std::runtime_error("not yet");
                }
            });
            printf("initialised after %d calls\n", calls);
        } catch (const std::exception& error) {
            printf("initialiser: %s\n", error.what());
        }
    }
}

pthread_once_t inner = PTHREAD_ONCE_INIT;
pthread_once_t outer = PTHREAD_ONCE_INIT;
once_flag other = ONCE_FLAG_INIT;

void in_inner() {
    printf("inner\n");
}

void in_outer() {
    pthread_once(&inner, in_inner);
    call_once(&other, [] { printf("other\n"); });
    printf("outer\n");
}

pthread_once_t cancelled = PTHREAD_ONCE_INIT;
std::atomic<int> cancelled_calls{0};

void pause_first() {
    if (++cancelled_calls == 1) {
        for (;;) {
            pause();
        }
    }
}

void* initialise_cancelled(void* /*unused*/) {
    pthread_once(&cancelled, pause_first);
    return nullptr;
}

void cancels() {
    pthread_t first;
    pthread_t second;
    pthread_create(&first, nullptr, initialise_cancelled, nullptr);
    while (cancelled_calls == 0) {
        usleep(1000);
    }
    pthread_create(&second, nullptr, initialise_cancelled, nullptr);
    usleep(20'000);
    pthread_cancel(first);
    void* result = nullptr;
    pthread_join(first, &result);
    printf("first: %s\n", result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
    pthread_join(second, &result);
    printf("second: %s, %d calls\n", result == PTHREAD_CANCELED ? "cancelled" : "done", cancelled_calls.load());
}

pthread_once_t forking = PTHREAD_ONCE_INIT;

void fork_within() {
    const pid_t child = fork();
    if (child == 0) {
        // The parent's initialiser never ends here: the flag is of a time before the fork, and so as new.
        int again = 0;
        static int* told = &again;
        pthread_once(&forking, [] { *told = 1; });
        _exit(again);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("initialised again in the child: %d\n", WEXITSTATUS(status));
}

std::atomic<std::uint32_t> word{1};

void tell(const char* what, long result) {
    const int error = errno;
    printf("%s: %ld %s\n", what, result, result < 0 ? strerrorname_np(error) : "");
}

long futex(void* at, int operation, unsigned value, const timespec* timeout) {
    errno = 0;
    return syscall(SYS_futex, at, operation, value, timeout, nullptr, FUTEX_BITSET_MATCH_ANY);
}

void on_signal(int /*unused*/) {}

void futexes() {
    const timespec soon{0, 15'000'000};
    tell("wait for another value", futex(&word, FUTEX_WAIT, 2, nullptr));
    tell("wait in time", futex(&word, FUTEX_WAIT_PRIVATE, 1, &soon));
    tell("wait at no memory", futex(reinterpret_cast<void*>(4096), FUTEX_WAIT_PRIVATE, 1, &soon));
    tell("wait at an odd place", futex(reinterpret_cast<char*>(&word) + 1, FUTEX_WAIT, 1, &soon));
    tell("wait for no bit", syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 1, nullptr, nullptr, 0));
    tell("lock at no memory", futex(reinterpret_cast<void*>(4096), FUTEX_LOCK_PI, 0, nullptr));
    tell("wake nobody", futex(&word, FUTEX_WAKE, 1, nullptr));
    tell("no operation", futex(&word, 99, 0, nullptr));
    std::atomic<std::uint32_t> lock{0};
    tell("lock", futex(&lock, FUTEX_LOCK_PI_PRIVATE, 0, nullptr));
    tell("lock again", futex(&lock, FUTEX_LOCK_PI_PRIVATE, 0, nullptr));
    tell("unlock", futex(&lock, FUTEX_UNLOCK_PI_PRIVATE, 0, nullptr));
    tell("unlock again", futex(&lock, FUTEX_UNLOCK_PI_PRIVATE, 0, nullptr));

    struct sigaction action{};
    action.sa_handler = on_signal;
    sigaction(SIGUSR1, &action, nullptr);
    std::atomic<int> ready{0};
    const pthread_t self = pthread_self();
    std::thread sender([&] {
        while (ready == 0) {
            usleep(1000);
        }
        do {  // until one comes while it waits
            usleep(20'000);
            pthread_kill(self, SIGUSR1);
        } while (ready == 1);
    });
    ready = 1;
    const long ended = futex(&word, FUTEX_WAIT, 1, nullptr);
    ready = 2;
    tell("wait that a signal ends", ended);
    sender.join();

    std::atomic<int> turn{0};
    std::thread partner([&] {
        for (int i = 0; i < 200; ++i) {
            turn.wait(2 * i);
            ++turn;
            turn.notify_one();
        }
    });
    for (int i = 0; i < 200; ++i) {
        ++turn;
        turn.notify_one();
        turn.wait(2 * i + 1);
    }
    partner.join();
    printf("turns: %d\n", turn.load());
}

alignas(16) char stack[65536];

[[noreturn]] void child_on_its_stack() {
    _exit(7);
}

void system_calls() {
    printf("own process: %d\n", syscall(SYS_getpid) == getpid());
    errno = 0;
    tell("no such call", syscall(100000));
    errno = EDOM;
    syscall(SYS_getppid);
    printf("errno kept: %d\n", errno == EDOM);
    int pipes[2];
    MUST(pipe(pipes) == 0);
    const char text[] = "six arguments";
    // pwrite has four, mmap six.
    MUST(write(pipes[1], text, sizeof text) == sizeof text);
    auto* memory = reinterpret_cast<char*>(syscall(SYS_mmap, nullptr, 4096L, 3L, 0x22L, -1L, 0L));
    MUST(memory != nullptr && syscall(SYS_read, pipes[0], memory, 4096L) == sizeof text);
    printf("%s\n", memory);
    // The child returns from syscall() by what lies on its own stack.
    void** top = reinterpret_cast<void**>(stack + sizeof stack - 64);
    *top = reinterpret_cast<void*>(child_on_its_stack);
    const long child = syscall(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, top, nullptr, nullptr, nullptr);
    int status = 0;
    MUST(child > 0 && waitpid(static_cast<pid_t>(child), &status, 0) == child);
    printf("child: %d\n", WEXITSTATUS(status));
}

}  // namespace

int main() {
    setvbuf(stdout, nullptr, _IONBF, 0);
    throws_first();
    pthread_once(&outer, in_outer);
    pthread_once(&outer, in_outer);
    cancels();
    pthread_once(&forking, fork_within);
    futexes();
    system_calls();
    burn(50);
    return 0;
}
