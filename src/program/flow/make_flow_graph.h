// From a function's code to its control-flow graph.
//
// Never reads outside what it is given, whatever the bytes; cost is linear in them, times the number of rounds that
// jump tables take (FlowOptions::max_rounds).
#pragma once

#include "program/flow/code_bytes.h"
#include "program/flow/decode.h"
#include "program/flow/flow_graph.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace kymo::program {

struct FlowOptions {
    std::size_t max_bytes = std::size_t{64} << 20U;
    std::uint32_t max_table_entries = 4096;
    std::uint32_t max_rounds = 16;  // of reading jump tables that only earlier ones' targets lead to
};

struct FunctionCode {
    CodeBytes code;                                // all parts of the function (hot, cold)
    std::uint64_t entry = 0;                       // must lie in `code` to count
    std::vector<std::uint64_t> more_entries = {};  // landing pads, secondary entries, where known
};

// `data`: the image's read-only bytes, for jump tables; may be empty. `does_not_return`: of a call's target; may be
// empty.
FlowGraph make_flow_graph(const Decoder& decoder, const FunctionCode& function, const CodeBytes& data,
                          const std::function<bool(std::uint64_t)>& does_not_return = {},
                          const FlowOptions& options = {});

}  // namespace kymo::program
