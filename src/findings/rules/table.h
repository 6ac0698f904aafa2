// Every rule there is; each is in the file of its kind.
#pragma once

#include "findings/rule.h"

namespace kymo::findings {

extern const Rule kAllocationChurnLarge;
extern const Rule kAllocationChurnSmall;
extern const Rule kBusyWait;
extern const Rule kCollectiveImbalance;
extern const Rule kColdStartOfOccurrences;
extern const Rule kColdStartOfSpace;
extern const Rule kIoWait;
extern const Rule kLateSender;
extern const Rule kLoadImbalance;
extern const Rule kLockContention;
extern const Rule kMoreWork;
extern const Rule kOutsideInterference;
extern const Rule kOversubscription;
extern const Rule kPageFaultsOfOccurrences;
extern const Rule kPageFaultsOfSpace;
extern const Rule kPeriodicPauseInGaps;
extern const Rule kPeriodicPauseInside;
extern const Rule kPeriodicPauseOfWaits;
extern const Rule kSerialChain;
extern const Rule kSerialSection;
extern const Rule kSlowInstance;
extern const Rule kSlowNeighbour;
extern const Rule kSyscallStorm;
extern const Rule kThreadChurn;
extern const Rule kThreadMigration;

extern const Rule kEvenLoad;
extern const Rule kFastNeighbour;

}  // namespace kymo::findings
