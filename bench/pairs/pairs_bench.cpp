// What one event costs: the pair machine beside Space-Saving and exact counts, on Zipf streams of 100,000 sources.
#include "pairs/design/wish.h"
#include "pairs/machine.h"
#include "peers.h"

#include <benchmark/benchmark.h>
#include <cmath>
#include <random>

namespace {

using namespace kymo;

constexpr std::size_t kSources = 100'000;
constexpr std::size_t kEvents = 1U << 20U;

const std::vector<std::uint64_t>& stream(int tenths) {
    static std::unordered_map<int, std::vector<std::uint64_t>> made;
    std::vector<std::uint64_t>& keys = made[tenths];
    if (keys.empty()) {
        const bench::Zipf zipf(kSources, tenths / 10.0);
        std::mt19937_64 random(1);
        std::uniform_real_distribution<double> unit;
        for (std::size_t i = 0; i < kEvents; ++i) {
            keys.push_back(zipf.key(unit(random)));
        }
    }
    return keys;
}

void machine(benchmark::State& state, pairs::Form form) {
    pairs::Wish wish;
    wish.share = 0.05;
    wish.refuse = 0.02;
    wish.form = form;
    wish.cells = static_cast<std::uint32_t>(state.range(1));
    pairs::Machine machine;
    pairs::start(machine, *pairs::make_rule(wish), 1);
    const auto& keys = stream(static_cast<int>(state.range(0)));
    std::size_t at = 0;
    for (auto _ : state) {
        const pairs::Verdict verdict = pairs::step(machine, keys[at++ % kEvents]);
        if (verdict.turn == pairs::Turn::kQuiet) {
            pairs::release(machine, verdict.slot);
        }
        benchmark::DoNotOptimize(verdict);  // or the machine is left out altogether
    }
    state.counters["bytes_a_cell"] = sizeof(pairs::Cell);
    state.counters["bytes"] = sizeof(pairs::Machine);
}

void Sequential(benchmark::State& state) {
    machine(state, pairs::Form::kSequential);
}
void LiteralPair(benchmark::State& state) {
    machine(state, pairs::Form::kPair);
}
BENCHMARK(Sequential)->ArgNames({"zipf_tenths", "cells"})->ArgsProduct({{6, 10, 14}, {1, 4, 16}});
BENCHMARK(LiteralPair)->ArgNames({"zipf_tenths", "cells"})->ArgsProduct({{10}, {1, 4}});

void SpaceSaving(benchmark::State& state) {
    bench::SpaceSaving counts(static_cast<std::size_t>(state.range(1)));
    const auto& keys = stream(static_cast<int>(state.range(0)));
    std::size_t at = 0;
    for (auto _ : state) {
        counts.add(keys[at++ % kEvents]);
    }
}
BENCHMARK(SpaceSaving)->ArgNames({"zipf_tenths", "counters"})->ArgsProduct({{6, 10, 14}, {50, 1000}});

void ExactHashMap(benchmark::State& state) {
    bench::ExactCounts counts(kSources);
    const auto& keys = stream(static_cast<int>(state.range(0)));
    std::size_t at = 0;
    for (auto _ : state) {
        counts.add(keys[at++ % kEvents]);
    }
    state.counters["bytes"] = static_cast<double>(counts.bytes());
}
BENCHMARK(ExactHashMap)->ArgNames({"zipf_tenths"})->Arg(6)->Arg(10)->Arg(14);

}  // namespace
