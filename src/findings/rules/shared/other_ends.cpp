#include "findings/rules/shared/other_ends.h"

#include <algorithm>
#include <map>
#include <optional>

namespace kymo::findings {

using namespace spacetime;

namespace {

using recording::FileKind;
using recording::WaitKind;

constexpr double kNearlyAll = 0.9;  // of the time inside calls

// Whether a target is waited for inside calls that a channel counts.
bool is_of(const Channel& channel, const WaitTarget& target) {
    const bool is_pipe = channel.kind == ChannelKind::kPipe || channel.kind == ChannelKind::kFifo;
    const bool is_socket = channel.kind >= ChannelKind::kUnix && channel.kind <= ChannelKind::kUdpLoopback;
    const FileKind kind = recording::file_kind_of(target.kind, target.object);
    const WaitKind call = channel.direction == ChannelDirection::kReceive ? WaitKind::kRead : WaitKind::kWrite;
    return target.kind == call && (kind == FileKind::kSocket ? is_socket : kind == FileKind::kPipe && is_pipe);
}

// None: what is outside, or nobody in particular.
using TimeByParty = std::map<std::optional<std::size_t>, double>;

// Of calls like a target's, by a process or one thread (`tid`, unless 0), the time for each party.
TimeByParty time_by_party(const RunFacts& run, const WaitTarget& target, std::uint64_t tid) {
    TimeByParty time;
    for (const Channel& channel : run.channels) {
        const Party& caller = run.parties[channel.party];
        if (is_of(channel, target) && caller.pid == run.processes[target.process].pid &&
            (tid == 0 || caller.thread == tid)) {
            const bool is_inside = channel.peer && !run.parties[*channel.peer].is_outside;
            time[is_inside ? channel.peer : std::nullopt] += static_cast<double>(channel.blocked_ns);
        }
    }
    return time;
}

double sum_of(const TimeByParty& time) {
    double sum = 0;
    for (const auto& [party, ns] : time) {
        sum += ns;
    }
    return sum;
}

bool is_socket_within_run(const RunFacts& run, const WaitTarget& target) {
    const TimeByParty time = time_by_party(run, target, 0);
    const double all = sum_of(time);
    const auto outside = time.find(std::nullopt);
    return all > 0 && (outside == time.end() || outside->second <= (1 - kNearlyAll) * all);
}

bool transfers(const Evidence& evidence, const ThreadFacts& thread, WaitKind kind) {
    return std::any_of(thread.brief.begin(), thread.brief.end(),
                       [&](const BriefWaits& brief) { return brief.kind == kind; }) ||
           std::any_of(thread.waits.begin(), thread.waits.end(), [&](const OccurrenceWait& wait) {
               const WaitTarget& target = evidence.wait_targets[wait.target];
               return target.kind == kind &&
                      recording::file_kind_of(kind, target.object) == recording::FileKind::kPipe;
           });
}

// One thread of the process reads, and another one writes.
bool leads_to_thread(const Evidence& evidence, std::uint32_t process) {
    std::size_t readers = 0;
    std::size_t writers = 0;
    std::size_t either = 0;
    for (const ThreadFacts& thread : evidence.run.threads) {
        const bool reads = thread.process == process && transfers(evidence, thread, WaitKind::kRead);
        const bool writes = thread.process == process && transfers(evidence, thread, WaitKind::kWrite);
        readers += reads ? 1 : 0;
        writers += writes ? 1 : 0;
        either += reads || writes ? 1 : 0;
    }
    return readers > 0 && writers > 0 && either > 1;
}

}  // namespace

bool is_within_run(const Evidence& evidence, const WaitTarget& target) {
    constexpr std::uint32_t kStandard = 3;  // input, output, errors
    const RunFacts& run = evidence.run;
    const FileKind kind = recording::file_kind_of(target.kind, target.object);
    if (target.process >= run.processes.size()) {
        return false;
    }
    if (kind == FileKind::kSocket) {
        return is_socket_within_run(run, target);
    }
    if (kind != FileKind::kPipe) {
        return false;
    }
    if (run.processes[target.process].parent != kNone) {
        return true;
    }
    return recording::descriptor_of(target.object) >= kStandard &&
           (std::any_of(run.processes.begin(), run.processes.end(),
                        [&](const ProcessFacts& process) { return process.parent == target.process; }) ||
            leads_to_thread(evidence, target.process));
}

std::uint32_t other_end(const Evidence& evidence, std::uint32_t thread, const WaitTarget& target) {
    const RunFacts& run = evidence.run;
    const ThreadFacts& self = run.threads[thread];
    if (target.process != self.process || target.process >= run.processes.size()) {
        return kNone;
    }
    const TimeByParty time = time_by_party(run, target, self.tid);
    const double all = sum_of(time);
    for (const auto& [party, ns] : time) {
        if (party && ns > 0 && ns >= kNearlyAll * all) {
            const Party& peer = run.parties[*party];
            for (std::uint32_t i = 0; i < run.threads.size(); ++i) {
                const ThreadFacts& other = run.threads[i];
                if (i != thread && other.tid == peer.thread && run.processes[other.process].pid == peer.pid) {
                    return i;
                }
            }
        }
    }
    return kNone;
}

}  // namespace kymo::findings
