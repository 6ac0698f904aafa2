// A uniform sample of a node's occurrences, of bounded size, the same in whatever order they come: every
// occurrence has a pseudo-random rank from its contents, and the lowest ranks are kept (bottom-k sampling; Cohen and
// Kaplan, 2007). Samples of parts of the streams merged are that of all.
#pragma once

#include "base/hash.h"
#include "spacetime/evidence/occurrences/running_sums.h"
#include "team/members.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace kymo::spacetime {

struct SampledOccurrence {
    std::uint64_t rank = 0;
    std::uint32_t thread = 0;
    std::uint32_t order = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t before = kStreamEdge;
    std::uint32_t after = kStreamEdge;
    std::uint32_t processor = 0;
    std::uint64_t bridged = 0;
    std::int64_t ready_before = 0;  // ns for which the stream lacked a processor until `begin`
    SumRow sums;
    SumRow gap = {};  // since the end of the occurrence before it in its stream; empty: it is the first
    std::vector<OccurrenceWait> waits = {};
};
KYMO_MEMBERS(SampledOccurrence, rank, thread, order, begin, end, before, after, processor, bridged, ready_before,
             sums, gap, waits)

class OccurrenceSample {
  public:
    static std::uint64_t rank_of(std::uint32_t node, std::uint32_t thread, std::uint32_t order) {
        return mix((std::uint64_t{node} << 40U) ^ (std::uint64_t{thread} << 20U) * 0x9E3779B97F4A7C15ULL ^ order);
    }

    template <typename Visit>
    void members(const Visit& visit) {
        visit(rows_, limit_);
    }

    // Whether it would be kept, as far as known. If not, add() need not be called.
    bool takes(std::uint64_t rank) const { return rank < limit_; }

    void add(SampledOccurrence occurrence, std::size_t cap) {
        rows_.push_back(std::move(occurrence));
        if (rows_.size() >= cap + cap / 4 + 1) {
            cut(cap);
        }
    }
    void merge(OccurrenceSample&& other, std::size_t cap) {
        for (SampledOccurrence& row : other.rows_) {
            if (takes(row.rank)) {
                add(std::move(row), cap);
            }
        }
        limit_ = std::min(limit_, other.limit_);
    }
    // By stream, then in time.
    std::vector<SampledOccurrence> take(std::size_t cap) && {
        if (rows_.size() > cap) {
            cut(cap);
        }
        std::sort(rows_.begin(), rows_.end(), [](const SampledOccurrence& a, const SampledOccurrence& b) {
            return std::pair(a.thread, a.order) < std::pair(b.thread, b.order);
        });
        return std::move(rows_);
    }

  private:
    void cut(std::size_t cap) {
        std::nth_element(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(cap - 1), rows_.end(),
                         [](const SampledOccurrence& a, const SampledOccurrence& b) { return a.rank < b.rank; });
        rows_.resize(cap);
        limit_ = rows_.back().rank;
    }

    std::vector<SampledOccurrence> rows_;
    std::uint64_t limit_ = ~std::uint64_t{0};
};

}  // namespace kymo::spacetime
