// PTX text to a Module.
//
// Contract: one pass, pure. The text is not trusted: whatever it is, the outcome is a Module or an Error
// (kMalformed) of the form "NAME:LINE:COLUMN: expected WHAT". Memory is bounded by the text's length; a variable's
// stated size is bounded (at most kMostVariableBytes). Debugging sections (.section) are skipped.
//
// Cost: about 40 ns per byte of text.
#pragma once

#include "base/result.h"
#include "gpu/ptx/parse/module.h"

#include <filesystem>
#include <memory>

namespace kymo::gpu::ptx {

inline constexpr std::uint64_t kMostVariableBytes = 1ULL << 32U;

// `name` is used in messages. A zero byte ends the text, as in a fat binary.
Result<std::shared_ptr<const Module>> parse(std::string_view text, std::string name);
Result<std::shared_ptr<const Module>> parse_file(const std::filesystem::path& path);

}  // namespace kymo::gpu::ptx
