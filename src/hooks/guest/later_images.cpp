#include "hooks/guest/later_images.h"

#include "hooks/guest/loaded.h"
#include "image/arena.h"

#include <elf.h>

namespace kymo::hooks {

namespace {

constexpr std::uint32_t kWrite = 2;  // PF_W

// The entry of that tag; null: none, or it is read-only.
Elf64_Dyn* dynamic_entry(const link_map& map, const image::LoadedImage& image, Elf64_Sxword tag) {
    constexpr unsigned kMost = 1024;
    const auto at = reinterpret_cast<std::uint64_t>(map.l_ld);
    const image::LoadedSegment* home = nullptr;
    for (std::uint32_t i = 0; i < image.segment_count; ++i) {
        if (image.segments[i].range.holds(at) && (image.segments[i].flags & kWrite) != 0) {
            home = &image.segments[i];
        }
    }
    for (unsigned i = 0; home != nullptr && i < kMost; ++i) {
        Elf64_Dyn& entry = map.l_ld[i];
        if (!home->range.holds(at + (i + 1) * sizeof entry - 1) || entry.d_tag == DT_NULL) {
            break;
        }
        if (entry.d_tag == tag) {
            return &entry;
        }
    }
    return nullptr;
}

}  // namespace

void LaterImages::make() {
    first_ = table_.size();
    for (std::uint32_t i = 0; i < kMost; ++i) {
        table_.hook(table_.add(nullptr, 0)).tells_images = true;
    }
}

Problem LaterImages::await(const link_map& map, const image::LoadedImage& image) {
    std::uint32_t free = 0;
    while (free < kMost && later_[free].map != nullptr) {
        ++free;
    }
    if (free == kMost) {
        return Problem::kNoLater;
    }
    Later later;
    later.map = &map;
    later.bias = map.l_addr;
    later.hook = first_ + free;
    const std::uint64_t hook_at = table_.code(later.hook).entry;
    if (Elf64_Dyn* function = dynamic_entry(map, image, DT_INIT); function != nullptr) {
        later.initializer = &function->d_un.d_ptr;
        later.offset = *later.initializer;
        table_.hook(later.hook).continuation = map.l_addr + later.offset;
        *later.initializer = hook_at - map.l_addr;
    } else if (!lead_list(map, image, hook_at, &later)) {
        return Problem::kNoLater;
    }
    later_[free] = later;
    return Problem::kNone;
}

bool LaterImages::lead_list(const link_map& map, const image::LoadedImage& image, std::uint64_t hook_at,
                            Later* later) {
    Elf64_Dyn* list = dynamic_entry(map, image, DT_INIT_ARRAY);
    const Elf64_Dyn* bytes = dynamic_entry(map, image, DT_INIT_ARRAYSZ);
    const std::uint64_t count = bytes == nullptr ? 0 : bytes->d_un.d_val / sizeof(std::uint64_t);
    if (list == nullptr || count == 0 || count > kMostInitializers || lists_ == kMostLists ||
        !image.range.holds(map.l_addr + list->d_un.d_ptr) ||
        !image.range.holds(map.l_addr + list->d_un.d_ptr + count * sizeof(std::uint64_t) - 1)) {
        return false;
    }
    later->list = static_cast<std::uint64_t*>(image::map_pages(count * sizeof(std::uint64_t)));
    if (later->list == nullptr) {
        return false;
    }
    ++lists_;
    later->functions = count;
    later->initializer = &list->d_un.d_ptr;
    later->offset = *later->initializer;
    later->list[0] = hook_at;
    *later->initializer = reinterpret_cast<std::uint64_t>(later->list) - map.l_addr;
    return true;
}

// Relocated by now: the first function continues from the hook, the others from the list that is being walked.
void LaterImages::fill_list(const Later& later) {
    const auto* own = reinterpret_cast<const std::uint64_t*>(later.bias + later.offset);
    table_.hook(later.hook).continuation = own[0];
    for (std::uint64_t i = 1; i < later.functions; ++i) {
        later.list[i] = own[i];
    }
}

void LaterImages::forget_unloaded(const KnownImages& known) {
    for (Later& later : later_) {
        if (later.map != nullptr && known.find(later.map, later.bias) == nullptr) {
            later = {};
        }
    }
}

Problem LaterImages::set_slots() {
    for (Later& later : later_) {
        image::LoadedImage image;
        image::Arena scratch;
        if (later.map != nullptr && describe_loaded(*later.map, scratch, &image)) {
            linkage_.plan_slots(*later.map, image, true);
            if (later.list != nullptr) {
                fill_list(later);
            }
            linkage_.plan_word(later.initializer, later.offset, image);
        }
        scratch.release();
        later = {};
    }
    return linkage_.set_planned();
}

}  // namespace kymo::hooks
