// What a hooked call costs: entry and exit with one addition each, beside the kernel's uprobes on the same function.
//
// Expected beforehand: about 90 instructions at entry and 70 at exit, of which 36 are the registers' saving, all well
// predicted (each call has its return): 16 to 22 ns; a uprobe pair traps twice, 2 µs counted, more with eBPF.
#include "cells/primitives.h"
#include "hooks/guest/apply.h"
#include "hooks/kernel/kernel_probes.h"
#include "hooks/plan/planner.h"
#include "uprobe.h"

#include <array>
#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {
int by_kymo(int a);
int by_kymo_unmeasured(int a);
int by_line(int a);
int by_kernel(int a);
int by_uprobe(int a);
int by_bpf(int a);
int by_nobody(int a);
}

namespace {

using namespace kymo;

constexpr std::uint16_t kEntries = 64;
constexpr std::uint16_t kExits = 65;
constexpr std::uint16_t kLines = 66;
constexpr std::uint32_t kLine = 14;  // of by_line, in hooked.cpp

cells::Step add(std::uint16_t cell) {
    cells::Step step;
    step.operation = cells::Operation::kAdd;
    step.target = cell;
    step.constant = 1;
    return step;
}

// This program's own hooks, and its thread's cells.
struct Hooked {
    std::unique_ptr<std::uint64_t[]> file;
    hooks::Hooks hooks;
    hooks::Thread thread;
    cells::TickRate rate;
    std::array<std::uint64_t, cells::kTaskCells> cells{};
    std::array<cells::Timer, cells::kTaskTimers> timers{};
    std::array<std::uint32_t, cells::kTaskTimers> bindings{};
    cells::Task task{cells.data(), timers.data(), &rate, bindings.data()};

    Hooked() {
        const std::filesystem::path self[] = {std::filesystem::canonical("/proc/self/exe")};
        const hooks::Request requests[] = {{{}, "by_kymo", {add(kEntries)}, {add(kExits)}},
                                           {{}, "by_kymo_unmeasured", {add(kEntries)}, {add(kExits)}},
                                           {{}, {}, {add(kLines)}, {}, "hooks/hooked.cpp", kLine}};
        const hooks::Planned planned = plan(self, requests);
        file = std::make_unique<std::uint64_t[]>(planned.file.size() / 8 + 1);
        std::memcpy(file.get(), planned.file.data(), planned.file.size());
        hooks.begin({reinterpret_cast<const std::uint8_t*>(file.get()), planned.file.size()}, {}, {});
    }
    void begin() {
        const auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
        begin_thread(thread, static_cast<int>(syscall(SYS_gettid)), here - (1U << 20U), here + 4096, &task);
    }
};

Hooked& hooked() {
    static Hooked made;
    return made;
}

template <int (*Function)(int)>
void call(benchmark::State& state) {
    int value = 0;
    for (auto _ : state) {
        value = Function(value);
    }
    benchmark::DoNotOptimize(value);
}

void unhooked(benchmark::State& state) {
    call<by_nobody>(state);
}

void kymo_entry_and_exit(benchmark::State& state) {
    hooked().begin();
    const std::uint64_t before = hooked().cells[kExits];
    call<by_kymo>(state);
    end_thread(hooked().thread);
    if (hooked().cells[kExits] - before < static_cast<std::uint64_t>(state.iterations())) {
        state.SkipWithError("calls were not counted");
    }
}

void kymo_thread_not_measured(benchmark::State& state) {
    hooked();
    call<by_kymo_unmeasured>(state);
}

void kymo_line(benchmark::State& state) {
    hooked().begin();
    const std::uint64_t before = hooked().cells[kLines];
    call<by_line>(state);
    end_thread(hooked().thread);
    if (hooked().cells[kLines] - before < static_cast<std::uint64_t>(state.iterations())) {
        state.SkipWithError("comings were not counted");
    }
}

// As for a program that does not throw; this one does, so that its exits would be had otherwise.
void kymo_kernel_probes(benchmark::State& state) {
    const std::filesystem::path self[] = {std::filesystem::canonical("/proc/self/exe")};
    const hooks::Request requests[] = {{{}, "by_kernel", {add(kEntries)}, {add(kExits)}}};
    hooks::Planned planned = plan(self, requests, hooks::Means::kProbes);
    if (planned.probes.empty()) {
        state.SkipWithError("the function cannot be had");
        return;
    }
    for (hooks::Probe& probe : planned.probes) {
        probe.by_return = probe.at_exit;
        probe.in_file = planned.probes.front().in_file;
    }
    auto probes = hooks::KernelProbes::load(planned, {});
    const auto attached = probes ? probes->attach(planned.probes, getpid(), false) : Result<void>(probes.error());
    if (!attached) {
        state.SkipWithError(attached.error().what.c_str());
        return;
    }
    call<by_kernel>(state);
    hooks::ProbeThread values{};
    const bool read = probes->read(static_cast<std::uint32_t>(syscall(SYS_gettid)), values);
    if (!read || values.cells[kExits] < static_cast<std::uint64_t>(state.iterations())) {
        state.SkipWithError("calls were not counted");
    }
}

template <int (*Function)(int), bool kProgram>
void uprobe_entry_and_exit(benchmark::State& state) {
    kymo::bench::Uprobes probes;
    if (const std::string refused = probes.place(reinterpret_cast<const void*>(Function), kProgram);
        !refused.empty()) {
        state.SkipWithError(refused.c_str());
        return;
    }
    call<Function>(state);
    if (probes.entries() < static_cast<std::uint64_t>(state.iterations())) {
        state.SkipWithError("calls were not counted");
    }
}

BENCHMARK(unhooked);
BENCHMARK(kymo_entry_and_exit);
BENCHMARK(kymo_thread_not_measured);
BENCHMARK(kymo_line);
BENCHMARK(kymo_kernel_probes);
BENCHMARK(uprobe_entry_and_exit<by_uprobe, false>)->Name("uprobe_entry_and_exit");
BENCHMARK(uprobe_entry_and_exit<by_bpf, true>)->Name("uprobe_entry_and_exit_with_ebpf");

}  // namespace
