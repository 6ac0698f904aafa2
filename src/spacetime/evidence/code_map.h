// The code behind a profile's images: functions by number, each with its flow graph and pair rule, made on first
// request.
//
// Numbers are dense and stable: in the order of image, then address. Thread-safe for functions of different images
// (libdw's handles and the pair rules' caches are one a thread).
#pragma once

#include "program/code/image_code.h"
#include "program/flow/code_bytes.h"
#include "program/flow/decode.h"
#include "program/flow/idle_rounds.h"
#include "program/flow/induction.h"
#include "program/flow/operand_use.h"
#include "program/flow/repeated/function_effects.h"
#include "program/flow/slow_work.h"
#include "program/flow/two_ways.h"
#include "spacetime/load/file_data.h"
#include "spacetime/spaces/function_flow.h"
#include "spacetime/spaces/hierarchy.h"
#include "spacetime/spaces/pair_rule.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kymo::spacetime {

struct CodeOfFunction {
    std::uint32_t image = 0;
    std::uint32_t index = 0;  // in its ImageCode
    std::unique_ptr<FunctionFlow> flow;
    std::unique_ptr<PairRule> rule;
    std::unique_ptr<Hierarchy> hierarchy;
};

class CodeMap {
  public:
    // `wanted`: by image, ascending offsets: the functions that contain them get numbers. Cost: opens the images in
    // parallel.
    CodeMap(const std::vector<ImageInfo>& images, const std::vector<std::vector<std::uint64_t>>& wanted);

    // kNone if none is known.
    std::uint32_t function_at(std::uint32_t image, std::uint64_t offset) const;
    std::size_t size() const { return functions_.size(); }
    std::uint32_t image_of(std::uint32_t function) const { return functions_[function].image; }
    const program::CodeFunction& code_of(std::uint32_t function) const;

    // Null if its graph was not requested yet, or cannot be made.
    const CodeOfFunction* made(std::uint32_t function) const {
        return function < functions_.size() && functions_[function].flow != nullptr ? &functions_[function] : nullptr;
    }
    // Whether a loop of a function whose graph was made only waits (program/flow/polling.h).
    bool polls(std::uint32_t function, std::uint32_t loop) const;

    // The registers that count the rounds of such a loop (program/flow/induction.h).
    std::vector<program::Induction> inductions(std::uint32_t function, std::uint32_t loop) const;

    // The innermost loop that holds an offset of a function whose graph was made; kNone: none.
    std::uint32_t loop_at(std::uint32_t function, std::uint64_t offset) const;

    // Of a function whose graph was made (program/flow/slow_work.h).
    std::vector<program::SlowInstruction> slow_instructions(std::uint32_t function) const;

    // Likewise (program/flow/two_ways.h).
    std::vector<program::TwoWayLoop> two_way_loops(std::uint32_t function) const;

    // Likewise (program/flow/idle_rounds.h).
    std::vector<program::IdleLoop> idle_loops(std::uint32_t function) const;

    // Of a function whose graph was made (program/flow/repeated/function_effects.h).
    program::FunctionEffects effects(std::uint32_t function) const;

    // Likewise (program/flow/repeated/repeated_calls.h): `effects_of` by number of the function.
    std::vector<std::uint64_t> repeated_calls(
        std::uint32_t function,
        const std::function<const program::FunctionEffects&(std::uint32_t)>& effects_of) const;

    // The instruction that holds an offset of a function whose graph was made; `offset` where none does.
    std::uint64_t instruction_at(std::uint32_t function, std::uint64_t offset) const;

    // Of an address in a function whose graph was made (program/flow/operand_use.h).
    program::OperandUse operand_use(std::uint32_t function, std::uint64_t offset) const;

    // Null if its code cannot be decoded.
    CodeOfFunction* flow_of(std::uint32_t function);
    // Makes the graphs of many at once, images in parallel.
    void make_flows(const std::vector<std::uint32_t>& functions);

    // One line each: images whose code cannot be read.
    const std::vector<std::string>& problems() const { return problems_; }
    // One line each: images that can be read, of an instruction set without a decoder.
    const std::vector<std::string>& undecoded() const { return undecoded_; }

  private:
    program::CodeBytes bytes_of(std::uint32_t function) const;

    std::vector<std::unique_ptr<program::ImageCode>> images_;
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> numbers_;  // by image: (index, number)
    std::vector<CodeOfFunction> functions_;
    std::vector<std::string> problems_;
    std::vector<std::string> undecoded_;
};

}  // namespace kymo::spacetime
