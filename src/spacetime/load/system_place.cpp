#include "spacetime/load/system_place.h"

#include "spacetime/load/sample_time.h"

namespace kymo::spacetime {

namespace {

constexpr std::uint64_t kLong = 100'000;  // ns: no interrupt or look makes a short call as long as that

}  // namespace

void lay_in_time(std::vector<KernelLook>* looks, std::span<const ThreadWait> waits,
                 const std::map<recording::WaitKind, std::uint64_t>& brief) {
    if (looks->empty()) {
        return;
    }
    std::sort(looks->begin(), looks->end(), [](const KernelLook& a, const KernelLook& b) { return a.time < b.time; });
    std::vector<std::pair<std::uint64_t, std::uint64_t>> covers;
    std::map<recording::WaitKind, std::uint64_t> long_ones;
    for (const ThreadWait& wait : waits) {
        ++long_ones[wait.kind];
    }
    for (const ThreadWait& wait : waits) {
        const auto short_ones = brief.find(wait.kind);
        if (wait.end - wait.begin >= kLong || short_ones == brief.end() ||
            short_ones->second < long_ones[wait.kind]) {
            covers.emplace_back(wait.begin, wait.end);
        }
    }
    std::sort(covers.begin(), covers.end());
    std::size_t next = 0;
    std::uint64_t covered_until = 0;
    std::erase_if(*looks, [&](const KernelLook& look) {
        for (; next < covers.size() && covers[next].first <= look.time; ++next) {
            covered_until = std::max(covered_until, covers[next].second);
        }
        return look.time < covered_until;
    });
}

bool is_blind_in_kernel(const EventRoles& roles, const recording::Sample& row) {
    return roles.grid_period != 0 && (row.flags & recording::kAtTick) == 0;
}

bool is_unknown_absence(const StateInterval& interval, bool has_switch_records) {
    constexpr std::uint64_t kLeast = 10'000;  // ns: the monitor's kBriefWaitNs
    return has_switch_records && interval.state == ThreadState::kOff && interval.wait == kNone &&
           interval.end - interval.begin >= kLeast;
}

void SystemPlace::next(std::span<const StateInterval> intervals, std::uint32_t sampled, bool is_blind) {
    before_ = sampled_;
    const std::uint64_t begin = last_;
    sampled_ = sampled;
    // Looks tell more of system time than any sample: one in a call makes the call long enough to be recorded as a
    // wait, and what it stands for lies before that.
    is_blind_ = is_blind || !looks_.empty();
    system_ = given_ = 0;
    for (const StateInterval& interval : intervals) {
        const bool is_ours = interval.state == ThreadState::kSystem && interval.wait == kNone;
        system_ += is_ours ? interval.end - interval.begin : 0;
        last_ = interval.end;
    }
    for (first_ += count_; first_ < looks_.size() && looks_[first_].time <= begin;) {
        ++first_;
    }
    count_ = 0;
    while (first_ + count_ < looks_.size() && looks_[first_ + count_].time <= last_) {
        ++count_;
    }
    source_ = count_ != 0 ? SystemSource::kSeen : SystemSource::kUnknown;
    if (count_ != 0 || system_ == 0) {
        return;
    }
    std::uint64_t nearest = kNear;
    const auto ask = [&](const KernelLook& look, std::uint64_t distance) {
        if (distance < nearest) {
            nearest = distance;
            context_ = look.context;
            source_ = SystemSource::kNear;
        }
    };
    if (first_ > 0) {
        ask(looks_[first_ - 1], begin - looks_[first_ - 1].time);
    }
    if (first_ < looks_.size()) {
        ask(looks_[first_], looks_[first_].time - last_);
    }
    if (source_ == SystemSource::kUnknown) {
        context_ = caller_between();
    }
}

std::uint32_t SystemPlace::common_caller(std::uint32_t a, std::uint32_t b) const {
    if (a >= parents_.size() || b >= parents_.size()) {
        return 0;
    }
    std::uint32_t x = a;
    std::uint32_t y = b;
    while (x != y) {
        (x > y ? x : y) = parents_[std::max(x, y)];
    }
    return x == a || x == b ? parents_[x] : x;
}

}  // namespace kymo::spacetime
