// An instruction's opcode and modifiers as they are written: "ld.global.f32".
#pragma once

#include "gpu/ptx/parse/module.h"

namespace kymo::gpu::ptx {

std::string words_of(const Module& module, const Instruction& instruction);

}  // namespace kymo::gpu::ptx
