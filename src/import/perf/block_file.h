// A file that is read at any place, a little at a time.
//
// Not mapped, as a mapped file that shrinks kills its reader: blocks are read into memory and the last ones kept.
// They are as many as there are processors whose records, each in its own part of the file, are read in turns.
#pragma once

#include "base/descriptor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace kymo::import::perf {

class BlockFile {
  public:
    static constexpr std::size_t kBlock = 64 << 10;
    static constexpr std::size_t kFirstBlocks = 16;
    static constexpr std::size_t kMostBlocks = 1'024;

    BlockFile() = default;
    // Reads are refused from `size` on, whatever the file has there.
    BlockFile(Descriptor file, std::uint64_t size) : file_(std::move(file)), size_(size) {}

    [[nodiscard]] std::uint64_t size() const { return size_; }

    // These bytes, valid until the next call; empty: they are not all there. Cost: at most one read for each new
    // block.
    std::span<const std::uint8_t> at(std::uint64_t offset, std::size_t bytes) {
        const std::uint64_t in_block = offset % kBlock;
        if (offset / kBlock == last_number_ && in_block + bytes <= last_.size()) {
            return last_.subspan(static_cast<std::size_t>(in_block), bytes);
        }
        return fetch(offset, bytes);
    }

    // What was read before is from now on not asked for again.
    void start_over() { seen_.clear(); }

  private:
    struct Block {
        std::uint64_t number = 0;
        std::size_t size = 0;
        bool used = false;  // since the search for a victim last passed
        std::unique_ptr<std::uint8_t[]> bytes;
    };

    std::span<const std::uint8_t> fetch(std::uint64_t offset, std::size_t bytes);
    void choose(std::uint64_t number);
    Block& victim(std::uint64_t number);

    Descriptor file_;
    std::uint64_t size_ = 0;
    std::uint64_t last_number_ = ~std::uint64_t{0};
    std::span<const std::uint8_t> last_;
    std::vector<Block> blocks_;
    std::unordered_map<std::uint64_t, std::size_t> index_;  // by number
    std::unordered_set<std::uint64_t> seen_;                // numbers
    std::size_t room_ = kFirstBlocks;
    std::size_t hand_ = 0;
    std::vector<std::uint8_t> joined_;  // of several blocks
};

}  // namespace kymo::import::perf
