#include "spacetime/load/system_place.h"

#include "spacetime/load/sample_time.h"

#include <cmath>
#include <unordered_map>

namespace kymo::spacetime {

namespace {

constexpr double kSigmas = 2;

// How much of a stretch of time the thread was off its processor.
class OffTime {
  public:
    explicit OffTime(std::span<const OffInterval> offs) : offs_(offs) {
        upto_.reserve(offs.size());
        std::uint64_t sum = 0;
        for (const OffInterval& off : offs) {
            upto_.push_back(sum);
            sum += off.end - off.begin;
        }
    }
    std::uint64_t between(std::uint64_t begin, std::uint64_t end) const { return before(end) - before(begin); }

  private:
    std::uint64_t before(std::uint64_t time) const {
        const auto next = std::upper_bound(offs_.begin(), offs_.end(), time,
                                           [](std::uint64_t at, const OffInterval& off) { return at < off.begin; });
        if (next == offs_.begin()) {
            return 0;
        }
        const OffInterval& off = *(next - 1);
        return upto_[static_cast<std::size_t>(next - offs_.begin()) - 1] + std::min(time, off.end) - off.begin;
    }

    std::span<const OffInterval> offs_;
    std::vector<std::uint64_t> upto_;  // by interval: the lengths of those before it
};

// Of a call path's recorded waits.
struct Recorded {
    std::uint64_t on_ns = 0;  // on a processor
    std::size_t looks = 0;    // in them
    std::size_t kept = 0;
    std::size_t seen = 0;

    void decide() {
        const double explained = static_cast<double>(on_ns) / static_cast<double>(kLookNs);
        const double beyond = static_cast<double>(looks) - explained;
        kept = beyond > kSigmas * std::sqrt(static_cast<double>(looks)) ? static_cast<std::size_t>(beyond) : 0;
    }
    // Of the next one of its looks; those that are kept lie evenly among all.
    bool keeps() {
        const std::size_t before = seen * kept / looks;
        ++seen;
        return seen * kept / looks != before;
    }
};

}  // namespace

void lay_in_time(std::vector<KernelLook>* looks, std::span<const ThreadWait> waits,
                 std::span<const OffInterval> offs) {
    if (looks->empty()) {
        return;
    }
    std::sort(looks->begin(), looks->end(), [](const KernelLook& a, const KernelLook& b) { return a.time < b.time; });
    const OffTime off(offs);
    std::unordered_map<std::uint32_t, Recorded> by_path;
    std::vector<const ThreadWait*> order;
    order.reserve(waits.size());
    for (const ThreadWait& wait : waits) {
        order.push_back(&wait);
        by_path[wait.context].on_ns += wait.end - wait.begin - off.between(wait.begin, wait.end);
    }
    std::sort(order.begin(), order.end(),
              [](const ThreadWait* a, const ThreadWait* b) { return a->begin < b->begin; });
    std::vector<Recorded*> found;  // by look; nullptr: it is in none
    found.reserve(looks->size());
    std::size_t next = 0;
    const ThreadWait* cover = nullptr;  // of those that have begun, the one that ends last
    for (const KernelLook& look : *looks) {
        for (; next < order.size() && order[next]->begin <= look.time; ++next) {
            cover = cover == nullptr || order[next]->end > cover->end ? order[next] : cover;
        }
        found.push_back(cover != nullptr && look.time < cover->end ? &by_path[cover->context] : nullptr);
        if (found.back() != nullptr) {
            ++found.back()->looks;
        }
    }
    for (auto& [path, recorded] : by_path) {
        recorded.decide();
    }
    auto of = found.begin();
    std::erase_if(*looks, [&](const KernelLook& /*look*/) {
        Recorded* const recorded = *of++;
        return recorded != nullptr && !recorded->keeps();
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
