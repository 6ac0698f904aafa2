// The instruction lines of a text trace:
//
//     [line] PC mask D destinations opcode S sources width [form addresses] [immediates] [values]
//
// The mask, the addresses and what is behind them aside, all is fixed for a static instruction: it is parsed once,
// and found again by the hash of its text. Errors carry file and line. Refers to the trace's input and header, which
// outlive it.
#pragma once

#include "gpu/trace/byte_input.h"
#include "gpu/trace/kernel.h"
#include "gpu/trace/text_words.h"
#include "gpu/trace/warp_code.h"

#include <array>
#include <unordered_map>

namespace kymo::gpu {

class TextInstructions {
  public:
    TextInstructions(const LineInput& lines, const KernelHeader& header) : lines_(lines), header_(header) {}
    const Program& program() const { return program_; }
    void has_values(bool has) { has_values_ = has; }        // operands' values behind a Val, which Kymo writes
    void has_immediate(bool has) { has_immediate_ = has; }  // the lines of tracers before version 6

    Result<void> read(std::string_view text, WarpEncoder& encoder);

  private:
    Result<std::uint32_t> static_index(std::string_view fixed_text);
    Result<std::size_t> read_addresses(Words& words, std::size_t lanes,
                                       std::array<std::uint64_t, kWarpLanes>& addresses) const;
    Result<void> line_end(Words& words, std::string_view opcode) const;

    const LineInput& lines_;
    const KernelHeader& header_;
    Program program_;
    std::unordered_map<std::uint64_t, std::uint32_t> by_text_;  // hash of a line's fixed part → static instruction
    bool has_immediate_ = false;
    bool has_values_ = false;
};

}  // namespace kymo::gpu
