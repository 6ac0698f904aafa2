// The first oracle: libunwind's remote unwinding (libunwind-ptrace) over the same copy of stack and registers.
//
// Registers and memory are the copies; only the unwind information is found by libunwind's own ptrace accessors, from
// the files mapped into the process.
#pragma once

#include "call_path.h"
#include "memory_copy.h"

#include <memory>

namespace kymo::oracle {

class LibunwindWalker {
  public:
    LibunwindWalker(pid_t process, MemoryCopy& memory);
    ~LibunwindWalker();

    CallPath walk(const Registers& registers);
    void forget();  // what is cached: after the process has mapped or unmapped code

    struct State;

  private:
    std::unique_ptr<State> state_;
};

}  // namespace kymo::oracle
