// What the walking tests share: one image set for the test process, the bounds of its stacks, and glibc's backtrace()
// as the second opinion.
#pragma once

#include "unwind/walk.h"

#include <cstdint>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <span>
#include <vector>

namespace kymo::unwind::test {

inline ImageSet& images() {
    static ImageSet set;
    static const bool created = [] {
        ImageHooks hooks;
        hooks.describe = describe_own_image;
        return set.create(hooks);
    }();
    EXPECT_TRUE(created);
    return set;
}

inline std::uint64_t stack_end() {
    pthread_attr_t attributes;
    void* low = nullptr;
    std::size_t size = 0;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    return reinterpret_cast<std::uint64_t>(low) + size;
}

struct Path {
    std::vector<Frame> frames;
    WalkResult result;

    // Whether some frame lies in [function, function + size).
    bool passes(const void* function, std::uint64_t size = 64) const {
        for (const Frame& frame : frames) {
            if (frame.address - reinterpret_cast<std::uint64_t>(function) < size) {
                return true;
            }
        }
        return false;
    }
};

inline Path walk_from(const Registers& start, const MemoryView& stack, const StackFinder* finder = nullptr,
                      std::size_t room = 4096) {
    Path path;
    path.frames.resize(room);
    path.result = walk(images(), start, Start::kInterrupted, stack, path.frames, finder);
    path.frames.resize(path.result.count);
    return path;
}

inline Path walk_live(const Registers& start) {
    return walk_from(start, MemoryView::live(start.sp() - 128, stack_end()));
}

// glibc's own backtrace(): sanitizers put one of theirs, which adds a frame, in its place.
inline int glibc_backtrace(void** addresses, int room) {
    using Backtrace = int (*)(void**, int);
    static const auto backtrace = reinterpret_cast<Backtrace>(dlsym(dlopen("libc.so.6", RTLD_NOW), "backtrace"));
    return backtrace(addresses, room);
}

// Frame by frame from the second on (the first stands at different places of one function). `addresses`: from
// backtrace().
inline void expect_same(const Path& path, std::span<void* const> addresses) {
    ASSERT_EQ(path.frames.size(), addresses.size());
    for (std::size_t i = 1; i < addresses.size(); ++i) {
        const auto wanted = reinterpret_cast<std::uint64_t>(addresses[i]);
        // backtrace() does not take one off.
        EXPECT_TRUE(path.frames[i].address == wanted - 1 || path.frames[i].address == wanted) << "frame " << i;
    }
}

// Walks from here both ways and compares.
[[gnu::noinline]] inline void walk_and_compare(Path* kept = nullptr) {
    static void* addresses[8192];
    const int count = glibc_backtrace(addresses, 8192);
    const Path path = walk_live(capture_here());
    EXPECT_EQ(path.result.end, PathEnd::kComplete);
    EXPECT_FALSE(path.result.recovered);
    expect_same(path, std::span(addresses, static_cast<std::size_t>(count)));
    if (kept != nullptr) {
        *kept = path;
    }
}

}  // namespace kymo::unwind::test
