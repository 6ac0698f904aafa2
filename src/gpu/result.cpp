#include "gpu/result.h"

namespace kymo::gpu {

const char* name(Cause cause) {
    static constexpr std::array<const char*, kCauses> kNames = {
        "issue",         "divergence",   "dependence", "branch", "pipe", "not-selected", "constant", "shared",
        "bank-conflict", "memory-queue", "l1",         "l2",     "dram", "atomic",       "barrier",  "fence"};
    return kNames.at(static_cast<std::size_t>(cause));
}

double Account::total_cycles() const {
    double sum = 0;
    for (const double part : cycles) {
        sum += part;
    }
    return sum;
}

void Account::add(const Account& other) {
    issued += other.issued;
    empty += other.empty;
    lanes += other.lanes;
    for (unsigned i = 0; i < kCauses; ++i) {
        cycles[i] += other.cycles[i];
    }
    requests += other.requests;
    sectors += other.sectors;
    fewest_sectors += other.fewest_sectors;
    shared_requests += other.shared_requests;
    shared_passes += other.shared_passes;
    fewest_passes += other.fewest_passes;
}

}  // namespace kymo::gpu
