// The text traces of the NVBit tracer that comes with Accel-Sim: `.traceg`, and `.traceg.xz`. Tracer versions 3 to 7.
//
// The format's own "#traces format" line and "-enable lineinfo" decide which columns there are. All three address
// forms are read: every address (0), base and stride (1), base and differences (2). In form 2 there is one difference
// fewer than there are active lanes, and none for an empty mask.
//
// Contract: streaming, memory is one CTA. A malformed line ends the reading with file, line and what was expected.
// Cost: about 60 ns a line (xz: as much again).
#pragma once

#include "gpu/trace/byte_input.h"
#include "gpu/trace/kernel.h"
#include "gpu/trace/text_instructions.h"

namespace kymo::gpu {

class TextTrace : public KernelSource {
  public:
    // Reads the header. `name` is what error messages call the input.
    static Result<std::unique_ptr<TextTrace>> open(std::unique_ptr<ByteInput> bytes, std::string name);

    const KernelHeader& header() const override { return header_; }
    const Program& program() const override { return instructions_.program(); }
    Result<std::optional<Cta>> next_cta() override;
    Result<void> rewind() override;
    std::uint64_t text_bytes() const { return text_bytes_; }  // of the lines read so far

  private:
    TextTrace(std::unique_ptr<ByteInput> bytes, std::string name) : lines_(std::move(bytes), std::move(name)) {}
    Result<bool> line(std::string_view& text);  // the next that is not empty
    Result<void> read_header();
    Result<void> header_line(std::string_view text);
    Result<void> read_warp(WarpTrace& warp);

    LineInput lines_;
    KernelHeader header_;
    TextInstructions instructions_{lines_, header_};
    std::string_view pending_;  // a line read ahead
    bool has_pending_ = false;
    std::uint64_t text_bytes_ = 0;
};

}  // namespace kymo::gpu
