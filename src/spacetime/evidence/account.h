// The account of a run: every thread-second belongs to exactly one class of time and one place of the users' own
// code.
//
// Plain values; made by make_account.h. The rows' times add up to the lives of all threads, to the nanosecond.
//
// How much shorter the run would be without a row's time is estimated from the schedule that was recorded. With `a`
// of the program's threads at work at a moment, `w` waiting for others of it, and P processors:
//   - a moment of work counts 1/a: all of it where one thread works alone (the blame of Tallent and Mellor-Crummey,
//     "Effective performance measurement and analysis of multithreaded applications", PPoPP 2009);
//   - a wait for others of the program counts 1 − a / min(a + w, P), shared by the w: had they worked as well, the
//     moment's work would have been over as much sooner;
//   - a wait for anything else counts where nobody works (1 − a), shared by those that wait so.
// Threads without work to do (account/parked.h) are in neither number of waits, and count for nothing. A row counts
// for at most the time in which it occurs, since each of its moments counts for at most itself. Moments are bins of
// the run, within which a, w and the number of waits are means.
#pragma once

#include "program/symbols.h"
#include "spacetime/evidence/account/families.h"
#include "spacetime/evidence/account/function_times.h"
#include "spacetime/evidence/occurrences/occurrence_table.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::spacetime {

enum class TimeClass : std::uint8_t {
    kWork,         // on a processor, in code or a library that nothing is held against
    kRunTime,      // likewise, in a run-time library: by family
    kSystemCall,   // in the kernel and in the C library's function that calls it, by call
    kPageFaults,   // in the kernel, entered from code that makes no call
    kKernel,       // in the kernel, in a call that is not known
    kInterrupts,   // in the kernel, for whatever device, timer or processor interrupted the thread
    kSpinning,     // polling in a call that waits
    kLockWait,     // for a lock
    kBarrierWait,  // for other threads at a barrier
    kThreadWait,   // for a condition, a semaphore, a thread's end
    kMessageWait,  // for a message
    kChildWait,    // for a process
    kInputOutput,  // for a device, a network, a pipe
    kTimer,        // asleep
    kParked,       // a thread without work to do: of an idle team or pool, of a server without requests
    kReady,        // ready, without a processor: more threads of the program than processors
    kTaken,        // likewise, while other programs had them
    kOff,          // off the processor for an unknown reason
    kStartEnd,     // start and end of the program and of run-time libraries
    kUnseen,       // on a processor, in a process or thread without samples
    kNotMeasured,  // measurement was off
};
inline constexpr std::size_t kTimeClasses = 21;

struct TimeClassInfo {
    std::string_view key;    // in JSON
    std::string_view words;  // "waiting for locks"
};
const TimeClassInfo& info_of(TimeClass time_class);

struct AccountTime {
    std::uint32_t thread = 0;  // index of Profile::threads
    std::int64_t ns = 0;
};

struct AccountRow {
    TimeClass time_class{};
    TaxFamily family = TaxFamily::kNone;  // of kRunTime; of kWork: of the slow instructions that it is in
    // The call, the kind of wait, the library's function; of work that is repeated, what calls it, or the function of
    // mathematics that is called; may be empty.
    std::string detail;
    program::SourcePlace place;  // its line: the one with most time; function empty: not in users' code
    std::int64_t ns = 0;
    std::int64_t shorter_ns = 0;       // what the run would be shorter by without it: see above; an estimate
    std::int64_t released_ns = 0;      // of kAllocation: in calls that give memory back
    std::vector<AccountTime> threads;  // by number
    program::SourcePlace held_by;      // of waits: where the thread waited for was longest; empty: not known
};

// A function's processor time in equal parts of the run, with what it calls in libraries.
struct FunctionInTime {
    std::string function;
    std::string module;
    TimeBatches ns{};
};

struct Account {
    std::vector<AccountRow> rows;  // most time first
    // Of those with a twentieth of the processor time or more, by symbol.
    std::vector<FunctionInTime> in_time;
    TimeBatches busy{};         // processor time in equal parts of the run, of all functions
    std::int64_t total_ns = 0;  // of all threads' lives: the sum of the rows

    std::int64_t of(TimeClass time_class) const {
        std::int64_t ns = 0;
        for (const AccountRow& row : rows) {
            ns += row.time_class == time_class ? row.ns : 0;
        }
        return ns;
    }
};

}  // namespace kymo::spacetime
