// Machine code as text: the instructions of the functions that contain given offsets of an image.
//
// A function is the range of a symbol with a size. There is no listing for images whose file is missing or
// changed, and for architectures without a decoder. Never throws for what a file contains; opens the file once.
#pragma once

#include "base/address.h"
#include "program/symbolize.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kymo::program {

struct ListedInstruction {
    std::uint64_t offset = 0;  // in the image
    std::string text;          // instruction_text.h
};

struct Listing {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::vector<ListedInstruction> instructions;
};

struct ListingLimits {
    std::size_t function_bytes = 16 << 10;  // longer functions: this much around each requested offset
};

// One listing for each function that holds some of `offsets` (ascending), by address.
std::vector<Listing> list_instructions(const ImageName& image, std::span<const ImageOffset> offsets,
                                       const ListingLimits& limits = {});

}  // namespace kymo::program
