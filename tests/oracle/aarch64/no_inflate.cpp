// In place of src/image/inflate.cpp: no zlib of the other processor is installed, and nothing here is compressed.
#include "image/inflate.h"

namespace kymo::image {

bool inflate_from_file(const RawFile& /*file*/, std::uint64_t /*offset*/, std::uint64_t /*size*/,
                       std::span<std::uint8_t> /*out*/) {
    return false;
}

}  // namespace kymo::image
