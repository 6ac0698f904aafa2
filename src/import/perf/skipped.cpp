#include "import/perf/skipped.h"

#include "import/perf/record_types.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <utility>

namespace kymo::import::perf {

void Skipped::record(std::uint32_t type) {
    switch (type) {
        case PERF_RECORD_AUX:
        case PERF_RECORD_ITRACE_START:
        case kAuxOutputId:
        case kAuxTraceInfo:
        case kAuxTrace:
        case kAuxTraceError:
            ++trace_records_;
            return;
        case PERF_RECORD_READ:
            ++counts_of_threads_;
            return;
        case kDeferredCallchain:
            ++deferred_;
            return;
        case kStatConfig:
        case kStat:
        case kStatRound:
            ++statistics_;
            return;
        // What they say is either read elsewhere or of use to perf alone.
        case PERF_RECORD_BPF_EVENT:
        case PERF_RECORD_TEXT_POKE:
        case kHeaderEventType:
        case kTracingData:
        case kFinishedRound:
        case kIdIndex:
        case kThreadMap:
        case kProcessorMap:
        case kTimeConversion:
        case kFinishedInit:
        case kBpfMetadata:
            return;
        default:
            break;
    }
    if (unknown_.size() < kMostTypes || unknown_.contains(type)) {
        ++unknown_[type];
    } else {
        ++other_unknown_;
    }
}

std::vector<std::string> Skipped::take_notices() {
    Skipped from = std::exchange(*this, {});
    std::vector<std::string> to = std::move(from.lines_);
    const auto add = [&to](std::uint64_t count, const char* what) {
        if (count > 0) {
            to.push_back(fmt::format("left out: {} {}", count, what));
        }
    };
    add(from.malformed_, "records whose fields are not all there");
    add(from.of_unknown_events_, "samples of events that the file does not describe");
    if (from.trace_records_ > 0) {
        to.push_back(fmt::format("left out: traces of the processor or another device, {} bytes", from.trace_bytes_));
    }
    add(from.counts_of_threads_, "counts of ended threads (perf record -s)");
    add(from.statistics_, "counts of perf stat");
    add(from.deferred_, "call paths that the kernel recorded after their samples");
    for (const auto& [type, count] : from.unknown_) {
        to.push_back(fmt::format("left out: {} records of the unknown type {}", count, type));
    }
    add(from.other_unknown_, "records of further unknown types");
    return to;
}

}  // namespace kymo::import::perf
