// A kernel's arguments as one writes them on a command line, a word a parameter:
//
//   12  -3  0x10  1.5          a number, as the parameter's type has it
//   f32[1000]                  an array in device memory, zero; the parameter is its address
//   f32[1000]=random           … between −1 and 1, the same in every run; of whole numbers: all bits random
//   s32[1000]=index            … 0, 1, 2, …
//   f32[1000]=0.5              … all the same
//   u8[64]=@FILE               … the file's bytes; fewer leave zeros
//
// Contract: types are those of PTX (u8 … s64, f32, f64). Errors (kUsage) name the word and what was expected.
#pragma once

#include "gpu/ptx/execute/device_memory.h"
#include "gpu/ptx/parse/module.h"

#include <span>
#include <string>

namespace kymo::gpu::ptx {

// The parameter bytes of a launch; arrays stay allocated in `memory`.
Result<std::vector<std::uint8_t>> parameters_from(const Function& kernel, std::span<const std::string> words,
                                                  DeviceMemory& memory);

// "64", "16,16" or "8x8x4".
Result<Dim3> dim_from(const std::string& word);

}  // namespace kymo::gpu::ptx
