// Where the calls of a function were inlined: of those no call is left that could be seen.
#pragma once

#include "program/image_name.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::program {

struct InlinedCall {
    std::string caller;      // the function into which, without scopes
    std::string file;        // as the compiler names it
    std::uint32_t line = 0;  // of the call
};

// By DW_TAG_inlined_subroutine (DWARF 5, 3.3.8), at most `most`, each place once; none if debug information is
// missing. `function`: its name, without regard to scopes before it. Cost: linear in the image's debug
// information.
std::vector<InlinedCall> inlined_calls(const ImageName& image, std::string_view function, std::size_t most);

}  // namespace kymo::program
