#include "monitor/sampling/counted_by_usage.h"

#include "events/attributes.h"
#include "monitor/clock.h"
#include "monitor/sampling/usage.h"

namespace kymo::monitor {

namespace {

// The clock of another thread of this process (clock_getcpuclockid's formula, which is kernel ABI).
clockid_t thread_clock(int tid) {
    constexpr int kPerThread = 4;
    constexpr int kScheduler = 2;
    return static_cast<clockid_t>((~static_cast<unsigned>(tid) << 3U) | kPerThread | kScheduler);
}

}  // namespace

void CountedByUsage::open(const events::Session& session, int tid, const rusage& usage, const timespec& spent) {
    session_ = &session;
    tid_ = tid;
    events_ = 0;
    fill_from_usage(session, usage, spent, at_open_);
}

void CountedByUsage::fill(CounterValues& values, const rusage* own, const CounterValues& latest) const {
    if (events_ == 0) {
        return;
    }
    CounterValues all = latest;
    if (own != nullptr) {
        fill_since_open(*own, {}, all);
    }
    for (std::size_t i = 1; i < session_->event_count; ++i) {
        if (has(i)) {
            values.value[i] = all.value[i];
        }
    }
}

void CountedByUsage::read(CounterValues& values, const rusage* own, const CounterValues& latest) const {
    timespec spent{};
    values = latest;
    if (own != nullptr && clock_function(CLOCK_THREAD_CPUTIME_ID, &spent) == 0) {
        fill_since_open(*own, spent, values);
    } else if (own == nullptr && clock_function(thread_clock(tid_), &spent) == 0) {
        values.value[0] = values.enabled_ns = values.running_ns = since(nanoseconds(spent), at_open_.value[0]);
    }
}

void CountedByUsage::fill_since_open(const rusage& usage, const timespec& spent, CounterValues& values) const {
    fill_from_usage(*session_, usage, spent, values);
    for (std::size_t i = 0; i < kMaxValues; ++i) {
        const bool counts = i < session_->event_count ? usage_counts(session_->events[i])
                                                      : i == session_->event_count && adds_system_time(*session_);
        if (counts) {
            values.value[i] = since(values.value[i], at_open_.value[i]);
        }
    }
    values.enabled_ns = values.running_ns = since(values.enabled_ns, at_open_.enabled_ns);
}

bool usage_counts(const events::SessionEvent& event) {
    if (event.type == events::kUsageType) {
        return true;
    }
    return event.type == PERF_TYPE_SOFTWARE &&
           (events::is_clock(event) || event.config == PERF_COUNT_SW_PAGE_FAULTS ||
            event.config == PERF_COUNT_SW_PAGE_FAULTS_MIN || event.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ ||
            event.config == PERF_COUNT_SW_CONTEXT_SWITCHES);
}

void fill_from_usage(const events::Session& session, const rusage& usage, const timespec& spent,
                     CounterValues& values) {
    const auto count = [](long one, long other) { return static_cast<std::uint64_t>(one + other); };
    for (std::size_t i = 0; i < session.event_count; ++i) {
        if (!usage_counts(session.events[i])) {
            continue;
        }
        std::uint64_t& value = values.value[i];
        if (session.events[i].type == events::kUsageType) {
            value = nanoseconds(usage.ru_stime);
            continue;
        }
        switch (session.events[i].config) {
            case PERF_COUNT_SW_PAGE_FAULTS:
                value = count(usage.ru_minflt, usage.ru_majflt);
                break;
            case PERF_COUNT_SW_PAGE_FAULTS_MIN:
                value = count(usage.ru_minflt, 0);
                break;
            case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
                value = count(usage.ru_majflt, 0);
                break;
            case PERF_COUNT_SW_CONTEXT_SWITCHES:
                value = count(usage.ru_nvcsw, usage.ru_nivcsw);
                break;
            default:
                value = nanoseconds(spent);
                break;
        }
    }
    if (adds_system_time(session)) {
        values.value[session.event_count] = nanoseconds(usage.ru_stime);
    }
    values.enabled_ns = values.running_ns = nanoseconds(spent);
}

}  // namespace kymo::monitor
