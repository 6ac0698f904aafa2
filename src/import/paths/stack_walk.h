// Call paths from the registers and the piece of stack that the kernel copied with a sample: the unwinder of the
// monitor, over the images of another process.
//
// One object a process; not thread-safe.
#pragma once

#include "import/mapped_file.h"
#include "import/perf/records.h"
#include "recording/tables/samples.h"
#include "unwind/image_set.h"
#include "unwind/path.h"
#include "unwind/walk.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace kymo::import {

struct WalkedPath {
    std::span<const std::uint64_t> addresses;  // innermost first; callers' are one less than return addresses
    recording::PathEnd end = recording::PathEnd::kNotWalked;
    bool recovered = false;  // a frame was found without a rule
    // Bytes from the stack's pointer on that the path needed; where it ends for want of memory, also those up to the
    // end of the missing word.
    std::uint64_t needed = 0;
    std::uint64_t other_frame = 0;  // as of unwind::WalkResult
};

// None: they are not those of a 64-bit program of this machine's kind.
std::optional<unwind::Registers> registers_of(const perf::Registers& given);

class StackWalker {
  public:
    StackWalker();
    StackWalker(const StackWalker&) = delete;
    StackWalker& operator=(const StackWalker&) = delete;
    ~StackWalker();

    // The image is at this bias from now on; whatever was there before is gone. `file` must outlive this. Cost: that
    // of MappedFile::table(), once a file.
    void add(const MappedFile& file, std::uint64_t bias);

    // Of a copied stack from its pointer on. Valid until the next call. Cost: some 10 ns a frame.
    WalkedPath walk(const unwind::Registers& registers, std::span<const std::uint8_t> stack);

  private:
    std::unique_ptr<unwind::ImageSet> images_;  // none: no memory
    std::vector<unwind::Frame> frames_;
    std::vector<std::uint64_t> addresses_;
};

}  // namespace kymo::import
