// A session: the settings that the parent (`kymo record`) passes to the monitor in the measured program.
//
// The environment variable KYMO_SESSION holds the absolute path of the recording folder, or that of the session file
// in it (ranks of a job share a folder and have a session each). The file, by default `session`, is plain text, one
// fact a line, words separated by one space, written by format_session() (events/session_file.h):
//
//     kymo-session 1                 version; always the first line
//     pid N                          the program itself (0: not known). With `follow 0` only this process is recorded
//     signal N                       the signal that reports an overflow: 23 (SIGURG) unless the program uses it
//     max-bytes N                    limit of each process's file; 0: the writer's own
//     follow 0|1                     record the program's descendants too
//     mechanism perf|timers          how samples come about
//     read-lost 0|1                  the kernel supports PERF_FORMAT_LOST (Linux 6.0)
//     own-switches 0|1               each thread keeps the records of its own switches: the parent does not
//     registers 0|1                  general registers are recorded with every sample
//     operands 0|1                   and the operands of the interrupted instruction with some samples
//     short-processes 0|1            processes without a sample share a file of the folder (kShortProcesses)
//     rank N                         the run is this rank of a job: names of processes' files end in -rank-N.krec
//     tick-trigger 0|1               threads that are switched often may be sampled at the kernel's tick
//     tick-ns N                      between two ticks of the kernel's; 0: not known, and no thread begins with ticks
//     kernel-ticks 0|1               system time may be sampled at the kernel's tick
//     proc-device N                  of a /proc that numbers processes as the parent sees them
//     pid-namespace N                the inode of that namespace
//     library PATH                   the monitor's own file, to the end of the line
//     cells PATH                     the folder of metric cells, to the end of the line
//     channels PATH                  the library that counts messages, preloaded into ranks of jobs, likewise
//     event NAME UNIT MODE VALUE TYPE CONFIG CONFIG1 CONFIG2 PRECISE USER_ONLY GROUP
//                                    up to 16, in the order of the recording's event table. UNIT: ns or -.
//                                    MODE: count, period or frequency. TYPE, CONFIG…: as in perf_event_attr,
//                                    decimal or 0x…. GROUP: see below.
//
// The lines registers to pid-namespace, cells and channels may be missing: 0, not known, none.
//
// Event 0 is task-clock and leads group 0, which holds the software events. Hardware events are in groups 1, 2, …;
// the first event of a group in list order is its leader. Every event of a group is read with each sample of any of
// them.
//
// Contract: usable in the monitor (no malloc, no locks, no exceptions; open, read and close are the only calls into
// the system). Parsing is bounded by the text's size and refuses a session as a whole if it does not understand a
// part; the monitor then does not affect the program. About 40 kB: keep a Session in static storage, not on a
// program's stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kymo::events {

inline constexpr std::size_t kMaxEvents = 16;
inline constexpr std::size_t kEventNameBytes = 128;  // with the NUL
inline constexpr std::size_t kPathBytes = 4096;      // with the NUL; PATH_MAX
inline constexpr std::size_t kMaxSessionBytes = 16 * 1024;
inline constexpr const char* kSessionVariable = "KYMO_SESSION";
inline constexpr const char* kOutVariable = "KYMO_OUT";
inline constexpr const char* kSessionFile = "session";
inline constexpr const char* kShortProcesses = "short-processes.krec";

// Both have the values of their namesakes in recording/tables.h (this layer does not see that one).
enum class Mode : std::uint8_t { kCount = 0, kPeriod = 1, kFrequency = 2 };
enum class Mechanism : std::uint8_t { kPerfEvents = 1, kThreadTimers = 2 };

struct SessionEvent {
    char name[kEventNameBytes] = {};
    bool nanoseconds = false;  // unit: ns; otherwise a plain count
    Mode mode = Mode::kCount;
    std::uint64_t value = 0;  // events a sample (period; ns for the clocks) or samples a second (frequency)
    std::uint32_t type = 0;   // perf_event_attr.type, .config, .config1, .config2, .precise_ip
    std::uint64_t config = 0;
    std::uint64_t config1 = 0;
    std::uint64_t config2 = 0;
    std::uint8_t precise = 0;
    bool user_only = false;  // counts user mode only. The clocks always count both, also when they sample.
    std::uint8_t group = 0;

    [[nodiscard]] bool samples() const { return mode != Mode::kCount; }
};

struct Session {
    char directory[kPathBytes] = {};  // the recording folder, absolute. Not in the file: it is where the file was.
    char library[kPathBytes] = {};    // may be empty: not known
    char cells[kPathBytes] = {};      // the folder of metric cells (cells/settings.h); may be empty: none
    char channels[kPathBytes] = {};   // the library that counts messages (src/mpi); may be empty: none
    std::uint32_t pid = 0;
    std::uint32_t signal = 23;
    std::uint64_t max_bytes = 0;
    bool follow = true;
    bool read_lost = false;
    bool own_switches = false;
    bool registers = false;  // recorded with every sample
    bool operands = false;   // recorded with some
    bool short_processes = false;
    std::optional<std::uint64_t> rank;  // of a job whose ranks share the folder
    bool tick_trigger = false;          // of threads that are switched often (monitor/sampling/tick_trigger.h)
    std::uint64_t tick_ns = 0;          // between two ticks of the kernel's; 0: not known
    bool kernel_ticks = false;          // of threads that spend time in the kernel (monitor/sampling/kernel_ticks.h)
    // Where the parent's /proc numbers processes as the parent sees them: that device, and the namespace; else 0.
    std::uint64_t proc_device = 0;
    std::uint64_t pid_namespace = 0;
    bool from_parent = false;  // a parent made it: the folder exists. Otherwise the monitor makes the folder (0700).
    Mechanism mechanism = Mechanism::kPerfEvents;
    std::uint32_t event_count = 0;
    SessionEvent events[kMaxEvents];
};

enum class SessionError : std::uint8_t {
    kNone = 0,
    kUnreadable,     // the file cannot be opened or read
    kTooLong,        // text, path or name beyond the bounds above
    kNotASession,    // the first line is not `kymo-session N`
    kOtherVersion,   // another version's
    kUnknownLine,    // a line that begins with an unknown word
    kBadLine,        // a known line with a bad, missing or extra word
    kTooManyEvents,  // more than kMaxEvents
    kNoEvents,       // none, or event 0 does not sample
};

// Fills `session` (all of it but `directory`) from the text. On an error the session's content is unspecified.
SessionError parse_session(std::string_view text, Session& session);

// Reads PATH/session, or PATH itself where that is a file, and sets session.directory. `path`: absolute,
// NUL-terminated.
SessionError load_session(const char* path, Session& session);

// The session of a program that was started without a parent, the monitor preloaded by hand: the default events at
// 1000 Hz, follow on. The folder is `out` (the value of KYMO_OUT; null or empty: not set), relative to the current
// directory, or kymo-PID.kymo in the current directory. kTooLong or kUnreadable (no current directory) on failure.
SessionError default_session(const char* out, std::uint32_t pid, Session& session);

// A fault costs 0.5 µs and more, a sample some 10 to 30: a few hundredths of a storm of nothing else. What was
// faulted after the last sample in a piece of code is put down to what runs next: so it must not be many. A prime, so
// that it keeps no step with loops over memory.
inline constexpr std::uint64_t kDefaultFaultPeriod = 251;

// The two event lists a session starts from, in the table's order; `frequency` in samples a second of task-clock.
//
// With performance events: task-clock; page-faults of user mode, every kDefaultFaultPeriod-th with a sample, since
// code that takes many is mostly in the kernel, where task-clock's samples do not fall; context-switches and
// cpu-migrations counted, kernel included. Where opening a counting event fails with EACCES or EPERM, set user_only
// and try again, or leave it out if counts_only_in_kernel() (events/attributes.h): it would read 0. (The parent has
// done so in the sessions it writes.)
void set_default_events(std::uint64_t frequency, Session& session);

// With thread timers: task-clock, system-time (ns the thread spent in the kernel), page-faults (minor and major) and
// context-switches (voluntary or not), all read from CLOCK_THREAD_CPUTIME_ID and getrusage(RUSAGE_THREAD). Sets the
// mechanism.
void set_timer_events(std::uint64_t frequency, Session& session);

// Type of an event that the kernel's performance events do not have: system-time.
inline constexpr std::uint32_t kUsageType = UINT32_MAX;

}  // namespace kymo::events
