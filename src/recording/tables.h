// The tables Kymo itself writes and reads. Any producer may add others: readers list and skip them.
//
// All times are nanoseconds of the file's clock domain. "Stream" without further word is the stream
// that the chunk segment belongs to (see docs/recording-format.md).
#pragma once

#include "recording/schema.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::recording {

// ---- the run and the process ------------------------------------------------------------------

// Written by the parent: one a recording.
struct Run {
    std::uint64_t time = 0;
    std::string_view command = {};  // arguments, each ended by a NUL
    std::string_view host = {};
    std::string_view directory = {};
    std::string_view kernel = {};
    std::string_view producer = {};  // "kymo 0.1.0"
    std::uint64_t processors = 0;

    static constexpr const char* kTable = "run";
    static constexpr std::uint32_t kTableId = 10;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Run::time);
        visit("command", ColumnType::kBytes, "", &Run::command);
        visit("host", ColumnType::kText, "", &Run::host);
        visit("directory", ColumnType::kText, "", &Run::directory);
        visit("kernel", ColumnType::kText, "", &Run::kernel);
        visit("producer", ColumnType::kText, "", &Run::producer);
        visit("processors", ColumnType::kUint, "", &Run::processors);
    }
};

// Written by the parent when the program is gone. `wait_status` as from waitpid(2).
struct RunEnd {
    std::uint64_t time = 0;
    std::uint64_t wait_status = 0;
    std::uint64_t user_ns = 0;  // of all waited-for descendants (getrusage), for cross-checks
    std::uint64_t system_ns = 0;
    std::uint64_t reason = 0;      // 0 the program ended, 1 interrupted, 2 --duration, 3 --max-size, 4 disk full
    std::uint64_t peak_bytes = 0;  // largest resident size of any of them; 0: not known

    static constexpr const char* kTable = "run-end";
    static constexpr std::uint32_t kTableId = 11;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &RunEnd::time);
        visit("wait_status", ColumnType::kUint, "", &RunEnd::wait_status);
        visit("user_ns", ColumnType::kUint, "ns", &RunEnd::user_ns);
        visit("system_ns", ColumnType::kUint, "ns", &RunEnd::system_ns);
        visit("reason", ColumnType::kUint, "", &RunEnd::reason);
        visit("peak_bytes", ColumnType::kUint, "", &RunEnd::peak_bytes);
    }
};

// One process image (a new one after exec). Written when its monitor starts.
struct Process {
    std::uint64_t time = 0;
    std::uint64_t pid = 0;
    std::uint64_t parent_pid = 0;
    std::string_view executable = {};
    std::string_view command = {};  // arguments, each ended by a NUL
    std::uint64_t mechanism = 0;    // Mechanism

    static constexpr const char* kTable = "process";
    static constexpr std::uint32_t kTableId = 12;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Process::time);
        visit("pid", ColumnType::kUint, "", &Process::pid);
        visit("parent_pid", ColumnType::kUint, "", &Process::parent_pid);
        visit("executable", ColumnType::kText, "", &Process::executable);
        visit("command", ColumnType::kBytes, "", &Process::command);
        visit("mechanism", ColumnType::kUint, "", &Process::mechanism);
    }
};

// How samples come about.
enum class Mechanism : std::uint8_t {
    kPerfEvents = 1,    // kernel performance events, one ring a thread
    kThreadTimers = 2,  // POSIX CPU-time timers; counters from getrusage(RUSAGE_THREAD)
};

// Written when the process ends in a way its monitor sees. Absent after SIGKILL.
struct ProcessEnd {
    std::uint64_t time = 0;
    std::uint64_t how = 0;  // 0 exit, 1 _exit, 2 exec
    // The process's total of every event (index as in the event table), counted by the process itself or
    // by the kernel, not by adding up threads; empty where no such count exists.
    std::span<const std::uint64_t> totals = {};

    static constexpr const char* kTable = "process-end";
    static constexpr std::uint32_t kTableId = 13;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &ProcessEnd::time);
        visit("how", ColumnType::kUint, "", &ProcessEnd::how);
        visit("totals", ColumnType::kUintList, "", &ProcessEnd::totals);
    }
};

// ---- events -----------------------------------------------------------------------------------

enum class EventMode : std::uint8_t {
    kCount = 0,      // counted, read with every sample
    kPeriod = 1,     // a sample every `value` events
    kFrequency = 2,  // `value` samples a second asked
};

// The global event list, in order: row i is event i, and deltas in samples follow this order.
// Names with a fixed meaning for the analysis: "task-clock" (ns on a processor, user and system),
// "system-time" (ns in the kernel, where the mechanism can read it).
struct Event {
    std::uint64_t index = 0;
    std::string_view name = {};
    std::string_view unit = {};  // "ns" or "" for a count
    std::uint64_t mode = 0;      // EventMode
    std::uint64_t value = 0;
    std::uint64_t kernel_type = 0;    // perf_event_attr.type
    std::uint64_t kernel_config = 0;  // perf_event_attr.config
    std::uint64_t precise = 0;        // perf_event_attr.precise_ip asked
    std::uint64_t user_only = 0;      // 1: counts user mode only

    static constexpr const char* kTable = "event";
    static constexpr std::uint32_t kTableId = 14;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("index", ColumnType::kUint, "", &Event::index);
        visit("name", ColumnType::kText, "", &Event::name);
        visit("unit", ColumnType::kText, "", &Event::unit);
        visit("mode", ColumnType::kUint, "", &Event::mode);
        visit("value", ColumnType::kUint, "", &Event::value);
        visit("kernel_type", ColumnType::kUint, "", &Event::kernel_type);
        visit("kernel_config", ColumnType::kUint, "", &Event::kernel_config);
        visit("precise", ColumnType::kUint, "", &Event::precise);
        visit("user_only", ColumnType::kUint, "", &Event::user_only);
    }
};

// Something asked for or usual that could not be had here, and how to get it. Also each step down the
// fallback ladder ("signal buffers used up, reading counters in the handler").
struct Unavailable {
    std::string_view what = {};
    std::string_view why = {};
    std::string_view remedy = {};

    static constexpr const char* kTable = "unavailable";
    static constexpr std::uint32_t kTableId = 15;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("what", ColumnType::kText, "", &Unavailable::what);
        visit("why", ColumnType::kText, "", &Unavailable::why);
        visit("remedy", ColumnType::kText, "", &Unavailable::remedy);
    }
};

// ---- the address space over time ----------------------------------------------------------------

// A load image became visible. [begin, end) is its span of process addresses; image offset = process
// address − bias.
struct Image {
    std::uint64_t time = 0;
    std::uint64_t image = 0;  // ImageId
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t bias = 0;
    std::string_view path = {};      // absolute; "[vdso]" for the kernel's
    std::string_view build_id = {};  // raw bytes; empty where the image has none

    static constexpr const char* kTable = "image";
    static constexpr std::uint32_t kTableId = 16;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Image::time);
        visit("image", ColumnType::kUint, "", &Image::image);
        visit("begin", ColumnType::kUint, "address", &Image::begin);
        visit("end", ColumnType::kUint, "address", &Image::end);
        visit("bias", ColumnType::kUint, "address", &Image::bias);
        visit("path", ColumnType::kText, "", &Image::path);
        visit("build_id", ColumnType::kBytes, "", &Image::build_id);
    }
};

struct ImageEnd {
    std::uint64_t time = 0;
    std::uint64_t image = 0;

    static constexpr const char* kTable = "image-end";
    static constexpr std::uint32_t kTableId = 17;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &ImageEnd::time);
        visit("image", ColumnType::kUint, "", &ImageEnd::image);
    }
};

// ---- streams ------------------------------------------------------------------------------------

enum class StreamKind : std::uint8_t { kThread = 0, kWarpSlot = 1 };

struct Stream {
    std::uint64_t time = 0;
    std::uint64_t stream = 0;  // StreamId
    std::uint64_t kind = 0;    // StreamKind
    std::uint64_t tid = 0;
    // The creation context: who started it, from where, in what state. creator 0: unknown or the process's first.
    std::uint64_t creator_stream = 0;
    std::uint64_t creator_context = 0;  // node of the creator's calling-context tree
    std::uint64_t stack_pointer = 0;
    std::uint64_t blocked_signals = 0;              // bit n−1: signal n
    std::span<const std::uint64_t> registers = {};  // general registers in DWARF order, then the program counter
    std::string_view float_registers = {};          // x86-64: MXCSR (4), x87 control word (4), XMM0–15 (16 × 16)
    std::uint64_t mechanism = 0;  // Mechanism: one thread may be measured otherwise than the process

    static constexpr const char* kTable = "stream";
    static constexpr std::uint32_t kTableId = 18;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Stream::time);
        visit("stream", ColumnType::kUint, "", &Stream::stream);
        visit("kind", ColumnType::kUint, "", &Stream::kind);
        visit("tid", ColumnType::kUint, "", &Stream::tid);
        visit("creator_stream", ColumnType::kUint, "", &Stream::creator_stream);
        visit("creator_context", ColumnType::kUint, "", &Stream::creator_context);
        visit("stack_pointer", ColumnType::kUint, "address", &Stream::stack_pointer);
        visit("blocked_signals", ColumnType::kUint, "", &Stream::blocked_signals);
        visit("registers", ColumnType::kUintList, "", &Stream::registers);
        visit("float_registers", ColumnType::kBytes, "", &Stream::float_registers);
        visit("mechanism", ColumnType::kUint, "", &Stream::mechanism);
    }
};

struct StreamName {
    std::uint64_t stream = 0;
    std::string_view name = {};

    static constexpr const char* kTable = "stream-name";
    static constexpr std::uint32_t kTableId = 19;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("stream", ColumnType::kUint, "", &StreamName::stream);
        visit("name", ColumnType::kText, "", &StreamName::name);
    }
};

// The last word of a stream. What lies between the last sample and the end is in totals only.
struct StreamEnd {
    std::uint64_t time = 0;
    std::uint64_t stream = 0;
    std::span<const std::uint64_t> totals = {};  // every event over the stream's life, event-table order
    std::uint64_t enabled_ns = 0;                // counters' enabled and running time
    std::uint64_t running_ns = 0;
    std::uint64_t user_ns = 0;  // getrusage(RUSAGE_THREAD) over the life: the kernel's own split, a cross-check
    std::uint64_t system_ns = 0;
    std::uint64_t lost = 0;        // samples the kernel says it dropped
    std::uint64_t throttled = 0;   // times the kernel throttled an event of this stream
    std::uint64_t merged = 0;      // samples whose signal was merged into a later one: no call path of their own
    std::uint64_t unwritten = 0;   // rows lost for want of space
    std::uint64_t monitor_ns = 0;  // processor time spent in the handler (estimate, from the clock)
    // Call paths by the way they ended; index: PathEnd.
    std::span<const std::uint64_t> paths = {};
    std::uint64_t asked = 0;         // StreamEndAsked: which of the following are known
    std::uint64_t voluntary = 0;     // times it left its processor by itself, over the thread's whole life
    std::uint64_t involuntary = 0;   // and because another thread got it
    std::uint64_t run_delay_ns = 0;  // ready to run and without a processor, over the thread's whole life (schedstat)

    static constexpr const char* kTable = "stream-end";
    static constexpr std::uint32_t kTableId = 20;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &StreamEnd::time);
        visit("stream", ColumnType::kUint, "", &StreamEnd::stream);
        visit("totals", ColumnType::kUintList, "", &StreamEnd::totals);
        visit("enabled_ns", ColumnType::kUint, "ns", &StreamEnd::enabled_ns);
        visit("running_ns", ColumnType::kUint, "ns", &StreamEnd::running_ns);
        visit("user_ns", ColumnType::kUint, "ns", &StreamEnd::user_ns);
        visit("system_ns", ColumnType::kUint, "ns", &StreamEnd::system_ns);
        visit("lost", ColumnType::kUint, "", &StreamEnd::lost);
        visit("throttled", ColumnType::kUint, "", &StreamEnd::throttled);
        visit("merged", ColumnType::kUint, "", &StreamEnd::merged);
        visit("unwritten", ColumnType::kUint, "", &StreamEnd::unwritten);
        visit("monitor_ns", ColumnType::kUint, "ns", &StreamEnd::monitor_ns);
        visit("paths", ColumnType::kUintList, "", &StreamEnd::paths);
        visit("asked", ColumnType::kUint, "", &StreamEnd::asked);
        visit("voluntary", ColumnType::kUint, "", &StreamEnd::voluntary);
        visit("involuntary", ColumnType::kUint, "", &StreamEnd::involuntary);
        visit("run_delay_ns", ColumnType::kUint, "ns", &StreamEnd::run_delay_ns);
    }
};

// StreamEnd::asked
inline constexpr std::uint64_t kAskedSwitches = 0x1;
inline constexpr std::uint64_t kAskedRunDelay = 0x2;

// ---- samples ------------------------------------------------------------------------------------

// A node of the stream's calling-context tree, written once, before the first sample that names it.
// The address is the frame's program counter (leaf, or interrupted by a signal) or its return address
// minus one (every other frame): look it up as it is.
struct Context {
    std::uint64_t context = 0;  // ContextId, from 1
    std::uint64_t parent = 0;   // ContextId; 0: outermost frame
    std::uint64_t image = 0;    // ImageId; 0: offset is a process address
    std::uint64_t offset = 0;

    static constexpr const char* kTable = "context";
    static constexpr std::uint32_t kTableId = 21;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("context", ColumnType::kDelta, "", &Context::context);
        visit("parent", ColumnType::kUint, "", &Context::parent);
        visit("image", ColumnType::kUint, "", &Context::image);
        visit("offset", ColumnType::kUint, "address", &Context::offset);
    }
};

// A node that is no frame: it stands for a node of another stream's tree, and what is below it goes on from there.
// The call paths of an OpenMP worker have one as their outermost node, for the thread that opened the parallel
// region. Written right behind the node.
struct Join {
    std::uint64_t context = 0;  // in this stream; its parent is 0
    std::uint64_t stream = 0;   // StreamId
    std::uint64_t joined = 0;   // ContextId in that stream; 0: the root of its tree

    static constexpr const char* kTable = "join";
    static constexpr std::uint32_t kTableId = 42;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("context", ColumnType::kDelta, "", &Join::context);
        visit("stream", ColumnType::kUint, "", &Join::stream);
        visit("joined", ColumnType::kUint, "", &Join::joined);
    }
};

// How the walk of a call path ended. Everything but kComplete leaves the path partial at its root end.
enum class PathEnd : std::uint8_t {
    kComplete = 0,      // reached the bottom of the stack (main's caller or the thread's start)
    kNotWalked = 1,     // only the program counter is known (merged signal)
    kNoRule = 2,        // no rule for a frame and recovery failed
    kBadRule = 3,       // a rule could not be evaluated
    kOutsideStack = 4,  // the next frame would lie outside the stack
    kNoProgress = 5,    // the stack pointer did not move up
    kTooDeep = 6,       // more frames than are kept
    kUnmapped = 7,      // the return address is no code
};
inline constexpr unsigned kPathEnds = 8;

struct Sample {
    std::uint64_t time = 0;
    std::uint64_t processor = 0;
    std::uint64_t event = 0;                     // EventId of the event whose overflow this is
    std::uint64_t context = 0;                   // ContextId of the leaf; 0: nothing known
    std::uint64_t flags = 0;                     // SampleFlags, path end in bits 0–3
    std::span<const std::uint64_t> deltas = {};  // every event since the sample before, event-table order

    static constexpr const char* kTable = "sample";
    static constexpr std::uint32_t kTableId = 22;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Sample::time);
        visit("processor", ColumnType::kUint, "", &Sample::processor);
        visit("event", ColumnType::kUint, "", &Sample::event);
        visit("context", ColumnType::kUint, "", &Sample::context);
        visit("flags", ColumnType::kUint, "", &Sample::flags);
        visit("deltas", ColumnType::kUintList, "", &Sample::deltas);
    }
};

// Sample::flags
inline constexpr std::uint64_t kPathEndMask = 0x0F;
inline constexpr std::uint64_t kRecoveredFrame = 0x10;  // at least one frame was recovered without a rule
inline constexpr std::uint64_t kInKernel = 0x20;        // the timer fired while the thread was in the kernel
inline constexpr std::uint64_t kAfterPause = 0x40;  // first sample after measurement was off: deltas count from there

// ---- waiting, tasks, marks ----------------------------------------------------------------------

// A thread was off its processor from `time` for `duration`. Written by the parent from the kernel's
// switch records; duration 0 and `open` 1: still off when recording ended.
struct Switch {
    std::uint64_t time = 0;
    std::uint64_t tid = 0;
    std::uint64_t duration = 0;
    std::uint64_t processor_before = 0;
    std::uint64_t processor_after = 0;
    std::uint64_t preempted = 0;  // 1: was runnable when it left (run-queue wait, not sleep)
    std::uint64_t open = 0;

    static constexpr const char* kTable = "switch";
    static constexpr std::uint32_t kTableId = 23;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Switch::time);
        visit("tid", ColumnType::kUint, "", &Switch::tid);
        visit("duration", ColumnType::kUint, "ns", &Switch::duration);
        visit("processor_before", ColumnType::kUint, "", &Switch::processor_before);
        visit("processor_after", ColumnType::kUint, "", &Switch::processor_after);
        visit("preempted", ColumnType::kUint, "", &Switch::preempted);
        visit("open", ColumnType::kUint, "", &Switch::open);
    }
};

enum class TaskChange : std::uint8_t { kFork = 1, kExec = 2, kRename = 3, kExit = 4 };

// A change in the process tree, from the kernel's task records.
struct Task {
    std::uint64_t time = 0;
    std::uint64_t change = 0;  // TaskChange
    std::uint64_t pid = 0;
    std::uint64_t tid = 0;
    std::uint64_t parent_pid = 0;
    std::uint64_t parent_tid = 0;
    std::string_view name = {};

    static constexpr const char* kTable = "task";
    static constexpr std::uint32_t kTableId = 24;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Task::time);
        visit("change", ColumnType::kUint, "", &Task::change);
        visit("pid", ColumnType::kUint, "", &Task::pid);
        visit("tid", ColumnType::kUint, "", &Task::tid);
        visit("parent_pid", ColumnType::kUint, "", &Task::parent_pid);
        visit("parent_tid", ColumnType::kUint, "", &Task::parent_tid);
        visit("name", ColumnType::kText, "", &Task::name);
    }
};

// The file that a process runs since its last exec, from the kernel's mapping records. Written by the parent.
struct ProgramFile {
    std::uint64_t time = 0;
    std::uint64_t pid = 0;
    std::string_view path = {};
    std::string_view obstacle =
        {};  // why no monitor can be loaded into it, in words; empty: nothing stands in the way

    static constexpr const char* kTable = "program-file";
    static constexpr std::uint32_t kTableId = 40;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &ProgramFile::time);
        visit("pid", ColumnType::kUint, "", &ProgramFile::pid);
        visit("path", ColumnType::kText, "", &ProgramFile::path);
        visit("obstacle", ColumnType::kText, "", &ProgramFile::obstacle);
    }
};

// A thread took memory from the system: an anonymous mapping, a larger heap, or other rights for a part of one. From
// the kernel's mapping records, written by the parent.
struct Mapping {
    std::uint64_t time = 0;
    std::uint64_t pid = 0;
    std::uint64_t tid = 0;
    std::uint64_t bytes = 0;  // of the whole area: what is new, and what was there beside it and is joined to it

    static constexpr const char* kTable = "mapping";
    static constexpr std::uint32_t kTableId = 47;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Mapping::time);
        visit("pid", ColumnType::kUint, "", &Mapping::pid);
        visit("tid", ColumnType::kUint, "", &Mapping::tid);
        visit("bytes", ColumnType::kUint, "", &Mapping::bytes);
    }
};

// The place of this file's process in a parallel job (MPI). In the files of a rank's processes and of its parent.
struct Rank {
    std::uint64_t rank = 0;
    std::uint64_t size = 0;  // 0: not known
    std::string_view host = {};

    static constexpr const char* kTable = "rank";
    static constexpr std::uint32_t kTableId = 41;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("rank", ColumnType::kUint, "", &Rank::rank);
        visit("size", ColumnType::kUint, "", &Rank::size);
        visit("host", ColumnType::kText, "", &Rank::host);
    }
};

// What the parent's per-processor buffers lost.
struct KernelLost {
    std::uint64_t time = 0;
    std::uint64_t records = 0;

    static constexpr const char* kTable = "kernel-lost";
    static constexpr std::uint32_t kTableId = 25;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &KernelLost::time);
        visit("records", ColumnType::kUint, "", &KernelLost::records);
    }
};

enum class MarkKind : std::uint8_t { kPoint = 0, kBegin = 1, kEnd = 2, kStart = 3, kStop = 4 };

// Set by the program through include/kymo/monitor.h. kStart and kStop: measurement switched on and off.
struct Mark {
    std::uint64_t time = 0;
    std::uint64_t kind = 0;  // MarkKind
    std::string_view name = {};
    std::int64_t value = 0;

    static constexpr const char* kTable = "mark";
    static constexpr std::uint32_t kTableId = 26;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Mark::time);
        visit("kind", ColumnType::kUint, "", &Mark::kind);
        visit("name", ColumnType::kText, "", &Mark::name);
        visit("value", ColumnType::kInt, "", &Mark::value);
    }
};

// One reading of both clocks: the monotonic one lay between `monotonic` and `monotonic + error` when the
// wall clock read `realtime`.
struct ClockPair {
    std::uint64_t monotonic = 0;
    std::uint64_t realtime = 0;
    std::uint64_t error = 0;

    static constexpr const char* kTable = "clock-pair";
    static constexpr std::uint32_t kTableId = 27;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("monotonic", ColumnType::kDelta, "ns", &ClockPair::monotonic);
        visit("realtime", ColumnType::kDelta, "ns", &ClockPair::realtime);
        visit("error", ColumnType::kUint, "ns", &ClockPair::error);
    }
};

// ---- what threads waited for ---------------------------------------------------------------------

// What a thread waited for. Values are part of the format: new ones at the end.
enum class WaitKind : std::uint8_t {
    kMutex = 1,      // object of 1 to 8: the address of the synchronisation object
    kReadLock = 2,   // a read-write lock, to read
    kWriteLock = 3,  // a read-write lock, to write
    kSpinLock = 4,
    kCondition = 5,
    kBarrier = 6,
    kSemaphore = 7,
    kJoin = 8,     // object: the joined thread's handle
    kRead = 9,     // read and receive; object: the descriptor
    kWrite = 10,   // write and send; object: the descriptor
    kPoll = 11,    // poll, select, epoll; object: the epoll descriptor, or 0
    kAccept = 12,  // object of 12 to 14: the descriptor
    kConnect = 13,
    kSync = 14,
    kSleep = 15,  // object: 0
    kChild = 16,  // waitpid and its kin; object: 0
    kOnce = 17,   // another thread's initialiser; object: the flag
    kFutex = 18,  // by the system call itself; object: the word
    // OpenMP. A thread that waits may spin, so that these can lie in processor time as well.
    kOmpBarrier = 20,   // also the implicit ones; object of 20, 24, 25 and 26: the parallel construct's call
    kOmpCritical = 21,  // object of 21 to 23 and 27: the lock
    kOmpLock = 22,
    kOmpOrdered = 23,
    kOmpTasks = 24,   // taskwait, and the end of a taskgroup
    kOmpSingle = 25,  // for what the thread that executes a `single` hands out
    kOmpIdle = 26,    // a worker between two regions; object: the construct that ends it
    kOmpAtomic = 27,
};
inline constexpr unsigned kWaitKinds = 28;  // with the unused 0 and 19

// A thread waited from `time` for `duration`: in its own stream, written when the wait was over. Waits shorter than
// WaitBrief's bound are not here.
struct Wait {
    std::uint64_t time = 0;
    std::uint64_t duration = 0;
    std::uint64_t kind = 0;  // WaitKind
    std::uint64_t object = 0;
    std::uint64_t context = 0;  // ContextId of the caller of the waiting function; 0: not known
    // Whom it waited for, as a thread id of the same process; 0: nobody or not known. Locks: the owner when the wait
    // began. Conditions, barriers, semaphores: who last signalled, arrived or posted before it was over. Joins: the
    // joined thread.
    std::uint64_t holder = 0;
    std::uint64_t flags = 0;  // WaitFlags

    static constexpr const char* kTable = "wait";
    static constexpr std::uint32_t kTableId = 28;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Wait::time);
        visit("duration", ColumnType::kUint, "ns", &Wait::duration);
        visit("kind", ColumnType::kUint, "", &Wait::kind);
        visit("object", ColumnType::kUint, "address", &Wait::object);
        visit("context", ColumnType::kUint, "", &Wait::context);
        visit("holder", ColumnType::kUint, "", &Wait::holder);
        visit("flags", ColumnType::kUint, "", &Wait::flags);
    }
};

// Wait::flags
inline constexpr std::uint64_t kWaitOpen = 0x1;       // the process ended meanwhile
inline constexpr std::uint64_t kWaitAbandoned = 0x2;  // never returned: the thread was cancelled, or jumped out

// The waits of a stream that were too short to be rows of their own (under `below`), added up by kind. Written with
// the stream's end.
struct WaitBrief {
    std::uint64_t stream = 0;
    std::uint64_t kind = 0;  // WaitKind
    std::uint64_t count = 0;
    std::uint64_t duration = 0;
    std::uint64_t below = 0;

    static constexpr const char* kTable = "wait-brief";
    static constexpr std::uint32_t kTableId = 29;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("stream", ColumnType::kUint, "", &WaitBrief::stream);
        visit("kind", ColumnType::kUint, "", &WaitBrief::kind);
        visit("count", ColumnType::kUint, "", &WaitBrief::count);
        visit("duration", ColumnType::kUint, "ns", &WaitBrief::duration);
        visit("below", ColumnType::kUint, "ns", &WaitBrief::below);
    }
};

// ---- hunts: an event's worst offenders, found in constant memory ----------------------------------------

enum class HuntEngine : std::uint8_t {
    kProgram = 1,  // the monitor's handler in the measured program
    kKernel = 2,   // an eBPF program at the event's overflow
};

// How far the address may be from the instruction that caused the event.
enum class HuntPrecision : std::uint8_t {
    kSkid = 0,      // some instructions later
    kConstant = 1,  // always as far off
    kPrecise = 2,   // the instruction itself
};

// What is hunted and what the hunt promises. One a recording, written before the program starts.
struct Hunt {
    std::uint64_t time = 0;
    std::string_view event = {};  // as asked for
    std::uint64_t engine = 0;     // HuntEngine asked for; `kernel` of a find says which one found it
    std::uint64_t form = 0;       // 0 sequential test, 1 literal pair
    std::uint64_t key = 0;        // HuntKey
    std::uint64_t cells = 0;
    std::uint64_t every = 1;      // looks at one event of so many in the mean
    std::uint64_t precision = 0;  // HuntPrecision
    double share = 0;
    double refuse = 0;
    double confidence = 0;
    double false_reports = 0;      // expected in the whole run, at most
    double events_alone = 0;       // events until a source of `share` is reported, all others rare ...
    double events_among_many = 0;  // ... all others at `refuse`

    static constexpr const char* kTable = "hunt";
    static constexpr std::uint32_t kTableId = 43;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Hunt::time);
        visit("event", ColumnType::kText, "", &Hunt::event);
        visit("engine", ColumnType::kUint, "", &Hunt::engine);
        visit("form", ColumnType::kUint, "", &Hunt::form);
        visit("key", ColumnType::kUint, "", &Hunt::key);
        visit("cells", ColumnType::kUint, "", &Hunt::cells);
        visit("every", ColumnType::kUint, "", &Hunt::every);
        visit("precision", ColumnType::kUint, "", &Hunt::precision);
        visit("share", ColumnType::kReal, "", &Hunt::share);
        visit("refuse", ColumnType::kReal, "", &Hunt::refuse);
        visit("confidence", ColumnType::kReal, "", &Hunt::confidence);
        visit("false_reports", ColumnType::kReal, "", &Hunt::false_reports);
        visit("events_alone", ColumnType::kReal, "", &Hunt::events_alone);
        visit("events_among_many", ColumnType::kReal, "", &Hunt::events_among_many);
    }
};

// What makes two events the same source. Values are part of the format.
enum class HuntKey : std::uint8_t {
    kInstruction = 0,
    kImage = 1,
    kCallSite = 2,  // the innermost address of the program's own image on the stack
    kDataPage = 3,  // 4096 bytes of data
    kDataLine = 4,  // 64 bytes of data
    kFunction = 5,
    kLine = 6,
    kBlock = 7,
};

// A source was found: in the stream of the thread whose event decided it, or in stream 0 where that is not known.
struct Find {
    std::uint64_t time = 0;
    std::uint64_t number = 0;  // of the process's finds, from 1
    std::uint64_t key = 0;
    std::uint64_t image = 0;  // ImageId of the instruction; 0: `offset` is a process address
    std::uint64_t offset = 0;
    std::uint64_t context = 0;  // ContextId in this stream: the call path of the deciding event; 0: not known
    std::uint64_t data = 0;     // data address of the deciding event; 0: the event has none
    std::uint64_t tid = 0;
    std::uint64_t events = 0;  // of the test, from the capture (not counted) on
    std::uint64_t matches = 0;
    std::uint64_t seen = 0;      // events of the hunt so far
    std::uint64_t captures = 0;  // so far
    std::uint64_t engine = 0;    // HuntEngine

    static constexpr const char* kTable = "find";
    static constexpr std::uint32_t kTableId = 44;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Find::time);
        visit("number", ColumnType::kUint, "", &Find::number);
        visit("key", ColumnType::kUint, "", &Find::key);
        visit("image", ColumnType::kUint, "", &Find::image);
        visit("offset", ColumnType::kUint, "address", &Find::offset);
        visit("context", ColumnType::kUint, "", &Find::context);
        visit("data", ColumnType::kUint, "address", &Find::data);
        visit("tid", ColumnType::kUint, "", &Find::tid);
        visit("events", ColumnType::kUint, "", &Find::events);
        visit("matches", ColumnType::kUint, "", &Find::matches);
        visit("seen", ColumnType::kUint, "", &Find::seen);
        visit("captures", ColumnType::kUint, "", &Find::captures);
        visit("engine", ColumnType::kUint, "", &Find::engine);
    }
};

// A find's last word: its source has lost its share, or the process ended. The counts are of the time after the find.
struct FindEnd {
    std::uint64_t time = 0;
    std::uint64_t number = 0;
    std::uint64_t quiet = 0;  // 1: its source lost its share; 0: it ruled to the end
    std::uint64_t events = 0;
    std::uint64_t matches = 0;

    static constexpr const char* kTable = "find-end";
    static constexpr std::uint32_t kTableId = 45;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &FindEnd::time);
        visit("number", ColumnType::kUint, "", &FindEnd::number);
        visit("quiet", ColumnType::kUint, "", &FindEnd::quiet);
        visit("events", ColumnType::kUint, "", &FindEnd::events);
        visit("matches", ColumnType::kUint, "", &FindEnd::matches);
    }
};

// A process's hunt is over.
struct HuntEnd {
    std::uint64_t time = 0;
    std::uint64_t engine = 0;  // HuntEngine that hunted in the end
    std::uint64_t events = 0;  // looked at; of the kernel's engine: by the whole tree of processes
    std::uint64_t captures = 0;
    std::uint64_t overfull = 0;  // finds that had no place in memory
    std::uint64_t dropped = 0;   // events passed over because another processor was at the cells

    static constexpr const char* kTable = "hunt-end";
    static constexpr std::uint32_t kTableId = 46;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &HuntEnd::time);
        visit("engine", ColumnType::kUint, "", &HuntEnd::engine);
        visit("events", ColumnType::kUint, "", &HuntEnd::events);
        visit("captures", ColumnType::kUint, "", &HuntEnd::captures);
        visit("overfull", ColumnType::kUint, "", &HuntEnd::overfull);
        visit("dropped", ColumnType::kUint, "", &HuntEnd::dropped);
    }
};

}  // namespace kymo::recording
