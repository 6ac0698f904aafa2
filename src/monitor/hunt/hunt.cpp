#include "monitor/hunt/hunt.h"

#include "monitor/process/folder_file.h"
#include "monitor/process/images.h"
#include "monitor/process/log.h"
#include "monitor/process/process.h"
#include "monitor/sampling/path.h"
#include "monitor/sampling/signal_entry.h"
#include "monitor/threads/registry.h"
#include "monitor/threads/stream.h"

#include <cerrno>
#include <linux/perf_event.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

constinit Hunt hunt;

namespace {

using pairs::News;
using pairs::Turn;
using recording::HuntKey;

int fetch_descriptor(int holder, std::uint32_t number) {
    return static_cast<int>(syscall(SYS_pidfd_getfd, holder, number, 0));
}

void tell_not_hunted(const char* why) {
    recording::Unavailable row;
    row.what = "the hunt in this process";
    row.why = {why, __builtin_strlen(why)};
    row.remedy = "let the program keep its user and its rights, or use --engine program";
    process_log.write(row);
}

}  // namespace

bool Hunt::begin() {
    char text[pairs::kMaxHuntFile + 1];
    std::size_t size = 0;
    if (process_log.may_be_short() ||
        !read_from_folder(process.session().directory, pairs::kHuntFile, text, sizeof text, &size) ||
        !pairs::parse_hunt_file({text, size}, file_)) {
        return true;
    }
    pid_ = static_cast<int>(syscall(SYS_getpid));
    if (file_.kernel.holder != 0) {
        if (!open_kernel()) {
            return true;
        }
    } else {
        shared_ = &own_;
        pairs::start(own_.machine, file_.rule, file_.seed ^ static_cast<std::uint32_t>(pid_));
    }
    const unwind::ImageSet::Lookup own = images.rule_at(getauxval(AT_ENTRY));
    if (own.image != nullptr) {
        text_begin_ = own.image->begin;
        text_end_ = own.image->end;
    }
    on_ = true;
    if (in_kernel()) {
        kymo_signal_owners.kernel_results = 1;
        tell_program();
    }
    return true;
}

bool Hunt::open_kernel() {
    const auto holder = static_cast<int>(syscall(SYS_pidfd_open, static_cast<long>(file_.kernel.holder), 0L));
    if (holder < 0) {
        tell_not_hunted("the process that holds the kernel's program is gone");
        return false;
    }
    const int program = fetch_descriptor(holder, file_.kernel.program);
    const int state = fetch_descriptor(holder, file_.kernel.state);
    syscall(SYS_close, holder);
    if (state >= 0) {
        void* at = mmap(nullptr, sizeof(pairs::Shared), PROT_READ | PROT_WRITE, MAP_SHARED, state, 0);
        shared_ = at == MAP_FAILED ? nullptr : static_cast<pairs::Shared*>(at);
        syscall(SYS_close, state);
    }
    if (program >= 0) {
        program_ = process.descriptors().adopt(program, nullptr);
    }
    if (shared_ == nullptr || program_ < 0) {
        tell_not_hunted("it may not have the kernel's program (other user, or fewer rights)");
        return false;
    }
    return true;
}

// The address ranges of the program and the monitor: in a free place of the table, or in that of a process that
// has executed another program.
void Hunt::tell_program() const {
    const auto own_code = reinterpret_cast<std::uint64_t>(&fetch_descriptor);
    const unwind::ImageSet::Lookup monitor = images.rule_at(own_code);
    for (std::uint32_t i = 0; i < pairs::kMaxPrograms; ++i) {
        pairs::ProgramText& place = shared_->programs[(static_cast<std::uint32_t>(pid_) + i) % pairs::kMaxPrograms];
        std::uint32_t free = 0;
        if (place.process == static_cast<std::uint32_t>(pid_) ||
            __atomic_compare_exchange_n(&place.process, &free, static_cast<std::uint32_t>(pid_), false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            place.begin = text_begin_;
            place.end = text_end_;
            place.monitor_begin = monitor.image != nullptr ? monitor.image->begin : 0;
            place.monitor_end = monitor.image != nullptr ? monitor.image->end : 0;
            return;
        }
    }
}

void Hunt::thread_begin(ThreadState& thread) {
    thread.hunt_counter = -1;
    if (!in_kernel()) {
        return;
    }
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = file_.attributes.type;
    attr.config = file_.attributes.config;
    attr.config1 = file_.attributes.config1;
    attr.config2 = file_.attributes.config2;
    attr.sample_period = file_.attributes.period;
    attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
    attr.precise_ip = file_.attributes.precise & 3U;
    attr.disabled = 1;
    attr.exclude_hv = 1;
    attr.exclude_kernel = file_.attributes.user_only ? 1 : 0;
    const int counter = events::open_counter(attr, 0, -1, -1);
    if (counter < 0) {
        return;
    }
    thread.hunt_counter = process.descriptors().adopt(counter, nullptr);
    if (thread.hunt_counter >= 0) {
        if (ioctl(thread.hunt_counter, PERF_EVENT_IOC_SET_BPF, program_) != 0) {
            thread_end(thread);
            tell_not_hunted("the kernel does not take an eBPF program for this event");
            return;
        }
        events::set_group_enabled(thread.hunt_counter, true);
    }
}

void Hunt::thread_end(ThreadState& thread) {
    if (thread.hunt_counter >= 0) {
        process.descriptors().close(thread.hunt_counter);
        thread.hunt_counter = -1;
    }
}

std::uint64_t Hunt::key_of(ThreadState& thread, const unwind::Registers& registers, std::uint64_t pc) {
    switch (static_cast<HuntKey>(file_.key)) {
        case HuntKey::kImage:
            return raw(images.rule_at(pc).id);
        case HuntKey::kCallSite:
            if (pc - text_begin_ < text_end_ - text_begin_ || pc != registers.pc) {
                return pc;
            }
            return innermost_of(thread, registers, text_begin_, text_end_, pc);
        default:
            return pc;
    }
}

bool Hunt::take(ThreadState& thread, const Overflow& overflow, const unwind::Registers& registers) {
    if (!on_ || in_kernel() || overflow.event != file_.event) {
        return false;
    }
    const std::uint64_t pc = overflow.pc != 0 ? overflow.pc : registers.pc;
    if (raw(own_image()) != 0 && images.rule_at(pc).id == own_image()) {
        return true;  // the monitor's own work, on this thread and between two of the program's instructions
    }
    const std::uint64_t key = key_of(thread, registers, pc);
    News found;
    News quiet;
    {
        const Locked locked(lock_);
        const pairs::Verdict verdict = pairs::step(own_.machine, key);
        if (verdict.turn == Turn::kNothing) {
            tell_so_far();
            return true;
        }
        (verdict.turn == Turn::kFound ? found : quiet) = *pairs::add_news(own_, verdict);
        if (found.number != 0) {
            mine_.note(found.number);
        }
    }
    if (quiet.number != 0) {
        write_end(quiet.number, true, quiet.events, quiet.matches);
        return true;
    }
    found.time = overflow.time;
    found.pc = pc;
    found.thread = static_cast<std::uint32_t>(thread.tid);
    const ContextId context = pc == registers.pc ? enter_own_path(thread, registers) : ContextId{0};
    write_find(&thread, found, context);
    return true;
}

std::uint64_t Hunt::news_count() const {
    return __atomic_load_n(&shared_->news_count, __ATOMIC_ACQUIRE);
}

// Only a thread itself can find its call path: results of other threads wait for these, or for the end. If no
// thread is signalled a result might wait forever, so the next thread writes it, without a path. Under the lock.
template <typename PathOf>
void Hunt::write_news(ThreadState& thread, const PathOf& path_of) {
    const std::uint64_t count = news_count();
    for (std::uint64_t i = count > pairs::kMaxNews ? count - pairs::kMaxNews : 0; i < count; ++i) {
        const News entry = shared_->news[i % pairs::kMaxNews];
        const bool is_own = entry.thread == static_cast<std::uint32_t>(thread.tid);
        if (entry.turn == static_cast<std::uint32_t>(Turn::kFound) && (is_own || shared_->signal == 0) &&
            entry.process == static_cast<std::uint32_t>(pid_) && !mine_.has(entry.number)) {
            mine_.note(entry.number);
            if (is_own) {
                write_find(&thread, entry, path_of(entry));
            } else {
                write_find(nullptr, entry, ContextId{0});
            }
        }
    }
    write_quiet(count);
    news_seen_ = count;
    tell_so_far();
}

// Writes the ends of results that this process has written, each once. The ring has room for the last ones only,
// so they are written at every opportunity. Under the lock, or at the end.
void Hunt::write_quiet(std::uint64_t count) {
    for (std::uint64_t i = count > pairs::kMaxNews ? count - pairs::kMaxNews : 0; i < count; ++i) {
        const News entry = shared_->news[i % pairs::kMaxNews];
        if (entry.turn != static_cast<std::uint32_t>(Turn::kQuiet) || !mine_.has(entry.number) ||
            quiet_.has(entry.number)) {
            continue;
        }
        quiet_.note(entry.number);
        recording::HuntResultEnd row;
        row.time = entry.time;
        row.number = entry.number;
        row.quiet = 1;
        row.events = entry.events;
        row.matches = entry.matches;
        process_log.write(row);
    }
}

void Hunt::news(ThreadState& thread, const unwind::Registers& registers) {
    if (!in_kernel()) {
        return;
    }
    const Locked locked(lock_);
    write_news(thread, [&](const News& entry) {
        return entry.pc == registers.pc ? enter_own_path(thread, registers) : ContextId{0};
    });
}

void Hunt::news_after_wait(ThreadState& thread, std::uint64_t begin, ContextId context) {
    if (!in_kernel() || (news_count() == __atomic_load_n(&news_seen_, __ATOMIC_RELAXED) &&
                         pairs::events_seen(shared_->machine) < __atomic_load_n(&next_word_, __ATOMIC_RELAXED))) {
        return;
    }
    const Locked locked(lock_);
    // A switch during the wait belongs to the wait.
    write_news(thread, [&](const News& entry) { return entry.time >= begin ? context : ContextId{0}; });
}

// Under the lock. Written each time the number of events has grown by half (in the kernel's hunts: when a thread
// reports, each time that it has doubled): a killed program leaves shares from half its events at least, and the
// number of rows stays small.
void Hunt::tell_so_far() {
    if (pairs::events_seen(shared_->machine) >= next_word_) {
        next_word_ = pairs::events_seen(shared_->machine) * 3 / 2;
        write_ends();
    }
}

void Hunt::write_find(ThreadState* thread, const News& news, ContextId context) {
    const unwind::ImageSet::Lookup at = images.rule_at(news.pc);
    const bool known = at.image != nullptr && raw(at.id) != 0;
    recording::HuntResult row;
    row.time = news.time;
    row.number = news.number;
    row.key = news.key;
    row.image = known ? raw(at.id) : 0;
    row.offset = known ? news.pc - at.image->bias : news.pc;
    row.context = raw(context);
    row.data = news.data;
    row.tid = news.thread;
    row.events = news.events;
    row.matches = news.matches;
    row.seen = news.seen;
    row.captures = news.captures;
    row.engine =
        static_cast<std::uint64_t>(in_kernel() ? recording::HuntEngine::kKernel : recording::HuntEngine::kProgram);
    if (thread != nullptr && announce(*thread)) {
        thread->writer.append(row);
    } else {
        process_log.write(row);
    }
}

void Hunt::write_end(std::uint64_t number, bool quiet, std::uint64_t events, std::uint64_t matches) const {
    recording::HuntResultEnd row;
    row.time = clock_now();
    row.number = number;
    row.quiet = quiet ? 1 : 0;
    row.events = events;
    row.matches = matches;
    process_log.write(row);
}

void Hunt::finish(Process::End /*how*/) {
    if (!on_) {
        return;
    }
    if (in_kernel()) {
        const std::uint64_t count = news_count();
        for (std::uint64_t i = count > pairs::kMaxNews ? count - pairs::kMaxNews : 0; i < count; ++i) {
            const News entry = shared_->news[i % pairs::kMaxNews];
            const bool ours = entry.process == static_cast<std::uint32_t>(pid_);
            if (ours && entry.turn == static_cast<std::uint32_t>(Turn::kFound) && !mine_.has(entry.number)) {
                mine_.note(entry.number);
                write_find(nullptr, entry, ContextId{0});
            }
        }
        write_quiet(count);
    }
    write_ends();
}

void Hunt::write_ends() const {
    const pairs::Machine& machine = shared_->machine;
    for (std::uint32_t i = 0; i < pairs::kMaxFound; ++i) {
        const pairs::Found& found = machine.found[i];
        if (pairs::found_key(machine, i) != 0 && mine_.has(found.number)) {
            write_end(found.number, false, pairs::events_since(machine, found), pairs::found_matches(machine, i));
        }
    }
    recording::HuntEnd row;
    row.time = clock_now();
    row.engine =
        static_cast<std::uint64_t>(in_kernel() ? recording::HuntEngine::kKernel : recording::HuntEngine::kProgram);
    row.events = pairs::events_seen(machine);
    row.captures = machine.captures;
    row.overfull = machine.overfull;
    row.dropped = shared_->dropped;
    process_log.write(row);
}

// A forked child hunts for itself; in the kernel its events go on to the common cells.
void Hunt::after_fork(ThreadState* /*own*/) {
    lock_.reset();
    threads.for_each([this](ThreadState& thread) { thread_end(thread); });
    if (!on_) {
        return;
    }
    pid_ = static_cast<int>(syscall(SYS_getpid));
    next_word_ = kFirstWord;
    mine_.forget();
    quiet_.forget();
    news_seen_ = 0;
    if (in_kernel()) {
        tell_program();
    } else {
        own_.news_count = 0;
        pairs::start(own_.machine, file_.rule, file_.seed ^ static_cast<std::uint32_t>(pid_));
    }
}

}  // namespace kymo::monitor
