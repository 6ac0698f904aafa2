#include "monitor/metrics/exact_calls.h"

#include "hooks/guest/thread_calls.h"
#include "image/arena.h"
#include "monitor/clock.h"
#include "monitor/process/log.h"
#include "monitor/threads/registry.h"
#include "monitor/threads/thread_state.h"
#include "recording/tables/exact.h"

namespace kymo::monitor {

constinit ExactCallRows exact_call_rows;

namespace {

using hooks::FunctionCalls;
using hooks::ThreadCalls;

constexpr std::uint64_t kRateNs = 5'000'000;  // measures the rate to about 1 in 100,000

// The lists of a row.
class Lists {
  public:
    explicit Lists(const FunctionCalls& calls) {
        for (std::size_t bucket = 0; bucket < kDurationBuckets; ++bucket) {
            if (calls.counts[bucket] != 0) {
                counts_[counts_size_++] = bucket;
                counts_[counts_size_++] = calls.counts[bucket];
            }
        }
        for (const hooks::SlowCall& call : calls.slowest) {
            std::uint64_t* columns = slowest_ + slowest_size_;
            columns[recording::kSlowBegin] = call.begin_ns;
            columns[recording::kSlowDuration] = call.duration_ns;
            columns[recording::kSlowCounted] = call.has_usage;
            columns[recording::kSlowEarly] = call.early_ns;
            columns[recording::kSlowProcessor] = call.usage.processor_ns;
            columns[recording::kSlowVoluntary] = call.usage.voluntary;
            columns[recording::kSlowInvoluntary] = call.usage.involuntary;
            columns[recording::kSlowMinorFaults] = call.usage.minor_faults;
            columns[recording::kSlowMajorFaults] = call.usage.major_faults;
            slowest_size_ += recording::kSlowColumns;
        }
    }
    std::span<const std::uint64_t> counts() const { return {counts_, counts_size_}; }
    std::span<const std::uint64_t> slowest() const { return {slowest_, slowest_size_}; }

  private:
    std::uint64_t counts_[2 * kDurationBuckets];
    std::size_t counts_size_ = 0;
    std::uint64_t slowest_[hooks::SlowestCalls::kMost * recording::kSlowColumns];
    std::size_t slowest_size_ = 0;
};

void write_row(const ThreadState& thread, std::uint32_t function, const FunctionCalls& calls) {
    const Lists lists(calls);
    recording::ExactCalls row;
    row.time = clock_now();
    row.stream = raw(thread.stream);
    row.function = function + 1;
    row.calls = calls.calls;
    row.running = calls.running != nullptr ? 1 : 0;
    row.cut = calls.cut;
    row.untimed = calls.untimed;
    row.sum_ns = calls.sum_ns;
    row.counts = lists.counts();
    row.slowest = lists.slowest();
    process_log.write(row);
}

// Data that another thread is changing all along is left as in its last row.
void write_all(const ThreadState& thread) {
    const ThreadCalls& calls = *thread.hooks.calls;
    for (std::uint32_t function = 0; function < calls.functions(); ++function) {
        FunctionCalls copy;
        if (calls.of(function).calls != 0 && hooks::read_calls(calls.of(function), copy)) {
            write_row(thread, function, copy);
        }
    }
}

}  // namespace

void ExactCallRows::begin_counting(std::uint32_t functions) {
    functions_ = functions;
    if (functions_ != 0) {
        rate_ = cells::measure_ticks(kRateNs);
    }
}

void ExactCallRows::thread_begin(ThreadState& thread) {
    thread.calls_told = thread.begin_time;
    if (functions_ == 0 || thread.hooks.calls != nullptr) {  // it has some already, because it was forked
        return;
    }
    auto* const pages = static_cast<ThreadCalls*>(image::map_pages(ThreadCalls::bytes_for(functions_)));
    if (pages == nullptr) {
        recording::Unavailable row;
        row.what = "exact occurrences in a thread";
        row.why = "there is no memory for them";
        row.remedy = "see docs/spaces.md";
        process_log.write(row);
        return;
    }
    pages->make(functions_, rate_);
    thread.hooks.calls = pages;
}

void ExactCallRows::thread_end(ThreadState& thread) {
    ThreadCalls* const calls = thread.hooks.calls;
    if (calls == nullptr) {
        return;
    }
    const Locked locked(lock_);
    write_all(thread);
    thread.hooks.calls = nullptr;
    image::unmap_pages(calls, ThreadCalls::bytes_for(functions_));
}

void ExactCallRows::after_fork(ThreadState* own) {
    lock_.reset();
    if (own != nullptr && own->hooks.calls != nullptr) {
        own->hooks.calls->begin_anew();
    }
}

void ExactCallRows::finish() {
    if (functions_ == 0) {
        return;
    }
    threads.for_each([this](const ThreadState& thread) {
        const Locked locked(lock_);
        if (thread.hooks.calls != nullptr) {
            write_all(thread);
        }
    });
}

void ExactCallRows::at_sample(ThreadState& thread, std::uint64_t now) {
    if (thread.hooks.calls == nullptr || now - thread.calls_told < kTellCallsEveryNs) {
        return;
    }
    thread.calls_told = now;
    const ThreadCalls& calls = *thread.hooks.calls;
    for (std::uint32_t function = 0; function < calls.functions(); ++function) {
        const FunctionCalls& now_there = calls.of(function);
        if (now_there.calls != 0 &&
            now_there.change % 2 == 0) {  // odd: the sample has interrupted a change of the row
            write_row(thread, function, now_there);
        }
    }
}

}  // namespace kymo::monitor
