// Facts about the run as a whole for rules: processors, threads' lives, switches.
#pragma once

#include "base/index.h"
#include "spacetime/evidence/node.h"
#include "spacetime/metrics/channels.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kymo::spacetime {

// Waits too short for a row of their own, added up.
struct BriefWaits {
    recording::WaitKind kind{};
    std::int64_t ns = 0;
    std::uint64_t count = 0;
};

// A single wait.
struct TimedWait {
    std::uint32_t thread = 0;  // index of RunFacts::threads
    std::uint32_t target = 0;  // index of Evidence::wait_targets
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::int64_t ns = 0;  // waited: without the time until it had a processor again
};

struct ProcessorSamples {
    std::uint32_t processor = 0;
    std::uint64_t samples = 0;
};

// Parallel to Profile::threads.
struct ThreadFacts {
    std::uint32_t process = 0;
    std::uint64_t tid = 0;
    std::string name;
    std::optional<std::uint64_t> rank = {};  // in its process's parallel job; none: not in a job
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t creator = kNone;    // index of RunFacts::threads; kNone: not known, or a process's first
    program::SourcePlace created_at;  // the program's own function that created it
    bool is_sampled = false;
    TimeTerms total;                   // of its whole life
    std::vector<std::int64_t> deltas;  // by counter
    std::uint64_t voluntary = 0;       // switches: left by itself
    std::uint64_t involuntary = 0;     // preempted by another thread
    std::uint64_t samples = 0;
    std::vector<ProcessorSamples> processors;  // where its samples were taken; in no order
    double pace = 0;  // ticks that the same arithmetic took at its samples, on average: more is slower; 0: not known
    std::int64_t taken = 0;  // ns of its time on processors, estimated, in which these were away: late_ticks.h
    std::vector<OccurrenceWait> waits;   // off the processor, by target, most time first
    std::vector<OccurrenceWait> polled;  // on a processor, polling for the end of the wait, likewise
    std::vector<BriefWaits> brief;       // by kind
    std::uint64_t mappings = 0;          // times that it took memory from the system
};

// Parallel to Profile::processes: one image of a process.
struct ProcessFacts {
    std::uint64_t pid = 0;
    std::uint32_t parent = kNone;  // index of RunFacts::processes: what started this pid; kNone: not known
    std::string name;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

struct RunFacts {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t processors = 0;       // 0: not known
    bool is_damaged = false;            // parts of the recording are lost
    std::vector<std::string> counters;  // Profile::events' names
    std::vector<ThreadFacts> threads;
    std::vector<ProcessFacts> processes;
    TimeTerms total;                   // of all threads
    std::vector<std::int64_t> deltas;  // by counter, of all threads
    // Wall time by the number of the program's threads on a processor or ready for one at once: [0], [1], …
    std::vector<std::int64_t> ready_ns;
    std::optional<std::uint64_t> peak_bytes;  // largest resident size that a process of the run had; none: not known
    std::vector<Channel> channels;            // of messages, pipes and sockets; empty: none, or not counted
    std::vector<Party> parties;               // of channels
    double dropped_paths = 0;                 // share of the samples whose outer frames had no room
    std::optional<std::int64_t> steal_ns;     // taken by the hypervisor from all processors; none: not known
};

}  // namespace kymo::spacetime
