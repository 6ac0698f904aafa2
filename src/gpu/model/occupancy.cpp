#include "gpu/model/occupancy.h"

#include <algorithm>
#include <cmath>

namespace kymo::gpu {
namespace {

constexpr unsigned kUnlimited = 1U << 16U;

double round_up(double value, double unit) {
    return std::ceil(value / unit) * unit;
}

}  // namespace

Result<Occupancy> occupancy(const Gpu& gpu, const KernelHeader& kernel) {
    Occupancy result;
    const std::uint64_t threads = kernel.block.count();
    result.warps_per_cta = static_cast<unsigned>((threads + kWarpLanes - 1) / kWarpLanes);
    const double warps = result.warps_per_cta;
    result.by_ctas = gpu.whole(gpu.sm_ctas);
    result.by_warps = gpu.whole(gpu.sm_warps / warps);
    result.by_registers = kUnlimited;
    if (kernel.registers != 0) {
        const double of_warp = round_up(kernel.registers * double{kWarpLanes}, gpu.register_granularity);
        const double of_scheduler = std::floor(gpu.sm_registers / gpu.sm_schedulers / of_warp);
        result.by_registers = gpu.whole(of_scheduler * gpu.sm_schedulers / warps);
    }
    result.by_shared = kUnlimited;
    const double wanted = kernel.shared_bytes + gpu.shared_reserved;
    if (wanted > 0) {
        result.shared_bytes_of_cta = round_up(wanted, gpu.shared_granularity);
        result.by_shared = gpu.whole(gpu.sm_shared_bytes / result.shared_bytes_of_cta);
    }
    result.ctas = std::min({result.by_ctas, result.by_warps, result.by_registers, result.by_shared});
    result.limit = result.ctas == result.by_warps       ? "warps"
                   : result.ctas == result.by_registers ? "registers"
                   : result.ctas == result.by_shared    ? "shared memory"
                                                        : "CTAs";
    if (result.ctas == 0) {
        return Error{ErrorKind::kUnsupported,
                     kernel.name + ": a CTA does not fit into an SM of " + gpu.name + " (" + result.limit + ")",
                     "model it on a GPU with larger SMs"};
    }
    result.theoretical = result.ctas * warps / gpu.sm_warps;
    return result;
}

}  // namespace kymo::gpu
