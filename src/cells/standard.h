// The standard cells of every task, processor and channel, at fixed indices. Their numbers are part of the format
// (docs/cells-format.md): new ones at the end, up to kStandardCells.
#pragma once

#include "cells/layout.h"

#include <cstdint>

namespace kymo::cells {

// A task is a thread. Filled by the monitor at samples, at most every kFillEveryNs, and when the thread ends.
enum class TaskCell : std::uint32_t {
    kUser = 1,    // ns on a processor in user mode
    kSystem = 2,  // ns in the kernel
    kOffCpu = 3,  // ns in neither: since the task began, as of `filled`
    kVoluntarySwitches = 4,
    kInvoluntarySwitches = 5,
    kMigrations = 6,  // to another processor, as far as samples show
    kMinorFaults = 7,
    kMajorFaults = 8,
    kLockWait = 9,  // ns waiting for mutexes, read-write and spin locks, and OpenMP's
    kWait = 10,     // ns waiting in calls, locks included
    kWaits = 11,    // such waits
    kSamples = 12,
};

// A processor of a host. Filled periodically from outside the programs.
enum class ProcessorCell : std::uint32_t {
    kUser = 1,  // ns, as are the next seven
    kNice = 2,
    kSystem = 3,
    kIdle = 4,
    kIoWait = 5,
    kInterrupts = 6,  // hard and soft
    kSteal = 7,
    kBusy = 8,       // all but idle, waiting for input and steal
    kRunDelay = 9,   // ns that runnable tasks waited for this processor, added up: its change over time is the queue
    kRunQueue = 10,  // mean length of that queue since the fill before, in thousandths
    kSwitches = 11,  // tasks that were given this processor
};

// A channel: messages between a task and a peer, one direction. Counted by the message-passing library's wrappers.
enum class ChannelCell : std::uint32_t {
    kMessages = 1,
    kBytes = 2,
    kBlocked = 3,      // ns inside calls
    kOutstanding = 4,  // begun and not yet completed
    kLargest = 5,      // bytes of the largest message
    kMostOutstanding = 6,
    kCalls = 7,
    kErrors = 8,            // calls that returned an error, and requests that ended with one; by kind:
    kErrorsTruncated = 9,   // the message was longer than the receiver's buffer
    kErrorsArguments = 10,  // invalid arguments of the call
};

enum class ChannelDirection : std::uint64_t {
    kSend = 0,
    kReceive = 1,
    kCollective = 2,
    kOneSided = 3,
    kRead = 4,
    kWrite = 5,
    kServiceSend = 6,  // the service ring's own, of its members
    kServiceReceive = 7
};

template <typename Cell>
    requires std::is_enum_v<Cell>
constexpr std::uint32_t index(Cell cell) {
    return static_cast<std::uint32_t>(cell);
}

struct StandardMetric {
    ResourceKind kind;
    std::uint32_t cell;
    MetricType type;
    const char* unit;
    const char* name;
    const char* description;
};

inline constexpr StandardMetric kStandardMetrics[] = {
    {ResourceKind::kTask, 1, MetricType::kCounter, "ns", "user", "on a processor in user mode"},
    {ResourceKind::kTask, 2, MetricType::kCounter, "ns", "system", "on a processor in the kernel"},
    {ResourceKind::kTask, 3, MetricType::kCounter, "ns", "off-cpu", "not on a processor"},
    {ResourceKind::kTask, 4, MetricType::kCounter, "", "voluntary-switches", "gave its processor up to wait"},
    {ResourceKind::kTask, 5, MetricType::kCounter, "", "involuntary-switches", "lost its processor"},
    {ResourceKind::kTask, 6, MetricType::kCounter, "", "migrations", "seen on another processor"},
    {ResourceKind::kTask, 7, MetricType::kCounter, "", "minor-faults", "page faults without input"},
    {ResourceKind::kTask, 8, MetricType::kCounter, "", "major-faults", "page faults with input"},
    {ResourceKind::kTask, 9, MetricType::kCounter, "ns", "lock-wait", "waiting for locks"},
    {ResourceKind::kTask, 10, MetricType::kCounter, "ns", "wait", "waiting in calls, locks included"},
    {ResourceKind::kTask, 11, MetricType::kCounter, "", "waits", "waits in calls"},
    {ResourceKind::kTask, 12, MetricType::kCounter, "", "samples", "samples taken"},
    {ResourceKind::kProcessor, 1, MetricType::kCounter, "ns", "user", "in user mode"},
    {ResourceKind::kProcessor, 2, MetricType::kCounter, "ns", "nice", "in user mode at low priority"},
    {ResourceKind::kProcessor, 3, MetricType::kCounter, "ns", "system", "in the kernel"},
    {ResourceKind::kProcessor, 4, MetricType::kCounter, "ns", "idle", "with nothing to do"},
    {ResourceKind::kProcessor, 5, MetricType::kCounter, "ns", "io-wait", "idle while a task waits for input"},
    {ResourceKind::kProcessor, 6, MetricType::kCounter, "ns", "interrupts", "in interrupts"},
    {ResourceKind::kProcessor, 7, MetricType::kCounter, "ns", "steal", "taken by the hypervisor"},
    {ResourceKind::kProcessor, 8, MetricType::kCounter, "ns", "busy", "user, nice, system and interrupts"},
    {ResourceKind::kProcessor, 9, MetricType::kCounter, "ns", "run-delay", "runnable tasks waited for it"},
    {ResourceKind::kProcessor, 10, MetricType::kGauge, "1/1000", "run-queue", "mean runnable tasks that waited"},
    {ResourceKind::kProcessor, 11, MetricType::kCounter, "", "switches", "tasks that were given it"},
    {ResourceKind::kChannel, 1, MetricType::kCounter, "", "messages", "messages"},
    {ResourceKind::kChannel, 2, MetricType::kCounter, "bytes", "bytes", "bytes of messages"},
    {ResourceKind::kChannel, 3, MetricType::kCounter, "ns", "blocked", "time inside calls"},
    {ResourceKind::kChannel, 4, MetricType::kGauge, "", "outstanding", "begun and not completed"},
    {ResourceKind::kChannel, 5, MetricType::kMaximum, "bytes", "largest", "largest message"},
    {ResourceKind::kChannel, 6, MetricType::kMaximum, "", "most-outstanding", "most outstanding at a time"},
    {ResourceKind::kChannel, 7, MetricType::kCounter, "", "calls", "calls"},
    {ResourceKind::kChannel, 8, MetricType::kCounter, "", "errors", "calls that failed"},
    {ResourceKind::kChannel, 9, MetricType::kCounter, "", "errors-truncated", "messages too long for their receiver"},
    {ResourceKind::kChannel, 10, MetricType::kCounter, "", "errors-arguments", "calls with wrong arguments"},
};

}  // namespace kymo::cells
