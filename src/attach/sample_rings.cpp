#include "attach/sample_rings.h"

#include "attach/native.h"
#include "base/descriptor.h"
#include "base/time.h"
#include "events/attributes.h"
#include "events/probe.h"
#include "import/kernel_code.h"
#include "import/perf/origins.h"
#include "launch/kernel_rings.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>
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

perf_event_attr sampled(std::uint64_t config, std::uint64_t period, std::uint32_t stack_bytes) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = config;
    attr.sample_period = period;
    attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                       PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attr.sample_regs_user = native::kRegisterMask;
    attr.sample_stack_user = stack_bytes;
    attr.exclude_hv = 1;
    attr.disabled = 1;
    attr.sample_id_all = 1;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    return attr;
}

Error refusal(int error) {
    switch (error) {
        case ESRCH:
            return {ErrorKind::kNotFound, "the process has ended", "name one that is running: ps -e"};
        case EMFILE:
        case ENFILE:
            return {ErrorKind::kNoSpace, "too many open files: two are needed for each thread and processor",
                    "raise the limit: ulimit -n 100000"};
        case ENOMEM:
            return {ErrorKind::kNoSpace, "no memory for the kernel's events", "attach to fewer threads"};
        case EPERM:
        case EACCES: {
            const events::Machine machine = events::probe();
            const events::Refusal why = machine.performance_events() ? events::why_no_kernel_counting(machine)
                                                                     : events::why_no_performance_events(machine);
            return {ErrorKind::kPermission, "the kernel does not let this user measure that from outside: " + why.why,
                    "for a process of another user, or the whole machine, run as root; " + why.remedy};
        }
        case EBADF:
            return {ErrorKind::kNotFound, "that directory is no control group whose processes the kernel can sample",
                    "name one of cgroup2, or of the perf_event hierarchy of version 1: mount -t cgroup,cgroup2"};
        default:
            return {ErrorKind::kUnsupported,
                    std::string("the kernel refuses to sample from outside: ") + std::strerror(error),
                    "see kymo doctor"};
    }
}

}  // namespace

void SampleRings::make_events(const Scope& scope, const SampleSettings& settings, bool with_kernel) {
    const bool is_tree = !scope.machine && scope.cgroup < 0;
    // Of a whole processor its own clock counts: a task's would run while none does.
    perf_event_attr clock =
        sampled(is_tree ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_CPU_CLOCK,
                kNsPerSecond / std::max<std::uint64_t>(settings.frequency, 1), settings.stack_bytes);
    clock.mmap = 1;
    clock.mmap2 = 1;
    clock.comm = 1;
    clock.comm_exec = 1;
    clock.task = 1;
    clock.context_switch = 1;
    attributes_ = {clock};
    if (with_kernel) {  // where the processor is lost is in the kernel
        attributes_.push_back(sampled(PERF_COUNT_SW_CONTEXT_SWITCHES, 1, settings.stack_bytes));
    }
    for (perf_event_attr& attr : attributes_) {
        attr.inherit = is_tree ? 1 : 0;
        attr.exclude_kernel = with_kernel ? 0 : 1;
        attr.exclude_callchain_kernel = with_kernel && import::shows_kernel_addresses() ? 0 : 1;
        attr.enable_on_exec = settings.on_exec ? 1 : 0;
    }
}

Result<void> SampleRings::open(const Scope& scope, const SampleSettings& settings) {
    allow_many_descriptors();
    make_events(scope, settings, true);
    int error = open_all(scope);
    if (error == EPERM || error == EACCES) {
        make_events(scope, settings, false);
        error = open_all(scope);
        if (error == 0) {
            const events::Refusal why = events::why_no_kernel_counting(events::probe());
            missing_.push_back({"waits by their call, and time in the kernel", why.why, why.remedy});
        }
    }
    if (error != 0) {
        return refusal(error);
    }
    publish_events();
    settled_ = monotonic_now().ns;
    return {};
}

// With the largest rings that there is locked memory for.
int SampleRings::open_all(const Scope& scope) {
    const std::vector<pid_t> all = {scope.cgroup};  // −1: the whole machine's
    const std::vector<pid_t>& threads = scope.machine || scope.cgroup >= 0 ? all : scope.threads;
    int error = ENOMEM;
    is_short_of_memory_ = true;
    for (data_bytes_ = kLargestRing; is_short_of_memory_ && data_bytes_ >= kSmallestRing; data_bytes_ /= 2) {
        close();
        is_short_of_memory_ = false;
        ids_.assign(attributes_.size(), {});
        error = 0;
        for (const int processor : launch::online_processors()) {
            Ring ring;
            for (std::size_t i = 0; i < threads.size() && error == 0; ++i) {
                error = open_events(scope, threads[i], processor, &ring);
                // A thread that has ended meanwhile, and a processor that was taken away.
                error = error == ESRCH || error == ENODEV ? 0 : error;
            }
        }
        if (error == 0 && !rings_.empty()) {
            return 0;
        }
    }
    close();
    return error == 0 ? ESRCH : error;
}

int SampleRings::open_events(const Scope& scope, int thread, int processor, Ring* ring) {
    const unsigned long flags = PERF_FLAG_FD_CLOEXEC | (scope.cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0);
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
        const auto descriptor =
            static_cast<int>(syscall(SYS_perf_event_open, &attributes_[i], thread, processor, -1, flags));
        if (descriptor < 0) {
            return errno;
        }
        descriptors_.push_back(descriptor);
        std::uint64_t id = 0;
        if (ioctl(descriptor, PERF_EVENT_IOC_ID, &id) != 0) {
            return errno;
        }
        ids_[i].push_back(id);
        if (const int error = add_to_ring(descriptor, ring); error != 0) {
            return error;
        }
    }
    return 0;
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
    *ring = {descriptor, mapping, data_bytes_};
    rings_.push_back(*ring);
    return 0;
}

void SampleRings::publish_events() {
    events_ = perf::Events();
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
        const perf_event_attr& attr = attributes_[i];
        perf::Attribute made;
        made.name = i == 0 ? "task-clock" : "context-switches";
        made.type = attr.type;
        made.config = attr.config;
        made.sample_type = attr.sample_type;
        made.period = attr.sample_period;
        made.exclude_kernel = attr.exclude_kernel != 0;
        made.exclude_hypervisor = true;
        made.inherit = attr.inherit != 0;
        made.sample_id_all = true;
        made.context_switch = attr.context_switch != 0;
        made.use_clockid = true;
        made.clockid = attr.clockid;
        made.sample_regs_user = attr.sample_regs_user;
        made.sample_stack_user = attr.sample_stack_user;
        made.ids = ids_[i];
        events_.add(std::move(made));
    }
}

void SampleRings::enable(bool on) {
    for (const int descriptor : descriptors_) {
        ioctl(descriptor, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
    }
}

void SampleRings::close() {
    for (const Ring& ring : rings_) {
        munmap(ring.mapping, page_bytes() + ring.data_bytes);
    }
    rings_.clear();
    for (const int descriptor : descriptors_) {
        ::close(descriptor);
    }
    descriptors_.clear();
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
    const auto record_at = [&](const Place& place) {
        const std::span<const std::uint8_t> left(held_.data() + place.at, held_.size() - place.at);
        return left.first(perf::read_record_header(left, {}).size);
    };
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
