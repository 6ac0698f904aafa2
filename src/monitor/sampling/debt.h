// The time that the handler owes the program for its own work.
//
// Stacks of thousands of frames at thousands of samples a second: a walk may take longer than a period, and the next
// sample is due at once; the program would hardly proceed. So the handler's time is owed to the program, and paid
// by the time that it has between samples: while much is owed, samples are taken without their paths. In the long run
// a program gets half of its thread's time at least (seen: a compiler that needed 2 s ran for over 10 minutes; a Java
// program whose stack overflows never ended).
//
// Not owed is what happens once: the tables of an image that was met for the first time (seen: 10 % of a short
// program's samples without paths, since it begins with large libraries). Of one signal no more than kMost counts:
// another thread may have had the processor.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kymo::monitor {

class Debt {
  public:
    static constexpr std::uint64_t kMost = 20'000'000;      // ns
    static constexpr std::uint64_t kMostOfNew = 1'000'000;  // ns, of a signal that met a new image

    // The handler ran from `begin` to `end`, after the program had run for `had`; ns.
    void took(std::uint64_t begin, std::uint64_t end, std::uint64_t had, bool met_new_image) {
        owed_ -= std::min(had, owed_);
        owed_ += std::min(end - begin, met_new_image ? kMostOfNew : kMost);
    }

    bool is_much() const { return owed_ > kMost; }

  private:
    std::uint64_t owed_ = 0;
};

}  // namespace kymo::monitor
