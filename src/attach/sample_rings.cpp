#include "attach/sample_rings.h"

#include "base/descriptor.h"
#include "base/time.h"
#include "events/probe.h"
#include "import/perf/origins.h"
#include "launch/kernel_rings.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::attach {
namespace {

namespace perf = import::perf;

constexpr std::size_t kLargestRing = std::size_t{8} << 20U;
constexpr std::size_t kSmallestRing = std::size_t{128} << 10U;  // holds two records of the largest kind

std::size_t page_bytes() {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// What the events are opened on, as perf_event_open() has it; −1: the whole machine.
std::vector<pid_t> targets_of(const Scope& scope) {
    return scope.is_tree() ? scope.threads : std::vector<pid_t>{scope.cgroup};
}

void close_all(std::vector<int>& descriptors) {
    for (const int descriptor : descriptors) {
        ::close(descriptor);
    }
    descriptors.clear();
}

}  // namespace

Result<void> SampleRings::open(const Scope& scope, const SampleSettings& settings) {
    allow_many_descriptors();
    const auto waking = waking_tracepoint();
    const auto is_refused = [](int error) { return error == EPERM || error == EACCES; };
    int error = waking ? open_all(scope, settings, true, *waking) : EPERM;
    if (is_refused(error)) {
        missing_.push_back({"who woke a waiting thread",
                            waking ? "this user may not have the kernel's tracepoints" : waking.error().what,
                            waking           ? "run as root, or: sudo sysctl kernel.perf_event_paranoid=-1"
                            : geteuid() == 0 ? waking.error().next
                                             : "run as root; where that is not enough: " + waking.error().next});
        error = open_all(scope, settings, true, std::nullopt);
    }
    if (is_refused(error)) {
        error = open_all(scope, settings, false, std::nullopt);
        if (error == 0) {
            const events::Refusal why = events::why_no_kernel_counting(events::probe());
            missing_.push_back({"waits by their call, and time in the kernel", why.why, why.remedy});
        }
    }
    if (error != 0) {
        return refused_ ? events::why_refused(settings.asked[*refused_], error, events::probe())
                        : refusal(error, settings.asked.size());
    }
    settled_ = monotonic_now().ns;
    return {};
}

// With the largest rings that there is locked memory for.
int SampleRings::open_all(const Scope& scope, const SampleSettings& settings, bool with_kernel,
                          std::optional<std::uint64_t> waking) {
    const perf_event_attr lasting = lasting_event(scope, settings, with_kernel, waking);
    sampling_ = sampling_events(scope, settings, with_kernel);
    asked_.clear();
    for (const events::SessionEvent& event : settings.asked) {
        asked_.push_back(asked_event(event, scope, settings, with_kernel));
    }
    const auto others = static_cast<std::uint32_t>(sampling_.size() + asked_.size());
    switches_ = with_kernel ? kSwitches : perf::kNotGiven;
    wakes_ = waking ? others : perf::kNotGiven;
    int error = ENOMEM;
    is_short_of_memory_ = true;
    for (data_bytes_ = kLargestRing; data_bytes_ >= kSmallestRing; data_bytes_ /= 2) {
        close();
        is_short_of_memory_ = false;
        events_ = perf::Events();
        events_.add(described(sampling_[kClock], "task-clock"));
        if (with_kernel) {
            events_.add(described(sampling_[kSwitches], "context-switches"));
        }
        for (std::size_t i = 0; i < asked_.size(); ++i) {
            events_.add(described(asked_[i], settings.asked[i].name));
        }
        if (waking) {
            events_.add(described(lasting, "sched:sched_waking"));
        }
        refused_.reset();
        error = open_lasting(scope, lasting);
        error = error == 0 ? open_sampling(scope, &samplers_) : error;
        error = error == 0 ? open_asked(scope) : error;
        if (error == 0 && !rings_.empty()) {
            return 0;
        }
        if (!is_short_of_memory_) {
            break;
        }
    }
    close();
    return error == 0 ? ESRCH : error;
}

int SampleRings::open_lasting(const Scope& scope, const perf_event_attr& attr) {
    const std::uint32_t event = attr.type == PERF_TYPE_TRACEPOINT ? wakes_ : kClock;
    for (const int processor : launch::online_processors()) {
        Ring ring;
        ring.processor = processor;
        for (const pid_t target : targets_of(scope)) {
            int error = open_event(scope, attr, target, processor, event, &lasting_);
            if (error == 0) {
                error = add_to_ring(lasting_.back(), &ring);
            }
            // A thread that has ended meanwhile, and a processor that was taken away.
            if (error != 0 && error != ESRCH && error != ENODEV) {
                return error;
            }
        }
    }
    return 0;
}

int SampleRings::open_sampling(const Scope& scope, std::vector<int>* to) {
    for (std::uint32_t i = 0; i < sampling_.size(); ++i) {
        if (const int error = open_into_rings(scope, sampling_[i], i, to); error != 0) {
            return error;
        }
    }
    return 0;
}

int SampleRings::open_asked(const Scope& scope) {
    asked_ends_.assign(1, lasting_.size());
    for (std::uint32_t i = 0; i < asked_.size(); ++i) {
        const auto event = static_cast<std::uint32_t>(sampling_.size()) + i;
        if (const int error = open_into_rings(scope, asked_[i], event, &lasting_); error != 0) {
            const bool is_short = error == EMFILE || error == ENFILE || error == ENOMEM;
            refused_ = is_short ? std::nullopt : std::optional<std::size_t>(i);
            return error;
        }
        asked_ends_.push_back(lasting_.size());
    }
    return 0;
}

int SampleRings::open_into_rings(const Scope& scope, const perf_event_attr& attr, std::uint32_t event,
                                 std::vector<int>* to) {
    for (const Ring& ring : rings_) {
        for (const pid_t target : targets_of(scope)) {
            int error = open_event(scope, attr, target, ring.processor, event, to);
            if (error == 0 && ioctl(to->back(), PERF_EVENT_IOC_SET_OUTPUT, ring.descriptor) != 0) {
                error = errno;
            }
            // A thread that has ended meanwhile, and a processor that was taken away.
            if (error != 0 && error != ESRCH && error != ENODEV) {
                return error;
            }
        }
    }
    return 0;
}

int SampleRings::open_event(const Scope& scope, const perf_event_attr& attr, int thread, int processor,
                            std::uint32_t event, std::vector<int>* to) {
    const unsigned long flags = PERF_FLAG_FD_CLOEXEC | (scope.cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0);
    const auto descriptor = static_cast<int>(syscall(SYS_perf_event_open, &attr, thread, processor, -1, flags));
    if (descriptor < 0) {
        return errno;
    }
    to->push_back(descriptor);
    std::uint64_t id = 0;
    if (ioctl(descriptor, PERF_EVENT_IOC_ID, &id) != 0) {
        return errno;
    }
    return events_.add_id(event, id) ? 0 : ENOMEM;
}

// A processor's first event has the ring, which the others write to.
int SampleRings::add_to_ring(int descriptor, Ring* ring) {
    if (ring->mapping != nullptr) {
        return ioctl(descriptor, PERF_EVENT_IOC_SET_OUTPUT, ring->descriptor) == 0 ? 0 : errno;
    }
    void* const mapping =
        mmap(nullptr, page_bytes() + data_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapping == MAP_FAILED) {
        is_short_of_memory_ = errno == EPERM || errno == ENOMEM;
        return errno;
    }
    ring->descriptor = descriptor;
    ring->mapping = mapping;
    ring->data_bytes = data_bytes_;
    rings_.push_back(*ring);
    return 0;
}

int SampleRings::begin_change(const Scope& scope, std::uint32_t stack_bytes) {
    for (perf_event_attr& attr : sampling_) {
        attr.sample_stack_user = stack_bytes;
        attr.disabled = 0;
        attr.enable_on_exec = 0;
    }
    return open_sampling(scope, &changed_);
}

int SampleRings::add_to_change(const Scope& scope) {
    return open_sampling(scope, &changed_);
}

void SampleRings::end_change(bool is_made) {
    if (is_made) {
        std::swap(samplers_, changed_);
    }
    lost_before_ += lost_by_all(changed_);
    close_all(changed_);
}

std::uint64_t SampleRings::lost_by_all(std::span<const int> descriptors) const {
    std::uint64_t lost = 0;
    for (const int descriptor : descriptors) {
        lost += lost_by(descriptor, sampling_.front());  // of all events the same in this
    }
    return lost;
}

std::uint64_t SampleRings::lost() const {
    return lost_before_ + lost_by_all(samplers_) + lost_by_all(lasting_);
}

void SampleRings::tell_lost_of_asked() {
    for (std::size_t i = 0; i + 1 < asked_ends_.size(); ++i) {
        const auto own = std::span<const int>(lasting_).subspan(asked_ends_[i], asked_ends_[i + 1] - asked_ends_[i]);
        if (const std::uint64_t lost = lost_by_all(own); lost != 0) {
            const std::string& name = events_.all()[sampling_.size() + i].name;
            missing_.push_back({std::to_string(lost) + " samples of " + name,
                                "the kernel had no room for them, so that the event is counted too low",
                                "a longer period, or less of the stack: --stack 1024"});
        }
    }
}

void SampleRings::enable(bool on) {
    for (const auto* descriptors : {&lasting_, &samplers_}) {
        for (const int descriptor : *descriptors) {
            ioctl(descriptor, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
        }
    }
}

void SampleRings::close() {
    for (const Ring& ring : rings_) {
        munmap(ring.mapping, page_bytes() + ring.data_bytes);
    }
    rings_.clear();
    close_all(changed_);
    close_all(samplers_);
    close_all(lasting_);
}

void SampleRings::append_poll(std::vector<pollfd>& descriptors) const {
    for (const Ring& ring : rings_) {
        descriptors.push_back({ring.descriptor, POLLIN, 0});
    }
}

void SampleRings::take(const Ring& ring) {
    auto* const control = static_cast<perf_event_mmap_page*>(ring.mapping);
    const auto* const data = static_cast<const std::uint8_t*>(ring.mapping) + page_bytes();
    const std::uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
    const std::uint64_t tail = control->data_tail;
    const std::size_t count = std::min<std::uint64_t>(head - tail, ring.data_bytes);
    const std::size_t from = tail % ring.data_bytes;
    const std::size_t before_end = std::min(count, ring.data_bytes - from);
    std::size_t at = held_.size();
    held_.resize(at + count);
    std::memcpy(held_.data() + at, data + from, before_end);
    std::memcpy(held_.data() + at + before_end, data, count - before_end);
    __atomic_store_n(&control->data_tail, head, __ATOMIC_RELEASE);
    bytes_seen_ += count;
    while (held_.size() - at >= perf::kRecordHeader) {
        const std::span<const std::uint8_t> left(held_.data() + at, held_.size() - at);
        const perf::RecordHeader header = perf::read_record_header(left, {});
        if (header.size < perf::kRecordHeader || header.size > left.size()) {
            return;
        }
        const auto time = perf::time_of(events_, header, left.first(header.size), {});
        if (time && perf::is_delivered(header.type)) {
            places_.push_back({*time, at});
        }
        at += header.size;
    }
}

std::span<const std::uint8_t> SampleRings::record_at(const Place& place) const {
    const std::span<const std::uint8_t> left(held_.data() + place.at, held_.size() - place.at);
    return left.first(perf::read_record_header(left, {}).size);
}

void SampleRings::look_ahead(std::uint32_t type, perf::Visitor& to) {
    for (const Ring& ring : rings_) {
        take(ring);
    }
    perf::RecordReader reader(events_, {}, to);
    for (const Place& place : places_) {
        const auto record = record_at(place);
        if (const auto header = perf::read_record_header(record, {}); header.type == type) {
            reader.deliver(header, record, place.time);
        }
    }
}

void SampleRings::drain(bool last, perf::Visitor& to) {
    const std::uint64_t begun = monotonic_now().ns;
    for (const Ring& ring : rings_) {
        take(ring);
    }
    std::stable_sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) { return a.time < b.time; });
    const auto ready = last ? places_.end() : std::find_if(places_.begin(), places_.end(), [&](const Place& place) {
        return place.time >= settled_;
    });
    perf::RecordReader reader(events_, {}, to);
    std::for_each(places_.begin(), ready, [&](const Place& place) {
        const auto record = record_at(place);
        reader.deliver(perf::read_record_header(record, {}), record, place.time);
    });
    std::vector<std::uint8_t> kept;
    for (auto place = ready; place != places_.end(); ++place) {
        const auto record = record_at(*place);
        place->at = kept.size();
        kept.insert(kept.end(), record.begin(), record.end());
    }
    held_ = std::move(kept);
    places_.erase(places_.begin(), ready);
    settled_ = begun;
}

}  // namespace kymo::attach
