#include "import/trace/thread_slices.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace kymo::import {

void ThreadSlices::add(const named::TraceEvent& event, std::uint32_t name) {
    const std::uint64_t clock = event.thread_time.value_or(kUnknown);
    const std::uint32_t order = order_++;
    last_ = std::max(last_, event.time);
    if (event.kind != named::TraceKind::kComplete) {
        edges_.push_back({event.time, clock, name, order, event.kind == named::TraceKind::kEnd});
        return;
    }
    const std::uint64_t end = event.time + std::min(event.duration, kUnknown - event.time);
    const bool has_clock = event.thread_time && event.thread_duration;
    last_ = std::max(last_, end);
    slices_.push_back({event.time, end, has_clock ? clock : kUnknown,
                       has_clock ? clock + *event.thread_duration : kUnknown, name, order});
}

// An end is that of the slice that began last and is open.
void ThreadSlices::join_edges() {
    std::stable_sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.time < b.time; });
    std::vector<const Edge*> open;
    const auto close = [&](std::uint64_t time, std::uint64_t clock) {
        const Edge& begin = *open.back();
        slices_.push_back({begin.time, time, begin.clock, clock, begin.name, begin.order});
        open.pop_back();
    };
    for (const Edge& edge : edges_) {
        if (!edge.is_end) {
            open.push_back(&edge);
        } else if (open.empty()) {
            ++counts_.unbegun;
        } else {
            close(edge.time, edge.clock);
        }
    }
    counts_.unended = open.size();
    while (!open.empty()) {
        close(last_, kUnknown);
    }
    edges_ = {};
}

ThreadSlices::Counts ThreadSlices::lay_out(const std::function<void(const Stretch&)>& each) {
    join_edges();
    // The outer one of two that begin together is the longer one.
    std::sort(slices_.begin(), slices_.end(), [](const Slice& a, const Slice& b) {
        return std::tuple(a.begin, ~a.end, a.order) < std::tuple(b.begin, ~b.end, b.order);
    });
    std::vector<Slice> open;
    std::vector<std::uint32_t> path;
    std::uint64_t now = slices_.empty() ? 0 : slices_.front().begin;
    std::uint64_t clock = kUnknown;
    const auto go_on = [&](std::uint64_t to, std::uint64_t to_clock, bool ends_slice) {
        if (to > now || ends_slice) {
            Stretch stretch;
            stretch.begin = now;
            stretch.end = to;
            stretch.path = path;
            stretch.is_on_known = clock != kUnknown && to_clock != kUnknown && to_clock >= clock;
            stretch.on = stretch.is_on_known ? std::min(to_clock - clock, to - now) : 0;
            stretch.ends_slice = ends_slice;
            each(stretch);
        }
        now = to;
        clock = to_clock;
    };
    const auto close_until = [&](std::uint64_t time) {
        while (!open.empty() && open.back().end <= time) {
            go_on(open.back().end, open.back().clock_end, true);
            open.pop_back();
            path.pop_back();
        }
    };
    for (Slice slice : slices_) {
        close_until(slice.begin);
        if (open.size() >= kMostDepth) {
            ++counts_.too_deep;
            continue;
        }
        ++counts_.slices;
        if (!open.empty() && slice.end > open.back().end) {
            ++counts_.cut;
            slice.end = open.back().end;
            slice.clock_end = open.back().clock_end;
        }
        go_on(slice.begin, slice.clock_begin, false);
        open.push_back(slice);
        path.push_back(slice.name);
    }
    close_until(kUnknown);
    slices_ = {};
    return counts_;
}

}  // namespace kymo::import
