// The third witness: the call path as the executed calls made it, without any call-frame information.
//
// Every `call` pushes its return address and where that lies; an entry is dropped as soon as the stack pointer has
// moved past it, whatever did that (ret, longjmp, an exception's landing). A signal pushes the interrupted state,
// read from the context the kernel made. So it needs neither unwinding tables nor knowledge of prologues, and fails
// differently from the unwinders: where code moves its return address away from the stack (vfork) or rewrites it (a
// C++ exception on its last steps), it is the shadow that is wrong.
#pragma once

#include "call_path.h"
#include "memory_copy.h"
#include "traced_process.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kymo::oracle {

class ShadowStack {
  public:
    // Starts from a complete path of the stopped thread.
    void seed(const CallPath& path);

    // Before and after every step. `memory` is the copy taken at that stop.
    void before_step(const Registers& registers, MemoryCopy& memory);
    void after_step(Step step, const Registers& registers, MemoryCopy& memory);

    CallPath path(const Registers& registers, MemoryCopy& memory) const;
    std::size_t depth() const { return entries_.size(); }
    void forget_code() { kinds_.clear(); }  // the process has mapped or unmapped code

  private:
    enum class Kind : std::uint8_t { kOther, kCall, kSystemCall };
    struct Entry {
        PathFrame frame;
        std::uint64_t slot;  // the entry is gone once the stack pointer is above this address
        std::uint64_t
            context;  // pushed by a signal: address of the ucontext_t; a new stack may begin here. 0 otherwise
    };
    Kind kind_of(std::uint64_t pc, MemoryCopy& memory);
    void drop_left(std::uint64_t sp);

    std::vector<Entry> entries_;  // outermost first
    std::unordered_map<std::uint64_t, Kind> kinds_;
    Kind kind_ = Kind::kOther;
    bool returns_from_signal_ = false;
    std::uint64_t sp_before_ = 0;
};

}  // namespace kymo::oracle
