#include "spacetime/branches/executed_code.h"

#include <algorithm>

namespace kymo::spacetime {
namespace {

// Sorts by offset, and makes of the counts there those there and before.
void add_up_to(std::vector<std::pair<std::uint64_t, std::uint64_t>>& counts) {
    std::sort(counts.begin(), counts.end());
    std::uint64_t sum = 0;
    for (auto& [offset, count] : counts) {
        sum += count;
        count = sum;
    }
}

std::uint64_t count_to(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& counts, std::uint64_t offset) {
    const auto behind = std::upper_bound(counts.begin(), counts.end(), std::pair(offset, ~std::uint64_t{0}));
    return behind == counts.begin() ? 0 : std::prev(behind)->second;
}

}  // namespace

std::uint32_t BranchImages::of(const BranchRows& file, std::uint64_t image) {
    const auto named = file.images.find(image);
    if (named == file.images.end()) {
        return kNone;
    }
    const auto [known, is_new] = index_.try_emplace(named->second, static_cast<std::uint32_t>(images_.size()));
    if (is_new) {
        images_.push_back(named->second);
    }
    return known->second;
}

CodeRanges ranges_of(const std::vector<BranchRows>& files, BranchImages& images) {
    CodeRanges ranges;
    for (const BranchRows& file : files) {
        for (const recording::ExecutedRange& row : file.ranges) {
            const std::uint32_t image = images.of(file, row.image);
            if (image == kNone || row.last < row.first) {
                continue;
            }
            recording::ExecutedRange& sum = ranges[{image, {row.first, row.last}}];
            sum.first = row.first;
            sum.last = row.last;
            sum.count += row.count;
            sum.timed += row.timed;
            sum.cycles += row.cycles;
            sum.late += row.late;
            sum.late_cycles += row.late_cycles;
        }
    }
    return ranges;
}

PassedCounts::PassedCounts(const CodeRanges& ranges, std::uint32_t image) {
    for (auto at = ranges.lower_bound({image, {0, 0}}); at != ranges.end() && at->first.first == image; ++at) {
        begun_.emplace_back(at->second.first, at->second.count);
        ended_.emplace_back(at->second.last, at->second.count);
    }
    add_up_to(begun_);
    add_up_to(ended_);
}

std::uint64_t PassedCounts::at(std::uint64_t offset) const {
    return count_to(begun_, offset) - count_to(ended_, offset);
}

RangeOfFunction in_function(CodeMap& code, std::uint32_t image, const recording::ExecutedRange& range) {
    RangeOfFunction found;
    found.function = code.function_at(image, range.first);
    const CodeOfFunction* const made = found.function == kNone ? nullptr : code.flow_of(found.function);
    if (made == nullptr) {
        return found;
    }
    const CodeSpace space = made->rule->executed(range.first, range.last);
    found.is_broken = space.pairs.empty();
    found.instructions = space.instructions / kInstruction;
    for (const BlockPart& part : space.parts) {
        found.blocks.push_back(part.block);
    }
    found.code = space.ranges;
    found.beginnings = &made->flow->graph.instructions;
    return found;
}

std::uint64_t instructions_in(const RangeOfFunction& range, std::span<const ByteRange> code) {
    std::uint64_t count = 0;
    for (const ByteRange& common : intersection(range.code, code)) {
        const auto first = std::lower_bound(range.beginnings->begin(), range.beginnings->end(), common.begin);
        const auto behind = std::lower_bound(first, range.beginnings->end(), common.end);
        count += static_cast<std::uint64_t>(behind - first);
    }
    return count;
}

}  // namespace kymo::spacetime
