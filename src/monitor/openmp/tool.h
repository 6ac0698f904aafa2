// The part of the OpenMP tools interface that the monitor needs: OpenMP Application Programming Interface 5.0
// (2018), chapter 4, in our own words. Values and layouts are the specification's.
#pragma once

#include <cstdint>

namespace kymo::monitor::ompt {

union Data {
    std::uint64_t value;
    void* pointer;
};

using Function = void (*)();
using Lookup = Function (*)(const char* name);

struct StartResult {
    int (*initialize)(Lookup lookup, int device, Data* tool);  // 0: the tool is deactivated
    void (*finalize)(Data* tool);
    Data tool;
};

enum Callback : int {
    kParallelBegin = 3,
    kParallelEnd = 4,
    kTaskSchedule = 6,
    kImplicitTask = 7,
    kSyncRegionWait = 16,
    kMutexAcquire = 26,
    kMutexAcquired = 27,
    kNestLockAgain = 28,
};
using SetCallback = int (*)(int which, Function callback);

enum Scope : int { kBegin = 1, kEnd = 2 };

enum SyncRegion : int {
    kBarrier = 1,
    kBarrierImplicit = 2,
    kBarrierExplicit = 3,
    kBarrierImplementation = 4,
    kTaskwait = 5,
    kTaskgroup = 6,
    kReduction = 7,
    kBarrierImplicitWorkshare = 8,  // from 5.1 on, as the next two
    kBarrierImplicitParallel = 9,
    kBarrierTeams = 10,
};

enum Mutex : int {
    kLock = 1,
    kTestLock = 2,
    kNestLock = 3,
    kTestNestLock = 4,
    kCritical = 5,
    kAtomic = 6,
    kOrdered = 7,
};

enum TaskFlag : int { kTaskImplicit = 2 };

}  // namespace kymo::monitor::ompt
