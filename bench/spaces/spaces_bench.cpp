// What the space-time stages cost a sample, at 1 and 10 million samples of a synthetic stream. Beside each the plain
// way of doing the same: every sample's pair resolved anew, every two spaces compared.
#include "spacetime/spaces/occurrences.h"
#include "spacetime/spaces/pair_counts.h"
#include "spacetime/spaces/patterns.h"
#include "spacetime/spaces/period.h"
#include "spacetime/spaces/same_spaces.h"
#include "spacetime/spaces/space_table.h"

#include <benchmark/benchmark.h>
#include <cmath>
#include <memory>
#include <random>

namespace kymo::spacetime {
namespace {

// A function of 60 blocks of 1 to 12 instructions: two nested loops with branches in them, and code around.
program::FlowGraph synthetic_graph() {
    constexpr std::uint32_t kBlocks = 60;
    program::FlowGraph graph;
    std::uint64_t address = 0x1000;
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
        std::vector<std::uint32_t> to;
        if (block + 1 < kBlocks) {
            to.push_back(block + 1);
        }
        if (block % 3 == 0 && block + 3 < kBlocks) {
            to.push_back(block + 2);
        }
        if (block == 30) {
            to.push_back(15);
        } else if (block == 45) {
            to.push_back(9);
        }
        program::Block at;
        at.begin = address;
        at.first_instruction = static_cast<std::uint32_t>(graph.instructions.size());
        at.instructions = 1 + block * 7 % 12;
        for (std::uint32_t i = 0; i < at.instructions; ++i, address += 4) {
            graph.instructions.push_back(address);
        }
        at.end = address;
        at.first_edge = static_cast<std::uint32_t>(graph.edges.size());
        at.edges = static_cast<std::uint32_t>(to.size());
        for (const std::uint32_t next : to) {
            graph.edges.push_back({next, program::EdgeKind::kJump});
        }
        at.how = to.size() > 1 ? program::BlockEnd::kConditionalJump : program::BlockEnd::kFallThrough;
        at.reached = true;
        graph.blocks.push_back(at);
    }
    graph.blocks.back().how = program::BlockEnd::kReturn;
    graph.entries = {0};
    return graph;
}

struct Program {
    Program() {
        for (int i = 0; i < 20; ++i) {
            flows.push_back(std::make_unique<FunctionFlow>(synthetic_graph()));
            rules.push_back(std::make_unique<PairRule>(*flows.back()));
            functions.push_back({0, rules.back().get()});
        }
    }
    std::vector<std::unique_ptr<FunctionFlow>> flows;
    std::vector<std::unique_ptr<PairRule>> rules;
    std::vector<KnownFunction> functions;
};

// Most samples fall on few instructions, as in programs; functions change every few hundred samples.
std::vector<SampledAt> synthetic_samples(std::size_t count) {
    std::mt19937 random(1);
    const program::FlowGraph graph = synthetic_graph();
    std::vector<SampledAt> samples(count);
    std::uint32_t function = 0;
    for (SampledAt& sample : samples) {
        if (random() % 300 == 0) {
            function = static_cast<std::uint32_t>(random() % 20);
        }
        const double skewed = static_cast<double>(random()) / 4294967296.0;
        const auto index =
            static_cast<std::size_t>(std::pow(skewed, 5) * static_cast<double>(graph.instructions.size()));
        sample = {function, graph.instructions[index]};
    }
    return samples;
}

void per_sample(benchmark::State& state) {
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

PairCounts count(const std::vector<SampledAt>& samples) {
    const std::int64_t deltas[] = {1000, 3};
    PairCounts counts(2);
    for (std::size_t i = 1; i < samples.size(); ++i) {
        counts.add({samples[i - 1], samples[i]}, deltas);
    }
    return counts;
}

void count_pairs(benchmark::State& state) {
    const auto samples = synthetic_samples(static_cast<std::size_t>(state.range(0)));
    std::size_t pairs = 0;
    for (auto _ : state) {
        pairs = count(samples).size();
    }
    per_sample(state);
    state.counters["pairs"] = static_cast<double>(pairs);
}

// Items are samples; the cost is a distinct pair's.
void weigh_pairs(benchmark::State& state) {
    const PairCounts counts = count(synthetic_samples(static_cast<std::size_t>(state.range(0))));
    std::size_t spaces = 0;
    for (auto _ : state) {
        const Program program;
        spaces = weigh(counts, program.functions).spaces.size();
    }
    per_sample(state);
    state.counters["pairs"] = static_cast<double>(counts.size());
    state.counters["spaces"] = static_cast<double>(spaces);
}

void resolve_every_sample_anew(benchmark::State& state) {
    const auto samples = synthetic_samples(static_cast<std::size_t>(state.range(0)));
    const Program program;
    for (auto _ : state) {
        std::uint64_t weight = 0;
        for (std::size_t i = 1; i < samples.size(); ++i) {
            if (samples[i - 1].function == samples[i].function) {
                PairRule rule(*program.flows[samples[i].function]);  // nothing remembered
                for (const CodeSpace& space : rule.between(samples[i - 1].address, samples[i].address).spaces) {
                    weight += space.instructions;
                }
            }
        }
        benchmark::DoNotOptimize(weight);
    }
    per_sample(state);
}

void occurrences_and_patterns(benchmark::State& state) {
    const auto samples = synthetic_samples(static_cast<std::size_t>(state.range(0)));
    const std::int64_t deltas[] = {1000, 3};
    std::size_t found = 0;
    for (auto _ : state) {
        Stretches runs(2);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            add_sample(&runs, {1000 * i, 1000 * (i + 1), samples[i].function, deltas});
        }
        const Stretches result = occurrences(runs);
        Patterns patterns;
        patterns.add(result);
        found = result.size();
        benchmark::DoNotOptimize(patterns.triples().size());
    }
    per_sample(state);
    state.counters["occurrences"] = static_cast<double>(found);
}

std::vector<std::vector<ByteRange>> many_spaces(std::size_t count) {
    std::mt19937 random(2);
    std::vector<std::vector<ByteRange>> spaces(count);
    for (auto& ranges : spaces) {
        const std::uint64_t begin = random() % (40 * count);
        ranges = {{begin, begin + 20 + random() % 200}};
    }
    return spaces;
}

void group_by_sweep(benchmark::State& state) {
    const auto spaces = many_spaces(static_cast<std::size_t>(state.range(0)));
    const std::vector<PlacedSpace> placed = [&] {
        std::vector<PlacedSpace> result;
        for (const auto& ranges : spaces) {
            result.push_back({0, ranges});
        }
        return result;
    }();
    for (auto _ : state) {
        benchmark::DoNotOptimize(group_same(placed).size());
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

void group_by_comparing_all(benchmark::State& state) {
    const auto spaces = many_spaces(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        std::size_t same = 0;
        for (std::size_t i = 0; i < spaces.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                same += overlaps({0, spaces[i]}, {0, spaces[k]}, percent(90)) ? 1 : 0;
            }
        }
        benchmark::DoNotOptimize(same);
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

void period_of(benchmark::State& state) {
    std::mt19937 random(3);
    std::vector<std::uint64_t> times;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
        times.push_back(static_cast<std::uint64_t>(i) * 1'000'000 + random() % 50'000);
    }
    for (auto _ : state) {
        benchmark::DoNotOptimize(find_period(times));
    }
}

BENCHMARK(count_pairs)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(weigh_pairs)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(resolve_every_sample_anew)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(occurrences_and_patterns)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(group_by_sweep)->Arg(1'000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(group_by_comparing_all)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMillisecond);
BENCHMARK(period_of)->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kymo::spacetime
