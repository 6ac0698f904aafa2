// Types of records that perf itself writes, beside the kernel's, and of newer kernels than the oldest headers that
// this compiles with.
#pragma once

#include <cstdint>

namespace kymo::import::perf {

enum PerfRecordType : std::uint32_t {
    kAuxOutputId = 21,
    kDeferredCallchain = 22,
    kFirstOfPerf = 64,
    kHeaderAttribute = 64,
    kHeaderEventType = 65,
    kTracingData = 66,
    kHeaderBuildId = 67,
    kFinishedRound = 68,
    kIdIndex = 69,
    kAuxTraceInfo = 70,
    kAuxTrace = 71,
    kAuxTraceError = 72,
    kThreadMap = 73,
    kProcessorMap = 74,
    kStatConfig = 75,
    kStat = 76,
    kStatRound = 77,
    kEventUpdate = 78,
    kTimeConversion = 79,
    kHeaderFeature = 80,
    kCompressed = 81,
    kFinishedInit = 82,
    kCompressed2 = 83,
    kBpfMetadata = 84,
};

}  // namespace kymo::import::perf
