// A file that is read at any place: the blocks that were used last are mapped.
//
// Mapped and not read, since most bytes of a large file are copied stacks, of which a call path needs the beginning
// alone. If the file is cut off meanwhile, what is missing is zeros and was_cut() says so (guarded_pages.h). Bytes of
// a file that is written meanwhile change even while they are read: each number must be taken once (bytes.h),
// and what is read twice must be copied first.
//
// The blocks are as many as there are processors whose records, each in its own part of the file, are read in turns.
#pragma once

#include "base/descriptor.h"
#include "import/perf/guarded_pages.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace kymo::import::perf {

class BlockFile {
  public:
    static constexpr std::size_t kBlock = 1 << 20;
    static constexpr std::size_t kBehind = 64 << 10;  // of the next block, mapped with each: a record at its end
    static constexpr std::size_t kMostBlocks = 64;

    BlockFile() = default;
    // Reads are refused from `size` on, whatever the file has there.
    BlockFile(Descriptor file, std::uint64_t size) : file_(std::move(file)), size_(size) {}

    [[nodiscard]] std::uint64_t size() const { return size_; }
    // Of a regular file: whether the system can map it. Not everything that can be read can be mapped.
    [[nodiscard]] bool can_be_mapped();

    // These bytes, valid until the next call; empty: they are not all there. Cost: at most two system calls for each
    // new block, and a page fault for some pages.
    std::span<const std::uint8_t> at(std::uint64_t offset, std::size_t bytes) {
        const std::uint64_t in_last = offset - last_begin_;
        if (in_last < last_.size() && bytes <= last_.size() - in_last && bytes != 0) {
            return last_.subspan(static_cast<std::size_t>(in_last), bytes);
        }
        return fetch(offset, bytes);
    }

    // Whether bytes were missing that were there at the beginning, or could not be read.
    [[nodiscard]] bool was_cut() const;

  private:
    struct Block {
        std::uint64_t number = 0;
        bool used = false;  // since the search for a victim last passed
    };

    std::span<const std::uint8_t> fetch(std::uint64_t offset, std::size_t bytes);
    bool choose(std::uint64_t number);
    std::size_t victim();

    Descriptor file_;
    std::uint64_t size_ = 0;
    std::uint64_t last_begin_ = 0;
    std::span<const std::uint8_t> last_;  // of the file from last_begin_ on
    std::unique_ptr<GuardedPages> pages_;
    std::vector<Block> blocks_;
    std::unordered_map<std::uint64_t, std::size_t> index_;  // of blocks_, by number
    std::size_t hand_ = 0;
    bool failed_ = false;               // to map a block
    std::vector<std::uint8_t> joined_;  // what no block has alone
};

}  // namespace kymo::import::perf
