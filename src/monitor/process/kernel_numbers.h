// The numbers that the process and its threads have for who records them, and so in the kernel's records: others than
// their own where they are in a pid namespace of theirs (pid_namespaces(7), as containers are).
//
// Bare system calls on /proc: two for a process, and one for each thread of one in another namespace (1 µs each).
#pragma once

#include "events/session.h"

#include <cstdint>

namespace kymo::monitor {

class KernelNumbers {
  public:
    // As rows have it. 0: its own number. All ones: not known, the process only sees a /proc of its own namespace.
    static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

    // At the start and in a forked child; `pid`: the process's own number.
    void find(const events::Session& session, int pid);
    std::uint64_t of_process() const { return of_process_; }
    // Of the calling thread.
    std::uint64_t of_thread() const;

  private:
    std::uint64_t of_process_ = 0;
};

}  // namespace kymo::monitor
