// Where the walking tests stand: at the bottom of a recursion, and in the handler of a signal.
#pragma once

#include "paths.h"

#include <csignal>
#include <functional>
#include <gtest/gtest.h>
#include <ucontext.h>

extern "C" {
int cfa_by_rbx(void (*call)(void*), void* context);
extern const char __start_walk_recurse[];
extern const char __stop_walk_recurse[];
}

namespace kymo::unwind::test {

inline volatile int keep = 0;

// In a section of its own, so that its end is known however large a sanitizer makes it.
[[gnu::noinline, gnu::section("walk_recurse")]] inline int recurse(int depth, const std::function<void()>& bottom) {
    if (depth == 0) {
        bottom();
        return keep;
    }
    volatile char space[48];
    space[depth % 48] = static_cast<char>(depth);
    return recurse(depth - 1, bottom) + space[depth % 48];
}

inline bool passes_recurse(const Path& path) {
    return path.passes(__start_walk_recurse, static_cast<std::uint64_t>(__stop_walk_recurse - __start_walk_recurse));
}

inline Path in_handler;
inline bool handler_compares = false;

inline void on_signal(int, siginfo_t*, void* context) {
    const Registers start = registers_from(*static_cast<ucontext_t*>(context));
    if (handler_compares) {
        walk_and_compare(&in_handler);
    } else {
        in_handler = walk_live(start);
    }
}

class WalkInHandler : public testing::Test {
  protected:
    void install(int number, int flags) {
        struct sigaction action{};
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | flags;
        sigaction(number, &action, &before_);
        number_ = number;
    }
    ~WalkInHandler() override {
        sigaction(number_, &before_, nullptr);
        handler_compares = false;
        in_handler = {};
    }

  private:
    struct sigaction before_{};
    int number_ = SIGUSR1;
};

}  // namespace kymo::unwind::test
