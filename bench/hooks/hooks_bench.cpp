// What a hooked call costs: entry and exit with one addition each, beside the kernel's uprobes on the same function.
//
// A uprobe pair traps twice: expected are 2 µs counted, more with eBPF. Where our own time goes: hook_costs.cpp.
#include "hooks/kernel/kernel_probes.h"
#include "own_hooks.h"
#include "uprobe.h"

#include <benchmark/benchmark.h>

namespace {

using namespace kymo;
using namespace kymo::bench;

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
    const hooks::Images self{{std::filesystem::canonical("/proc/self/exe")}, {}};
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
