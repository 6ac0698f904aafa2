#include "attach/seams.h"

#include <algorithm>

namespace kymo::attach {

namespace perf = import::perf;

void Seams::begin_change() {
    ++change_;
}

std::vector<Seams::Member> Seams::threads() const {
    std::vector<Member> all;
    for (const auto& [tid, thread] : threads_) {
        all.push_back({thread.pid, tid});
    }
    std::sort(all.begin(), all.end());
    return all;
}

void Seams::comm(const perf::Comm& row) {
    if (row.tid != perf::kNotGiven) {
        threads_[row.tid].pid = row.pid;
    }
    to_.comm(row);
}

void Seams::fork(const perf::Fork& row) {
    if (row.tid != perf::kNotGiven) {
        threads_[row.tid] = {.pid = row.pid, .stretches = {}};
    }
    to_.fork(row);
}

void Seams::exit(const perf::Exit& row) {
    threads_.erase(row.tid);
    to_.exit(row);
}

Seams::Stretch& Seams::stretch_of(std::uint32_t tid, std::uint32_t processor) {
    Stretch fresh;
    fresh.processor = processor;
    fresh.change = change_;
    if (!by_thread_) {
        return processors_.try_emplace(processor, fresh).first->second;
    }
    std::vector<Stretch>& all = threads_[tid].stretches;
    const auto known =
        std::find_if(all.begin(), all.end(), [&](const Stretch& each) { return each.processor == processor; });
    return known != all.end() ? *known : all.emplace_back(fresh);
}

void Seams::context_switch(const perf::Switch& row) {
    // Of a thread's end the last switch comes behind the record of the end.
    const auto thread = threads_.find(row.tid);
    if (thread != threads_.end()) {
        thread->second.lost_in = 0;
    }
    if (row.cpu != perf::kNotGiven && (!by_thread_ || thread != threads_.end())) {
        Stretch& stretch = stretch_of(row.tid, row.cpu);
        if (row.out && stretch.since != 0) {
            stretch.ran += row.time - std::min(row.time, stretch.since);
        }
        stretch.since = row.out ? 0 : row.time;
    }
    to_.context_switch(row);
}

// Whether another event's sample has said the same.
bool Seams::is_seen(const perf::Sample& row) {
    const auto thread = threads_.find(row.tid);
    if (thread == threads_.end()) {
        return false;
    }
    std::uint64_t& lost_in = thread->second.lost_in;
    const bool is_seen = lost_in != 0 && lost_in != row.id;
    lost_in = is_seen ? lost_in : row.id;
    return is_seen;
}

std::uint64_t Seams::period_of(const perf::Sample& row) {
    if (row.cpu == perf::kNotGiven || (by_thread_ && !threads_.contains(row.tid))) {
        return row.period;
    }
    Stretch& stretch = stretch_of(row.tid, row.cpu);
    const bool is_known = stretch.since != 0;
    const std::uint64_t ran = stretch.ran + row.time - std::min(row.time, is_known ? stretch.since : row.time);
    const bool is_first = stretch.event != 0 ? stretch.event != row.id : stretch.change != change_;
    stretch.ran = 0;
    stretch.since = row.time;
    stretch.event = row.id;
    // Each event had less than its period left, unless a record of a switch is lost.
    return is_first && is_known ? std::min(ran, 2 * row.period) : row.period;
}

void Seams::sample(const perf::Sample& row) {
    if (row.attribute == switches_ && is_seen(row)) {
        return;
    }
    if (row.attribute == kClock) {
        perf::Sample weighed = row;
        weighed.period = period_of(row);
        to_.sample(weighed);
        return;
    }
    to_.sample(row);
}

}  // namespace kymo::attach
