#include "spacetime/evidence/rule_facts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace kymo::spacetime {
namespace {

using ThreadId = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  // pid, tid, begin: ids are reused

void add_wait_sums(const Profile& profile, const std::vector<std::vector<std::uint32_t>>& target_of,
                   const TimeGrid& lacking, Evidence* evidence) {
    evidence->wait_sums.assign(evidence->wait_targets.size(), {});
    for (std::size_t thread = 0; thread < profile.threads.size(); ++thread) {
        const auto& waits = profile.threads[thread].waits;
        for (std::size_t i = 0; i < waits.size() && i < target_of[thread].size(); ++i) {
            const auto ns = static_cast<std::int64_t>(waits[i].end - std::min(waits[i].begin, waits[i].end));
            WaitSum& sum = evidence->wait_sums[target_of[thread][i]];
            sum.ns += ns;
            if (const std::uint32_t holder = evidence->wait_targets[target_of[thread][i]].holder; holder != kNone) {
                const double held_up = lacking.mean(holder, waits[i].begin, waits[i].end) * static_cast<double>(ns);
                sum.held_up_ns += std::min<std::int64_t>(ns, std::llround(held_up));
            }
            sum.longest_ns = std::max(sum.longest_ns, ns);
            ++sum.count;
        }
    }
}

// Waits of a thread's profile are in the order of their begins.
void add_timed_waits(const Profile& profile, const std::vector<std::vector<std::uint32_t>>& target_of,
                     Evidence* evidence) {
    for (std::uint32_t thread = 0; thread < profile.threads.size(); ++thread) {
        const ProfileThread& of = profile.threads[thread];
        for (std::uint32_t i = 0; i < of.waits.size() && i < target_of[thread].size(); ++i) {
            const std::uint32_t target = target_of[thread][i];
            if (is_synchronisation(of.waits[i].kind) || evidence->wait_sums[target].count > kMostTimed) {
                continue;
            }
            std::int64_t ns = 0;
            for (const WaitShare& share : of.states.filling(of.waits[i].begin, of.waits[i].end).waits) {
                ns += share.wait == i ? share.ns : 0;
            }
            evidence->timed_waits.push_back({thread, target, of.waits[i].begin, of.waits[i].end, ns});
        }
    }
}

}  // namespace

void add_rule_facts(const Profile& profile, const std::vector<std::vector<std::uint32_t>>& target_of,
                    const TimeGrid& lacking, Evidence* evidence) {
    add_wait_sums(profile, target_of, lacking, evidence);
    add_timed_waits(profile, target_of, evidence);
    if (profile.peak_bytes != 0) {
        evidence->run.peak_bytes = profile.peak_bytes;
    }
    std::map<ThreadId, std::uint32_t> index;
    for (std::uint32_t i = 0; i < profile.threads.size(); ++i) {
        const ProfileThread& thread = profile.threads[i];
        const std::uint64_t pid =
            thread.process < profile.processes.size() ? profile.processes[thread.process].pid : 0;
        index.try_emplace({pid, thread.tid, thread.begin}, i);
        if (const auto taken = profile.mappings.find({pid, thread.tid}); taken != profile.mappings.end()) {
            evidence->run.threads[i].mappings = taken->second;
        }
    }
    for (const auto& [key, amount] : profile.waits.brief) {
        const WaitThread& thread = key.first.in(profile.waits.threads);
        if (const auto found = index.find({thread.pid, thread.tid, thread.begin}); found != index.end()) {
            evidence->run.threads[found->second].brief.push_back({key.second, amount.ns, amount.count});
        }
    }
}

}  // namespace kymo::spacetime
