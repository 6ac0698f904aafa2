// Makes an image's unwinding table from its call-frame sections and from Go's function table.
//
// Contract: bounded on any input (time linear in the sections' size, memory 12 bytes a row and 4 a function); no
// locks, no malloc: usable in a signal handler. If two descriptions overlap, the later start wins; at equal starts
// .eh_frame wins over Go's table, and that over .debug_frame, which says less of the same functions: not which are
// outermost or change stacks (rows/go_frame.h). A function whose description cannot be understood gets rows of kind
// kBad from there on, and is counted.
#pragma once

#include "unwind/compile_input.h"
#include "unwind/table.h"

namespace kymo::unwind {

// False: the kernel refused memory; *table is then empty. For the architecture that this build walks (native.h);
// others are compiled by the template in rows/compiler.h.
bool compile(const CompileInput& input, Table* table);

// Unmaps a table. Only for tables without a possible reader.
void release(Table* table);

}  // namespace kymo::unwind
