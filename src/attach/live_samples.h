// The samples of running programs on their way into a recording, with as much of the stack as call paths need.
//
// Single-threaded.
#pragma once

#include "attach/sample_rings.h"
#include "attach/seams.h"
#include "attach/stack_size.h"
#include "base/result.h"
#include "import/recording_builder.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kymo::attach {

class LiveSamples {
  public:
    // As of SampleRings.
    Result<void> open(const Scope& scope, const SampleSettings& settings);
    SampleRings& rings() { return rings_; }

    // Where records go from now on: what comes before them, of processes that are there already, as well. `builder`
    // outlives this. Precondition: open().
    import::perf::Visitor& deliver_to(import::RecordingBuilder& builder);

    // Empties the rings into it, and changes the size of the copied stacks where that is due (stack_size.h). `last`:
    // everything. Precondition: deliver_to().
    void drain(bool last);

    std::uint32_t stack_bytes() const { return size_->bytes(); }  // copied with each sample now

  private:
    void tell_rest_of_lost();
    void end_gone();
    bool change_stack(std::uint32_t bytes);
    bool cover_births();

    Scope scope_;
    bool fits_stack_ = false;
    SampleRings rings_;
    std::optional<StackSize> size_;
    std::optional<Seams> seams_;
    import::RecordingBuilder* builder_ = nullptr;
    unsigned drains_ = 0;
    std::vector<Seams::Member> gone_;  // threads that have ended, of which no record has said so
};

}  // namespace kymo::attach
