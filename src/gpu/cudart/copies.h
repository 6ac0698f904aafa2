// Copying and filling memory; shared by the calls on addresses and on symbols.
#pragma once

#include "gpu/cudart/device.h"

namespace kymo::gpu::cudart {

// Checks an address if the direction says that it is on the device. Takes no modelled time.
Status copy(Device& device, void* to, const void* from, std::size_t bytes, Direction direction);

// `rows` rows of `width` bytes.
Status copy_rows(Device& device, PitchedPointer to, PitchedPointer from, std::size_t width, std::size_t rows,
                 Direction direction);

}  // namespace kymo::gpu::cudart
