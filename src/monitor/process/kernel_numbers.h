// The numbers of the process and its threads in the recording process's pid namespace, and so in the kernel's
// records: they differ from their own in a pid namespace of theirs (pid_namespaces(7), as containers have).
//
// Bare system calls on /proc: one for a process, three for one in another namespace, and one for each thread of
// that.
#pragma once

#include "events/session.h"

#include <cstdint>

namespace kymo::monitor {

class KernelNumbers {
  public:
    // At the start and in a forked child; `pid`: the process's own number.
    void find(const events::Session& session, int pid);
    // As in rows (recording::number_of). Not known if the process only sees a /proc of its own namespace.
    std::uint64_t of_process() const { return of_process_; }
    // Of the calling thread.
    std::uint64_t of_thread() const;

  private:
    std::uint64_t of_process_ = 0;
};

}  // namespace kymo::monitor
