// Observes the thread simulators of the basic model.
#pragma once

#include "gpu/model/result.h"

#include <cstdint>

namespace kymo::gpu {

// Called thread after thread of a warp, with all steps of each thread in order of time.
class StepObserver {
  public:
    virtual ~StepObserver() = default;
    struct Step {
        std::uint64_t thread = 0;  // in the launch: CTAs in their order, threads of each in theirs
        double begin = 0;          // cycles since all threads started
        double end = 0;
        std::uint32_t instruction = 0;
        std::uint64_t pc = 0;
        Spent spent = Spent::kArithmetic;
    };
    virtual void thread_begins(std::uint64_t thread, std::uint64_t cta) = 0;
    virtual void stepped(const Step& step) = 0;
    virtual void thread_ends(std::uint64_t thread, double cycle) = 0;
};

}  // namespace kymo::gpu
