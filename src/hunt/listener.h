// Sends a hunt's results to another program while the hunt runs: JSON lines to a file, a descriptor or a Unix socket,
// and a signal.
//
// The other program may end at any time; the hunt continues without it. Writing waits at most 0.1 s for a
// reader that does not read; then nothing more is sent, and lost() counts the results that it missed.
#pragma once

#include "base/descriptor.h"
#include "base/result.h"

#include <cstddef>
#include <string>
#include <sys/types.h>

namespace kymo::hunt {

class Listener {
  public:
    // `to`: "fd:N", "unix:PATH", or a file, which is added to; empty: no lines. `signal`: "PID" (SIGUSR1) or
    // "PID:NAME", "PID:NUMBER"; empty: none. kUsage, kNotFound, kPermission, each with a remedy.
    static Result<Listener> open(const std::string& to, const std::string& signal);

    [[nodiscard]] bool is_there() const { return has_lines_ || process_ != 0; }
    // Sends the line, with an end of line, then the signal.
    void tell(const std::string& line);
    // Results that the reader did not take.
    [[nodiscard]] std::size_t lost() const { return lost_; }

  private:
    bool write_all(const std::string& text);

    Descriptor own_;  // opened here; not fd:N
    int descriptor_ = -1;
    bool has_lines_ = false;
    bool is_socket_ = false;
    pid_t process_ = 0;
    int signal_ = 0;
    std::size_t lost_ = 0;
};

}  // namespace kymo::hunt
