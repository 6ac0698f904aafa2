// A whole recording as one calling-context tree with costs, and its threads: the second stage.
//
// The trees of all streams are merged by (image, offset) of their frames, whatever process or loading of the
// image they come from. A thread's tree is below the call path that created it, unless options say
// otherwise. Time after a stream's last sample belongs to a node of its own, so that the root's total is
// the sum over all streams, exactly.
//
// Ranks recorded on several hosts are put on one time line by the hosts' pairs of clock readings.
//
// Merging is addition: profiles of parts of a recording add up to the profile of the whole.
#pragma once

#include "spacetime/indices.h"
#include "spacetime/load/costs.h"
#include "spacetime/load/file_data.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kymo::spacetime {

// The kind of a tree node; a frame unless it is one of the others.
enum class NodeKind : std::uint8_t {
    kFrame,
    kRoot,
    kProcess,      // `image` is an index of Profile::processes
    kPartial,      // above call paths whose root end is missing
    kNoPath,       // samples without a known call path
    kDropped,      // above call paths whose outer frames had no room
    kUnsampled,    // from a stream's last sample to its end
    kUnknownCall,  // system time, and time off the processor, in unknown calls, of which the parent is a
                   // caller (system_place.h)
};

struct ProfileNode {
    std::uint32_t parent = 0;
    NodeKind kind = NodeKind::kFrame;
    std::uint32_t image = 0;  // index of Profile::images
    std::uint64_t offset = 0;
};
using ProfileNodeIndex = Index<ProfileNode>;  // of Profile::nodes

inline constexpr std::uint64_t kNoRank = ~std::uint64_t{0};
inline constexpr std::size_t kMostLostRanks = 100;

// One rank of a parallel job: all its processes, by its own account.
struct ProfileRank {
    std::uint64_t rank = 0;
    std::uint64_t size = 0;  // of the job; 0: not known
    std::string host;
    std::uint64_t duration_ns = 0;
    bool has_run_end = false;
    std::uint64_t wait_status = 0;
    std::size_t processes = 0;
    std::size_t threads = 0;
    std::vector<std::int64_t> costs =
        {};  // columns of CostTable, all threads; of those without samples not user and system
};

// One image of a process: an exec ends one and begins another with the same pid.
struct ProfileProcess {
    std::uint64_t pid = 0;      // as FileData's
    std::uint64_t own_pid = 0;  // likewise; 0: pid
    std::uint64_t parent_pid = 0;
    std::string executable;  // path; empty if not known
    std::string name = {};   // the kernel's (at most 15 letters), or the command's
    std::vector<std::string> command = {};
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool has_ended = false;  // its monitor saw the end; not so after SIGKILL
    bool is_monitored = true;
    std::string why_not = {};    // no monitor in it, in words that can follow its name
    std::string exec_from = {};  // the executable that became this one; empty: none, or not known
    bool has_times = true;       // false: the kernel reported nothing of it after its exec
    std::uint64_t rank = kNoRank;
    std::vector<std::int64_t> totals = {};  // by event, counted for the process as a whole; empty: no such count
    Quality quality = {};
};

struct Profile;
// By node: its parent, which has the smaller index.
std::vector<std::uint32_t> parents_of(const Profile& profile);

// The name by which a program was called: if one file has several, by links to it, the name says which is meant.
std::string called_name(const std::vector<std::string>& command, const std::string& executable);

// The source of a thread's switches and its time in the run queue.
enum class ThreadFigures : std::uint8_t {
    kNone,
    kSwitchRecords,  // the kernel's records of each switch
    kThreadEnd,      // read at the thread's end: getrusage, schedstat
};

struct ProfileThread {
    std::uint32_t process = 0;
    std::uint64_t tid = 0;      // as StreamData's
    std::uint64_t own_tid = 0;  // likewise
    std::string name;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool is_sampled = false;  // it has a stream: otherwise known from the kernel's records alone
    bool has_ended = false;
    std::uint32_t creator = kNone;        // index of Profile::threads
    ProfileNodeIndex creation_node = {};  // call path that created it
    std::optional<CreatedWith> created_with = {};
    std::vector<std::int64_t> costs;  // columns of CostTable; unsampled remainder included
    std::int64_t paused_ns = 0;
    std::int64_t run_queue_ns = 0;  // of off-CPU: ready to run, but waiting for a processor
    SwitchCounts switches = {};
    ThreadFigures figures_from = ThreadFigures::kNone;  // source of run queue and switches
    ThreadStates states = {};
    std::vector<ThreadWait> waits = {};  // what states refer to; contexts are indices of Profile::nodes
    std::vector<KernelLook> looks = {};  // contexts likewise
    std::vector<TailPiece> tail = {};    // contexts likewise
    std::vector<OffInterval> offs = {};  // by the kernel's switch records
    std::vector<TakenTime> taken = {};   // its processor was away, unreported: late_ticks.h
    Pace pace = {};
    EventRoles roles = {};  // for another pass over its samples (sample_time.h)
    Quality quality = {};

    // The kind of the wait that an interval of its states is in or for; 0: of none.
    recording::WaitKind wait_of(const StateInterval& interval) const {
        return interval.wait == kNone ? recording::WaitKind{} : waits[interval.wait].kind;
    }
};

// The place of a stream of the recording in the profile: for a second pass over its samples.
struct ProfileStream {
    std::uint32_t file = 0;                  // index of Recording::files()
    std::uint32_t stream = 0;                // StreamId in that file
    std::uint32_t thread = 0;                // index of Profile::threads
    std::int64_t shift_ns = 0;               // the shift of the file's times to the profile's clock
    std::vector<std::uint32_t> nodes;        // by ContextId: index of Profile::nodes; [0]: above its call paths
    std::uint32_t no_path = kNone;           // the node of samples without a call path; kNone: there are none
    std::vector<bool> own_contexts = {};     // as StreamData's
    std::vector<std::size_t> columns = {};   // the file's event → index of Profile::events
    std::uint64_t end_time = 0;              // of its StreamEnd, on the profile's clock; 0: it has none
    std::vector<std::uint64_t> totals = {};  // of the file's events, in its StreamEnd
};

struct Profile {
    // The run, as recorded by its parent; defaults if there was no parent.
    std::vector<std::string> command;
    std::string host;
    std::string directory;
    std::uint64_t processors = 0;  // of all hosts; 0: not known
    std::uint64_t begin = 0;       // ns, monotonic
    std::uint64_t end = 0;
    std::uint64_t started_realtime_ns = 0;  // 0: not known
    bool has_run_end = false;
    bool is_running = false;  // it has no end yet: a program was still writing when this was read, or copied
    std::uint64_t wait_status = 0;
    std::uint64_t end_reason = 0;
    std::uint64_t peak_bytes = 0;  // largest resident size of a process; 0: not known
    // By (pid, tid): times that a thread of that number took memory from the system.
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> mappings;

    std::vector<EventInfo> events;
    std::vector<std::uint64_t> samples_by_event;
    std::vector<UnavailableInfo> unavailable;
    std::vector<ImageInfo> images;
    std::vector<ProfileRank> ranks;  // by number; empty: not a parallel job
    // Of the job, without a process here: not recorded, or their files are missing or damaged.
    std::uint64_t lost_ranks = 0;
    std::vector<std::uint64_t> some_lost_ranks;  // of them, ascending: the first kMostLostRanks
    std::vector<ProfileProcess> processes;
    std::vector<ProfileThread> threads;
    std::vector<ProfileStream> streams;  // by file, then by stream
    std::vector<ProfileNode> nodes;      // a parent comes before its children; 0 is the root
    CostTable self;                      // row: node
    std::vector<std::int64_t>
        own_work;  // columns of CostTable: the monitor's own, in no thread's and no node's costs
    Waits waits;
    Quality quality = {};
    std::uint64_t excerpt_of = 0;  // samples in the recording, if only an excerpt of them was read; else 0
    std::uint64_t kernel_lost = 0;
    std::uint64_t condensed_switches = 0;  // absences without rows: it is not known when they were
    bool has_registers = false;            // samples come with registers
    bool has_operands = false;             // some samples come with operands
    bool has_accesses = false;             // some samples come with the memory that their instruction used
    bool is_damaged = false;               // parts of its files are lost, so that the rest must not be compared
    std::vector<std::string> warnings;     // about the recording itself
};

// Costs of each process: columns of CostTable, added up over its threads; row: index of Profile::processes.
std::vector<std::vector<std::int64_t>> process_costs(const Profile& profile);

// Index of the sampled event that measures time: a clock, else cycles, else the one with most samples. Samples of
// others come with those events: their number in a place says nothing of how often the program was there. The
// number of events if none was sampled.
std::size_t clock_event(const Profile& profile);
// ns between two samples of it in a thread; 0: samples are not of time.
std::uint64_t clock_period(const Profile& profile);

}  // namespace kymo::spacetime
