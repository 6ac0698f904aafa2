// The call path of a sample: from its copied stack, or from the chain of frame pointers that the kernel walked.
//
// Not thread-safe. What find() returns is valid until the next call.
#pragma once

#include "import/kernel_code.h"
#include "import/perf/records.h"
#include "import/process.h"
#include "import/process_images.h"
#include "import/process_log.h"
#include "import/waits/wait_calls.h"
#include "unwind/walk.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kymo::import {

struct FoundPath {
    std::span<const Frame> frames;  // the user's, innermost first
    std::span<const Frame> kernel;  // the kernel's, likewise: where the thread was in it
    recording::PathEnd end{};
    bool recovered = false;                      // a frame was found without a rule
    bool is_of_other = false;                    // it has a copied stack of another kind of processor or program
    std::uint64_t stack_needed = 0;              // as WalkedPath's; 0: there is no stack that can be walked
    std::optional<unwind::Registers> registers;  // of user mode, where there is a stack
    std::optional<std::uint64_t> call;           // the system call that the thread is in, where the kernel said so
};

// A thread that sleeps in a system call, seen without a record of its own.
struct Sleeper {
    std::uint64_t call = 0;                       // the system call's number
    std::array<std::uint64_t, 4> arguments = {};  // its first
    std::uint64_t stack_pointer = 0;
    std::uint64_t program_counter = 0;
    std::vector<std::uint8_t> stack;  // from its pointer on
};

// Completes a walked path with the outer part of a chain of frame pointers, both innermost first. False: the chain
// does not lead on from where the path ends, which is then unchanged.
//
// Behind a signal frame the chain begins again at the caller of what was interrupted. Up to there both have met the
// same frames, but for those that keep no frame pointer: these the chain lacks.
bool join_chain(std::vector<Frame>& walked, std::span<const Frame> chain);

class SamplePaths {
  public:
    // `is_own_machine`: the samples are of this machine's kind of processor.
    SamplePaths(ImageFiles& files, KernelCode& kernel, bool is_own_machine)
        : files_(files), kernel_(kernel), is_own_machine_(is_own_machine) {}

    // Where a stack cannot be walked to its end, a chain of frame pointers that leads on from there completes the
    // path; one that does not meet it takes its place if it is longer. Behind a function that moves to another stack
    // (Go's systemstack) the chain must lead to an outermost function: another thread may run on that stack by now
    // and overwrite it.
    FoundPath find(Process& process, const perf::Sample& row);

    // Of the registers only those of the arguments are known, so that a path may end where another one is needed.
    FoundPath find(Process& process, const Sleeper& sleeper);

    // What the thread waits for, if `path` was found when it lost its processor. None: it was not in a system call
    // that waits.
    std::optional<BlockingCall> blocking_call_of(const Process& process, const FoundPath& path);

  private:
    void walk_stack(Process& process, std::span<const std::uint8_t> stack, FoundPath* found);
    void find_kernel(Process& process, const perf::Sample& row);
    recording::PathEnd find_chain(const Process& process, const perf::Sample& row);
    bool leave_switch(const Process& process, const perf::Sample& row, const FoundPath& found);
    static const LoadedImage* image_of(const Process& process, const Frame& frame);
    const MappedFile* file_of(const Process& process, const Frame& frame) const;

    ImageFiles& files_;
    KernelCode& kernel_;
    bool is_own_machine_;
    WaitCalls wait_calls_;
    std::vector<Frame> walked_;
    std::uint64_t other_frame_ = 0;  // of what was walked, as WalkedPath's
    std::vector<Frame> chain_;
    std::vector<Frame> in_kernel_;
};

}  // namespace kymo::import
