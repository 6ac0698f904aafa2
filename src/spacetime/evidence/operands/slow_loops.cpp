#include "spacetime/evidence/operands/slow_loops.h"

#include "spacetime/profile/own_code.h"

#include <algorithm>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kLeastSamples = 100;  // of a loop
constexpr double kLeastPart = 0.3;            // of them: at the ways' first instructions
constexpr double kLeastBeyond = 0.15;         // of them: beyond an even distribution
constexpr double kLeastWay = 0.08;            // of them: at one way of two
constexpr double kLeastCase = 0.02;           // of them: at one of several
constexpr double kMostActing = 0.05;          // of them: where a loop that finds little does something

double samples_in(const FunctionSamples& samples, const program::CodeBetween& range) {
    double sum = 0;
    for (auto at = samples.lower_bound(range.begin); at != samples.end() && at->first < range.end; ++at) {
        sum += static_cast<double>(at->second.samples);
    }
    return sum;
}

double samples_in(const FunctionSamples& samples, const std::vector<program::CodeBetween>& ranges) {
    double sum = 0;
    for (const program::CodeBetween& range : ranges) {
        sum += samples_in(samples, range);
    }
    return sum;
}

// Where there is none yet: the numbers of these addresses.
std::vector<std::uint32_t> mark(const FunctionSamples& samples, const std::vector<program::CodeBetween>& ranges,
                                TaxFamily family, std::vector<TaxFamily>* slow) {
    std::vector<std::uint32_t> marked;
    for (const program::CodeBetween& range : ranges) {
        for (auto at = samples.lower_bound(range.begin); at != samples.end() && at->first < range.end; ++at) {
            TaxFamily& own = (*slow)[at->second.number];
            if (own == TaxFamily::kNone) {
                own = family;
                marked.push_back(at->second.number);
            }
        }
    }
    return marked;
}

// The innermost function of the program's own that all of a loop's addresses are in.
void hold(const std::vector<std::uint32_t>& numbers, AddressPlaces addresses, const Names& names,
          std::vector<program::Frame>* holders) {
    const auto frames_of = [&](std::uint32_t number) {
        return names.at(addresses[number].first, addresses[number].second);
    };
    std::size_t common = numbers.empty() ? 0 : frames_of(numbers.front()).size();
    for (const std::uint32_t number : numbers) {
        const auto first = frames_of(numbers.front());
        const auto frames = frames_of(number);
        const auto end = first.begin() + static_cast<std::ptrdiff_t>(std::min(common, first.size()));
        const auto differ = std::mismatch(first.begin(), end, frames.begin(), frames.end(),
                                          [](const auto& a, const auto& b) { return a.function == b.function; });
        common = static_cast<std::size_t>(differ.first - first.begin());
    }
    const program::Symbols& symbols = names.symbols();
    const auto is_own = [&](const program::Frame& frame) {
        return frame.function != 0 && !is_runtime(symbols.functions[frame.function], symbols.files[frame.file]);
    };
    while (common > 0 && !is_own(frames_of(numbers.front())[common - 1])) {
        --common;
    }
    if (common > 0) {
        for (const std::uint32_t number : numbers) {
            (*holders)[number] = frames_of(number)[common - 1];
        }
    }
}

}  // namespace

bool awaits_ways(const FunctionSamples& samples, const program::TwoWayLoop& loop) {
    const double all = samples_in(samples, loop.blocks);
    if (all < kLeastSamples) {
        return false;
    }
    std::map<std::uint64_t, double> heads;  // by begin: two jumps may lead to one
    double even = 0;
    for (const program::TwoWayJump& jump : loop.jumps) {
        const double least = (jump.ways.size() == 2 ? kLeastWay : kLeastCase) * all;
        const auto has_part = [&](const program::CodeBetween& way) { return samples_in(samples, way) >= least; };
        if (std::count_if(jump.ways.begin(), jump.ways.end(), has_part) < 2) {
            continue;
        }
        even += jump.even;
        for (const program::CodeBetween& way : jump.ways) {
            heads[way.begin] = samples_in(samples, way);
        }
    }
    double at_heads = 0;
    for (const auto& [begin, count] : heads) {
        at_heads += count;
    }
    return at_heads >= kLeastPart * all && at_heads >= (even + kLeastBeyond) * all;
}

bool finds_little(const FunctionSamples& samples, const program::IdleLoop& loop) {
    const double idle = samples_in(samples, loop.idle);
    const double acting = samples_in(samples, loop.acting);
    return idle + acting >= kLeastSamples && acting <= kMostActing * (idle + acting);
}

SlowLoops slow_loops(AddressPlaces addresses, std::span<const std::uint64_t> samples, const CodeMap& code,
                     const Names& names, bool has_stacks) {
    std::map<std::uint32_t, FunctionSamples> functions;
    std::map<std::uint32_t, std::uint64_t> sums;
    for (std::uint32_t i = 0; i < addresses.size(); ++i) {
        const auto& [image, offset] = addresses[i];
        const std::uint32_t function = code.function_at(image, offset);
        if (function != kNone && code.made(function) != nullptr) {
            functions[function][offset] = {i, samples[i]};
            sums[function] += samples[i];
        }
    }
    SlowLoops slow{.family = std::vector<TaxFamily>(addresses.size(), TaxFamily::kNone),
                   .holder = std::vector<program::Frame>(addresses.size())};
    for (const auto& [function, own] : functions) {
        if (sums[function] < kLeastSamples) {
            continue;
        }
        for (const program::IdleLoop& loop : code.idle_loops(function)) {
            if (finds_little(own, loop)) {
                const std::vector<std::uint32_t> marked = mark(own, loop.idle, TaxFamily::kShifting, &slow.family);
                hold(marked, addresses, names, &slow.holder);
            }
        }
        for (const program::TwoWayLoop& loop :
             has_stacks ? std::vector<program::TwoWayLoop>() : code.two_way_loops(function)) {
            if (awaits_ways(own, loop)) {
                mark(own, loop.blocks, TaxFamily::kBranches, &slow.family);
            }
        }
    }
    return slow;
}

}  // namespace kymo::spacetime
