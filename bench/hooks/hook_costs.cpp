// Where the time of a hooked call goes: beside it, in the same rounds, what it is made of, and each also in multiples
// of a plain indirect call, because a shared machine's clock wanders. And how many instructions each executes,
// counted by stepping through one call (ptrace): that is the same on every machine and at every load.
//
// Expected beforehand: of entry and exit with an addition each, 68 instructions at the entry (of them 9 for the
// registers) and 42 at the exit, all branches predicted: 25 to 35 cycles, 8 to 11 ns; a timer, 250 instructions, and
// two readings of the counter beside them.
#include "base/native.h"
#include "cells/ticks.h"
#include "own_hooks.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <vector>

extern "C" int by_empty_way(int a);

namespace {

using namespace kymo;
using namespace kymo::bench;

using Function = int (*)(int);
constexpr int kRounds = 41;
constexpr int kCalls = 50'000;

int additions(int a) {
    cells::add(hooked().task, kEntries, 1);
    cells::add(hooked().task, kExits, 1);
    return a + 1;
}

int readings(int a) {
    const std::uint64_t begin = processor::read_counter();
    asm volatile("" ::: "memory");
    return a + static_cast<int>(processor::read_counter() - begin);
}

double ns_of_calls(Function function) {
    Function volatile called = function;
    int value = 0;
    timespec begin{};
    timespec end{};
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < kCalls; ++i) {
        value = called(value);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    asm volatile("" ::"r"(value));
    return (static_cast<double>(end.tv_sec - begin.tv_sec) * 1e9 + static_cast<double>(end.tv_nsec - begin.tv_nsec)) /
           kCalls;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

// Of one call, once the thread has its slots; 0: this process may not be traced. The child stops itself before it
// calls.
int instructions(Function function, bool measured) {
    const pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
            _exit(1);
        }
        if (measured) {
            hooked().begin();
        }
        Function volatile called = function;
        called(called(1));
        raise(SIGSTOP);
        called(1);
        _exit(0);
    }
    int status = 0;
    int count = 0;
    unsigned long long stack = 0;  // where the call has put its return address
    unsigned long long back = 0;   // that address: hooks put others in its place
    waitpid(child, &status, 0);
    while (WIFSTOPPED(status)) {
        user_regs_struct registers{};
        ptrace(PTRACE_GETREGS, child, nullptr, &registers);
        if (stack == 0 && registers.rip == reinterpret_cast<std::uint64_t>(function)) {
            stack = registers.rsp;
            back = static_cast<unsigned long long>(ptrace(PTRACE_PEEKTEXT, child, stack, nullptr));
        } else if (stack != 0 && registers.rsp == stack + 8 && registers.rip == back) {
            break;
        }
        count += stack != 0 ? 1 : 0;
        if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) {
            break;
        }
        waitpid(child, &status, 0);
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return count;
}

struct Row {
    const char* name;
    Function function;
    std::vector<double> ns = {};
    std::vector<double> multiples = {};
};

}  // namespace

int main() {
    Row rows[] = {{"an indirect call", by_nobody},
                  {"two additions to cells", additions},
                  {"two readings of the processor's counter", readings},
                  {"the way of a hooked call, nothing done", by_empty_way},
                  {"hooked, the thread not measured", by_kymo_unmeasured},
                  {"hooked, an addition at entry alone", by_kymo_entry},
                  {"hooked, a condition on a cell", by_kymo_cell},
                  {"hooked, a condition on a variable", by_kymo_variable},
                  {"hooked, a condition on a thread-local one", by_kymo_thread_local},
                  {"hooked, a condition through a pointer", by_kymo_pointer},
                  {"hooked, an addition at entry and exit", by_kymo},
                  {"hooked, a timer from entry to exit", by_kymo_timer}};
    hooked();
    for (int round = 0; round < kRounds; ++round) {
        double call = 0;
        for (Row& row : rows) {
            if (row.function != by_kymo_unmeasured) {
                hooked().begin();
            }
            const double ns = ns_of_calls(row.function);
            if (row.function != by_kymo_unmeasured) {
                end_thread(hooked().thread);
            }
            call = &row == rows ? ns : call;
            row.ns.push_back(ns);
            row.multiples.push_back(ns / call);
        }
    }
    if (hooked().cells[kExits] < std::uint64_t{kRounds} * kCalls) {
        std::puts("calls were not counted");
        return 1;
    }
    std::printf("%-42s %8s %8s %10s %14s\n", "a call, medians of interleaved rounds", "ns", "least", "indirect",
                "instructions");
    for (Row& row : rows) {
        std::printf("%-42s %8.1f %8.1f %9.1fx %14d\n", row.name, median(row.ns),
                    *std::min_element(row.ns.begin(), row.ns.end()), median(row.multiples),
                    instructions(row.function, row.function != by_kymo_unmeasured));
    }
    return 0;
}
