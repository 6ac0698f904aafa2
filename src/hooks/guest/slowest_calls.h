// The slowest calls of a function in one thread, up to a fixed number.
//
// They are not ordered: the shortest is known, and the next longer one replaces it. Constant memory, no calls;
// used by one thread at a time, between any two of its functions.
#pragma once

#include <cstdint>

namespace kymo::hooks {

// The kernel's counts for a thread.
struct Usage {
    std::uint64_t processor_ns = 0;
    std::uint64_t voluntary = 0;  // switches
    std::uint64_t involuntary = 0;
    std::uint64_t minor_faults = 0;
    std::uint64_t major_faults = 0;
};

struct SlowCall {
    std::uint64_t begin_ns = 0;  // CLOCK_MONOTONIC
    std::uint64_t duration_ns = 0;
    std::uint64_t early_ns = 0;   // time from the begin of `usage` to that of the call
    std::uint64_t has_usage = 0;  // 0: not counted, the call was too short for it
    Usage usage;                  // the change of the counts
};

class SlowestCalls {
  public:
    static constexpr std::uint32_t kMost = 16;

    bool keeps(std::uint64_t duration_ns) const {
        return count_ < kMost || duration_ns > calls_[shortest_].duration_ns;
    }
    void add(const SlowCall& call) {
        if (!keeps(call.duration_ns)) {
            return;
        }
        calls_[count_ < kMost ? count_++ : shortest_] = call;
        shortest_ = 0;
        for (std::uint32_t i = 1; i < count_; ++i) {
            shortest_ = calls_[i].duration_ns < calls_[shortest_].duration_ns ? i : shortest_;
        }
    }
    const SlowCall* begin() const { return calls_; }
    const SlowCall* end() const { return calls_ + count_; }
    std::uint32_t size() const { return count_; }

  private:
    SlowCall calls_[kMost];
    std::uint32_t count_ = 0;
    std::uint32_t shortest_ = 0;
};

}  // namespace kymo::hooks
