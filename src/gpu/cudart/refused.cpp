// A function for each name of the interface that is not implemented, so that a program linked with it starts, and
// gets an error with the name when it calls it.
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

// They ignore their arguments.
#define KYMO_REFUSED(name)      \
    KYMO_CUDART Status name() { \
        return refuse(#name);   \
    }
#include "gpu/cudart/refused.inc"
#undef KYMO_REFUSED

// The only function that returns a value instead of a status.
struct ChannelDescription {
    int bits[4];
    int kind;
};
KYMO_CUDART ChannelDescription cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return {{x, y, z, w}, kind};
}

}  // namespace kymo::gpu::cudart
