// From a PTX instruction to a Draft: decodes its words and chooses its handler.
//
// Contract: select_all() goes through one function. An unknown instruction is an Error (kUnsupported) that names
// it and its line. Source: PTX ISA 9.0, chapter 9.
#pragma once

#include "base/result.h"
#include "gpu/ptx/select/draft.h"

#include <map>
#include <string>

namespace kymo::gpu::ptx {

// Where the variables of a function lie.
struct Layout {
    std::vector<std::uint64_t> variables;   // of Function::variables: offset in its space
    std::vector<std::uint64_t> parameters;  // a device function's, in its parameter bytes
    std::vector<std::uint64_t> returns;
    std::uint64_t parameter_bytes = 0;  // a lane's: its own, what it returns, and what it passes on
    std::uint64_t shared_bytes = 0;
    std::uint64_t local_bytes = 0;
};

struct Selected {
    std::vector<Draft> drafts;
    std::vector<Preset> presets;  // registers from Function::registers.size() on
};

// Offsets of module-wide shared variables, and addresses of global ones, by their number.
struct ModuleLayout {
    std::vector<std::uint64_t> variables;
    std::uint64_t shared_bytes = 0;  // the module's own static ones
};

Layout lay_out(const Function& function, std::uint64_t shared_begin);
Result<Selected> select_all(const Module& module, const Function& function, const Layout& layout,
                            const ModuleLayout& variables);

}  // namespace kymo::gpu::ptx
