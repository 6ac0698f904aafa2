// The per-warp compressed traces of newer Accel-Sim tracers (`.tracez`), given as the text they were made of, so that
// the reader of text traces reads them. See docs/gpu-traces.md for the layout.
//
// Contract: as ByteInput. Memory is one chunk of a warp (2048 instructions, as the tracer writes them), its
// compressed form and the dictionary, each limited. Errors name the file and the byte.
#pragma once

#include "gpu/trace/byte_input.h"

#include <istream>

namespace kymo::gpu {

// Whether a file with this beginning is one: a text header that ends with a zero byte.
bool is_tracez(std::span<const std::uint8_t> begin);

// `file` must be seekable. Errors: kMalformed.
Result<std::unique_ptr<ByteInput>> open_tracez(std::unique_ptr<std::istream> file, std::string name);

}  // namespace kymo::gpu
