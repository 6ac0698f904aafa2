#include "spacetime/evidence/make_run_facts.h"

#include "spacetime/evidence/node_tables.h"
#include "spacetime/metrics/stolen_time.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kLeastPaces = 20;  // with fewer measurements differences are chance

TimeTerms total_of(const ProfileThread& thread) {
    const StateSums sums = thread.states.sums();
    return {.user = sums[ThreadState::kUser],
            .spinning = sums[ThreadState::kSpinning],
            .system = sums[ThreadState::kSystem],
            .run_queue = sums[ThreadState::kReady],
            .waiting = sums[ThreadState::kWaiting],
            .other = sums[ThreadState::kOff] + sums[ThreadState::kPaused]};
}

void add_waits(const ProfileThread& thread, const std::vector<std::uint32_t>& targets, ThreadFacts* facts) {
    std::map<std::uint32_t, std::int64_t> waited;
    std::map<std::uint32_t, std::int64_t> polled;
    thread.states.for_each(thread.states.begin(), thread.states.end(), [&](const StateInterval& interval) {
        const bool is_waiting = interval.state == ThreadState::kWaiting;
        if (interval.wait != kNone && (is_waiting || interval.state == ThreadState::kSpinning)) {
            (is_waiting ? waited : polled)[targets[interval.wait]] +=
                static_cast<std::int64_t>(interval.end - interval.begin);
        }
    });
    facts->waits = sorted_waits(waited);
    facts->polled = sorted_waits(polled);
}

ThreadFacts facts_of(const Profile& profile, const ProfileThread& thread, const Names& names,
                     const std::vector<std::uint32_t>& targets, std::vector<ProcessorSamples> processors) {
    ThreadFacts facts{.process = thread.process,
                      .tid = thread.tid,
                      .name = thread.name,
                      .rank = {},
                      .begin = thread.begin,
                      .end = thread.end,
                      .creator = thread.creator,
                      .created_at = {},
                      .is_sampled = thread.is_sampled,
                      .total = total_of(thread),
                      .deltas = {},
                      .voluntary = thread.switches.voluntary,
                      .involuntary = thread.switches.involuntary,
                      .samples = thread.quality.samples,
                      .processors = std::move(processors),
                      .pace = 0,
                      .waits = {},
                      .polled = {},
                      .brief = {},
                      .mappings = {}};
    add_waits(thread, targets, &facts);
    if (const std::uint64_t rank = profile.processes[thread.process].rank; rank != kNoRank) {
        facts.rank = rank;
    }
    if (thread.pace.count >= kLeastPaces) {
        facts.pace = static_cast<double>(thread.pace.ticks) / static_cast<double>(thread.pace.count);
    }
    for (const TakenTime& taken : thread.taken) {
        facts.taken += taken.ns;
    }
    if (thread.creation_node != kNone) {
        facts.created_at = own_place(profile, raw(thread.creation_node), names);
    }
    facts.deltas.assign(thread.costs.begin() + std::min<std::ptrdiff_t>(kFirstEvent, std::ssize(thread.costs)),
                        thread.costs.end());
    return facts;
}

std::vector<ProcessFacts> processes_of(const Profile& profile) {
    std::multimap<std::uint64_t, std::uint32_t> by_pid;
    for (std::uint32_t i = 0; i < profile.processes.size(); ++i) {
        by_pid.emplace(profile.processes[i].pid, i);
    }
    std::vector<ProcessFacts> facts;
    facts.reserve(profile.processes.size());
    for (const ProfileProcess& process : profile.processes) {
        ProcessFacts& made = facts.emplace_back();
        made.pid = process.pid;
        made.name = process.name;
        made.begin = process.begin;
        made.end = process.end;
        // Of the parent's images, the last that had begun.
        const auto [first, last] = by_pid.equal_range(process.parent_pid);
        for (auto at = first; at != last; ++at) {
            const std::uint64_t begin = profile.processes[at->second].begin;
            if (process.parent_pid != process.pid && begin <= process.begin &&
                (made.parent == kNone || begin >= profile.processes[made.parent].begin)) {
                made.parent = at->second;
            }
        }
    }
    return facts;
}

// How long each number of threads was ready to run at a time.
void add_ready(RunFacts& run, const TimeGrid& ready) {
    for (std::size_t bin = 0; bin < ready.bins(); ++bin) {
        const std::uint64_t begin = run.begin + bin * ready.width();
        if (begin >= run.end) {
            break;
        }
        const std::uint64_t width = std::min(ready.width(), run.end - begin);
        const auto threads = static_cast<std::size_t>(
            std::llround(static_cast<double>(ready.at(0, bin)) / static_cast<double>(width)));
        run.ready_ns.resize(std::max(run.ready_ns.size(), threads + 1));
        run.ready_ns[threads] += static_cast<std::int64_t>(width);
    }
}

// Waits too short for a row each, and memory taken from the system.
void add_process_sums(const Profile& profile, std::vector<ThreadFacts>& threads) {
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::uint32_t> index;  // ids are reused
    for (std::uint32_t i = 0; i < profile.threads.size(); ++i) {
        const ProfileThread& thread = profile.threads[i];
        const std::uint64_t pid =
            thread.process < profile.processes.size() ? profile.processes[thread.process].pid : 0;
        index.try_emplace({pid, thread.tid, thread.begin}, i);
        if (const auto taken = profile.mappings.find({pid, thread.tid}); taken != profile.mappings.end()) {
            threads[i].mappings = taken->second;
        }
    }
    for (const auto& [key, amount] : profile.waits.brief) {
        const WaitThread& thread = key.first.in(profile.waits.threads);
        if (const auto found = index.find({thread.pid, thread.tid, thread.begin}); found != index.end()) {
            threads[found->second].brief.push_back({key.second, amount.ns, amount.count});
        }
    }
}

}  // namespace

RunFacts make_run_facts(const Profile& profile, const Names& names, const OccurrencePass& occurrences,
                        const WaitTargets& targets, const RunMetrics& metrics) {
    RunFacts run;
    run.begin = profile.begin;
    run.end = profile.end;
    run.processors = profile.processors;
    run.is_damaged = profile.is_damaged;
    const Quality& quality = profile.quality;
    const auto dropped = quality.paths[static_cast<std::size_t>(recording::PathEnd::kNoRoom)];
    run.dropped_paths =
        quality.samples == 0 ? 0 : static_cast<double>(dropped) / static_cast<double>(quality.samples);
    for (const EventInfo& event : profile.events) {
        run.counters.push_back(event.name);
    }
    run.deltas.resize(run.counters.size());
    for (std::uint32_t i = 0; i < profile.threads.size(); ++i) {
        ThreadFacts facts =
            facts_of(profile, profile.threads[i], names, targets.of_thread[i], occurrences.processors[i]);
        facts.deltas.resize(run.counters.size());
        run.total += facts.total;
        for (std::size_t event = 0; event < facts.deltas.size(); ++event) {
            run.deltas[event] += facts.deltas[event];
        }
        run.threads.push_back(std::move(facts));
    }
    add_process_sums(profile, run.threads);
    run.processes = processes_of(profile);
    if (profile.peak_bytes != 0) {
        run.peak_bytes = profile.peak_bytes;
    }
    RunChannels channels = channels_of(metrics);
    run.channels = std::move(channels.channels);
    run.parties = std::move(channels.parties);
    run.steal_ns = stolen_time(metrics);
    add_ready(run, occurrences.ready);
    return run;
}

}  // namespace kymo::spacetime
