// Instrumentation points in the kernel: runs at each hit of a probe, and executes the steps of its point on the
// calling thread's cells. The steps, the primitives and their meaning are those of the monitor, from the same
// source (cells/actions.h).
//
// Compiled by clang when Kymo is built and carried in the program; nothing is compiled at run time. Needs Linux
// 5.15 (attach cookies).
#include "base/x86_64/kernel_registers.h"
#include "cells/actions.h"
#include "hooks/kernel/probe_state.h"

using namespace kymo;
using namespace kymo::hooks;

namespace {

enum MapType { kHash = 1, kArray = 2 };

struct Ids {
    std::uint32_t thread;
    std::uint32_t process;
};

// Helpers by number (enum bpf_func_id is kernel ABI). None of them is restricted to GPL programs.
const auto map_lookup = reinterpret_cast<void* (*)(void* map, const void* key)>(1);
const auto map_update =
    reinterpret_cast<long (*)(void* map, const void* key, const void* value, std::uint64_t flags)>(2);
const auto ktime_ns = reinterpret_cast<std::uint64_t (*)()>(5);
const auto task_name = reinterpret_cast<long (*)(char* to, std::uint32_t size)>(16);
const auto ids_in_namespace =
    reinterpret_cast<long (*)(std::uint64_t device, std::uint64_t inode, Ids* ids, std::uint32_t size)>(120);
const auto attach_cookie = reinterpret_cast<std::uint64_t (*)(void* context)>(174);

constexpr std::uint64_t kOnlyNew = 1;  // BPF_NOEXIST

using Registers = kymo::x86_64::KernelRegisters;

}  // namespace

extern "C" {

__attribute__((section("license"), used)) char kymo_license[] = "Apache-2.0";

// Of any point. The loader sets the number: the kernel's check of this program takes time for each.
__attribute__((section(".rodata"), used)) extern const volatile std::uint32_t kymo_most_steps = cells::kMaxSteps;

__attribute__((section(".maps"), used)) struct {
    int (*type)[kArray];
    int (*max_entries)[1];
    std::uint32_t* key;
    ProbeSettings* value;
} kymo_settings;

__attribute__((section(".maps"), used)) struct {
    int (*type)[kArray];
    int (*max_entries)[1];  // set by the loader
    std::uint32_t* key;
    ProbePoint* value;
} kymo_points;

__attribute__((section(".maps"), used)) struct {
    int (*type)[kArray];
    int (*max_entries)[1];  // set by the loader
    std::uint32_t* key;
    cells::Step* value;
} kymo_steps;

__attribute__((section(".maps"), used)) struct {
    int (*type)[kHash];
    int (*max_entries)[kProbeThreads];
    std::uint32_t* key;
    ProbeThread* value;
} kymo_threads;

// A thread's cells before its first hit, all 0: too large for the program's stack.
__attribute__((section(".maps"), used)) struct {
    int (*type)[kArray];
    int (*max_entries)[1];
    std::uint32_t* key;
    ProbeThread* value;
} kymo_blank;

// Hits by threads for which there was no room.
__attribute__((section(".maps"), used)) struct {
    int (*type)[kArray];
    int (*max_entries)[1];
    std::uint32_t* key;
    std::uint64_t* value;
} kymo_missed;
}

static ProbeThread* thread_of(std::uint32_t id) {
    auto* thread = static_cast<ProbeThread*>(map_lookup(&kymo_threads, &id));
    if (thread != nullptr) {
        return thread;
    }
    const std::uint32_t zero = 0;
    const void* blank = map_lookup(&kymo_blank, &zero);
    if (blank == nullptr || map_update(&kymo_threads, &id, blank, kOnlyNew) != 0) {
        if (auto* missed = static_cast<std::uint64_t*>(map_lookup(&kymo_missed, &zero)); missed != nullptr) {
            __sync_fetch_and_add(missed, 1);
        }
        return nullptr;
    }
    thread = static_cast<ProbeThread*>(map_lookup(&kymo_threads, &id));
    if (thread != nullptr) {
        task_name(thread->name, sizeof thread->name);
        thread->begin = ktime_ns();
    }
    return thread;
}

extern "C" __attribute__((section("uprobe"), used)) int kymo_steps_at(Registers* registers) {
    const std::uint32_t zero = 0;
    const auto* settings = static_cast<const ProbeSettings*>(map_lookup(&kymo_settings, &zero));
    const std::uint64_t cookie = attach_cookie(registers);
    const auto number = static_cast<std::uint32_t>(cookie);
    const auto* point = static_cast<const ProbePoint*>(map_lookup(&kymo_points, &number));
    Ids ids{};
    if (settings == nullptr || point == nullptr ||
        ids_in_namespace(settings->namespace_device, settings->namespace_inode, &ids, sizeof ids) != 0 ||
        ids.process != settings->process) {
        return 0;
    }
    ProbeThread* thread = thread_of(ids.thread);
    if (thread == nullptr) {
        return 0;
    }
    thread->awaited += (cookie & kReturnAwaited) != 0 ? 1 : 0;
    thread->returned += (cookie & kReturned) != 0 ? 1 : 0;
    const cells::TickRate rate;
    const cells::Task task{thread->cells, thread->timers, &rate, settings->bindings};
    const std::uint64_t arguments[cells::kArgumentMask + 1] = {registers->rdi, registers->rsi, registers->rdx,
                                                               registers->rcx, registers->r8,  registers->r9};
    const bool at_exit = (cookie & kAtExit) != 0;
    const cells::Call call{at_exit ? nullptr : arguments, registers->rax};
    const std::uint32_t count = point->count;
    const std::uint32_t first = point->first;
    cells::Loaded none{};  // of the program's data: such steps are not used here (planner.cpp)
    for (std::uint32_t i = 0, next = 0; i < kymo_most_steps && next < count; ++i) {
        const std::uint32_t key = first + next;
        const auto* at = static_cast<const cells::Step*>(map_lookup(&kymo_steps, &key));
        if (at == nullptr) {
            return 0;
        }
        next += 1 + cells::run_step(*at, task, call, none);
    }
    return 0;
}
