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

void TraceEvents::flow(const named::TraceFlow& row) {
    if (is_full_) {
        return;
    }
    is_full_ = ++events_ >= kMostEvents;
    first_ = std::min(first_, row.time);
    flow_points_.push_back({.time = row.time,
                            .id = row.id,
                            .thread = {row.pid, row.tid},
                            .name = number_of({}, row.name, {}),
                            .part = row.part});
}

// Each point is joined with the one of its flow before it. Numbers of flows come again.
void TraceEvents::settle_flows() {
    std::stable_sort(flow_points_.begin(), flow_points_.end(),
                     [](const FlowPoint& a, const FlowPoint& b) { return a.time < b.time; });
    std::unordered_map<std::uint64_t, FlowPoint*> last;
    for (FlowPoint& point : flow_points_) {
        FlowPoint*& before = last[point.id];
        const bool has_threads = threads_.contains(point.thread);
        if (point.part != named::FlowPart::kBegin && before != nullptr && has_threads) {
            arrows_.push_back({before->time, point.time, before->thread, point.thread, before->name});
            before->is_joined = point.is_joined = true;
        }
        before = point.part == named::FlowPart::kEnd || !has_threads ? nullptr : &point;
    }
    lonely_flows_ = static_cast<std::uint64_t>(std::count_if(
        flow_points_.begin(), flow_points_.end(), [](const FlowPoint& point) { return !point.is_joined; }));
    flow_points_ = {};
}

void TraceEvents::stack_frame(const named::TraceFrame& frame) {
    if (is_full_) {
        return;
    }
    const std::uint32_t name = number_of(frame.module, frame.function, {});
    const auto [known, is_new] = frame_numbers_.try_emplace(frame.number, static_cast<std::uint32_t>(frames_.size()));
    if (is_new) {
        frames_.push_back({frame.parent, name});
        is_full_ = is_full_ || frames_.size() >= kMostNames;
    }
}

void TraceEvents::stack_sample(const named::TraceSample& sample) {
    if (is_full_) {
        return;
    }
    is_full_ = ++events_ >= kMostEvents;
    const std::string_view name = sample.name.empty() ? std::string_view("profile-samples") : sample.name;
    auto event = std::find(sample_events_.begin(), sample_events_.end(), name);
    if (event == sample_events_.end()) {
        // Of more kinds the last one has the rest.
        const bool is_last = sample_events_.size() + 1 == kMostSampleEvents;
        if (sample_events_.size() < kMostSampleEvents) {
            sample_events_.emplace_back(is_last ? std::string_view("other samples") : name);
        }
        event = sample_events_.end() - 1;
    }
    first_ = std::min(first_, sample.represents_time ? sample.since : sample.time);
    TraceSampleAt made;
    made.time = sample.time;
    made.since = sample.represents_time ? sample.since : sample.time;
    made.weight = sample.weight;
    made.frame_number = sample.frame;
    made.event = static_cast<std::uint8_t>(event - sample_events_.begin());
    made.is_outside_slices = sample.is_outside_slices;
    threads_[{sample.pid, sample.tid}].samples.push_back(made);
}

// Threads without a process are those of their number, and one process's if there are none.
void TraceEvents::settle_samples() {
    for (auto found = threads_.lower_bound({named::kNotGiven, 0}); found != threads_.end();) {
        const std::uint32_t tid = found->first.second;
        std::vector<TraceSampleAt> samples = std::move(found->second.samples);
        found = threads_.erase(found);
        const auto process = process_of_thread_.try_emplace(tid, 1).first;
        std::vector<TraceSampleAt>& to = threads_[{process->second, tid}].samples;
        to.insert(to.end(), samples.begin(), samples.end());
    }
    for (auto& [key, thread] : threads_) {
        for (TraceSampleAt& sample : thread.samples) {
            const auto frame = frame_numbers_.find(sample.frame_number);
            sample.frame = frame == frame_numbers_.end() ? TraceSampleAt::kNoFrame : frame->second;
        }
        unknown_stacks_ += std::erase_if(
            thread.samples, [](const TraceSampleAt& sample) { return sample.frame == TraceSampleAt::kNoFrame; });
        std::stable_sort(thread.samples.begin(), thread.samples.end(),
                         [](const TraceSampleAt& a, const TraceSampleAt& b) { return a.time < b.time; });
    }
}

void TraceEvents::append_stack(const TraceSampleAt& sample, std::vector<std::uint32_t>& to) const {
    std::uint32_t frame = sample.frame;
    for (std::size_t i = 0; i < kMostFrames && frame != TraceSampleAt::kNoFrame; ++i) {
        to.push_back(frames_[frame].name);
        const auto parent = frame_numbers_.find(frames_[frame].parent);
        frame = parent == frame_numbers_.end() ? TraceSampleAt::kNoFrame : parent->second;
    }
}

void TraceEvents::settle() {
    find_processes();
    settle_samples();
    settle_flows();
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
    find_runs();
    for (auto& [key, thread] : threads_) {
        std::stable_sort(thread.marks.begin(), thread.marks.end(),
                         [](const TraceMark& a, const TraceMark& b) { return a.time < b.time; });
        const auto named = thread_names_.find(key);
        thread.name = named == thread_names_.end() ? std::string() : named->second;
    }
}

void TraceEvents::find_processes() {
    for (const auto& [key, thread] : threads_) {
        if (key.first != named::kNotGiven) {
            process_of_thread_.try_emplace(key.second, key.first);
        }
    }
    for (const auto& [key, name] : thread_names_) {
        process_of_thread_.try_emplace(key.second, key.first);
    }
}

void TraceEvents::find_runs() {
    find_processes();  // those of processes' marks, too
    std::stable_sort(switches_.begin(), switches_.end(),
                     [](const named::TraceSwitch& a, const named::TraceSwitch& b) { return a.time < b.time; });
    std::unordered_map<std::uint32_t, std::uint64_t> running;  // since when
    std::unordered_map<std::uint32_t, std::vector<TraceRun>> runs;
    for (const named::TraceSwitch& row : switches_) {
        if (row.from != 0) {
            const auto since = running.find(row.from);
            std::vector<TraceRun>& of = runs[row.from];
            // One that had its processor before the first record had it from the beginning on.
            if (since != running.end() || of.empty()) {
                of.push_back({since != running.end() ? since->second : switches_.front().time, row.time});
            }
            running.erase(row.from);
        }
        if (row.to != 0) {
            running.try_emplace(row.to, row.time);
        }
    }
    for (const auto& [tid, since] : running) {
        runs[tid].push_back({since, switches_.back().time});
    }
    for (auto& [tid, of] : runs) {
        if (const auto process = process_of_thread_.find(tid); process != process_of_thread_.end()) {
            threads_[{process->second, tid}].runs = std::move(of);
        }
    }
}

std::string TraceEvents::process_name_of(std::uint32_t pid) const {
    const auto named = process_names_.find(pid);
    return named == process_names_.end() ? std::string() : named->second;
}

}  // namespace kymo::import
