#include "spacetime/evidence/operands/slow_loops.h"

#include "spacetime/profile/own_code.h"

#include <algorithm>
#include <optional>

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

// Where there is none yet.
void mark(const FunctionSamples& samples, const std::vector<program::CodeBetween>& ranges, TaxFamily family,
          std::vector<TaxFamily>* slow) {
    for (const program::CodeBetween& range : ranges) {
        for (auto at = samples.lower_bound(range.begin); at != samples.end() && at->first < range.end; ++at) {
            TaxFamily& own = (*slow)[at->second.number];
            own = own == TaxFamily::kNone ? family : own;
        }
    }
}

// Of loops, not of single instructions.
bool is_of_loops(TaxFamily family) {
    return family == TaxFamily::kShifting || family == TaxFamily::kSerialSum || family == TaxFamily::kNotVectorised ||
           family == TaxFamily::kScalarLoop || family == TaxFamily::kStridedAccess ||
           family == TaxFamily::kPointerChasing;
}

// The innermost function of the program's own that nine tenths of a loop's samples are in.
std::optional<program::Frame> holder_of(const std::vector<AddressSamples>& in_loop, AddressPlaces addresses,
                                        const Names& names) {
    constexpr double kMost = 0.9;
    double all = 0;
    for (const AddressSamples& address : in_loop) {
        all += static_cast<double>(address.samples);
    }
    const program::Symbols& symbols = names.symbols();
    std::optional<program::Frame> holder;
    std::vector<AddressSamples> inside = in_loop;
    for (std::size_t depth = 0; !inside.empty(); ++depth) {
        std::map<std::uint32_t, double> by_function;
        std::vector<std::pair<AddressSamples, program::Frame>> deeper;
        for (const AddressSamples& address : inside) {
            const auto frames = names.at(addresses[address.number].first, addresses[address.number].second);
            if (depth < frames.size()) {
                by_function[frames[depth].function] += static_cast<double>(address.samples);
                deeper.emplace_back(address, frames[depth]);
            }
        }
        inside.clear();
        for (const auto& [address, frame] : deeper) {
            if (by_function[frame.function] >= kMost * all) {
                inside.push_back(address);
                const bool is_own =
                    frame.function != 0 && !is_runtime(symbols.functions[frame.function], symbols.files[frame.file]);
                holder = is_own ? frame : holder;
            }
        }
    }
    return holder;
}

// An address's frame of that function.
program::Frame line_in(const program::Frame& holder, std::span<const program::Frame> frames) {
    const auto own = std::find_if(frames.begin(), frames.end(),
                                  [&](const program::Frame& frame) { return frame.function == holder.function; });
    return own == frames.end() ? holder : *own;
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
    return loop.acts_long && idle + acting >= kLeastSamples && acting <= kMostActing * (idle + acting);
}

SlowLoops slow_loops(AddressPlaces addresses, std::span<const std::uint64_t> samples,
                     const std::vector<TaxFamily>& by_code, const CodeMap& code, const Names& names,
                     bool has_stacks) {
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
                mark(own, loop.idle, TaxFamily::kShifting, &slow.family);
            }
        }
        for (const program::TwoWayLoop& loop :
             has_stacks ? std::vector<program::TwoWayLoop>() : code.two_way_loops(function)) {
            if (awaits_ways(own, loop)) {
                mark(own, loop.blocks, TaxFamily::kBranches, &slow.family);
            }
        }
        std::map<std::uint32_t, std::vector<AddressSamples>> addresses_in;  // by innermost loop
        for (const auto& [offset, address] : own) {
            if (const std::uint32_t loop = code.loop_at(function, offset); loop != kNone) {
                addresses_in[loop].push_back(address);
            }
        }
        for (const auto& [loop, in_loop] : addresses_in) {
            const std::optional<program::Frame> holder = holder_of(in_loop, addresses, names);
            for (const auto& [number, count] : in_loop) {
                TaxFamily& family = slow.family[number];
                family = family == TaxFamily::kNone && is_of_loops(by_code[number]) ? by_code[number] : family;
                if (family != TaxFamily::kNone && holder) {
                    slow.holder[number] =
                        line_in(*holder, names.at(addresses[number].first, addresses[number].second));
                }
            }
        }
    }
    return slow;
}

}  // namespace kymo::spacetime
