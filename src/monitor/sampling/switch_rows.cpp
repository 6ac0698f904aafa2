// The rows of threads that keep the records of their own switches (own_switches.h): the same that the parent writes
// of whole process trees (launch/run_log.cpp), so that whoever reads them need not know who did.
//
// All go into the process's stream: the order of rows tells which life of a thread's number a switch belongs to.

#include "monitor/process/process.h"

#include <cerrno>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

namespace {

recording::Switch row_of(const ThreadState& thread, const OwnSwitches::Absence& off) {
    recording::Switch row;
    row.time = off.begin;
    row.tid = static_cast<std::uint64_t>(thread.tid);
    row.duration = off.end - off.begin;
    row.processor_before = off.processor_before;
    row.processor_after = off.processor_after;
    row.preempted = off.preempted ? 1 : 0;
    return row;
}

}  // namespace

void Process::open_switches(ThreadState& thread) {
    if (!session_.own_switches || thread.counters.kind() != CounterKind::kPerfEvents) {
        return;
    }
    const int error = descriptors_.are_short() ? EMFILE : thread.switches.open(descriptors_, &thread);
    if (error != 0 && !told_no_switches_.exchange(true)) {
        recording::Unavailable row;
        row.what = "switch records of some threads";
        row.why = error == EMFILE ? "the limit of open files is reached" : "the limit of locked memory is reached";
        row.remedy = error == EMFILE ? "ulimit -n 65536" : "ulimit -l unlimited";
        log(row);
    }
}

void Process::write_life(const ThreadState& thread, std::uint64_t time, recording::TaskChange change) {
    if (!thread.switches.is_open()) {
        return;
    }
    if (const OwnSwitches::Absence* off = thread.switches.absence();
        off != nullptr && change == recording::TaskChange::kExit) {
        recording::Switch row = row_of(thread, *off);
        row.duration = 0;
        row.open = 1;
        log(row);
    }
    recording::Task row;
    row.time = time;
    row.change = static_cast<std::uint64_t>(change);
    row.pid = static_cast<std::uint64_t>(pid_);
    row.tid = static_cast<std::uint64_t>(thread.tid);
    row.parent_pid = row.parent_tid = row.tid == row.pid ? static_cast<std::uint64_t>(syscall(SYS_getppid)) : row.pid;
    log(row);
}

void Process::write_switches(ThreadState& thread) {
    thread.switches.take([&](const OwnSwitches::Absence& off) { log(row_of(thread, off)); },
                         [&](std::uint64_t records) {
                             recording::KernelLost row;
                             row.time = clock_now();
                             row.records = records;
                             log(row);
                         });
}

}  // namespace kymo::monitor
