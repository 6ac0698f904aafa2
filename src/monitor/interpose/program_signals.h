// What the program has said about signals, where the monitor answers in the kernel's stead.
//
// The sampling signal must stay unblocked and handled by the monitor; the program must not notice. So the program's
// own disposition of that signal is kept here, given back when asked for, and honoured: a sampling signal that is not
// the monitor's own goes to the program's handler.
//
// Where the program blocks the sampling signal, another is blocked in the kernel's mask in its stead: the stand-in,
// which nobody sends. So the kernel keeps the account, for it changes masks by itself: it adds a handler's mask,
// takes it away when the handler returns, and jumps and contexts restore others. What is kept here is only what the
// program has said of the stand-in itself.
#pragma once

#include "monitor/interpose/programs_mask.h"

#include <csignal>
#include <cstdint>

namespace kymo::monitor {

// The mask for a call that waits with one. For as long as such a call may last.
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

// Takes what the monitor has caused of the signals that wait in the calling thread; what somebody has sent it waits
// on.
void take_pending_signals();

// Installs the handler for the session's signal.
bool install_handler();

}  // namespace kymo::monitor
