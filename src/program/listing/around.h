// The instructions around an address of an image, as text.
//
// Reads the image's file as symbolize() does (by build id where that is known). Code has no marks where instructions
// begin: the listing starts at the first place before the address from which decoding arrives at it (`exact`: an
// instruction begins there; otherwise one holds it, as with a return address minus one). Empty
// where the file is missing, of an architecture without a decoder, or no code.
#pragma once

#include "program/listing.h"
#include "program/symbolize.h"

#include <cstdint>
#include <vector>

namespace kymo::program {

std::vector<ListedInstruction> list_around(const ImageName& image, std::uint64_t offset, unsigned before,
                                           unsigned after, bool exact = true);

}  // namespace kymo::program
