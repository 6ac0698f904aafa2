// Where CPython keeps what a call path needs, by version. Offsets in bytes, of builds for 64-bit processors.
//
// Source: the interpreter's own headers (Include/cpython/pystate.h, code.h, frameobject.h, unicodeobject.h,
// internal/pycore_frame.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace kymo::monitor::python {

// How a chain of frames is divided among the interpreter's evaluations in C.
enum class Evaluations : std::uint8_t {
    kEachFrame,  // an evaluation has one frame
    kEntry,      // its outermost frame has a byte that is not 0
    kStub,       // a frame behind its outermost one has a byte of this value: no function's
};
inline constexpr std::uint8_t kStubOwner = 3;  // FRAME_OWNED_BY_CSTACK

enum class Lines : std::uint8_t {
    kSteps,      // co_lnotab: steps of bytes of code and lines
    kRanges,     // co_linetable of 3.10: lengths of ranges, and the steps of their lines
    kLocations,  // co_linetable from 3.11 on
};

struct Layout {
    Evaluations evaluations;
    Lines lines;
    bool has_cframe;  // the thread's state points to what points to the frame
    // PyThreadState: the frame, or what points to it.
    std::size_t thread_frame;
    std::size_t cframe_frame;
    // PyFrameObject, from 3.11 on _PyInterpreterFrame. The instruction is a pointer, and before that a number of
    // `instruction_step` bytes.
    std::size_t frame_code;
    std::size_t frame_previous;
    std::size_t frame_instruction;
    std::size_t instruction_step;  // 0: a pointer
    std::size_t frame_evaluation;  // the byte
    std::size_t frame_bytes;
    // PyCodeObject.
    std::size_t code_first_line;
    std::size_t code_file;
    std::size_t code_name;  // qualified, from 3.11 on
    std::size_t code_lines;
    std::size_t code_instructions;
    std::size_t code_bytes;
    // The two compact kinds of str.
    std::size_t ascii_data;
    std::size_t compact_data;
    // The same in all of these: PyObject, PyBytesObject, PyASCIIObject.
    std::size_t object_type = 8;
    std::size_t bytes_size = 16;
    std::size_t bytes_data = 32;
    std::size_t text_length = 16;
    std::size_t text_state = 32;
};

namespace layouts {

constexpr Layout of_objects(Lines lines, std::size_t instruction, std::size_t step) {
    return {.evaluations = Evaluations::kEachFrame,
            .lines = lines,
            .has_cframe = false,
            .thread_frame = 24,
            .cframe_frame = 0,
            .frame_code = 32,
            .frame_previous = 24,
            .frame_instruction = instruction,
            .instruction_step = step,
            .frame_evaluation = 0,
            .frame_bytes = 112,
            .code_first_line = 40,
            .code_file = 104,
            .code_name = 112,
            .code_lines = 120,
            .code_instructions = 0,
            .code_bytes = 176,
            .ascii_data = 48,
            .compact_data = 72};
}

inline constexpr Layout k38 = of_objects(Lines::kSteps, 104, 1);  // and 3.9
inline constexpr Layout k310 = of_objects(Lines::kRanges, 96, 2);
inline constexpr Layout k311 = {.evaluations = Evaluations::kEntry,
                                .lines = Lines::kLocations,
                                .has_cframe = true,
                                .thread_frame = 56,
                                .cframe_frame = 8,
                                .frame_code = 32,
                                .frame_previous = 48,
                                .frame_instruction = 56,
                                .instruction_step = 0,
                                .frame_evaluation = 68,
                                .frame_bytes = 72,
                                .code_first_line = 72,
                                .code_file = 112,
                                .code_name = 128,
                                .code_lines = 136,
                                .code_instructions = 184,
                                .code_bytes = 192,
                                .ascii_data = 48,
                                .compact_data = 72};
inline constexpr Layout k312 = {.evaluations = Evaluations::kStub,
                                .lines = Lines::kLocations,
                                .has_cframe = true,
                                .thread_frame = 56,
                                .cframe_frame = 0,
                                .frame_code = 0,
                                .frame_previous = 8,
                                .frame_instruction = 56,
                                .instruction_step = 0,
                                .frame_evaluation = 70,
                                .frame_bytes = 72,
                                .code_first_line = 68,
                                .code_file = 112,
                                .code_name = 128,
                                .code_lines = 136,
                                .code_instructions = 192,
                                .code_bytes = 200,
                                .ascii_data = 40,
                                .compact_data = 56};
constexpr Layout after_312() {
    Layout layout = k312;
    layout.has_cframe = false;
    layout.thread_frame = 72;
    layout.code_instructions = 200;
    layout.code_bytes = 208;
    return layout;
}
inline constexpr Layout k313 = after_312();

}  // namespace layouts

// `text`: as Py_GetVersion() has it, "3.11.2 (main, …". nullptr: a version whose structures are not known here.
constexpr const Layout* layout_of(const char* text) {
    if (text[0] != '3' || text[1] != '.') {
        return nullptr;
    }
    unsigned minor = 0;
    for (text += 2; *text >= '0' && *text <= '9' && minor < 100; ++text) {
        minor = minor * 10 + static_cast<unsigned>(*text - '0');
    }
    switch (*text == '.' ? minor : 0) {
        case 8:
        case 9:
            return &layouts::k38;
        case 10:
            return &layouts::k310;
        case 11:
            return &layouts::k311;
        case 12:
            return &layouts::k312;
        case 13:
            return &layouts::k313;
        default:
            return nullptr;
    }
}

}  // namespace kymo::monitor::python
