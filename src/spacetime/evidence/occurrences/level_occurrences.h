// The occurrences of one level in one stream, in time order: the streaming form of runs, bridging and neighbours.
//
// A level is a kept node's split into children. switch_to() gives the child (or the node's own code, or outside of
// it) that the stream is in from now on; occurrences come out, in order, once nothing can change them any more: one
// mis-attributed sample between two long runs of one child is bridged (occurrences.h, BridgeRule), but not a wait, of
// which the place is known exactly, nor a sample in a child between runs of own code or of
// outside code: a longer call path than the others was there; and an occurrence's neighbours are known when the
// next begins. Without a sample or a wait there is no occurrence. Own code of the node that lasts fewer
// than kOwnCodeSamples samples is not a neighbour: it is skipped. Memory: constant; the rows of sums are those of
// three occurrences.
#pragma once

#include "spacetime/evidence/occurrences/running_sums.h"
#include "spacetime/spaces/occurrences.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace kymo::spacetime {

constexpr std::int64_t kOwnCodeSamples = 4;

// A moment in a stream: its time, the running sums there, and the processor that it was on.
struct Moment {
    std::uint64_t time = 0;
    std::uint32_t processor = 0;
    SumRow sums;
};

struct LevelOccurrence {
    std::uint32_t node = kStreamEdge;  // a kept node, kParentItself or kOutside; kStreamEdge: none
    std::uint32_t before = kStreamEdge;
    std::uint32_t after = kStreamEdge;
    std::uint64_t bridged = 0;
    Moment begin;
    Moment end;

    std::int64_t samples() const { return end.sums[kSumSamples] - begin.sums[kSumSamples]; }
};

class LevelOccurrences {
  public:
    explicit LevelOccurrences(const BridgeRule& rule = {}) : rule_(rule) {}
    LevelOccurrences(const LevelOccurrences&) = delete;
    LevelOccurrences& operator=(const LevelOccurrences&) = delete;

    // From `now` on the stream is in `node`. emit(const LevelOccurrence&): an occurrence that is final, of any
    // node.
    template <typename Emit>
    void switch_to(std::uint32_t node, const Moment& now, Emit&& emit) {
        if (current_->node == node) {
            return;
        }
        if (current_->node != kStreamEdge) {
            current_->end = now;
            if (now.time != current_->begin.time || current_->samples() != 0) {
                finish_run(emit);
            }
        }
        current_->node = node;
        current_->bridged = 0;
        current_->begin = now;
    }

    template <typename Emit>
    void finish(const Moment& now, Emit&& emit) {
        switch_to(kStreamEdge, now, emit);
        if (middle_->node != kStreamEdge) {
            settle(emit);
            std::swap(open_, middle_);
            middle_->node = kStreamEdge;
        }
        settle(emit);
        if (held_->node != kStreamEdge) {
            held_->after = kStreamEdge;
            emit(*held_);
            held_->node = kStreamEdge;
        }
    }

  private:
    // current_ is a whole run: as occurrences() in occurrences.h, one run behind.
    template <typename Emit>
    void finish_run(Emit&& emit) {
        if (open_->node == kStreamEdge) {
            last_samples_ = current_->samples();
            std::swap(open_, current_);
            return;
        }
        if (middle_->node == kStreamEdge) {
            if (open_->node == current_->node) {  // the omitted run in between took no time
                open_->end = current_->end;
                last_samples_ += current_->samples();
                return;
            }
            std::swap(middle_, current_);
            return;
        }
        if (middle_->node == current_->node) {
            middle_->end = current_->end;
            return;
        }
        const auto sides = static_cast<std::int64_t>(rule_.sides);
        const bool has_waited = middle_->end.sums[kSumWaiting] != middle_->begin.sums[kSumWaiting];
        const bool is_of_a_child = open_->node != kParentItself && open_->node != kOutside;
        if (open_->node == current_->node && is_of_a_child && !has_waited &&
            middle_->samples() <= static_cast<std::int64_t>(rule_.samples) && last_samples_ >= sides &&
            current_->samples() >= sides) {
            open_->end = current_->end;
            open_->bridged += static_cast<std::uint64_t>(middle_->samples());
            middle_->node = kStreamEdge;
            last_samples_ = current_->samples();
            return;
        }
        settle(emit);
        last_samples_ = middle_->samples();
        std::swap(open_, middle_);
        std::swap(middle_, current_);
    }

    // By a sample in it, or a wait. The rest of the time between two samples, around a wait, has no occurrence.
    static bool is_seen(const LevelOccurrence& occurrence) {
        return occurrence.node == kOutside || occurrence.samples() != 0 ||
               occurrence.end.sums[kSumWaiting] != occurrence.begin.sums[kSumWaiting];
    }

    // open_ is a whole occurrence.
    template <typename Emit>
    void settle(Emit&& emit) {
        if (open_->node == kStreamEdge || (open_->node == kParentItself && open_->samples() < kOwnCodeSamples) ||
            !is_seen(*open_)) {
            return;
        }
        if (held_->node != kStreamEdge) {
            held_->after = open_->node;
            emit(*held_);
        }
        const std::uint32_t before = last_neighbour_;
        last_neighbour_ = open_->node;
        std::swap(held_, open_);
        held_->before = before;
        open_->node = kStreamEdge;
    }

    BridgeRule rule_;
    LevelOccurrence slots_[4];               // they change their roles, not their places
    LevelOccurrence* current_ = &slots_[0];  // running
    LevelOccurrence* middle_ = &slots_[1];   // a whole run that may be an interruption
    LevelOccurrence* open_ = &slots_[2];     // the occurrence before it
    LevelOccurrence* held_ = &slots_[3];     // a whole occurrence whose next neighbour is not known yet
    std::int64_t last_samples_ = 0;          // of the last run in open_
    std::uint32_t last_neighbour_ = kStreamEdge;
};

}  // namespace kymo::spacetime
