#include "monitor/sampling/switch_rows.h"

#include "monitor/process/log.h"
#include "monitor/threads/registry.h"

#include <cerrno>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

constinit SwitchRows switch_rows;

namespace {

std::uint64_t number_of(const ThreadState& thread) {
    return recording::number_of(static_cast<std::uint64_t>(thread.tid), thread.kernel_tid);
}

recording::Switch row_of(const ThreadState& thread, const OwnSwitches::Absence& off) {
    recording::Switch row;
    row.time = off.begin;
    row.tid = number_of(thread);
    row.duration = off.end - off.begin;
    row.processor_before = off.processor_before;
    row.processor_after = off.processor_after;
    row.preempted = off.preempted ? 1 : 0;
    return row;
}

}  // namespace

void SwitchRows::thread_begin(ThreadState& thread) {
    if (!process.session().own_switches || thread.counters.kind() != CounterKind::kPerfEvents) {
        return;
    }
    Descriptors& descriptors = process.descriptors();
    const int error = descriptors.are_short() ? EMFILE : thread.switches.open(descriptors, &thread);
    if (error != 0 && !told_.exchange(true)) {
        recording::Unavailable row;
        row.what = "switch records of some threads";
        row.why = error == EMFILE ? "the limit of open files is reached" : "the limit of locked memory is reached";
        row.remedy = error == EMFILE ? "ulimit -n 65536" : "ulimit -l unlimited";
        process_log.write(row);
    }
}

void SwitchRows::thread_end(ThreadState& thread) {
    thread.switches.close(process.descriptors());
}

void SwitchRows::after_fork(ThreadState* /*own*/) {
    told_.store(false);
    threads.for_each([](ThreadState& thread) { thread.switches.abandon(process.descriptors()); });
}

void SwitchRows::write_life(const ThreadState& thread, std::uint64_t time, recording::TaskChange change) {
    if (!thread.switches.is_open()) {
        return;
    }
    if (const OwnSwitches::Absence* off = thread.switches.absence();
        off != nullptr && change == recording::TaskChange::kExit) {
        recording::Switch row = row_of(thread, *off);
        row.duration = 0;
        row.open = 1;
        process_log.write(row);
    }
    recording::Task row;
    row.time = time;
    row.change = static_cast<std::uint64_t>(change);
    row.pid = recording::number_of(static_cast<std::uint64_t>(process.pid()), process.kernel_numbers().of_process());
    row.tid = number_of(thread);
    row.parent_pid = row.parent_tid = row.tid == row.pid ? static_cast<std::uint64_t>(syscall(SYS_getppid)) : row.pid;
    process_log.write(row);
}

void SwitchRows::write(ThreadState& thread) {
    thread.switches.take([&](const OwnSwitches::Absence& off) { process_log.write(row_of(thread, off)); },
                         [&](std::uint64_t records) {
                             recording::KernelLost row;
                             row.time = clock_now();
                             row.records = records;
                             process_log.write(row);
                         });
}

}  // namespace kymo::monitor
