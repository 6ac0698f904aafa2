// Which image is meant.
#pragma once

#include <cstdint>
#include <string>

namespace kymo::program {

struct ImageName {
    std::string path;           // as recorded; "[vdso]"; empty: generated code
    std::string build_id;       // raw bytes; empty: not known, the file is trusted
    std::uint16_t machine = 0;  // ELF e_machine of the recording; 0: not known
};

}  // namespace kymo::program
