// What the code behind an image offset is called: the answer of symbolize().
//
// Plain values, no handles: safe to keep, to copy and to read from several threads. Strings are
// interned: a function or a file occurs once, and index 0 of each table is the unknown one.
#pragma once

#include "base/address.h"

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kymo::program {

// Where a function's name came from, best first.
enum class NameSource : std::uint8_t {
    kDebugInfo,  // DWARF or Go's function table: inlining and lines are known too
    kSymbol,     // an ELF symbol
    kPlt,        // a linkage-table entry: "name@plt"
    kFrame,      // only the function's start is known: "module+0x1234"
    kAddress,    // not even that
};

struct Function {
    std::string name;        // demangled, with parameters where the mangled name has them
    std::string module;      // file name of the load image; "[vdso]", "[generated]"
    std::uint32_t file = 0;  // of the declaration; index into Symbols::files
    std::uint32_t line = 0;  // of the declaration; 0: unknown
    NameSource source = NameSource::kAddress;

    bool operator==(const Function&) const = default;
};

// One frame in terms of the source. `file` and `line` are the place in the function: the call of the next frame
// in, or the instruction itself in the innermost one.
struct Frame {
    std::uint32_t function = 0;
    std::uint32_t file = 0;
    std::uint32_t line = 0;  // 0: unknown
    bool inlined = false;    // in the body of the frame before it

    bool operator==(const Frame&) const = default;
};

// A frame in words, by itself.
struct SourcePlace {
    std::string function;  // empty: not known
    std::string module;
    std::string file;
    std::uint32_t line = 0;  // 0: not known

    auto operator<=>(const SourcePlace&) const = default;
};

// The results for one image, parallel to the requested offsets.
struct ImageSymbols {
    std::vector<std::uint32_t> first;  // size offsets + 1: frames of offset i are [first[i], first[i+1])
    std::vector<Frame> frames;         // outermost first, innermost (inlined deepest) last

    std::span<const Frame> at(std::size_t offset_index) const {
        return std::span(frames).subspan(first[offset_index], first[offset_index + 1] - first[offset_index]);
    }
};

struct Symbols {
    std::vector<Function> functions{1};
    std::vector<std::string> files{1};
    std::vector<ImageSymbols> images;   // parallel to the requests
    std::vector<std::string> warnings;  // one line each: missing, changed, foreign or stripped files

    SourcePlace place_of(const Frame& frame) const {
        const Function& function = functions[frame.function];
        return {function.name, function.module, files[frame.file], frame.line};
    }
};

}  // namespace kymo::program
