// The registers that hold what misses of an SM's L1 are waiting for, one a sector. One is free again when its data
// have arrived, whichever miss came first.
//
// Contract: one thread. Requests are served in the order of the calls. Cost: a few ns, since data mostly arrive in
// the order of their misses; where registers are what is waited for, that of a heap.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

namespace kymo::gpu {

class MissRegisters {
  public:
    explicit MissRegisters(unsigned count) : count_(count), free_(count) {}

    // From when on, at or after `time`, `wanted` registers are free (all of them, where there are not as many).
    double free_from(double time, unsigned wanted) {
        wanted = std::min(wanted, count_);
        if (free_ < wanted && latest_ <= time) {
            held_.clear();
            free_ = count_;
        }
        while (free_ < wanted) {
            time = std::max(time, held_.front().until);
            free_ += held_.front().registers;
            std::pop_heap(held_.begin(), held_.end(), std::greater());
            held_.pop_back();
        }
        return time;
    }
    // Takes that many of those until then. Precondition: free_from() said that they are free.
    void hold(double until, unsigned registers) {
        registers = std::min(registers, count_);
        free_ -= registers;
        latest_ = std::max(latest_, until);
        held_.push_back({until, registers});
        std::push_heap(held_.begin(), held_.end(), std::greater());
    }

  private:
    struct Held {
        double until;
        unsigned registers;
        bool operator>(const Held& other) const { return until > other.until; }
    };
    unsigned count_;
    unsigned free_;  // at least; those of misses that have arrived are counted when they are wanted
    double latest_ = 0;
    std::vector<Held> held_;  // a heap, the earliest first
};

}  // namespace kymo::gpu
