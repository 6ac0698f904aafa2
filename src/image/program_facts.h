// What kind of file this is, as far as starting it under the monitor is concerned.
//
// Contract: a pure function of the file's bytes (at least its first 4 KiB and, for the interpreter's name,
// whatever PT_INTERP points at; the whole file is best). Anything may be passed. Whether it is executable or
// setuid depends on the file system (stat(2)), not on the bytes.
#pragma once

#include "image/elf.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::image {

enum class ProgramKind : std::uint8_t {
    kDynamic,  // names a dynamic linker: a preloaded library takes effect
    kStatic,   // executable without a dynamic linker (also static-pie): nothing can be preloaded
    kLibrary,  // a shared object that is not a program
    kScript,   // "#!": the interpreter named there is what runs
    kOther,    // anything else; `error` says what is wrong with it as an ELF file
};

struct ProgramFacts {
    ProgramKind kind = ProgramKind::kOther;
    ElfError error = ElfError::kNone;
    std::uint16_t machine = 0;  // e_machine, as in elf.h (EM_X86_64 …); 0 where unknown
    std::string_view
        interpreter;  // of a dynamic program its linker, of a script its interpreter; points into the bytes
};

ProgramFacts describe_program(std::span<const std::uint8_t> bytes);

// The usual name of e_machine ("x86-64", "aarch64"); "unknown" for those not in the list.
const char* machine_name(std::uint16_t machine);

}  // namespace kymo::image
