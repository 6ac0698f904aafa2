// The maximum cost of waiting to the run, and other sums that several rules use. Pure.
#pragma once

#include "findings/finding.h"
#include "spacetime/evidence/account/system_calls.h"
#include "spacetime/evidence/evidence.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::findings {

// ns by thread, for a claim's own sums.
using ByThread = std::map<std::uint32_t, double>;

double duration_ns(const spacetime::Evidence& evidence);

// ns of processor time, over all processors, that no thread of the program could use. If it is not known which
// threads were ready when: the processors' time beyond the program's own processor time.
double idle_processor_ns(const spacetime::Evidence& evidence);

// How much shorter the run could be if all waiting went and nothing else changed: its threads would fill the idle
// processors, and then no more. Threads that wait while others use all processors lose nothing by waiting.
double spare_ns(const spacetime::Evidence& evidence);

// Likewise for the time for which threads wait or poll for one another: processor time spent polling is theirs
// again, too. At most the run.
double room_ns(const spacetime::Evidence& evidence);

// ns that a thread waits or polls for locks, an interpreter's among them.
double waited_for_locks_ns(const spacetime::Evidence& evidence, const spacetime::ThreadFacts& thread);

// Scaled so that no thread has more than `most`.
std::vector<ThreadTime> at_most(const ByThread& times, double most);

// Threads with at least a tenth of the largest, ascending.
std::vector<std::uint32_t> main_threads(const ByThread& times);
double sum(const ByThread& times);

ByThread to_map(const std::vector<ThreadTime>& times);

// Whether it is a wait for an object that another thread holds and gives back.
bool is_lock(recording::WaitKind kind);

// A thread that is in blocking reads and polls, or asleep, for nine tenths of its life waits for work, as a server
// does; from outside it looks the same as one that is kept from work.
bool waits_for_work(const spacetime::Evidence& evidence, std::uint32_t thread);

// Run-time code (own_code.h), but for message libraries: not the program's own.
bool is_library(const spacetime::Place& place);
// A function inlined into the one that uses it (or a loop of such a function), of another file or used by others as
// well: a tool. What can be changed is the code that uses it.
bool is_tool(const spacetime::Evidence& evidence, NodeIndex node);
// The node itself if it is the program's own function or a part of one, or else the nearest such above it; kNone:
// none.
NodeIndex own_code(const spacetime::Evidence& evidence, NodeIndex node);
// The smallest node that holds a place; kNone: none.
NodeIndex node_of(const spacetime::Evidence& evidence, const program::SourcePlace& place);
spacetime::Place to_place(const program::SourcePlace& place);

}  // namespace kymo::findings
