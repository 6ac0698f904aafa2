#include "import/perf/block_file.h"

#include <algorithm>
#include <sys/mman.h>
#include <sys/stat.h>
#include <utility>

namespace kymo::import::perf {
namespace {

constexpr std::size_t kPlace = BlockFile::kBlock + BlockFile::kBehind;

}  // namespace

bool BlockFile::can_be_mapped() {
    return size_ == 0 || choose(0);
}

bool BlockFile::was_cut() const {
    struct stat status{};
    return failed_ || (pages_ != nullptr && pages_->is_missing()) ||
           (file_ && ::fstat(file_.number(), &status) == 0 && static_cast<std::uint64_t>(status.st_size) < size_);
}

std::span<const std::uint8_t> BlockFile::fetch(std::uint64_t offset, std::size_t bytes) {
    if (offset > size_ || bytes > size_ - offset || bytes == 0 || !choose(offset / kBlock)) {
        return {};
    }
    const std::size_t in_block = static_cast<std::size_t>(offset % kBlock);
    if (bytes <= last_.size() - in_block) {
        return last_.subspan(in_block, bytes);
    }
    joined_.clear();
    for (std::size_t from = in_block; joined_.size() < bytes; from = 0) {
        const std::size_t count = std::min(kBlock - from, bytes - joined_.size());
        const auto part = last_.subspan(from, count);
        joined_.insert(joined_.end(), part.begin(), part.end());
        if (joined_.size() < bytes && !choose(last_begin_ / kBlock + 1)) {
            return {};
        }
    }
    return joined_;
}

// Its bytes become last_. Precondition: it begins before the end.
bool BlockFile::choose(std::uint64_t number) {
    const std::uint64_t begin = number * kBlock;
    const std::size_t bytes = static_cast<std::size_t>(std::min<std::uint64_t>(kPlace, size_ - begin));
    std::size_t place = 0;
    if (const auto found = index_.find(number); found != index_.end()) {
        place = found->second;
    } else {
        if (pages_ == nullptr) {
            pages_ = GuardedPages::make(kPlace * kMostBlocks);
        }
        last_ = {};
        place = pages_ == nullptr ? 0 : victim();
        if (pages_ == nullptr || !pages_->map(place * kPlace, bytes, file_.number(), begin)) {
            failed_ = true;
            return false;
        }
        blocks_[place].number = number;
        index_[number] = place;
    }
    blocks_[place].used = true;
    last_begin_ = begin;
    last_ = {pages_->data() + place * kPlace, bytes};
    return true;
}

// The clock algorithm.
std::size_t BlockFile::victim() {
    if (blocks_.size() < kMostBlocks) {
        blocks_.emplace_back();
        return blocks_.size() - 1;
    }
    do {
        hand_ = (hand_ + 1) % blocks_.size();
    } while (std::exchange(blocks_[hand_].used, false));
    index_.erase(blocks_[hand_].number);
    return hand_;
}

}  // namespace kymo::import::perf
