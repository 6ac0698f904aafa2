// What all SMs of one launch share.
#pragma once

#include "gpu/model/access_memo.h"
#include "gpu/model/cta_scheduler.h"
#include "gpu/model/decoded.h"
#include "gpu/model/issue_observer.h"
#include "gpu/model/memory_system.h"
#include "gpu/model/result.h"

#include <memory_resource>
#include <optional>
#include <vector>

namespace kymo::gpu {

struct LaunchContext {
    const Gpu& gpu;
    LaunchCosts launch;
    const KernelHeader& header;
    const Program& program;
    Occupancy occupancy;
    MemorySystem& memory;
    CtaScheduler& ctas;
    std::vector<Decoded> decoded;  // grows with the program
    std::vector<Account> accounts;
    AccessMemo memo;
    double horizon = 0;    // nothing happens any more before this time
    unsigned entries = 2;  // of a scoreboard: one more than the highest that the program names
    IssueObserver* observer = nullptr;
    std::optional<Error> failed;
    // Of all SMs' warps and tags.
    std::pmr::monotonic_buffer_resource pool{kHugePage, huge_pages()};
    void grow();  // after a CTA was read
};

}  // namespace kymo::gpu
