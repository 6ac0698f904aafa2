#include "spacetime/evidence/occurrences/part_runs.h"

#include <algorithm>
#include <functional>

namespace kymo::spacetime {
namespace {

SumRow difference(const SumRow& later, const SumRow& earlier) {
    SumRow result(later.size());
    std::transform(later.begin(), later.end(), earlier.begin(), result.begin(), std::minus<>());
    return result;
}

void add_to(SumRow& sums, const SumRow& more) {
    sums.resize(more.size());
    std::transform(sums.begin(), sums.end(), more.begin(), sums.begin(), std::plus<>());
}

}  // namespace

void PartRuns::end_pair(std::uint64_t begin, std::uint64_t end, std::uint32_t group, std::uint32_t processor,
                        const SumRow& before, const SumRow& after) {
    if (group != kNone &&
        (after[kSumWaiting] != before[kSumWaiting] || after[kSumSpinning] != before[kSumSpinning])) {
        group = kNone;
    }
    if (group != group_) {
        finish();
        if (group == kNone) {
            return;
        }
        group_ = group;
        processor_ = processor;
        begin_ = begin;
        from_ = before;
    }
    if (group != kNone) {
        end_ = end;
        to_ = after;
    }
}

void PartRuns::finish() {
    if (group_ == kNone) {
        return;
    }
    NodeSums& node = nodes_[group_];
    Last& last = last_[group_];
    SumRow sums = difference(to_, from_);
    SumRow gap;
    add_to(node.own, sums);
    ++node.occurrences;
    node.durations.add(end_ - begin_);
    node.samples.add(static_cast<std::uint64_t>(sums[kSumSamples]));
    if (last.runs == 0) {
        node.threads.push_back(thread_);
    } else {
        gap = difference(from_, last.sums);
        add_to(node.gap_sums, gap);
        node.gaps.add(begin_ - last.end);
        if (node.is_long(begin_ - last.end)) {
            node.add_long(
                {.thread = thread_, .begin = last.end, .end = begin_, .sums = gap, .waits = {}, .filled = {}});
        }
    }
    const std::uint64_t rank = OccurrenceSample::rank_of(group_, thread_, last.runs);
    if (node.sample.takes(rank)) {
        node.sample.add({.rank = rank,
                         .thread = thread_,
                         .order = last.runs,
                         .begin = begin_,
                         .end = end_,
                         .before = kOutside,
                         .after = kOutside,
                         .processor = processor_,
                         .ready_before = from_[kSumReady],
                         .sums = std::move(sums),
                         .gap = std::move(gap)},
                        cap_);
    }
    ++last.runs;
    last.end = end_;
    last.sums = to_;
    group_ = kNone;
}

}  // namespace kymo::spacetime
