// Makes an image's unwinding table out of its call-frame sections.
//
// Contract: bounded on any input (time linear in the sections' size, memory 12 bytes a row and 4 a function); no
// locks, no malloc: usable in a signal handler. Where two descriptions overlap, the later start wins; at equal starts
// .eh_frame wins over .debug_frame. A function whose description cannot be understood gets rows of kind kBad from
// there on, and is counted.
#pragma once

#include "unwind/call_frame.h"
#include "unwind/table.h"

#include <cstdint>

namespace kymo::unwind {

struct CompileInput {
    std::uint64_t base = 0;        // image offset that the table counts from: the image's lowest
    std::uint64_t code_begin = 0;  // image offsets; functions elsewhere (discarded ones at 0, say) are left out
    std::uint64_t code_end = 0;
    FrameSection eh_frame;     // empty bytes: there is none
    FrameHeader eh_header;     // its search table, where it has one: saves finding and sorting the functions
    FrameSection debug_frame;  // empty bytes: there is none
};

// False: the kernel refused memory; *table is then empty. For the architecture that this build walks (native.h);
// others are compiled by the template in compiler.h.
bool compile(const CompileInput& input, Table* table);

// Unmaps a table. Only for those that nobody can be reading.
void release(Table* table);

}  // namespace kymo::unwind
