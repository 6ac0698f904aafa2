// Which image is meant.
#pragma once

#include <cstdint>
#include <string>

namespace kymo::program {

struct ImageName {
    std::string path;           // as recorded; "[vdso]"; empty: generated code
    std::string build_id;       // raw bytes; empty: not known
    std::uint16_t machine = 0;  // ELF e_machine of the recording; 0: not known
    std::uint64_t content = 0;  // without a build id: image::content_of() of the loaded image; 0: not known
};

}  // namespace kymo::program
