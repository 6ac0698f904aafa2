// The linkage tables of images that are loaded while the program runs.
//
// The dynamic linker's word to debuggers comes when images are mapped; it fills in their slots after that
// (glibc 2.36), and then runs their initializers, those of all images of a dlopen after the slots of all. So the
// entry of an image's dynamic section that names its initializer (DT_INIT, which every image that a compiler's driver
// has linked has) is made to name a hook until then: it sets the slots, puts the entry back, and goes on to the
// initializer. An image that has only a list of initializers (DT_INIT_ARRAY) is given another list, whose first is
// the hook; the rest of it is filled in then, since the image's own list is relocated by that time.

#include "hooks/guest/apply.h"
#include "hooks/guest/loaded.h"
#include "hooks/guest/protect.h"

#include <elf.h>

namespace kymo::hooks {

namespace {

constexpr std::uint32_t kWrite = 2;  // PF_W

// The entry of that tag; null: none, or it may not be written.
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

bool Hooks::has_slots(const link_map& map, const image::LoadedImage& image) const {
    struct Visit {
        const Hooks* hooks;
        bool found;
    } visit{this, false};
    for_each_slot(image, reinterpret_cast<std::uint64_t>(map.l_ld), &visit,
                  [](void* context, const LinkageSlot& slot) {
                      auto* given = static_cast<Visit*>(context);
                      const Hooks& hooks = *given->hooks;
                      given->found = given->found || hooks.import_named(slot.symbol) < hooks.plan_.imports.size();
                  });
    return visit.found;
}

Problem Hooks::await_relocation(const link_map& map, const image::LoadedImage& image) {
    if (plan_.imports.empty() || known_count_ == kMostKnown || !has_slots(map, image)) {
        return Problem::kNone;
    }
    std::uint32_t free = 0;
    while (free < kMostLater && later_[free].map != nullptr) {
        ++free;
    }
    if (free == kMostLater) {
        return Problem::kNoLater;
    }
    Later later;
    later.map = &map;
    later.bias = map.l_addr;
    later.hook = first_later_ + free;
    const std::uint64_t hook_at = codes_[later.hook].entry;
    if (Elf64_Dyn* function = dynamic_entry(map, image, DT_INIT); function != nullptr) {
        later.initializer = &function->d_un.d_ptr;
        later.offset = *later.initializer;
        hooks_[later.hook].continuation = map.l_addr + later.offset;
        *later.initializer = hook_at - map.l_addr;
    } else if (!lead_list(map, image, hook_at, &later)) {
        return Problem::kNoLater;
    }
    later_[free] = later;
    return Problem::kNone;
}

bool Hooks::lead_list(const link_map& map, const image::LoadedImage& image, std::uint64_t hook_at, Later* later) {
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

// Relocated now: its first goes on from the hook, the others from the list that is being walked.
void Hooks::fill_list(const Later& later) {
    const auto* own = reinterpret_cast<const std::uint64_t*>(later.bias + later.offset);
    hooks_[later.hook].continuation = own[0];
    for (std::uint64_t i = 1; i < later.functions; ++i) {
        later.list[i] = own[i];
    }
}

// Of a dlopen that has failed, images go again without having run, and the linker has freed their entries by now.
void Hooks::forget_unloaded() {
    for (Later& later : later_) {
        if (later.map != nullptr && known_of(later.map, later.bias) == nullptr) {
            later = {};
        }
    }
}

// The first of the new images' initializers is about to run: all slots are filled in.
void Hooks::set_later_slots() {
    for (Later& later : later_) {
        image::LoadedImage image;
        image::Arena scratch;
        if (later.map != nullptr && describe_loaded(*later.map, scratch, &image)) {
            plan_slots(*later.map, image, false);
            if (later.list != nullptr) {
                fill_list(later);
            }
            const auto at = reinterpret_cast<std::uint64_t>(later.initializer);
            if (planned_slot_count_ < kMostSlots) {
                planned_slots_[planned_slot_count_++] = {later.initializer, later.offset,
                                                         relocated_read_only(image).holds(at), image.is_code(at)};
            }
        }
        scratch.release();
        later = {};
    }
    tell(hook_slots(), {});
}

}  // namespace kymo::hooks
