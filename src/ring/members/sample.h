// The result of one round of tokens, over all spans.
#pragma once

#include "ring/members/member.h"
#include "ring/protocol/token.h"

#include <vector>

namespace kymo::ring {

// How many slots the figures cover. Complete: slots = contributed + holes.
struct Coverage {
    std::uint32_t slots = 0;
    std::uint32_t contributed = 0;
    std::uint32_t off_time = 0;    // of these, latched at a time other than the announced one
    std::vector<HoleRange> holes;  // ascending
    bool holes_untold = false;     // there are more than the ranges list

    // Slots first to end - 1, which follow the existing holes.
    void add_hole(Slot first, Slot end);
    [[nodiscard]] bool is_whole() const { return slots == contributed; }
    [[nodiscard]] double share() const {
        return slots == 0 ? 0 : static_cast<double>(contributed) / static_cast<double>(slots);
    }
};

struct SamplePart {
    Part part;
    std::vector<Record> records;
};

struct Sample {
    std::uint64_t sequence = 0;
    Mode mode = Mode::kReduce;
    Time sent = 0;      // manager's clock, as all times here
    Time deadline = 0;  // 0: none was announced
    Time home = 0;      // return of the last token
    Coverage coverage;
    std::uint32_t tokens = 0;
    std::uint32_t tokens_lost = 0;  // given up: their slots are holes
    std::vector<Entry> entries;
    std::vector<Record> records;    // over all slots
    std::vector<SamplePart> parts;  // append mode: by slot
    std::uint64_t moved = 0;        // bytes, over all hops
    std::uint64_t work = 0;         // the largest of any agent, ns
    Time earliest = 0;              // of the latches; 0: none
    Time latest = 0;
    std::uint64_t clock_error = 0;

    // A returned token, of a span behind those joined so far. Precondition: it asked for `entries`, and `records`
    // has one for each.
    void join(const Token& token);
};

}  // namespace kymo::ring
