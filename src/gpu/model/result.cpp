#include "gpu/model/result.h"

namespace kymo::gpu {

const char* name(Cause cause) {
    static constexpr std::array<const char*, kCauses> kNames = {
        "issue",         "divergence",   "dependence", "branch", "pipe", "not-selected", "constant", "shared",
        "bank-conflict", "memory-queue", "l1",         "l2",     "dram", "atomic",       "barrier",  "fence"};
    return kNames.at(static_cast<std::size_t>(cause));
}

const char* name(Spent spent) {
    static constexpr std::array<const char*, kSpent> kNames = {"masked",     "arithmetic", "branch",   "cache-hit",
                                                               "cache-miss", "shared",     "constant", "barrier"};
    return kNames.at(static_cast<std::size_t>(spent));
}

double Account::total_cycles() const {
    double sum = 0;
    for (const double part : cycles) {
        sum += part;
    }
    return sum;
}

void Counts::add(const Counts& other, std::uint64_t times) {
    for (auto member :
         {&Counts::issued, &Counts::empty, &Counts::lanes, &Counts::requests, &Counts::sectors,
          &Counts::fewest_sectors, &Counts::shared_requests, &Counts::shared_passes, &Counts::fewest_passes}) {
        this->*member += times * other.*member;
    }
}

void Account::add(const Account& other) {
    Counts::add(other);
    for (unsigned i = 0; i < kCauses; ++i) {
        cycles[i] += other.cycles[i];
    }
}

}  // namespace kymo::gpu
