#include "spacetime/load/thread_states.h"

#include <algorithm>

namespace kymo::spacetime {
namespace {

// From so many intervals on, all that may come get their place at once: memory that is not written costs nothing, to
// move ever larger tables does.
constexpr std::size_t kManyIntervals = std::size_t{1} << 16U;
constexpr std::size_t kMostReserved = std::size_t{1} << 25U;

}  // namespace

StateSums& StateSums::operator+=(const StateSums& other) {
    for (std::size_t i = 0; i < ns.size(); ++i) {
        ns[i] += other.ns[i];
    }
    return *this;
}

StateSums& StateSums::operator-=(const StateSums& other) {
    for (std::size_t i = 0; i < ns.size(); ++i) {
        ns[i] -= other.ns[i];
    }
    return *this;
}

void ThreadStates::add(const StateInterval& interval) {
    if (interval.end <= interval.begin) {
        return;
    }
    const std::size_t count = begins_.size();
    if (count == 0 || states_.back() != interval.state || waits_.back() != interval.wait) {
        if (count >= limit_) {
            coarsen();
            add(interval);
            return;
        }
        if (count != 0) {
            closed_[states_.back()] += static_cast<std::int64_t>(end_ - begins_.back());
        }
        if (count % kStep == 0) {
            steps_.push_back(closed_);
        }
        if (count == kManyIntervals && limit_ <= kMostReserved) {
            begins_.reserve(limit_);
            waits_.reserve(limit_);
            states_.reserve(limit_);
        }
        begins_.push_back(end_);
        waits_.push_back(interval.wait);
        states_.push_back(interval.state);
    }
    end_ = interval.end;
}

// In place: a joined stretch has as many intervals at least as states, so what is written never overtakes what is
// read.
void ThreadStates::coarsen() {
    const auto is_joined = [joins_off = joins_off_](ThreadState state) {
        return state == ThreadState::kUser || state == ThreadState::kSystem || state == ThreadState::kSpinning ||
               (joins_off && (state == ThreadState::kReady || state == ThreadState::kOff));
    };
    grain_ = std::max(2 * grain_, (end_ - begin_) / (limit_ / 4 + 1));
    std::size_t kept = 0;
    std::uint64_t at = begin_;
    const auto put = [&](std::uint64_t end, ThreadState state, std::uint32_t wait) {
        if (end > at && (kept == 0 || states_[kept - 1] != state || waits_[kept - 1] != wait)) {
            begins_[kept] = at;
            states_[kept] = state;
            waits_[kept++] = wait;
        }
        at = std::max(at, end);
    };
    StateInterval joined{.begin = begin_, .end = begin_};
    StateSums sums;
    const auto flush = [&] {
        for (const ThreadState state : {ThreadState::kOff, ThreadState::kReady, ThreadState::kSystem}) {
            put(at + static_cast<std::uint64_t>(sums[state]), state, joined.wait);
        }
        put(joined.end, joined.wait == kNone ? ThreadState::kUser : ThreadState::kSpinning, joined.wait);
    };
    for (std::size_t i = 0, count = size(); i < count; ++i) {
        const StateInterval next = (*this)[i];
        const bool continues = is_joined(next.state) && next.begin == joined.end && next.wait == joined.wait &&
                               next.end - joined.begin <= grain_;
        if (!continues) {
            flush();
            joined = next;
            sums = {};
        }
        if (is_joined(next.state)) {
            sums[next.state] += static_cast<std::int64_t>(next.end - next.begin);
        } else {
            put(next.end, next.state, next.wait);
            joined.begin = next.end;
        }
        joined.end = next.end;
    }
    flush();
    begins_.resize(kept);
    states_.resize(kept);
    waits_.resize(kept);
    steps_.clear();
    closed_ = {};
    for (std::size_t i = 0; i < kept; ++i) {
        if (i % kStep == 0) {
            steps_.push_back(closed_);
        }
        if (i + 1 < kept) {
            closed_[states_[i]] += static_cast<std::int64_t>(begins_[i + 1] - begins_[i]);
        }
    }
    if (size() > limit_ / 4 * 3) {
        // Where most of it are waits, there is no use in trying again soon.
        limit_ = joins_off_ ? 2 * limit_ : limit_;
        if (!joins_off_) {
            joins_off_ = true;
            coarsen();
        }
    }
}

StateInterval ThreadStates::operator[](std::size_t index) const {
    return {.begin = begins_[index],
            .end = index + 1 < begins_.size() ? begins_[index + 1] : end_,
            .state = states_[index],
            .wait = waits_[index]};
}

std::size_t ThreadStates::at(std::uint64_t time) const {
    if (time < begin_ || time >= end_) {
        return size();
    }
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), time);
    return static_cast<std::size_t>(after - begins_.begin()) - 1;
}

StateSums ThreadStates::before(std::uint64_t time) const {
    if (begins_.empty()) {
        return {};
    }
    const std::size_t last = time >= end_ ? size() - 1 : at(time);
    StateSums sums = steps_[last / kStep];
    for (std::size_t i = last / kStep * kStep; i <= last; ++i) {
        const std::uint64_t end = i == last ? std::min(time, end_) : begins_[i + 1];
        sums[states_[i]] += static_cast<std::int64_t>(end - begins_[i]);
    }
    return sums;
}

StateSums ThreadStates::sums(std::uint64_t from, std::uint64_t to) const {
    from = std::clamp(from, begin_, end_);
    to = std::clamp(to, begin_, end_);
    if (from >= to) {
        return {};
    }
    StateSums sums = before(to);
    sums -= before(from);
    return sums;
}

Filling ThreadStates::filling(std::uint64_t from, std::uint64_t to) const {
    Filling filling;
    for_each(from, to, [&](const StateInterval& part) {
        const auto ns = static_cast<std::int64_t>(part.end - part.begin);
        filling.states[part.state] += ns;
        if (part.state == ThreadState::kWaiting) {
            filling.waits.push_back({part.wait, ns});
        }
    });
    std::sort(filling.waits.begin(), filling.waits.end(),
              [](const WaitShare& a, const WaitShare& b) { return a.wait < b.wait; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < filling.waits.size(); ++i) {
        if (kept != 0 && filling.waits[kept - 1].wait == filling.waits[i].wait) {
            filling.waits[kept - 1].ns += filling.waits[i].ns;
        } else {
            filling.waits[kept++] = filling.waits[i];
        }
    }
    filling.waits.resize(kept);
    return filling;
}

void ThreadStates::shift(std::int64_t by) {
    const auto moved = static_cast<std::uint64_t>(by);
    begin_ += moved;
    end_ += moved;
    for (std::uint64_t& begin : begins_) {
        begin += moved;
    }
}

}  // namespace kymo::spacetime
