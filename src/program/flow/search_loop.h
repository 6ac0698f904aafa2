// Loops that go through elements until one equals a value: a search, whose length is that of the data.
//
// Read from the code alone: an innermost loop without calls and stores carries nothing from round to round but the
// registers that count it (or a pointer or an index that it reads from where that leads), and ends where a number of
// 4 bytes or more of the element equals a register that the loop does not change. Bytes do not count: text is read so
// in any case. Or it makes one call a round, and ends where that returns 0: a search where the call compares (strcmp,
// memcmp). How many elements there are is not known.
#pragma once

#include "program/flow/code_bytes.h"
#include "program/flow/decode.h"
#include "program/flow/flow_graph.h"
#include "program/flow/induction.h"
#include "program/flow/loops.h"

#include <cstdint>
#include <span>

namespace kymo::program {

enum class Search : std::uint8_t { kNone, kOwn, kByCall };

// `loop`: index of `loops.loops`, without loops inside; `counting`: its inductions(). Only the x86-64 decoder tells
// jumps on equality.
// Cost: decodes the loop a few times.
Search search_of(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph, const Loops& loops,
                 std::uint32_t loop, std::span<const Induction> counting);

}  // namespace kymo::program
