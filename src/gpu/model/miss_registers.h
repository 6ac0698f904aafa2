// The registers that track what misses of an SM's L1 are waiting for, one per sector. A register is free again
// when its data have arrived, whichever miss came first.
//
// Contract: one thread. Requests are served in the order of the calls. Cost: a few ns; data mostly arrive in the
// order of their misses, so an insertion passes few others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kymo::gpu {

class MissRegisters {
  public:
    explicit MissRegisters(unsigned count) : count_(count), free_(count) {}

    // The earliest time, at or after `time`, at which `wanted` registers are free (all of them, if there are
    // fewer).
    double free_from(double time, unsigned wanted) {
        wanted = std::min(wanted, count_);
        while (free_ < wanted) {
            free_at_ = held_[first_].until;
            free_ += held_[first_++].registers;
        }
        return std::max(time, free_at_);
    }
    // Takes that many until `until`. Precondition: free_from() returned that they are free.
    void hold(double until, unsigned registers) {
        registers = std::min(registers, count_);
        free_ -= registers;
        if (first_ >= kMostForgotten) {
            held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
        std::size_t place = held_.size();
        held_.push_back({until, registers});
        for (; place > first_ && held_[place - 1].until > until; --place) {
            held_[place] = held_[place - 1];
        }
        held_[place] = {until, registers};
    }

  private:
    struct Held {
        double until;
        unsigned registers;
    };
    unsigned count_;
    unsigned free_;       // at least; those of misses that have arrived are counted when they are needed
    double free_at_ = 0;  // when the last of those became free; may be after the time of the next request
    static constexpr std::size_t kMostForgotten = 256;
    std::vector<Held> held_;  // those before first_ are free; the others in the order of their arrival
    std::size_t first_ = 0;
};

}  // namespace kymo::gpu
