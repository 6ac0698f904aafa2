// The program's settings of signals, where the monitor answers in place of the kernel.
//
// The sampling signal must stay unblocked and handled by the monitor without the program noticing it. So the
// program's own disposition of that signal is kept here, returned on request, and honoured: a sampling signal that
// is not the monitor's own goes to the program's handler.
//
// Where the program blocks the sampling signal, another signal is blocked in the kernel's mask: the stand-in,
// which is never sent. So the kernel does the bookkeeping, because it changes masks by itself: it adds a handler's
// mask, removes it when the handler returns, and jumps and contexts restore others. Only the program's settings of
// the stand-in itself are kept here.
#pragma once

#include "monitor/interpose/programs_mask.h"

#include <csignal>
#include <cstdint>

namespace kymo::monitor {

// The mask for a call that waits with one; for the duration of such a call.
class MaskWhileWaiting {
  public:
    explicit MaskWhileWaiting(const sigset_t* mask);
    ~MaskWhileWaiting();
    MaskWhileWaiting(const MaskWhileWaiting&) = delete;
    MaskWhileWaiting& operator=(const MaskWhileWaiting&) = delete;

    [[nodiscard]] const sigset_t* get() const { return mask_; }

  private:
    const sigset_t* mask_;
    sigset_t changed_;
    bool* lets_through_ = nullptr;
};

// Removes the pending signals of the calling thread that the monitor has caused; those of other senders stay
// pending.
void take_pending_signals();

// Installs the handler for the session's signal.
bool install_handler();

}  // namespace kymo::monitor
