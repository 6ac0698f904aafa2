// The place where a name of a program's data is used, and the place of its value while the program runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kymo::program {

// From where a name is meant.
struct DataScope {
    std::size_t image = 0;     // of the finder's
    std::uint64_t offset = 0;  // in it: a function's entry, or any place
    enum class Kind : std::uint8_t { kEntry, kExit, kPlace };
    Kind kind = Kind::kPlace;
};

struct DataPlace {
    enum class Base : std::uint8_t { kImage, kThread, kArgument };
    Base base = Base::kImage;
    std::size_t image = 0;  // that has it: index of the finder's images
    unsigned argument = 0;  // from 0: the register of the call
    // The first from the base, each further one from where the pointer before it points to. Of an argument's own
    // value there is one.
    std::vector<std::int64_t> offsets;
    unsigned bytes = 8;  // to be read; of them `bits` from the bit `shift` on
    unsigned shift = 0;
    unsigned bits = 64;
    bool is_signed = false;
};

}  // namespace kymo::program
