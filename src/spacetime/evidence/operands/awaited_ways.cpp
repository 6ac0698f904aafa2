#include "spacetime/evidence/operands/awaited_ways.h"

#include <algorithm>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kLeastSamples = 100;  // of a loop
constexpr double kLeastPart = 0.3;            // of them: at the ways' first instructions
constexpr double kLeastBeyond = 0.15;         // of them: beyond an even distribution
constexpr double kLeastWay = 0.08;            // of them: at one way of two
constexpr double kLeastCase = 0.02;           // of them: at one of several

double samples_in(const FunctionSamples& samples, const program::CodeBetween& range) {
    double sum = 0;
    for (auto at = samples.lower_bound(range.begin); at != samples.end() && at->first < range.end; ++at) {
        sum += static_cast<double>(at->second.samples);
    }
    return sum;
}

}  // namespace

bool awaits_ways(const FunctionSamples& samples, const program::TwoWayLoop& loop) {
    double all = 0;
    for (const program::CodeBetween& block : loop.blocks) {
        all += samples_in(samples, block);
    }
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

std::vector<TaxFamily> awaited_ways(AddressPlaces addresses, std::span<const std::uint64_t> samples,
                                    const CodeMap& code) {
    std::map<std::uint32_t, FunctionSamples> functions;
    for (std::uint32_t i = 0; i < addresses.size(); ++i) {
        const auto& [image, offset] = addresses[i];
        const std::uint32_t function = code.function_at(image, offset);
        if (function != kNone && code.made(function) != nullptr) {
            functions[function][offset] = {i, samples[i]};
        }
    }
    std::vector<TaxFamily> waiting(addresses.size(), TaxFamily::kNone);
    for (const auto& [function, own] : functions) {
        std::uint64_t all = 0;
        for (const auto& [offset, count] : own) {
            all += count.samples;
        }
        if (all < kLeastSamples) {
            continue;
        }
        for (const program::TwoWayLoop& loop : code.two_way_loops(function)) {
            if (!awaits_ways(own, loop)) {
                continue;
            }
            for (const program::CodeBetween& block : loop.blocks) {
                for (auto at = own.lower_bound(block.begin); at != own.end() && at->first < block.end; ++at) {
                    waiting[at->second.number] = TaxFamily::kBranches;
                }
            }
        }
    }
    return waiting;
}

}  // namespace kymo::spacetime
