// Which functions never return to their caller: without that, control seems to fall from a failed check into whatever
// the compiler put behind it, and loops there seem to have a second way in.
#pragma once

#include "program/flow/flow_graph.h"

#include <string_view>

namespace kymo::program {

// By the function's own code: false where nothing that its entries reach returns, jumps out of it, or runs off its
// end. What it calls counts as far as the graph was made with that knowledge; so callees first finds more.
bool can_return(const FlowGraph& graph);

// By its linkage name, for functions of other images: those that never return according to standards and
// compilers' run-time libraries (ISO C 7.22.4, POSIX, Itanium C++ ABI, glibc, libstdc++). Versions and "@plt"
// behind an '@' are ignored.
bool is_no_return_name(std::string_view linkage_name);

}  // namespace kymo::program
