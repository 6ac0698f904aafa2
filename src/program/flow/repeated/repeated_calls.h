// Calls that compute again what was computed before: of pure functions (function_effects.h), where the code shows
// that their arguments take few different values.
#pragma once

#include "program/flow/loops.h"
#include "program/flow/repeated/function_effects.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace kymo::program {

// The addresses of call instructions, ascending: in an innermost loop that counts its rounds, whose arguments take
// kFewValues or fewer in all rounds, whose result the loop uses (otherwise it may be run for its time alone, as
// benchmarks do), and where nothing changes the memory that the function reads; and those of
// function_effects.h by which a function calls itself. `effects`: of the function that begins at an address; null if
// that is not known. Whether other threads change the memory is not known. Cost: decodes the loops that have calls a
// few times.
std::vector<std::uint64_t> repeated_calls(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph,
                                          const Loops& loops, const CodeBytes& constants, std::uint64_t entry,
                                          const std::function<const FunctionEffects*(std::uint64_t)>& effects);

}  // namespace kymo::program
