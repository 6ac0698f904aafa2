#include "spacetime/evidence/wait_sums.h"

#include "spacetime/evidence/evidence.h"
#include "spacetime/evidence/holder_places.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kymo::spacetime {

std::vector<WaitSum> wait_sums(const Profile& profile, const Names& names, const WaitTargets& targets,
                               const TimeGrid& lacking) {
    std::vector<WaitSum> sums(targets.targets.size());
    for (std::size_t thread = 0; thread < profile.threads.size(); ++thread) {
        const auto& waits = profile.threads[thread].waits;
        for (std::size_t i = 0; i < waits.size() && i < targets.of_thread[thread].size(); ++i) {
            const std::uint32_t target = targets.of_thread[thread][i];
            const auto ns = static_cast<std::int64_t>(waits[i].end - std::min(waits[i].begin, waits[i].end));
            WaitSum& sum = sums[target];
            sum.ns += ns;
            if (const std::uint32_t holder = targets.targets[target].holder; holder != kNone) {
                const double held_up = lacking.mean(holder, waits[i].begin, waits[i].end) * static_cast<double>(ns);
                sum.held_up_ns += std::min<std::int64_t>(ns, std::llround(held_up));
            }
            sum.longest_ns = std::max(sum.longest_ns, ns);
            ++sum.count;
            const bool is_again = i + 1 < waits.size() && waits[i + 1].kind == waits[i].kind &&
                                  waits[i + 1].object == waits[i].object && waits[i + 1].begin >= waits[i].end &&
                                  waits[i + 1].begin - waits[i].end <= kAtOnce;
            sum.in_vain += is_again ? 1 : 0;
        }
    }
    for (auto& [target, stay] : holder_stays(profile, names, targets.targets)) {
        sums[target].holder_doing = stay.doing;
        sums[target].holder_place = std::move(stay.place);
    }
    return sums;
}

// Waits of a thread's profile are in the order of their begins.
std::vector<TimedWait> timed_waits(const Profile& profile, const WaitTargets& targets,
                                   const std::vector<WaitSum>& sums) {
    std::vector<TimedWait> timed;
    for (std::uint32_t thread = 0; thread < profile.threads.size(); ++thread) {
        const ProfileThread& of = profile.threads[thread];
        for (std::uint32_t i = 0; i < of.waits.size() && i < targets.of_thread[thread].size(); ++i) {
            const std::uint32_t target = targets.of_thread[thread][i];
            if (is_synchronisation(of.waits[i].kind) || sums[target].count > kMostTimed) {
                continue;
            }
            std::int64_t ns = 0;
            for (const WaitShare& share : of.states.filling(of.waits[i].begin, of.waits[i].end).waits) {
                ns += share.wait == i ? share.ns : 0;
            }
            timed.push_back({thread, target, of.waits[i].begin, of.waits[i].end, ns});
        }
    }
    return timed;
}

}  // namespace kymo::spacetime
