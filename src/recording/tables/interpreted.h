// Functions of interpreted programs. See recording/tables.h.
#pragma once

#include "recording/schema.h"

#include <cstdint>
#include <string_view>

namespace kymo::recording {

// The path of the image in which an interpreter's functions lie, and its number: no load image has it.
inline constexpr std::string_view kPythonPath = "[python]";
inline constexpr std::uint64_t kPythonImage = 0xfffe;

// A function that an interpreter runs. It has kInterpretedStep offsets of the image, one for each of its lines: the
// first one for `line`, the last one for all lines beyond.
struct InterpretedFunction {
    std::uint64_t image = 0;
    std::uint64_t offset = 0;
    std::uint64_t line = 0;      // its first
    std::uint64_t lines = 0;     // from there on, that it may be at
    std::string_view name = {};  // qualified: "Class.method"; UTF-8
    RawText file = {};           // as the interpreter has it: a path, or "<frozen importlib._bootstrap>"

    static constexpr const char* kTable = "interpreted-function";
    static constexpr std::uint32_t kTableId = 65;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("image", ColumnType::kUint, "", &InterpretedFunction::image);
        visit("offset", ColumnType::kUint, "address", &InterpretedFunction::offset);
        visit("line", ColumnType::kUint, "", &InterpretedFunction::line);
        visit("lines", ColumnType::kUint, "", &InterpretedFunction::lines);
        visit("name", ColumnType::kText, "", &InterpretedFunction::name);
        visit("file", ColumnType::kText, "", &InterpretedFunction::file);
    }
};
inline constexpr std::uint64_t kInterpretedStep = 4096;

}  // namespace kymo::recording
