// This program's own hooks, and its thread's cells: what both benchmarks of hooks measure.
#pragma once

#include "cells/primitives.h"
#include "hooks/guest/apply.h"
#include "hooks/plan/planner.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

extern "C" {
int by_kymo(int a);
int by_kymo_unmeasured(int a);
int by_kymo_timer(int a);
int by_kymo_entry(int a);
int by_kymo_cell(int a);
int by_kymo_variable(int a);
int by_kymo_thread_local(int a);
int by_kymo_pointer(int a);
int by_line(int a);
int by_kernel(int a);
int by_uprobe(int a);
int by_bpf(int a);
int by_nobody(int a);
}

namespace kymo::bench {

inline constexpr std::uint16_t kEntries = 64;
inline constexpr std::uint16_t kExits = 65;
inline constexpr std::uint16_t kLines = 66;
inline constexpr std::uint16_t kNever = 67;
inline constexpr std::uint32_t kLine = 18;  // of by_line, in hooked.cpp

inline cells::Step add(std::uint16_t cell) {
    cells::Step step;
    step.operation = cells::Operation::kAdd;
    step.target = cell;
    step.constant = 1;
    return step;
}

inline cells::Step timer(bool starts) {
    cells::Step step;
    step.operation = starts ? cells::Operation::kStart : cells::Operation::kStop;
    step.target = 20;
    return step;
}

// An addition when a cell, or what is loaded, is 1: it never is.
inline std::vector<cells::Step> add_when(bool loads) {
    cells::Step load;
    load.operation = cells::Operation::kLoad;
    load.target = 2;
    cells::Step test;
    test.operation = cells::Operation::kSkipIf;
    test.comparison = cells::Comparison::kNotEqual;
    test.left = loads ? cells::Operand{cells::Source::kLoaded, cells::Width::k64, 0}
                      : cells::Operand{cells::Source::kCell, cells::Width::k64, kNever};
    test.constant = 1;
    test.target = 1;
    std::vector<cells::Step> steps = {test, add(kEntries)};
    if (loads) {
        steps.insert(steps.begin(), load);
    }
    return steps;
}

// This program's own hooks, and its thread's cells.
struct Hooked {
    std::unique_ptr<std::uint64_t[]> file;
    hooks::Hooks hooks;
    hooks::Thread thread;
    cells::TickRate rate = cells::measure_ticks(5'000'000);
    std::array<std::uint64_t, cells::kTaskCells> cells{};
    std::array<cells::Timer, cells::kTaskTimers> timers{};
    std::array<std::uint32_t, cells::kTaskTimers> bindings{};
    cells::Task task{cells.data(), timers.data(), &rate, bindings.data()};

    Hooked() {
        const hooks::Images self{{std::filesystem::canonical("/proc/self/exe")}, {}};
        const hooks::Request requests[] = {
            {{}, "by_kymo", {add(kEntries)}, {add(kExits)}},
            {{}, "by_kymo_unmeasured", {add(kEntries)}, {add(kExits)}},
            {{}, "by_kymo_timer", {timer(true)}, {timer(false)}},
            {{}, "by_kymo_entry", {add(kEntries)}, {}},
            {{}, "by_kymo_cell", add_when(false), {}},
            {{}, "by_kymo_variable", add_when(true), {}, {}, 0, {{"hooked_level", {}}}},
            {{}, "by_kymo_thread_local", add_when(true), {}, {}, 0, {{"hooked_worker", {}}}},
            {{},
             "by_kymo_pointer",
             add_when(true),
             {},
             {},
             0,
             {{"hooked_pointer", {{program::DataStep::Kind::kDereference, {}, 0}}}}},
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

inline Hooked& hooked() {
    static Hooked made;
    return made;
}

}  // namespace kymo::bench
