#include "findings/rules/shared/faulted_memory.h"

#include "findings/cases/case.h"
#include "findings/rules/shared/allocator.h"

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kFaultedPage = 4096;
constexpr double kOverAndOver = 2.5;       // bytes faulted in by the most that was held at once: less is growth
constexpr double kMuchReleased = 1.0 / 8;  // of the page faults' time: giving a page back costs less than a fault
constexpr double kMostOfHeld = 1.0 / 2;    // less came by faults: the rest came in larger pages
constexpr std::uint64_t kMuchHeld = std::uint64_t{64} << 20U;

// Bytes faulted in by the most that was held at once; 0: not known. Of several processes it is not known how much
// they held together.
double times_over(const Evidence& evidence) {
    const CounterIndex faults = counter(evidence, "page-faults");
    const std::uint64_t held = evidence.run.peak_bytes.value_or(0);
    return faults == kNone || evidence.run.processes.size() > 1 || held == 0
               ? 0
               : static_cast<double>(faults.in(evidence.run.deltas)) * kFaultedPage / static_cast<double>(held);
}

// Time in the calls that give memory back to the system, beside that of page faults.
bool gives_back(const Evidence& evidence) {
    double faulting = 0;
    double giving = 0;
    for (const AccountRow& row : evidence.account.rows) {
        const auto ns = static_cast<double>(row.ns);
        faulting += row.time_class == TimeClass::kPageFaults ? ns : 0;
        giving +=
            row.time_class == TimeClass::kSystemCall && (row.detail == "munmap" || row.detail == "madvise") ? ns : 0;
    }
    return giving > kMuchReleased * faulting;
}

}  // namespace

bool is_over_and_over(const Evidence& evidence) {
    return times_over(evidence) >= kOverAndOver;
}

FaultedMemory faulted_memory(const Evidence& evidence) {
    if (is_over_and_over(evidence) || gives_back(evidence)) {
        return FaultedMemory::kAgain;
    }
    return times_over(evidence) >= kMostOfHeld || keeps_memory(evidence) ? FaultedMemory::kOnce
                                                                         : FaultedMemory::kUnknown;
}

bool grows(const Evidence& evidence) {
    return evidence.run.peak_bytes.value_or(0) >= kMuchHeld && times_over(evidence) >= kMostOfHeld;
}

}  // namespace kymo::findings
