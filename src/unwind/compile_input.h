// The input of an unwinding table.
#pragma once

#include "image/go_table.h"
#include "unwind/call_frame.h"

#include <cstdint>

namespace kymo::unwind {

struct CompileInput {
    std::uint64_t base = 0;        // image offset that the table counts from: the image's lowest
    std::uint64_t code_begin = 0;  // image offsets; functions elsewhere (discarded ones at 0, say) are left out
    std::uint64_t code_end = 0;
    FrameSection eh_frame;     // empty bytes: none
    FrameHeader eh_header;     // its search table, if it has one: saves finding and sorting the functions
    FrameSection debug_frame;  // empty bytes: none
    image::GoTable go;         // without functions: none
};

}  // namespace kymo::unwind
