#include "gpu/model/launch_context.h"

#include <algorithm>

namespace kymo::gpu {

void LaunchContext::grow() {
    for (std::size_t i = decoded.size(); i < program.size(); ++i) {
        decoded.push_back(decode(gpu, program[i]));
        const Decoded& last = decoded.back();
        for (unsigned k = 0; k < last.destinations; ++k) {
            entries = std::max(entries, last.destination[k] + 1U);
        }
        for (unsigned k = 0; k < last.sources; ++k) {
            entries = std::max(entries, last.source[k] + 1U);
        }
        entries = std::max({entries, last.write_barrier + 1U, last.read_barrier + 1U});
    }
    accounts.resize(program.size());
}

}  // namespace kymo::gpu
