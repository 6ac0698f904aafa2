// Another program that is told a hunt's results while it runs: JSON lines to a file, a descriptor or a Unix socket,
// and a signal.
//
// It may end at any time: then it is told nothing more, and the hunt goes on. Writing waits at most a tenth of a
// second for a reader that does not read; what it has not taken by then is lost, and said at the end.
#pragma once

#include "base/descriptor.h"
#include "base/result.h"

#include <cstddef>
#include <string>
#include <sys/types.h>

namespace kymo::cli {

class HuntListener {
  public:
    // `to`: "fd:N", "unix:PATH", or a file, which is added to; empty: no lines. `signal`: "PID" (SIGUSR1) or
    // "PID:NAME", "PID:NUMBER"; empty: none. kUsage, kNotFound, kPermission, each with what to do.
    static Result<HuntListener> open(const std::string& to, const std::string& signal);

    [[nodiscard]] bool is_there() const { return has_lines_ || process_ != 0; }
    // A line without its end. Then the signal.
    void tell(const std::string& line);
    // Results that were not taken.
    [[nodiscard]] std::size_t lost() const { return lost_; }

  private:
    bool write_all(const std::string& text);

    Descriptor own_;  // that was opened here
    int descriptor_ = -1;
    bool has_lines_ = false;
    bool is_socket_ = false;
    pid_t process_ = 0;
    int signal_ = 0;
    std::size_t lost_ = 0;
};

}  // namespace kymo::cli
