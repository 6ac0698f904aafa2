// Everything of the interface that is not served: a function of each name, so that a program which is linked with it
// starts, and is told the name when it calls it.
#include "gpu/cudart/device.h"

namespace kymo::gpu::cudart {
namespace {

Status refuse(const char* name) {
    return call([&](Device& device) {
        device.job.problem({ErrorKind::kUnsupported, std::string(name) + " is not served by Kymo's CUDA runtime",
                            "docs/gpu-programs.md lists what is supported"});
        return Status::kNotSupported;
    });
}

}  // namespace

// Whatever arguments they are given, they look at none.
#define KYMO_REFUSED(name)      \
    KYMO_CUDART Status name() { \
        return refuse(#name);   \
    }
#include "gpu/cudart/refused.inc"
#undef KYMO_REFUSED

// The one function that returns no status but what it is asked to put together.
struct ChannelDescription {
    int bits[4];
    int kind;
};
KYMO_CUDART ChannelDescription cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return {{x, y, z, w}, kind};
}

}  // namespace kymo::gpu::cudart
