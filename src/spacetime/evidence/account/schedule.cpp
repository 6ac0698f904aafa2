#include "spacetime/evidence/account/schedule.h"

#include <algorithm>
#include <cmath>

namespace kymo::spacetime {

using recording::WaitKind;

bool is_wait_for_others(WaitKind kind) {
    switch (kind) {
        case WaitKind::kRead:
        case WaitKind::kWrite:
        case WaitKind::kPoll:
        case WaitKind::kAccept:
        case WaitKind::kConnect:
        case WaitKind::kSync:
        case WaitKind::kSleep:
        case WaitKind::kFileLock:
        case WaitKind::kSignal:
            return false;
        default:
            return kind != WaitKind{};
    }
}

void ScheduleGrids::add(const StateInterval& interval, WaitKind kind, bool awaits_message) {
    switch (interval.state) {
        case ThreadState::kUser:
        case ThreadState::kSystem:
            (awaits_message ? waiting : working).add(0, interval.begin, interval.end);
            break;
        case ThreadState::kReady:
            unserved.add(0, interval.begin, interval.end);
            break;
        case ThreadState::kWaiting:
        case ThreadState::kSpinning:
            (is_wait_for_others(kind) ? waiting : outside).add(0, interval.begin, interval.end);
            break;
        case ThreadState::kOff:
            outside.add(0, interval.begin, interval.end);
            break;
        case ThreadState::kPaused:
            break;
    }
}

void ScheduleGrids::merge(ScheduleGrids&& other) {
    working.merge(std::move(other.working));
    waiting.merge(std::move(other.waiting));
    outside.merge(std::move(other.outside));
    unserved.merge(std::move(other.unserved));
}

void ScheduleGrids::settle() {
    working.settle();
    waiting.settle();
    outside.settle();
    unserved.settle();
}

Schedule::Schedule(const ScheduleGrids& grids, std::uint64_t begin, std::uint64_t end, std::uint64_t processors)
    : begin_(begin), width_(grids.working.width()), bins_(grids.working.bins()) {
    const auto width = static_cast<double>(width_);
    double most = 1;
    for (std::size_t bin = 0; bin < bins_; ++bin) {
        most = std::max(most, static_cast<double>(grids.working.at(0, bin)) / width);
    }
    const double all = processors != 0 ? static_cast<double>(processors) : std::ceil(most);
    const auto add = [](Curve* curve, double value) { curve->push_back(curve->back() + value); };
    for (Curve* curve : {&work_, &waits_, &outside_, &crowded_}) {
        curve->reserve(bins_ + 1);
        curve->push_back(0);
    }
    for (std::size_t bin = 0; bin < bins_; ++bin) {
        const std::uint64_t from = begin + bin * width_;
        // The last one of the run is mostly shorter.
        const double span = from >= end ? 0 : static_cast<double>(std::min(width_, end - from));
        const auto mean = [&](const TimeGrid& grid) {
            return span <= 0 ? 0 : static_cast<double>(grid.at(0, bin)) / span;
        };
        const double working = mean(grids.working);
        const double waiting = mean(grids.waiting);
        const double outside = mean(grids.outside);
        const double unserved = mean(grids.unserved);
        add(&work_, width / std::max(1.0, working));
        // Where nobody works, those that wait for others wait for what these wait for.
        const double ready = std::min(working + waiting, std::max(all, working));
        add(&waits_, waiting <= 0 || ready <= 0
                         ? 0
                         : width * std::min(1.0, working) * (1 - working / ready) / std::max(1.0, waiting));
        add(&outside_, width * std::max(0.0, 1 - working) / std::max(1.0, outside));
        const double wanted = working + unserved;
        add(&crowded_, unserved <= 0 ? 0 : width * std::min(unserved, std::max(0.0, wanted - all)) / unserved);
    }
}

double Schedule::until(const Curve& curve, std::uint64_t time) const {
    const std::uint64_t since = time < begin_ ? 0 : time - begin_;
    const std::size_t bin = std::min<std::size_t>(since / width_, bins_ - 1);
    const double part = std::min(1.0, static_cast<double>(since - bin * width_) / static_cast<double>(width_));
    return curve[bin] + part * (curve[bin + 1] - curve[bin]);
}

std::int64_t Schedule::over(const Curve& curve, const StateInterval& interval) const {
    return bins_ == 0 ? 0 : std::llround(until(curve, interval.end) - until(curve, interval.begin));
}

std::int64_t Schedule::shorter(const StateInterval& interval, WaitKind kind, bool awaits_message) const {
    switch (interval.state) {
        case ThreadState::kUser:
        case ThreadState::kSystem:
            return over(awaits_message ? waits_ : work_, interval);
        case ThreadState::kWaiting:
        case ThreadState::kSpinning:
            return over(is_wait_for_others(kind) ? waits_ : outside_, interval);
        case ThreadState::kOff:
            return over(outside_, interval);
        case ThreadState::kReady:
        case ThreadState::kPaused:
            return 0;
    }
    return 0;
}

std::int64_t Schedule::crowded(const StateInterval& interval) const {
    return std::clamp<std::int64_t>(over(crowded_, interval), 0, duration_of(interval));
}

}  // namespace kymo::spacetime
