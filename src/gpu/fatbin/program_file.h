// A program file without running it: its fat binaries, and how it is linked with CUDA.
//
// Contract: the bytes must outlive the result and may be anything. Errors: kMalformed.
#pragma once

#include "gpu/fatbin/fat_binary.h"

namespace kymo::gpu {

struct GpuProgram {
    // One a source file: each a whole container, header included.
    std::vector<std::span<const std::uint8_t>> fat_binaries;
    // the libcudart that the program names for the loader, "libcudart.so.13"; empty: none
    std::string_view runtime;
    bool is_relocatable = false;  // nvcc -rdc=true: kernels are linked as machine code, and their PTX is in pieces
    bool has_run_path = false;    // DT_RPATH: the loader searches it before LD_LIBRARY_PATH
};

// `name` identifies the file in errors. A file without GPU code has no fat binaries; that is not an error.
Result<GpuProgram> read_program(std::span<const std::uint8_t> elf, const std::string& name);

}  // namespace kymo::gpu
