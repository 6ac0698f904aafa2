// What the monitor writes about the process: its file, the head of it, images, streams and their ends.

#include "base/job_rank.h"
#include "events/event_rows.h"
#include "monitor/process/process.h"
#include "monitor/sampling/nanoseconds.h"
#include "monitor/sampling/second_look.h"

#include <cerrno>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace kymo::monitor {

namespace {

static_assert(static_cast<int>(unwind::PathEnd::kComplete) == static_cast<int>(recording::PathEnd::kComplete));
static_assert(static_cast<int>(unwind::PathEnd::kNotWalked) == static_cast<int>(recording::PathEnd::kNotWalked));
static_assert(static_cast<int>(unwind::PathEnd::kNoRule) == static_cast<int>(recording::PathEnd::kNoRule));
static_assert(static_cast<int>(unwind::PathEnd::kBadRule) == static_cast<int>(recording::PathEnd::kBadRule));
static_assert(static_cast<int>(unwind::PathEnd::kOutsideStack) ==
              static_cast<int>(recording::PathEnd::kOutsideStack));
static_assert(static_cast<int>(unwind::PathEnd::kNoProgress) == static_cast<int>(recording::PathEnd::kNoProgress));
static_assert(static_cast<int>(unwind::PathEnd::kTooDeep) == static_cast<int>(recording::PathEnd::kTooDeep));
static_assert(static_cast<int>(unwind::PathEnd::kUnmapped) == static_cast<int>(recording::PathEnd::kUnmapped));

#if defined(__x86_64__)
constexpr std::uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kMachine = EM_AARCH64;
#endif

constexpr std::size_t kCommandBytes = 4096;

// Appends text to a bounded buffer; numbers and paths without stdio.
class Text {
  public:
    Text(char* at, std::size_t bytes) : begin_(at), at_(at), end_(at + bytes - 1) { *at_ = 0; }
    Text& operator<<(const char* text) {
        while (*text != 0 && at_ < end_) {
            *at_++ = *text++;
        }
        *at_ = 0;
        return *this;
    }
    Text& operator<<(unsigned long number) {
        char digits[24];
        char* first = digits + sizeof digits - 1;
        *first = 0;
        do {
            *--first = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        return *this << first;
    }
    std::string_view view() const { return {begin_, static_cast<std::size_t>(at_ - begin_)}; }

  private:
    char* begin_;
    char* at_;
    char* end_;
};

// The name a thread gave itself, or got from the program.
bool thread_name(int tid, bool own_thread, char* name, std::size_t bytes) {
    if (own_thread) {
        return prctl(PR_GET_NAME, name) == 0;
    }
    char path[64];
    Text(path, sizeof path) << "/proc/self/task/" << static_cast<unsigned long>(tid) << "/comm";
    const auto file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
    if (file < 0) {
        return false;
    }
    const ssize_t length = syscall(SYS_read, file, name, bytes - 1);
    syscall(SYS_close, file);
    if (length <= 1) {
        return false;
    }
    name[length - 1] = 0;  // in place of the newline
    return true;
}

// Nanoseconds that the calling thread was ready to run and had no processor: the second figure of its schedstat.
// False where the kernel does not keep it.
bool run_delay(std::uint64_t& ns) {
    const auto file =
        static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
    if (file < 0) {
        return false;
    }
    char text[96];
    const ssize_t length = syscall(SYS_read, file, text, sizeof text);
    syscall(SYS_close, file);
    ssize_t at = 0;
    while (at < length && text[at] != ' ') {
        ++at;
    }
    ns = 0;
    const ssize_t first = ++at;
    for (; at < length && text[at] >= '0' && text[at] <= '9'; ++at) {
        ns = 10 * ns + static_cast<std::uint64_t>(text[at] - '0');
    }
    return at > first && at < length;
}

recording::Image image_row(ImageId id, const image::LoadedImage& image) {
    recording::Image row;
    row.time = clock_now();
    row.image = raw(id);
    row.begin = image.range.begin;
    row.end = image.range.end;
    row.bias = image.bias;
    row.path = image.path;
    row.build_id = {reinterpret_cast<const char*>(image.build_id.data()), image.build_id.size()};
    return row;
}

}  // namespace

bool Process::open_new_file() {
    if (file_failed_) {
        return false;
    }
    recording::FileOptions options;
    options.max_bytes = session_.max_bytes;
    options.machine = kMachine;
    options.pid = static_cast<std::uint32_t>(pid_);
    options.producer = "kymo monitor";
    options.descriptor_floor = descriptors_.base();
    static char path[events::kPathBytes + 64];  // under log_lock_; and not on a caller's stack
    int error = EEXIST;
    // A process that execs has one file an image of itself.
    for (unsigned long number = 0; error == EEXIST && number < 10'000; ++number) {
        Text text(path, sizeof path);
        text << session_.directory << "/process-" << static_cast<unsigned long>(pid_) << "-" << number << ".krec";
        error = file_.create(path, options);
    }
    if (error != 0) {
        file_failed_ = true;
        return false;
    }
    log_.open(file_, StreamId{0});
    write_head();
    write_living_images();  // a forked child knows its parent's
    return true;
}

std::string_view Process::arguments(std::span<char> room) const {
    std::size_t bytes = 0;
    for (int i = 0; i < argc_ && argv_[i] != nullptr; ++i) {
        const std::size_t length = __builtin_strlen(argv_[i]) + 1;
        if (bytes + length > room.size()) {
            break;
        }
        __builtin_memcpy(room.data() + bytes, argv_[i], length);
        bytes += length;
    }
    return {room.data(), bytes};
}

std::string_view own_executable(std::span<char> room) {
    const ssize_t length = readlink("/proc/self/exe", room.data(), room.size());
    return {room.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

void Process::write_head() {
    recording::write_schemas(log_);

    static char command[kCommandBytes];  // under log_lock_, as above
    static char executable[events::kPathBytes];
    recording::Process row;
    row.time = start_time_;
    row.pid = static_cast<std::uint64_t>(pid_);
    row.parent_pid = static_cast<std::uint64_t>(syscall(SYS_getppid));
    row.executable = own_executable(executable);
    row.command = arguments(command);
    row.mechanism = static_cast<std::uint64_t>(session_.mechanism);
    log_.append(row);
    if (const JobRank found = find_job_rank([](const char* name) { return getenv(name); }); found.known) {
        utsname system{};
        uname(&system);
        recording::Rank place;
        place.rank = found.rank;
        place.size = found.size;
        place.host = system.nodename;
        log_.append(place);
    }

    events::for_each_event_row<recording::Event>(session_,
                                                 [this](const recording::Event& event) { log_.append(event); });
}

void Process::write_living_images() {
    for (std::uint32_t id = 1; id <= images_.count(); ++id) {
        const unwind::ImageSet::Entry& entry = images_.entry(ImageId{id});
        if (entry.is_alive() && entry.image != nullptr) {
            log_.append(image_row(ImageId{id}, *entry.image));
        }
    }
}

void Process::image_added(void* self, ImageId id, const image::LoadedImage& image) {
    second_look.image_added(id, image);
    static_cast<Process*>(self)->log(image_row(id, image));
}

void Process::image_removed(void* self, ImageId id) {
    recording::ImageEnd row;
    row.time = clock_now();
    row.image = raw(id);
    static_cast<Process*>(self)->log(row);
}

bool Process::announce(ThreadState& thread) {
    if (thread.announced) {
        return true;
    }
    {
        const Locked locked(log_lock_);
        if (!open_file()) {
            return false;
        }
    }
    know_own_image();
    tell_unavailable(thread.counters.outcome());
    // DWARF's numbering, the program counter last: also the order in memory.
    std::uint64_t registers[sizeof(unwind::Registers) / sizeof(std::uint64_t)];
    recording::Stream row;
    row.time = thread.begin_time;
    row.stream = raw(thread.stream);
    row.tid = static_cast<std::uint64_t>(thread.tid);
    row.mechanism = static_cast<std::uint64_t>(thread.counters.kind());
    const CreationContext& creation = thread.creation;
    if (creation.known) {
        row.creator_stream = raw(creation.creator);
        row.creator_context = raw(creation.context);
        row.stack_pointer = creation.registers.sp();
        row.blocked_signals = creation.blocked_signals;
        __builtin_memcpy(registers, &creation.registers, sizeof registers);
        row.registers = registers;
        row.float_registers = {reinterpret_cast<const char*>(&creation.float_registers),
                               sizeof creation.float_registers};
    }
    if (!log(row)) {
        return false;
    }
    thread.writer.open(file_, thread.stream);
    thread.announced = true;
    write_life(thread, row.time, recording::TaskChange::kFork);
    return true;
}

CounterValues Process::write_stream_end(ThreadState& thread, bool own_thread) {
    CounterValues values = thread.last;
    rusage space{};
    const rusage* usage = own_thread ? Counters::own_usage(space) : nullptr;
    thread.counters.read(values, usage);
    recording::StreamEnd row;
    row.time = clock_now();
    row.stream = raw(thread.stream);
    row.totals = {values.value, thread.counters.value_count()};
    row.enabled_ns = values.enabled_ns;
    row.running_ns = values.running_ns;
    if (usage != nullptr) {
        row.user_ns = nanoseconds(usage->ru_utime);
        row.system_ns = nanoseconds(usage->ru_stime);
        row.voluntary = static_cast<std::uint64_t>(usage->ru_nvcsw);
        row.involuntary = static_cast<std::uint64_t>(usage->ru_nivcsw);
        row.asked = recording::kAskedSwitches;
        // Where there are performance events, there are the kernel's records of every switch.
        if (thread.counters.kind() == CounterKind::kThreadTimer && run_delay(row.run_delay_ns)) {
            row.asked |= recording::kAskedRunDelay;
        }
    }
    write_life(thread, row.time, recording::TaskChange::kExit);
    row.lost = thread.counters.lost() + values.kernel_lost;
    row.throttled = thread.counters.throttled();
    row.merged = thread.merged;
    row.unwritten = thread.writer.unwritten();
    row.monitor_ns = thread.monitor_ns;
    row.paths = {thread.paths, recording::kPathEnds};
    log(row);
    if (thread.left_out_samples != 0) {
        recording::LeftOut entry;
        entry.stream = raw(thread.stream);
        entry.samples = thread.left_out_samples;
        log(entry);
    }
    write_brief_waits(thread);

    char name[64] = {};
    if (thread_name(thread.tid, own_thread, name, sizeof name)) {
        recording::StreamName entry;
        entry.stream = raw(thread.stream);
        entry.name = name;
        log(entry);
    }
    return values;
}

void Process::write_brief_waits(const ThreadState& thread) {
    for (unsigned kind = 0; kind < recording::kWaitKinds; ++kind) {
        const WaitState::Sum& sum = thread.waits.brief[kind];
        recording::WaitBrief row;
        row.stream = raw(thread.stream);
        row.kind = kind;
        row.count = sum.count.load(std::memory_order_relaxed);
        row.duration = sum.duration.load(std::memory_order_relaxed);
        row.below = thread.waits.brief_below.load(std::memory_order_relaxed);
        if (row.count != 0) {
            log(row);
        }
    }
}

}  // namespace kymo::monitor
