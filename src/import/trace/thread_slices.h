// The slices of one thread of a trace, laid in time: which call path the thread was in from when to when.
//
// Not thread-safe. Memory: 48 bytes an event.
#pragma once

#include "import/named/trace.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace kymo::import {

// Between two changes of the thread's call path.
struct Stretch {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::span<const std::uint32_t> path;  // names of the open slices, outermost first; empty: none was open
    std::uint64_t on = 0;                 // of it, on a processor, if is_on_known
    bool is_on_known = false;
    bool ends_slice = false;  // the innermost of `path` ends with it
};

class ThreadSlices {
  public:
    static constexpr std::size_t kMostDepth = 512;  // slices that are open at once: inner ones are left out

    // `name`: a number of the caller's. Begins, ends and complete slices in any order of time; of one time in the
    // order in which they were.
    void add(const named::TraceEvent& event, std::uint32_t name);

    struct Counts {
        std::uint64_t unbegun = 0;  // ends without a beginning
        std::uint64_t unended = 0;  // beginnings without an end: they end with the thread's last event
        std::uint64_t cut = 0;      // slices that outlast the one that they are in: they end with it
        std::uint64_t too_deep = 0;
        std::uint64_t slices = 0;
    };
    // Once, in the order of time, without holes; a stretch may have no length where a slice has none.
    Counts lay_out(const std::function<void(const Stretch&)>& each);

  private:
    static constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

    struct Slice {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::uint64_t clock_begin = kUnknown;  // the thread's
        std::uint64_t clock_end = kUnknown;
        std::uint32_t name = 0;
        std::uint32_t order = 0;  // of its beginning
    };
    struct Edge {  // of a slice that has a beginning and an end of its own
        std::uint64_t time = 0;
        std::uint64_t clock = kUnknown;
        std::uint32_t name = 0;
        std::uint32_t order = 0;
        bool is_end = false;
    };

    void join_edges();

    std::vector<Slice> slices_;
    std::vector<Edge> edges_;
    std::uint64_t last_ = 0;
    std::uint32_t order_ = 0;
    Counts counts_;
};

}  // namespace kymo::import
