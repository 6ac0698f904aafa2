#include "findings/rules/table.h"

#include <array>

namespace kymo::findings {

// Of claims on the same time with equally much at stake the earlier is shown: what is more particular comes first.
std::span<const Rule* const> rules() {
    static constexpr std::array kRules = {
        &kLateSender,
        &kSerialChain,
        &kCollectiveImbalance,
        &kThreadMigration,
        &kThreadChurn,
        &kOversubscription,
        &kBusyWait,
        &kLockContention,
        &kIoWait,
        &kAllocationChurnLarge,
        &kAllocationChurnSmall,
        &kSyscallStorm,
        &kSerialSection,
        &kColdStartOfOccurrences,
        &kColdStartOfSpace,
        &kPeriodicPauseOfWaits,
        &kPeriodicPauseInGaps,
        &kPeriodicPauseInside,
        &kMoreWork,
        &kPageFaultsOfOccurrences,
        &kPageFaultsOfSpace,
        &kSlowNeighbour,
        &kLoadImbalance,
        &kOutsideInterference,
        &kSlowInstance,
        // Advantages.
        &kEvenLoad,
        &kFastNeighbour,
    };
    return kRules;
}

}  // namespace kymo::findings
