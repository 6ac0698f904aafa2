// What one primitive costs: add, add under a predicate that is false, start and stop of a timer; measured, not
// measured, and beside them an atomic counter, the clock, and prometheus-cpp. Interleaved: --benchmark_repetitions=9
// --benchmark_enable_random_interleaving=true; compare medians.
//
// Expected before it was written: add 1-1.5 ns (two tests that are predicted, one addition in memory whose latency of
// 4-5 cycles the next iteration waits for), add not measured 0.5, false predicate 1, timer two readings of the
// counter and 2 ns.
#include "base/native.h"
#include "cells/process_cells.h"
#include "kymo/metrics.h"
#include "nobody.h"

#include <atomic>
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#ifdef KYMO_PROMETHEUS
#include <prometheus/counter.h>
#endif

namespace {

using kymo::cells::process_cells;

// The monitor's part, with a segment in shared memory as in a measured program.
void enter(kymo_task* task) {
    __builtin_memcpy(task, process_cells.enter(0), sizeof *task);
}
uint32_t named_cell(const char* name, const char*, uint32_t) {
    kymo::cells::NewCell cell;
    cell.name = name;
    return process_cells.named_cell(cell);
}
void bind_all(uint32_t timer, uint32_t cell) {
    process_cells.bind_all(timer, cell);
}
constexpr kymo_cells_interface kInterface = {1, sizeof(kymo_cells_interface), enter, named_cell, bind_all, nullptr};

bool begin() {
    char folder[] = "/dev/shm/kymo-bench-XXXXXX";
    if (mkdtemp(folder) == nullptr) {
        return false;
    }
    const kymo::cells::TickRate rate = kymo::cells::measure_ticks(5'000'000);
    std::ofstream(std::string(folder) + "/settings")
        << "kymo-cells 1\nfolder " << folder << "\nticks " << static_cast<unsigned>(rate.kind) << ' ' << rate.shift
        << ' ' << rate.multiplier << "\nat-start 1\n";
    const bool good = process_cells.begin(folder, static_cast<std::uint32_t>(getpid()), "bench");
    std::filesystem::remove_all(folder);  // the mapping stays
    return good;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const kymo_cells_interface* kymo_monitor_cells() {
    static const bool good = begin();
    return good ? &kInterface : nullptr;
}

namespace {

void add(benchmark::State& state) {
    const kymo_cell cell = kymo_counter("added", "");
    for (auto _ : state) {
        kymo_add_counter(cell, 1);
    }
    if (kymo_get_counter(cell) == 0) {
        state.SkipWithError("nothing was counted");
    }
}
BENCHMARK(add);

void add_under_a_false_predicate(benchmark::State& state) {
    const kymo_cell cell = kymo_counter("never added", "");
    const kymo_predicate inside = {kymo_gauge("inside", ""), KYMO_GREATER, 0};
    for (auto _ : state) {
        if (kymo_holds(inside)) {
            kymo_add_counter(cell, 1);
        }
        benchmark::ClobberMemory();
    }
}
BENCHMARK(add_under_a_false_predicate);

void timer_start_and_stop(benchmark::State& state) {
    const kymo_cell cell = kymo_counter("timed", "ns");
    kymo_set_timer(0, cell);
    for (auto _ : state) {
        kymo_start_timer(0);
        kymo_stop_timer(0);
    }
    if (kymo_get_counter(cell) == 0) {
        state.SkipWithError("nothing was timed");
    }
}
BENCHMARK(timer_start_and_stop);

void add_not_measured(benchmark::State& state) {
    for (auto _ : state) {
        add_where_nobody_measures();
    }
}
BENCHMARK(add_not_measured);

// Two readings of the processor's counter alone: what a timer cannot go below.
void two_readings_of_the_counter(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(kymo::processor::read_counter());
        benchmark::DoNotOptimize(kymo::processor::read_counter());
    }
}
BENCHMARK(two_readings_of_the_counter);

void peer_two_readings_of_the_clock(benchmark::State& state) {
    timespec now{};
    for (auto _ : state) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        clock_gettime(CLOCK_MONOTONIC, &now);
        benchmark::DoNotOptimize(now);
    }
}
BENCHMARK(peer_two_readings_of_the_clock);

void peer_atomic_add(benchmark::State& state) {
    static std::atomic<std::uint64_t> counter{0};
    for (auto _ : state) {
        counter.fetch_add(1, std::memory_order_relaxed);
    }
}
BENCHMARK(peer_atomic_add);

#ifdef KYMO_PROMETHEUS
void peer_prometheus_increment(benchmark::State& state) {
    prometheus::Counter counter;
    for (auto _ : state) {
        counter.Increment();
    }
}
BENCHMARK(peer_prometheus_increment);
#endif

}  // namespace
