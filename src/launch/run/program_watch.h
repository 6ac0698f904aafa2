// The program while it runs: passes signals on to it, waits for its stops and its end, limits its time.
#pragma once

#include "launch/record_outcome.h"
#include "launch/signals.h"

#include <cstdint>
#include <sys/resource.h>
#include <sys/types.h>

namespace kymo::launch {

struct TimeLimit {
    std::uint64_t duration_ns = 0;  // end the program after this long; 0: never
    std::uint64_t grace_ns = 0;     // from SIGTERM to SIGKILL then
};

class ProgramWatch {
  public:
    // The time begins with this call.
    ProgramWatch(pid_t program, SignalWatch& signals, const TimeLimit& limit);

    // None of them waits.
    void take_signals();
    void reap();
    void keep_time(std::uint64_t now);

    // When keep_time() is due.
    [[nodiscard]] std::uint64_t deadline() const { return deadline_; }
    [[nodiscard]] bool is_gone() const { return is_gone_; }
    // Once it has ended:
    [[nodiscard]] int status() const { return status_; }
    [[nodiscard]] const rusage& usage() const { return usage_; }
    [[nodiscard]] EndReason reason() const { return reason_; }

  private:
    pid_t program_;
    SignalWatch& signals_;
    std::uint64_t grace_ns_;
    std::uint64_t deadline_;
    bool is_asked_to_end_ = false;
    bool is_gone_ = false;
    int status_ = 0;
    rusage usage_{};
    EndReason reason_ = EndReason::kEnded;
};

}  // namespace kymo::launch
