// The handlers of the best instruction set that this processor has.
#include "gpu/ptx/lanes/pick.h"

namespace kymo::gpu::ptx {

namespace baseline {
Handler pick_here(const Pick& wanted);
}
#ifdef __x86_64__
namespace avx2 {
Handler pick_here(const Pick& wanted);
}
#endif

Handler pick(const Pick& wanted) {
#ifdef __x86_64__
    static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                                 __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    if (has_avx2) {
        return avx2::pick_here(wanted);
    }
#endif
    return baseline::pick_here(wanted);
}

}  // namespace kymo::gpu::ptx
