#include "import/perf/block_file.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>
#include <utility>

namespace kymo::import::perf {

std::span<const std::uint8_t> BlockFile::fetch(std::uint64_t offset, std::size_t bytes) {
    if (offset > size_ || bytes > size_ - offset || bytes == 0) {
        return {};
    }
    choose(offset / kBlock);
    const std::size_t in_block = static_cast<std::size_t>(offset % kBlock);
    if (in_block + bytes <= kBlock) {
        return in_block + bytes <= last_.size() ? last_.subspan(in_block, bytes) : std::span<const std::uint8_t>();
    }
    joined_.clear();
    for (std::size_t from = in_block; joined_.size() < bytes; from = 0) {
        if (last_.size() <= from) {
            return {};  // the file has shrunk
        }
        const std::size_t count = std::min(last_.size() - from, bytes - joined_.size());
        const auto part = last_.subspan(from, count);
        joined_.insert(joined_.end(), part.begin(), part.end());
        if (joined_.size() < bytes) {
            if (last_.size() < kBlock) {
                return {};
            }
            choose(last_number_ + 1);
        }
    }
    return joined_;
}

void BlockFile::choose(std::uint64_t number) {
    if (number == last_number_) {
        return;
    }
    last_number_ = number;
    if (const auto found = index_.find(number); found != index_.end()) {
        Block& block = blocks_[found->second];
        block.used = true;
        last_ = {block.bytes.get(), block.size};
        return;
    }
    Block& block = victim(number);
    block.number = number;
    block.size = 0;
    block.used = true;
    const std::uint64_t begin = number * kBlock;
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, size_ - begin));
    while (block.size < wanted) {
        const ssize_t got = ::pread(file_.number(), block.bytes.get() + block.size, wanted - block.size,
                                    static_cast<off_t>(begin + block.size));
        if (got == 0 || (got < 0 && errno != EINTR)) {
            break;
        }
        block.size += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    index_[number] = hand_;
    last_ = {block.bytes.get(), block.size};
}

// The clock algorithm.
BlockFile::Block& BlockFile::victim(std::uint64_t number) {
    if (!seen_.insert(number).second) {
        room_ = std::min(room_ * 2, kMostBlocks);
    }
    if (blocks_.size() < room_) {
        blocks_.push_back({0, 0, false, std::make_unique_for_overwrite<std::uint8_t[]>(kBlock)});
        hand_ = blocks_.size() - 1;
    } else {
        do {
            hand_ = (hand_ + 1) % blocks_.size();
        } while (std::exchange(blocks_[hand_].used, false));
        index_.erase(blocks_[hand_].number);
    }
    return blocks_[hand_];
}

}  // namespace kymo::import::perf
