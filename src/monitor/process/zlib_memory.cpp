// zlib is linked into the monitor from its archive. These are its own allocators, which would link malloc: it
// calls them if its caller sets none, and image/inflate.cpp sets its own.

#include <zlib.h>

extern "C" {

voidpf zcalloc(voidpf /*opaque*/, unsigned /*items*/, unsigned /*size*/) {
    return nullptr;
}

void zcfree(voidpf /*opaque*/, voidpf /*pointer*/) {}
}
