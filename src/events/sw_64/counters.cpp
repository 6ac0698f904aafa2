#include "events/sw_64/counters.h"

#include "events/sw_64/selectors.h"

#include <algorithm>
#include <cerrno>

namespace kymo::events::sw_64 {
namespace {

constexpr std::uint64_t kMostChange = 8;
constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMostPeriod = std::uint64_t{1} << 60U;

}  // namespace

std::uint64_t next_period(std::uint64_t period, std::uint64_t elapsed_ns, std::uint64_t frequency) {
    const std::uint64_t most = period <= kMostPeriod / kMostChange ? period * kMostChange : kMostPeriod;
    const std::uint64_t least = std::max<std::uint64_t>(period / kMostChange, 1);
    __extension__ using Wide = unsigned __int128;
    const Wide divisor = Wide{elapsed_ns} * frequency;
    const Wide wanted = divisor == 0 ? Wide{most} : Wide{period} * kSecond / divisor;
    return wanted >= most ? most : std::max(static_cast<std::uint64_t>(wanted), least);
}

int Counters::open(const perf_event_attr& attr, std::uint64_t now_ns) {
    const auto selection = select(attr.type, attr.config);
    if (!selection) {
        return -ENOENT;
    }
    if (attr.precise_ip != 0) {
        return -EOPNOTSUPP;
    }
    if (attr.exclude_hv != 0 || attr.exclude_idle != 0 || attr.exclude_host != 0 || attr.exclude_guest != 0) {
        return -EINVAL;
    }
    unsigned set = selection->set.value_or(0);
    if (!selection->set) {
        while (set < kSets && uses_[set].is_open) {
            ++set;
        }
    }
    if (set == kSets || uses_[set].is_open) {
        return -ENOSPC;
    }
    uses_[set] = {.is_open = true};
    if (attr.freq != 0 && attr.sample_freq != 0) {
        uses_[set].frequency = attr.sample_freq;
        uses_[set].period = 1;
    } else if (attr.freq == 0) {
        uses_[set].period = attr.sample_period;
    }
    start(set, 0 - uses_[set].period, now_ns);
    const std::uint64_t bit = std::uint64_t{1} << set;
    registers_.write_int_clr(bit);
    registers_.write_int_en(uses_[set].period != 0 ? registers_.int_en() | bit : registers_.int_en() & ~bit);
    registers_.write_control(set, selection->selector | kCounting | (attr.exclude_user != 0 ? 0 : kCountsUser) |
                                      (attr.exclude_kernel != 0 ? 0 : kCountsKernel));
    return static_cast<int>(set);
}

void Counters::close(unsigned set) {
    const std::uint64_t bit = std::uint64_t{1} << set;
    registers_.write_control(set, 0);
    registers_.write_int_en(registers_.int_en() & ~bit);
    registers_.write_int_clr(bit);
    uses_[set] = {};
}

std::uint64_t Counters::total(unsigned set) const {
    return uses_[set].before + (registers_.value(set) - uses_[set].initial);
}

void Counters::start(unsigned set, std::uint64_t initial, std::uint64_t now_ns) {
    uses_[set].initial = initial;
    uses_[set].started_ns = now_ns;
    registers_.write_value(set, initial);
}

// Events that came after the overflow are the next period's; where they are a whole period or more, that is missed.
Overflow Counters::restart(unsigned set, std::uint64_t now_ns) {
    Use& use = uses_[set];
    Overflow overflow{.set = set, .time_ns = now_ns, .period = use.period};
    const std::uint64_t behind = registers_.value(set);
    use.before = total(set);
    if (use.frequency != 0) {
        use.period = next_period(use.period, now_ns - use.started_ns, use.frequency);
    }
    overflow.missed = behind / use.period;
    start(set, behind % use.period - use.period, now_ns);
    return overflow;
}

void Counters::handle(std::uint64_t now_ns, const std::function<void(const Overflow&)>& report) {
    for (unsigned set = 0; set < kSets; ++set) {
        const std::uint64_t bit = std::uint64_t{1} << set;
        if ((registers_.int_stat() & bit) == 0) {
            continue;
        }
        registers_.write_int_clr(bit);
        if (uses_[set].period != 0) {
            report(restart(set, now_ns));
        }
    }
}

void Counters::run(std::uint8_t selector, Mode mode, std::uint64_t events, std::uint64_t now_ns,
                   const std::function<void(const Overflow&)>& report) {
    while (events != 0) {
        const std::uint64_t step = std::min(events, registers_.until_interrupt(selector, mode));
        registers_.count(selector, mode, step);
        events -= step;
        if (registers_.is_raised()) {
            handle(now_ns, report);
        }
    }
}

}  // namespace kymo::events::sw_64
