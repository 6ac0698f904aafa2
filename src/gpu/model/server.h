// A resource that serves at a fixed rate, as the intervals in which it is busy.
//
// Bookings may come in any order of time. One far ahead (a miss that waits for its register) leaves the time
// before it free, and an earlier request of another SM can use that. A request that finds less than its whole
// service free before the next booking is served in parts: a slice and a channel serve sector by sector, so no
// time is lost to gaps too short for a whole request.
//
// Contract: one thread. No booking may be for a time before the `horizon` of an earlier call; bookings that ended
// before it are dropped, so memory is that of the bookings ahead. Cost: 2–5 ns behind everything or in one busy
// stretch; a gap is found by bisection and closed by moving the bookings behind it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kymo::gpu {

class Server {
  public:
    // Books `service` cycles, from `time` on, that are free. Returns when they end less `service`: when service
    // begins, where it is not in parts.
    double book(double time, double service, double horizon) {
        served_ += service;
        if (time > last_.end) {
            keep_last(horizon);
            last_ = {time, time + service};
            return time;
        }
        if (time >= last_.begin) {
            const double begin = last_.end;
            last_.end += service;
            return begin;
        }
        keep_last(std::min(horizon, time));  // the last, which ends behind `time`, is kept in any case
        const double begin = fill(time, service);
        last_ = booked_.back();
        booked_.pop_back();
        return begin;
    }
    double busy() const { return served_; }
    void restart() {
        booked_.clear();
        last_ = {};
        first_ = 0;
        served_ = 0;
    }

  private:
    struct Interval {
        double begin = 0;
        double end = 0;
    };
    // Puts the last booking to the others, and forgets those before the horizon.
    void keep_last(double horizon) {
        if (last_.end > horizon) {
            booked_.push_back(last_);
        }
        while (first_ != booked_.size() && booked_[first_].end <= horizon) {
            ++first_;
        }
        if (first_ == booked_.size()) {
            booked_.clear();
            first_ = 0;
        } else if (first_ >= kMostForgotten) {
            booked_.erase(booked_.begin(), booked_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
    }
    // For a time before the begin of the last one in booked_. Takes gap after gap, which makes one stretch of the
    // bookings between them.
    double fill(double time, double service) {
        auto next = std::lower_bound(booked_.begin() + static_cast<std::ptrdiff_t>(first_), booked_.end(), time,
                                     [](const Interval& booked, double at) { return booked.end < at; });
        const auto replaced = next;
        double begin = time;
        double free = time;
        if (next->begin <= time) {
            begin = next->begin;
            free = next->end;
            ++next;
        }
        double left = service;
        bool in_parts = false;
        while (next != booked_.end() && next->begin - free < left) {
            left -= next->begin - free;
            free = next->end;
            in_parts = true;
            ++next;
        }
        const double end = free + left;
        Interval stretch{begin, end};
        if (next != booked_.end() && next->begin <= end) {  // touches
            stretch.end = next->end;
            ++next;
        }
        if (replaced == next) {
            booked_.insert(next, stretch);
        } else {
            *replaced = stretch;
            booked_.erase(replaced + 1, next);
        }
        return in_parts ? end - service : free;
    }

    static constexpr std::size_t kMostForgotten = 64;
    Interval last_;                 // the latest; a request behind everything reads only this one
    std::vector<Interval> booked_;  // the others, apart from one another, in order; those before first_ are forgotten
    std::size_t first_ = 0;
    double served_ = 0;
};

}  // namespace kymo::gpu
