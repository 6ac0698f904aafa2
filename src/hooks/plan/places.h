// Places inside functions as instrumentation points: any instruction that a jump may replace.
//
// A jump takes five bytes, usually more than the instruction. The instructions that it covers must only be reached
// through the first of them: of one basic block, or of blocks that only the previous one continues to; in a
// function all of whose jumps are known; and they must be able to run elsewhere (relocate.h). If there is too
// little room behind the instruction, the jump may begin up to four bytes before it, in the same block, because
// control that passes there reaches the instruction, too.
//
// Not thread-safe. Cost: a function's flow graph once (100 ns an instruction), then microseconds a place.
#pragma once

#include "hooks/plan_file.h"
#include "program/code/image_code.h"
#include "program/flow/code_bytes.h"
#include "program/flow/decode.h"
#include "program/line_table.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace kymo::hooks {

class Places {
  public:
    // `targets`: where jumps, calls and symbols of the whole image lead, ascending. Both outlive this.
    Places(program::ImageCode& code, std::span<const std::uint64_t> targets) : code_(code), targets_(targets) {}

    // Where control enters a line, among the places where its statements begin: not those reached only from the
    // line itself (a further block of the same line), nor a jump that only leads to another of them; if the
    // compiler does not mark statements, one per block.
    std::vector<std::uint64_t> statements(const program::LineTable& table, std::uint32_t file, std::uint32_t line);

    // Empty: `entry` has the plan for an instrumentation point at the instruction `at`, with nothing before
    // `not_before` changed. Otherwise why not, in words that follow its name.
    std::string plan(std::uint64_t at, std::uint64_t not_before, PlanEntry* entry);

    // Whether control that reaches `from` reaches `to` next: the same block, and no call between them.
    bool leads_straight(std::uint64_t from, std::uint64_t to);

    // The name of the function around it; empty: not known.
    std::string function_at(std::uint64_t offset);

  private:
    struct Flow {
        const program::FlowGraph* graph = nullptr;
        program::Digraph blocks;
        std::string problem;  // why no place in it can be hooked
    };
    const Flow& flow_at(std::uint64_t offset);
    std::string why_unknown(const program::FlowGraph& graph) const;
    static std::uint32_t last_led_to(const Flow& flow, std::uint32_t block);
    bool is_entered(const program::FlowGraph& graph, std::uint32_t last, std::uint64_t begin,
                    std::uint64_t end) const;
    program::Instruction decode(std::uint64_t at) const;

    program::ImageCode& code_;
    std::span<const std::uint64_t> targets_;
    std::map<std::uint32_t, Flow> flows_;  // by function
};

}  // namespace kymo::hooks
