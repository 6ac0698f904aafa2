// The stack that the monitor works on in the program's threads: one of its own a thread.
//
// The program's stack belongs to the program: an alternate signal stack may be as small as the kernel allows (Rust's
// is 8 KiB), and a thread may have hardly any stack left. So the sampling signal's entry (signal_entry.h) leaves it
// before it pushes a word, and calls of the program with much work for the monitor do it on this stack.
//
// Contract: in the thread that owns the stack, while the handler stays out: in the handler itself, under Quiet, or
// marked busy (the entry checks before it comes here). No code of the program runs here, and nothing that blocks or
// can be cancelled.
// The switch carries call-frame information: debuggers and unwinders see the caller.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kymo::monitor {

// Far deeper than needed; below it in ThreadState is scratch space, so that even a
// mistake there would not overwrite anything that is kept.
inline constexpr std::size_t kOwnStackBytes = std::size_t{64} << 10U;

// NOLINTNEXTLINE(readability-identifier-naming): x86_64/signal_entry.cpp
extern "C" __attribute__((visibility("hidden"))) void kymo_call_on(std::uint64_t top, void (*call)(void*),
                                                                   void* data);

// Calls call() there; if the thread is there already, or `top` is 0 (no such thread), right here.
template <typename Call>
void on_own_stack(std::uint64_t top, const Call& call) {
    const auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
    if (top == 0 || top - here <= kOwnStackBytes) {
        call();
        return;
    }
    kymo_call_on(top, [](void* data) { (*static_cast<const Call*>(data))(); }, const_cast<Call*>(&call));
}

}  // namespace kymo::monitor
