// What one stream's samples add up to, row by row; and its tail, once the plan of all tails is there.
#pragma once

#include "spacetime/load/file_data.h"
#include "spacetime/load/own_time.h"
#include "spacetime/load/stream_tail.h"
#include "spacetime/load/tail_cutter.h"
#include "spacetime/load/time_place.h"
#include "spacetime/load/wait_groups.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kymo::spacetime {

// How a stream's first sample came, which says what can be known of its tail.
enum class TailKind : std::uint8_t { kUnknown, kAtRandom, kAtTicks };

// What one stream's samples add up to. One thread at a time.
class StreamSamples {
  public:
    StreamSamples(StreamData& stream, const FileData& file, WaitGroups::Watch* watch, std::size_t most_states)
        : stream_(stream),
          file_(file),
          watch_(watch),
          most_states_(most_states),
          parents_(parents_of(stream.contexts)),
          places_(stream.waits, parents_),
          sums_(file.events.size()),
          samples_by_event_(file.events.size()),
          taken_by_event_(file.events.size()) {
        stream_.costs = CostTable(file.events.size());
        stream_.costs.resize(stream_.contexts.size());
        stream_.unsampled.assign(kFirstEvent + file.events.size(), 0);
        stream_.own_work.assign(kFirstEvent + file.events.size(), 0);
    }

    std::uint32_t id() const { return stream_.id; }

    void add(const recording::Sample& row) {
        if (!time_) {
            start(row.time);
        }
        auto context = static_cast<std::uint32_t>(row.context);
        if (row.context >= stream_.contexts.size()) {
            ++strange_rows_;
            context = 0;
        }
        const bool is_own = is_own_work(row, stream_.own_contexts);
        is_of_clock_ = roles_.tick_period == 0 || row.event == roles_.task_clock;
        charge(time_->add(row, is_own), context, is_blind_in_kernel(roles_, row));
        if (is_of_clock_) {
            note_tick(row, context, is_own);
            ticks_in_kernel_ += roles_.samples_kernel && (row.flags & recording::kInKernel) != 0 ? 1 : 0;
        }
        add_tick(row);
        const auto own_ns = static_cast<std::int64_t>(time_->own_work_ns());
        stream_.own_work[kUser] += own_ns;
        stream_.paused_ns -= own_ns;
        ++(is_own ? std::span(stream_.own_work) : stream_.costs[context])[kSamples];
        add_events(row, context, is_own);
        ++stream_.quality.samples;
        if (row.event < samples_by_event_.size()) {
            ++samples_by_event_[row.event];
            taken_by_event_[row.event] += recording::samples_of(row);
        }
        const std::uint64_t path_end = row.flags & recording::kPathEndMask;
        ++stream_.quality.paths[std::min<std::uint64_t>(path_end, recording::kPathEnds - 1)];
        if (row.samples > 1) {
            stream_.quality.condensed += row.samples - 1;
            stream_.quality.coarse_until = row.time;
        }
        stream_.quality.at_tick += (row.flags & recording::kAtTick) != 0 ? 1 : 0;
        stream_.quality.folded += (row.flags & recording::kFoldedRecursion) != 0 ? 1 : 0;
        stream_.quality.recovered += (row.flags & recording::kRecoveredFrame) != 0 ? 1 : 0;
        if (path_end == static_cast<std::uint64_t>(recording::PathEnd::kComplete)) {
            stream_.is_complete[context] = true;
        }
        stream_.end = time_->last();
    }

    // No samples come any more. What concerns the file is added to it.
    void end(FileData* file) {
        file->strange_rows += strange_rows_;
        for (std::size_t event = 0; event < sums_.size(); ++event) {
            file->samples_by_event[event] += samples_by_event_[event];
            stream_.quality.ticks += file->events[event].name == "task-clock" ? taken_by_event_[event] : 0;
        }
        stream_.quality.ticks -= std::min(stream_.quality.ticks, ticks_in_kernel_);
        for (std::size_t context = stream_.contexts.size() - 1; context > 0; --context) {
            if (stream_.is_complete[context]) {
                stream_.is_complete[stream_.contexts[context].parent] = true;
            }
        }
        if (late_) {
            stream_.taken = late_->take();
        }
        if (!stream_.has_ended) {
            own_time_.finish(stream_.costs);
            return;
        }
        if (!time_) {
            start(stream_.end_time);
        }
        const std::uint64_t begin = time_->last();
        auto tail = time_->finish(stream_.end_time, stream_.totals, stream_.own_at_end);
        const StateInterval lost{begin, stream_.end_time, ThreadState::kPaused, kNone};
        // Of rows that were not written nothing is known.
        if (file_.is_part() || stream_.quality.unwritten != 0) {
            tail = std::span(&lost, lost.end > lost.begin ? 1 : 0);
        }
        tail_.end(begin, tail);
        const auto own_ns = static_cast<std::int64_t>(time_->own_work_ns());
        stream_.own_work[kUser] += own_ns;
        stream_.paused_ns -= own_ns;
    }

    // After end(): what this stream has to say to the plan of all tails (tails.h).
    TailKind tail_kind() const {
        return roles_.tick != 0                                      ? TailKind::kAtTicks
               : roles_.first_period != 0 && roles_.grid_period != 0 ? TailKind::kAtRandom
                                                                     : TailKind::kUnknown;
    }
    bool has_tail() const { return stream_.has_ended; }
    // What a sample stands for.
    std::int64_t period() const {
        return static_cast<std::int64_t>(roles_.tick != 0 ? roles_.tick : roles_.tick_period);
    }
    const std::optional<FirstSample>& first_sample() const { return tail_.first_sample(); }
    Tail tail() const { return tail_.sums(stream_.end_time); }
    void add_looks(std::vector<TailLook>* looks) const { tail_.add_looks(stream_.id, stream_.looks, looks); }

    // After end(), of a stream that has a tail: the remainders, so that the columns add up to the stream's totals
    // exactly. `plan`: nullptr: nothing is known of the tail.
    void finish(const TailPlan* plan) {
        places_.next(tail_.intervals(), kNone);
        system_places_->next(tail_.intervals(), kNone, roles_.grid_period != 0);
        const TailPlan none;
        TailCutter cutter(plan != nullptr ? *plan : none);
        for (const StateInterval& interval : tail_.intervals()) {
            if (plan == nullptr || !is_user_time(interval)) {
                charge_one(interval, kNone);
                continue;
            }
            cutter.each(interval, [&](const StateInterval& part, const TailPlace* place) {
                stream_.states.add(part);
                const std::uint32_t context = place == nullptr ? places_.of(part) : context_of(*place);
                if (place != nullptr) {
                    stream_.tail.push_back({part.begin, part.end, context});
                }
                // Not by own_time_: these are no samples of this stream's.
                const auto costs = context == kNone ? std::span(stream_.unsampled) : stream_.costs[context];
                costs[is_user_time(part) ? kUser : kSystem] += duration_of(part);
                if (part.wait == kNone) {
                    show_watch(part, context);
                }
            });
        }
        own_time_.finish(stream_.costs);
        for (std::size_t event = 0; event < sums_.size(); ++event) {
            const std::uint64_t total = event < stream_.totals.size() ? stream_.totals[event] : sums_[event];
            const auto rest = static_cast<std::int64_t>(total - sums_[event]);
            const std::int64_t own = roles_.task_clock == event ? static_cast<std::int64_t>(time_->own_work_ns()) : 0;
            stream_.own_work[kFirstEvent + event] += own;
            stream_.unsampled[kFirstEvent + event] = rest - own;
        }
        stream_.end = time_->last();
    }

  private:
    static std::vector<std::uint32_t> parents_of(const std::vector<ContextInfo>& contexts) {
        std::vector<std::uint32_t> parents;
        parents.reserve(contexts.size());
        for (const ContextInfo& context : contexts) {
            parents.push_back(context.parent);
        }
        return parents;
    }

    // The stream's own number for a call path of another one.
    std::uint32_t context_of(const TailPlace& place) {
        if (place.stream == kNone || place.stream == stream_.id) {
            return place.stream == kNone ? kNone : place.context;
        }
        const auto [known, is_new] =
            others_.try_emplace({place.stream, place.context}, static_cast<std::uint32_t>(stream_.contexts.size()));
        if (is_new) {
            stream_.joins[known->second] = known->first;
            stream_.contexts.emplace_back();
            stream_.is_complete.push_back(true);
            stream_.costs.resize(stream_.contexts.size());
        }
        return known->second;
    }

    // Where its description is lost, time counts from the first that is known of it.
    void start(std::uint64_t time) {
        if (!stream_.is_known) {
            stream_.begin = time;
        }
        stream_.states = ThreadStates(stream_.begin);
        stream_.states.set_limit(most_states_);
        roles_ = roles_of(file_, stream_);
        time_.emplace(roles_, stream_.begin, stream_.offs, stream_.waits);
        for (KernelLook& look : stream_.looks) {
            look.context = look.context < stream_.contexts.size() ? look.context : 0;
        }
        lay_in_time(&stream_.looks, stream_.waits, stream_.offs);
        system_places_.emplace(stream_.looks, parents_, stream_.begin);
        late_.emplace(roles_.grid_period);
    }

    void add_events(const recording::Sample& row, std::uint32_t context, bool is_own) {
        const ProgramsEvents programs(roles_, row, is_own, time_->own_work_ns());
        const auto costs = stream_.costs[context];
        for (std::size_t event = 0; event < std::min(sums_.size(), row.deltas.size()); ++event) {
            const std::uint64_t of_program = programs.of(event);
            costs[kFirstEvent + event] += static_cast<std::int64_t>(of_program);
            stream_.own_work[kFirstEvent + event] += static_cast<std::int64_t>(row.deltas[event] - of_program);
            sums_[event] += row.deltas[event];
        }
    }

    void add_tick(const recording::Sample& row) {
        if (roles_.grid_period == 0) {
            return;
        }
        if ((row.flags & (recording::kAfterPause | recording::kAtTick)) != 0 || row.samples > 1) {
            late_->pause();
            since_tick_ = 0;
        } else if (*roles_.task_clock < row.deltas.size()) {
            since_tick_ += row.deltas[*roles_.task_clock];
        }
        if (row.event == *roles_.task_clock && (row.flags & recording::kAtTick) == 0 && row.samples <= 1) {
            late_->add(row.time, std::exchange(since_tick_, 0));
        }
    }

    // `sampled`: where the sample was that ends the intervals; kNone: none did. `is_blind`: it says nothing of system
    // time.
    void charge(std::span<const StateInterval> intervals, std::uint32_t sampled, bool is_blind) {
        places_.next(intervals, sampled);
        system_places_->next(intervals, sampled, is_blind);
        for (const StateInterval& interval : intervals) {
            charge_one(interval, sampled);
        }
    }

    void charge_one(const StateInterval& interval, std::uint32_t sampled) {
        stream_.states.add(interval);
        if (system_places_->each(interval,
                                 [&](const StateInterval& part, std::uint32_t context, SystemSource source) {
                                     charge_system(part, context, source != SystemSource::kUnknown);
                                 })) {
            return;
        }
        if (sampled != kNone && is_unknown_absence(interval, !stream_.offs.empty())) {
            stream_.unknown_calls[system_places_->caller_between()].off += duration_of(interval);
            return;
        }
        const std::uint32_t context = places_.of(interval);
        charge(interval, context, context == kNone ? stream_.unsampled : stream_.costs[context]);
        stretch_ += is_user_time(interval) ? duration_of(interval) : 0;
    }

    // A sample of the clock: others come where their events do, whatever took the time.
    void note_tick(const recording::Sample& row, std::uint32_t context, bool is_own_work) {
        const std::size_t clock = roles_.task_clock.value_or(sums_.size());
        const std::uint64_t so_far = clock < sums_.size() ? sums_[clock] : 0;
        const std::uint64_t more = clock < row.deltas.size() ? row.deltas[clock] : 0;
        const bool in_kernel = found_kernel(row);
        const bool is_nowhere = is_own_work || context == 0 || (roles_.tick != 0 && is_in_wait(row.time));
        tail_.sample(roles_, row, so_far + more, stretch_, is_nowhere ? TailPlace{} : TailPlace{stream_.id, context},
                     in_kernel);
        if (places_.is_outside() && (!is_own_work || stretch_ > 0)) {
            own_time_.sample(context, stretch_, stream_.costs);
        }
        stretch_ = 0;
    }

    // Whether it was taken at a tick of the kernel's that found the thread in the kernel: it says so, or has a
    // `kernel-tick` row beside it.
    bool found_kernel(const recording::Sample& row) const {
        if ((row.flags & recording::kInKernel) != 0 || roles_.tick == 0 || roles_.grid_period != 0) {
            return (row.flags & recording::kInKernel) != 0;
        }
        const auto look = std::lower_bound(stream_.looks.begin(), stream_.looks.end(), row.time,
                                           [](const KernelLook& a, std::uint64_t time) { return a.time < time; });
        return look != stream_.looks.end() && look->time == row.time;
    }

    // In a call that is recorded as a wait, whose time is known by itself.
    bool is_in_wait(std::uint64_t time) const {
        const auto next = std::upper_bound(stream_.waits.begin(), stream_.waits.end(), time,
                                           [](std::uint64_t at, const ThreadWait& wait) { return at < wait.begin; });
        return next != stream_.waits.begin() && time <= std::prev(next)->end;
    }

    // It ran there, while others perhaps waited for it.
    void show_watch(const StateInterval& part, std::uint32_t context) const {
        if (watch_ != nullptr) {
            WaitGroups::ran(*watch_, part, context == kNone ? 0 : context);
        }
    }

    void charge_system(const StateInterval& part, std::uint32_t context, bool is_known) {
        show_watch(part, context);
        if (context == kNone) {
            stream_.unsampled[kSystem] += duration_of(part);
        } else if (is_known) {
            stream_.costs[context][kSystem] += duration_of(part);
        } else {
            stream_.unknown_calls[context].system += duration_of(part);
        }
    }

    void charge(const StateInterval& interval, std::uint32_t context, std::span<std::int64_t> costs) {
        const std::int64_t ns = duration_of(interval);
        switch (interval.state) {
            case ThreadState::kUser:
            case ThreadState::kSystem:
                if (interval.wait == kNone) {
                    show_watch(interval, context);
                }
                if (interval.state == ThreadState::kUser && interval.wait == kNone && context != kNone) {
                    own_time_.ran(ns, context);
                } else {
                    costs[interval.state == ThreadState::kUser ? kUser : kSystem] += ns;
                }
                break;
            case ThreadState::kSpinning:
                costs[kUser] += ns;
                break;
            case ThreadState::kReady:
            case ThreadState::kWaiting:
            case ThreadState::kOff:
                costs[kOffCpu] += ns;
                break;
            case ThreadState::kPaused:
                stream_.paused_ns += ns;
                break;
        }
    }

    StreamData& stream_;
    const FileData& file_;
    WaitGroups::Watch* watch_;  // nullptr: nobody waited for it
    std::size_t most_states_;
    EventRoles roles_;
    std::optional<StreamTime> time_;
    std::optional<SystemPlace> system_places_;
    std::optional<LateTicks> late_;
    std::uint64_t since_tick_ = 0;  // ns of the thread's clock
    std::uint64_t ticks_in_kernel_ = 0;
    bool is_of_clock_ = true;             // the last sample
    std::int64_t stretch_ = 0;            // user time since the clock's last sample, ns
    std::vector<std::uint32_t> parents_;  // by context
    TimePlace places_;
    OwnTime own_time_;
    StreamTail tail_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> others_;  // context_of()'s
    std::vector<std::uint64_t> sums_;                                          // of every event's deltas
    std::vector<std::uint64_t> samples_by_event_;                              // rows
    std::vector<std::uint64_t> taken_by_event_;                                // the samples that they stand for
    std::uint64_t strange_rows_ = 0;
};

}  // namespace kymo::spacetime
