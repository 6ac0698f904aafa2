#include "spacetime/evidence/operands/late_code.h"

#include <algorithm>
#include <utility>

namespace kymo::spacetime {
namespace {

struct CyclesTo {
    std::uint64_t offset = 0;
    std::uint64_t cycles = 0;
    std::uint64_t excess = 0;
};

// Sorts by offset, and makes of the cycles there those there and before.
void sum_up(std::vector<CyclesTo>& cycles) {
    std::sort(cycles.begin(), cycles.end(), [](const CyclesTo& a, const CyclesTo& b) { return a.offset < b.offset; });
    CyclesTo sum;
    for (CyclesTo& each : cycles) {
        sum.cycles += each.cycles;
        sum.excess += each.excess;
        each.cycles = sum.cycles;
        each.excess = sum.excess;
    }
}

// Of what lies before `offset`.
CyclesTo before(const std::vector<CyclesTo>& cycles, std::uint64_t offset) {
    const auto next = std::lower_bound(cycles.begin(), cycles.end(), offset,
                                       [](const CyclesTo& each, std::uint64_t at) { return each.offset < at; });
    return next == cycles.begin() ? CyclesTo() : *std::prev(next);
}

class LateImage {
  public:
    explicit LateImage(const std::vector<TimedCode>& code) {
        for (const TimedCode& each : code) {
            begun_.push_back({each.first, each.cycles, each.excess});
            ended_.push_back({each.last, each.cycles, each.excess});
        }
        sum_up(begun_);
        sum_up(ended_);
    }

    bool is_late(std::uint64_t offset) const {
        const CyclesTo begun = before(begun_, offset + 1);
        const CyclesTo ended = before(ended_, offset);
        const std::uint64_t excess = begun.excess - ended.excess;
        return excess != 0 && excess * 2 >= begun.cycles - ended.cycles;
    }

  private:
    std::vector<CyclesTo> begun_;
    std::vector<CyclesTo> ended_;
};

}  // namespace

std::vector<TaxFamily> late_addresses(const Profile& profile, AddressPlaces addresses, const LateCode& code) {
    if (code.empty()) {
        return {};
    }
    std::vector<TaxFamily> late(addresses.size(), TaxFamily::kNone);
    std::map<std::uint32_t, LateImage> images;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const auto& [image, offset] = addresses[i];
        const auto known = code.find(profile.images[image]);
        if (known != code.end() && images.try_emplace(image, known->second).first->second.is_late(offset)) {
            late[i] = TaxFamily::kBranches;
        }
    }
    return late;
}

}  // namespace kymo::spacetime
