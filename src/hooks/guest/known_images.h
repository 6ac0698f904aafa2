// The entries of the dynamic linker's list that have been examined, so that each image is examined once.
#pragma once

#include "hooks/guest/entry_hooks.h"
#include "image/arena.h"

#include <cstdint>
#include <cstring>

namespace kymo::hooks {

struct KnownImage {
    const void* map = nullptr;
    std::uint64_t bias = 0;
    ImageState* state = nullptr;  // null: not in the plan
};

class KnownImages {
  public:
    static constexpr std::uint32_t kMost = 8192;  // further ones are examined every time

    // False: no memory.
    bool make() {
        images_ = static_cast<KnownImage*>(image::map_pages(std::size_t{2} * kMost * sizeof(KnownImage)));
        return images_ != nullptr;
    }
    // Null: not known.
    const KnownImage* find(const void* map, std::uint64_t bias) const {
        for (std::uint32_t i = 0; i < count_; ++i) {
            if (images_[i].map == map && images_[i].bias == bias) {
                return &images_[i];
            }
        }
        return nullptr;
    }
    bool is_full() const { return count_ == kMost; }

    // The present list, one by one; known from end_list() on. Unloaded images are left out.
    void add_to_list(const KnownImage& image) {
        if (next_count_ < kMost) {
            images_[kMost + next_count_++] = image;
        }
    }
    void end_list() {
        std::memcpy(images_, images_ + kMost, next_count_ * sizeof(KnownImage));
        count_ = next_count_;
        next_count_ = 0;
    }

  private:
    KnownImage* images_ = nullptr;  // followed by the new list while it is made
    std::uint32_t count_ = 0;
    std::uint32_t next_count_ = 0;
};

}  // namespace kymo::hooks
