// Loops over independent work on all processors; the only interface to oneTBB.
//
// for_each_index(count, body): body(i) for each i < count, in any order, on several threads at once, including the
// caller's. together(one, other): both at once. workers(): the number of threads; 1 within tbb::task_arena(1),
// which starts no thread.
//
// All bodies see what the caller wrote before, and the caller sees afterwards what they wrote; nothing else is
// guaranteed: two bodies may access the same word only if both read it or it is atomic. May be nested.
//
// The thread sanitizer cannot follow oneTBB: half of it is templates compiled here, which it instruments, and half
// a library that is not built for it, so that it sees every task but not its handover
// (tests/unit/parallel/hidden_handover.cpp shows it on a loop without a race). In builds for that sanitizer, plain
// threads, which it follows, give the same guarantees, and every report is about our bodies. There a body must not
// throw.
#pragma once

#include <tbb/task_arena.h>

#ifdef __SANITIZE_THREAD__
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>
#else
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
#endif

#include <algorithm>

namespace kymo::parallel {

inline int workers() {
    return std::max(1, tbb::this_task_arena::max_concurrency());
}

#ifdef __SANITIZE_THREAD__

template <typename Index, typename Body>
void for_each_index(Index count, const Body& body) {
    std::atomic<Index> next{0};
    const auto work = [&] {
        for (Index i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
            body(i);
        }
    };
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(static_cast<std::size_t>(workers()), static_cast<std::size_t>(count)); ++i) {
        others.emplace_back(work);
    }
    work();
}

template <typename One, typename Other>
void together(const One& one, const Other& other) {
    if (workers() == 1) {
        one();
        other();
        return;
    }
    const std::jthread beside(one);
    other();
}

#else

template <typename Index, typename Body>
void for_each_index(Index count, const Body& body) {
    tbb::parallel_for(Index{0}, count, body);
}

template <typename One, typename Other>
void together(const One& one, const Other& other) {
    tbb::task_group beside;
    beside.run(one);
    other();
    beside.wait();
}

#endif

}  // namespace kymo::parallel
