// Limits of one walk, whatever the registers, the stack and the images contain, so that a sample's cost is
// bounded. At a limit the path ends there, marked.
//
// Worst cost of each, on a machine of 2023: stacks 16 × (the StackFinder's time); words 4,096 × 0.1 µs; operations
// 65,536 × 3 ns; code 65,536 × 0.2 ns; images 32 × (some 50 µs and 20 ns a row of their tables), each once in a
// process's life.
#pragma once

namespace kymo::unwind {

inline constexpr unsigned kMostStacks = 16;         // calls of the StackFinder
inline constexpr unsigned kMostWords = 4096;        // words of the stack that are tried as return addresses
inline constexpr unsigned kMostOperations = 65536;  // of DWARF expressions
inline constexpr unsigned kMostCode = 65536;        // bytes of code that are searched for returns
inline constexpr unsigned kMostDescribed = 32;      // images that were not known before
inline constexpr unsigned kMostLeft = 64;           // frames that leave() passes

// The remaining budget.
struct WalkLimits {
    unsigned stacks = kMostStacks;
    unsigned words = kMostWords;
    unsigned operations = kMostOperations;
    unsigned describes = kMostDescribed;
    unsigned code = kMostCode;

    static bool take(unsigned& left) { return left != 0 && left-- != 0; }
};

}  // namespace kymo::unwind
