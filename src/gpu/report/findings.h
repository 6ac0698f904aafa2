// Problems of a modelled kernel, from the full model's account: divergence, uncoalesced-access, bank-conflict,
// low-occupancy, tail-wave.
//
// A finding is shown only if it has at least kLeastShare of the kernel's time at stake. It states that share, the
// place, and what to do. The account is exact for the model; the share estimates what a repaired kernel would
// save, as stated per rule.
#pragma once

#include "gpu/model/result.h"

#include <string>
#include <vector>

namespace kymo::gpu {

inline constexpr double kLeastShare = 0.05;

struct Evidence {
    std::string event;
    double bad = 0;
    double good = 0;
};

struct Finding {
    std::string kind;
    std::string title;
    double share = 0;  // of the kernel's time
    double seconds = 0;
    std::uint64_t pc_begin = 0;
    std::uint64_t pc_end = 0;  // behind the last instruction
    std::uint32_t line = 0;    // 0: unknown
    std::vector<Evidence> evidence;
    std::string direction;
};

// Largest share first. Precondition: a result of run_full (the basic model keeps no such account: no findings).
std::vector<Finding> findings(const KernelResult& result);

}  // namespace kymo::gpu
