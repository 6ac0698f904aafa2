#include "findings/rules/shared/allocator.h"

#include "spacetime/evidence/account.h"

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kLeastReleased = 1.0 / 8;  // of the time in the allocator

}  // namespace

bool is_in_allocator(const AccountRow& row) {
    return row.time_class == TimeClass::kRunTime && row.family == TaxFamily::kAllocation;
}

bool keeps_memory(const Evidence& evidence) {
    double all = 0;
    double released = 0;
    for (const AccountRow& row : evidence.account.rows) {
        all += is_in_allocator(row) ? static_cast<double>(row.ns) : 0;
        released += is_in_allocator(row) ? static_cast<double>(row.released_ns) : 0;
    }
    return all > 0 && released < kLeastReleased * all;
}

}  // namespace kymo::findings
