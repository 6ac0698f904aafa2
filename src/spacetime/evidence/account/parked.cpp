#include "spacetime/evidence/account/parked.h"

namespace kymo::spacetime {

using recording::WaitKind;

// A thread that waits so for nine tenths of its life and works for less than a hundredth of it has nothing to do. One
// that has made threads waits for what they do: that is no lack of work.
ParkedThreads::ParkedThreads(const Profile& profile) : parked_(profile.threads.size(), Parked::kForAny) {
    constexpr std::int64_t kWorks = 100;
    constexpr std::int64_t kParts = 10;
    for (const ProfileThread& thread : profile.threads) {
        if (thread.creator < parked_.size()) {
            parked_[thread.creator] = Parked::kForRequests;
        }
    }
    for (std::size_t i = 0; i < parked_.size(); ++i) {
        const ProfileThread& thread = profile.threads[i];
        const StateSums states = thread.states.sums();
        std::int64_t waits = 0;
        thread.states.for_each(thread.states.begin(), thread.states.end(), [&](const StateInterval& interval) {
            const bool is_one =
                interval.state == ThreadState::kWaiting && may_be_parked(parked_[i], thread.wait_of(interval));
            waits += is_one ? duration_of(interval) : 0;
        });
        const std::int64_t life = states.wall();
        if (states.processor() * kWorks >= life || waits * kParts < life * (kParts - 1)) {
            parked_[i] = Parked::kNever;
        }
    }
}

bool ParkedThreads::may_be_parked(Parked parked, WaitKind kind) {
    switch (kind) {
        case WaitKind::kRead:
        case WaitKind::kPoll:
        case WaitKind::kAccept:
        case WaitKind::kConnect:
            return parked != Parked::kNever;
        case WaitKind::kCondition:
        case WaitKind::kSemaphore:
        case WaitKind::kOnce:
        case WaitKind::kFutex:
        case WaitKind::kOmpTasks:
        case WaitKind::kOmpSingle:
            return parked == Parked::kForAny;
        default:
            return false;
    }
}

bool ParkedThreads::is_parked(std::uint32_t thread, ThreadState state, WaitKind kind) const {
    if (state != ThreadState::kWaiting && state != ThreadState::kSpinning) {
        return false;
    }
    return kind == WaitKind::kOmpIdle || (state == ThreadState::kWaiting && may_be_parked(parked_[thread], kind));
}

}  // namespace kymo::spacetime
