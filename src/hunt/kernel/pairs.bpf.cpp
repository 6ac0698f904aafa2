// The pair machine in the kernel: runs at each overflow of the hunted event, keeps its cells in a mapped array, drops
// every event, and signals the thread when its event decided a result.
//
// Licence. The kernel lends some helpers (reading memory, its clock, signals) only to programs whose object says that
// it may be used under the GPL. So this file, and the headers that are compiled into its object (machine.h, upkeep.h,
// rule.h, shared.h of pairs/ and base/x86_64/kernel_registers.h), may be used under the Apache License 2.0, as the
// rest of Kymo, or under the MIT licence, or under the GPL version 2, at your choice; `kymo_license` below is what
// the kernel reads. SPDX-License-Identifier: Apache-2.0 OR MIT OR GPL-2.0-only
//
// Compiled by clang when Kymo is built and carried in the program; nothing is compiled where it runs. Needs
// Linux 5.12 (atomic exchange).
#include "base/x86_64/kernel_registers.h"
#include "pairs/shared.h"

// <linux/bpf.h> and its kin are C only; what is used of them is this.
using namespace kymo::pairs;

namespace {

enum MapType { kArray = 2 };
enum MapFlags { kMappable = 1 << 10 };

// Helpers by number (enum bpf_func_id is kernel ABI).
const auto map_lookup = reinterpret_cast<void* (*)(void* map, const void* key)>(1);
const auto ktime_ns = reinterpret_cast<uint64_t (*)()>(5);
const auto pid_tgid = reinterpret_cast<uint64_t (*)()>(14);
const auto read_user = reinterpret_cast<long (*)(void* to, uint32_t size, const void* from)>(112);
const auto read_kernel = reinterpret_cast<long (*)(void* to, uint32_t size, const void* from)>(113);
const auto send_signal_thread = reinterpret_cast<long (*)(uint32_t signal)>(117);
const auto current_task = reinterpret_cast<void* (*)()>(158);
const auto task_registers = reinterpret_cast<void* (*)(void* task)>(175);

using Registers = kymo::x86_64::KernelRegisters;
// bpf_perf_event_data
struct Event {
    Registers registers;
    uint64_t period;
    uint64_t address;
};

constexpr uint32_t kCallSiteKey = 2;
constexpr uint32_t kDataPageKey = 3;
constexpr uint32_t kDataLineKey = 4;
constexpr int kStackWords = 128;

}  // namespace

extern "C" {

__attribute__((section("license"), used)) char kymo_license[] = "Dual MIT/GPL";

__attribute__((section(".maps"), used)) struct {
    int (*type)[kArray];
    int (*map_flags)[kMappable];
    int (*max_entries)[1];
    uint32_t* key;
    Shared* value;
} kymo_state;
}

// The registers of user mode, even if the event's own are not (a context switch happens in the kernel).
static inline __attribute__((always_inline)) bool user_registers(Registers* user) {
    const void* registers = task_registers(current_task());
    return read_kernel(user, sizeof *user, registers) == 0;
}

// Whether the bytes before a possible return address are a call: e8 with four bytes, or ff /2 in its usual lengths. A
// stale word on a stack may be in the program's text; one behind a call is nearly always a return address.
static inline __attribute__((always_inline)) bool is_behind_call(uint64_t address) {
    uint8_t before[8] = {};
    if (read_user(before, 7, reinterpret_cast<const void*>(address - 7)) != 0) {
        return false;
    }
    return before[2] == 0xe8 || (before[5] == 0xff && (before[6] & 0x38U) == 0x10) ||
           (before[4] == 0xff && (before[5] & 0x38U) == 0x10) || (before[1] == 0xff && (before[2] & 0x38U) == 0x10) ||
           (before[0] == 0xff && (before[1] & 0x38U) == 0x10);
}

// The innermost address of the process's own program: the interrupted instruction, or the first return address on the
// stack that leads there.
static inline __attribute__((always_inline)) uint64_t call_site(Shared* shared, uint32_t process) {
    Registers user;
    if (!user_registers(&user)) {
        return 0;
    }
    uint64_t begin = 0;
    uint64_t end = 0;
    for (uint32_t i = 0; i < kMaxPrograms; ++i) {
        if (shared->programs[i].process == process) {
            begin = shared->programs[i].begin;
            end = shared->programs[i].end;
            break;
        }
    }
    if (user.rip - begin < end - begin) {
        return user.rip;
    }
    for (int i = 0; i < kStackWords; ++i) {
        uint64_t word = 0;
        if (read_user(&word, sizeof word, reinterpret_cast<const void*>(user.rsp + 8U * static_cast<uint64_t>(i))) !=
            0) {
            break;
        }
        if (word - begin < end - begin && is_behind_call(word)) {
            return word - 1;
        }
    }
    return user.rip;
}

extern "C" __attribute__((section("perf_event"), used)) int kymo_hunt(Event* event) {
    uint32_t zero = 0;
    auto* shared = static_cast<Shared*>(map_lookup(&kymo_state, &zero));
    if (shared == nullptr) {
        return 0;
    }
    const uint64_t process_thread = pid_tgid();
    const auto process = static_cast<uint32_t>(process_thread >> 32U);
    uint64_t pc = event->registers.rip;
    const uint64_t data = event->address;
    const ProgramText& own = shared->programs[process % kMaxPrograms];
    if (own.process == process && pc - own.monitor_begin < own.monitor_end - own.monitor_begin) {
        return 0;
    }
    uint64_t key = pc;
    if (shared->key == kCallSiteKey) {
        key = pc = call_site(shared, process);
    } else if (shared->key == kDataPageKey) {
        key = data >> 12U;
    } else if (shared->key == kDataLineKey) {
        key = data >> 6U;
    }
    if (__sync_lock_test_and_set(&shared->lock, 1) != 0) {
        __sync_fetch_and_add(&shared->dropped, 1);
        return 0;
    }
    const Verdict verdict = step(shared->machine, key);
    uint32_t signal = 0;
    if (verdict.turn != Turn::kNothing) {
        News* news = add_news(*shared, verdict);
        news->time = ktime_ns();
        news->pc = pc;
        news->data = data;
        news->process = process;
        news->thread = static_cast<uint32_t>(process_thread);
        shared->news_count += 1;
        signal = verdict.turn == Turn::kFound ? shared->signal : 0;
    }
    const uint64_t clock = clock_of(shared->machine);
    if (clock >= shared->next_word) {
        shared->next_word = 2 * clock;
        signal = shared->signal;
    }
    __sync_lock_test_and_set(&shared->lock, 0);
    if (signal != 0) {
        send_signal_thread(signal);
    }
    return 0;
}
