#include "import/trace/trace_events.h"

#include <algorithm>
#include <cmath>

namespace kymo::import {
namespace {

using named::TraceKind;
using recording::MarkKind;

std::int64_t whole_number(double value) {
    constexpr double kMost = 9e18;
    return std::isnan(value) ? 0 : static_cast<std::int64_t>(std::llround(std::clamp(value, -kMost, kMost)));
}

}  // namespace

std::uint32_t TraceEvents::number_of(std::string_view category, std::string_view name, std::string_view detail) {
    category = category.substr(0, category.find(','));
    std::string key;
    key.reserve(category.size() + name.size() + detail.size() + 2);
    key.append(category).append(1, '\0').append(name).append(1, '\0').append(detail);
    const auto [known, is_new] = numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(names_.size()));
    if (is_new) {
        names_.push_back({std::string(category), std::string(name), std::string(detail)});
        is_full_ = is_full_ || names_.size() >= kMostNames;
    }
    return known->second;
}

void TraceEvents::add_mark(Key thread, std::uint64_t time, std::uint32_t name, MarkKind kind, double value) {
    threads_[thread].marks.push_back({time, name, static_cast<std::uint8_t>(kind), whole_number(value)});
}

void TraceEvents::event(const named::TraceEvent& event) {
    if (is_full_) {
        return;
    }
    is_full_ = ++events_ >= kMostEvents;
    first_ = std::min(first_, event.time);
    const Key thread = thread_of(event);
    switch (event.kind) {
        case TraceKind::kBegin:
        case TraceKind::kEnd:
        case TraceKind::kComplete:
            has_clocks_ = has_clocks_ || event.thread_time.has_value();
            threads_[thread].slices.add(
                event, event.kind == TraceKind::kEnd ? 0 : number_of(event.category, event.name, event.detail));
            break;
        case TraceKind::kInstant:
        case TraceKind::kCounter:
            add_mark(thread, event.time, number_of({}, event.name, event.detail), MarkKind::kPoint, event.value);
            break;
        case TraceKind::kAsyncBegin: {
            const std::uint32_t name = number_of({}, event.name, event.detail);
            const auto key = std::tuple(event.pid, event.id, number_of({}, event.name, {}));
            if (open_.try_emplace(key, Span{thread, name}).second) {
                add_mark(thread, event.time, name, MarkKind::kBegin, 0);
            } else {
                ++unpaired_;
            }
            break;
        }
        case TraceKind::kAsyncEnd: {
            const auto begun = open_.find(std::tuple(event.pid, event.id, number_of({}, event.name, {})));
            if (begun == open_.end()) {
                ++unpaired_;
                break;
            }
            // The mark's two ends are of one thread, and have one name.
            add_mark(begun->second.thread, event.time, begun->second.name, MarkKind::kEnd, 0);
            open_.erase(begun);
            break;
        }
    }
}

void TraceEvents::processor_switch(const named::TraceSwitch& row) {
    if (is_full_) {
        return;
    }
    is_full_ = ++events_ >= kMostEvents;
    first_ = std::min(first_, row.time);
    switches_.push_back(row);
}

void TraceEvents::settle() {
    // A process's marks go to its main thread, or to the first that there is.
    for (auto found = threads_.begin(); found != threads_.end();) {
        const auto [pid, tid] = found->first;
        if (tid != named::kNotGiven) {
            ++found;
            continue;
        }
        TraceThread of_process = std::move(found->second);
        found = threads_.erase(found);
        const auto first = threads_.lower_bound({pid, 0});
        const bool has_threads = first != threads_.end() && first->first.first == pid;
        const Key to = threads_.contains({pid, pid}) || !has_threads ? Key{pid, pid} : first->first;
        std::vector<TraceMark>& marks = threads_[to].marks;
        marks.insert(marks.end(), of_process.marks.begin(), of_process.marks.end());
    }
    std::unordered_map<std::uint32_t, TraceThread*> by_number;
    for (auto& [key, thread] : threads_) {
        std::stable_sort(thread.marks.begin(), thread.marks.end(),
                         [](const TraceMark& a, const TraceMark& b) { return a.time < b.time; });
        const auto named = thread_names_.find(key);
        thread.name = named == thread_names_.end() ? std::string() : named->second;
        by_number[key.second] = &thread;
    }
    std::stable_sort(switches_.begin(), switches_.end(),
                     [](const named::TraceSwitch& a, const named::TraceSwitch& b) { return a.time < b.time; });
    for (const named::TraceSwitch& row : switches_) {
        for (const std::uint32_t tid : {row.from, row.to}) {
            const auto thread = by_number.find(tid);
            if (tid != 0 && thread != by_number.end()) {
                thread->second->switches.push_back(row);
                has_switches_ = true;
            }
        }
    }
    switches_ = {};
}

std::string TraceEvents::process_name_of(std::uint32_t pid) const {
    const auto named = process_names_.find(pid);
    return named == process_names_.end() ? std::string() : named->second;
}

}  // namespace kymo::import
