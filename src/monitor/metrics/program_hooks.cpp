#include "monitor/metrics/program_hooks.h"

#include "cells/process_cells.h"
#include "hooks/guest/apply.h"
#include "image/arena.h"
#include "monitor/metrics/exact_calls.h"
#include "monitor/process/images.h"
#include "monitor/process/log.h"
#include "monitor/text.h"
#include "monitor/threads/thread_state.h"
#include "unwind/image_set.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

constinit ProgramHooks program_hooks;

namespace {

constinit hooks::Hooks applied;
constinit std::atomic<std::uint64_t> unfollowed{0};
constinit hooks::Thread forked;  // a forking thread's, until it is measured in the child
constinit bool is_forked = false;

// The plan's bytes, in pages of their own; empty: there is no plan, or it cannot be read.
std::span<const std::uint8_t> read_plan(const char* folder) {
    char path[events::kPathBytes + 16];
    Text(path, sizeof path) << folder << "/" << hooks::kPlanFile;
    const auto file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
    if (file < 0) {
        return {};
    }
    struct stat facts{};
    std::uint8_t* bytes = nullptr;
    std::size_t size = 0;
    if (fstat(file, &facts) == 0 && facts.st_size > 0 &&
        static_cast<std::uint64_t>(facts.st_size) <= hooks::kMaxPlanBytes) {
        size = static_cast<std::size_t>(facts.st_size);
        bytes = static_cast<std::uint8_t*>(image::map_pages(size));
    }
    std::size_t got = 0;
    while (bytes != nullptr && got < size) {
        const long more = syscall(SYS_pread64, file, bytes + got, size - got, got);
        if (more <= 0) {
            break;
        }
        got += static_cast<std::size_t>(more);
    }
    syscall(SYS_close, file);
    return {bytes, got};
}

void tell(void* /*context*/, hooks::Problem problem, std::string_view image) {
    recording::Unavailable row;
    char what[events::kPathBytes + 32] = "hooks in ";
    const std::size_t prefix = __builtin_strlen(what);
    const std::size_t length = image.size() < sizeof what - prefix - 1 ? image.size() : 0;
    __builtin_memcpy(what + prefix, image.data(), length);
    row.what =
        length == 0 ? std::string_view("hooks of the program's functions") : std::string_view(what, prefix + length);
    row.why = describe(problem);
    const Quiet quiet;  // images may be loaded at any time
    row.remedy = problem == hooks::Problem::kOtherCode ? "start the program again: its file has changed"
                 : problem == hooks::Problem::kNoCode
                     ? "allow the program to change its code (SELinux: execmem, execmod)"
                     : "see docs/hooks.md";
    process_log.write(row);
}

bool find_detour(void* /*context*/, std::uint64_t address, unwind::Detour* detour) {
    using Meaning = hooks::Areas::Meaning;
    const Meaning meaning = applied.look_at(address);
    if (meaning.kind == Meaning::kNone) {
        return false;
    }
    detour->kind = meaning.kind == Meaning::kCaller    ? unwind::Detour::kCaller
                   : meaning.kind == Meaning::kOnStack ? unwind::Detour::kOnStack
                                                       : unwind::Detour::kMoved;
    detour->address = meaning.address;
    detour->stack = meaning.stack;
    return true;
}

constinit const unwind::Detours detours = {nullptr, find_detour};

}  // namespace

bool ProgramHooks::begin() {
    if (process_log.may_be_short()) {
        return true;
    }
    const std::span<const std::uint8_t> plan = read_plan(process.session().directory);
    if (plan.empty()) {
        return true;
    }
    images.set_detours(&detours);
    const image::Range own = images.entry(own_image()).image->range;
    if (applied.begin(plan, own, {nullptr, tell})) {
        exact_call_rows.begin_counting(applied.counted_functions());
    }
    if (applied.has_steps()) {
        cells::process_cells.open();
    }
    return true;
}

void ProgramHooks::thread_begin(ThreadState& thread) {
    if (applied.on()) {
        const cells::Task* task =
            cells::process_cells.is_open() ? cells::process_cells.enter(thread.begin_time) : nullptr;
        if (is_forked) {
            is_forked = false;
            hooks::continue_thread(thread.hooks, forked, task);
        } else {
            hooks::begin_thread(thread.hooks, thread.tid, thread.stack.low, thread.stack.high, task);
        }
        exact_call_rows.thread_begin(thread);
    }
}

void ProgramHooks::thread_end(ThreadState& thread) {
    if (applied.on()) {
        hooks::end_thread(thread.hooks);
        exact_call_rows.thread_end(thread);
        unfollowed.fetch_add(thread.hooks.unfollowed, std::memory_order_relaxed);
    }
}

void ProgramHooks::after_fork(ThreadState* own_thread) {
    if (!applied.on()) {
        return;
    }
    unfollowed.store(0, std::memory_order_relaxed);
    exact_call_rows.after_fork(own_thread);
    hooks::DataImages::in_process(process.pid());
    hooks::after_fork(own_thread == nullptr ? nullptr : &own_thread->hooks, process.pid());
    is_forked = own_thread != nullptr && process.session().follow;
    if (is_forked) {
        forked = own_thread->hooks;
    } else {
        hooks::abandon_thread();
    }
}

void ProgramHooks::obey_switches() {
    std::uint64_t off[2];
    if (applied.on() && cells::process_cells.look_for_switches(off)) {
        applied.switch_off(off, cells::process_cells.bindings());
        cells::process_cells.obeyed(off);
    }
}

void ProgramHooks::finish(Process::End /*how*/) {
    exact_call_rows.finish();
    applied.follow_no_pointers();  // a filter of the program may kill it for reading through pointers (seccomp.h)
    if (unfollowed.load(std::memory_order_relaxed) != 0) {
        recording::Unavailable row;
        row.what = "some calls of hooked functions";
        row.why = "more were running at a time than there is room for";
        row.remedy = "hook fewer functions";
        process_log.write(row);
    }
}

bool ProgramHooks::is_hooked_return(std::uint64_t address, std::uint64_t* caller) {
    if (!applied.on() || !hooks::is_stub_return(address)) {
        return false;
    }
    *caller = applied.look_at(address).address;
    return true;
}

}  // namespace kymo::monitor
