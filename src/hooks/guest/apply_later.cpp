// The linkage tables of images that are loaded while the program runs.
//
// The dynamic linker's word to debuggers comes when images are mapped; it fills in their slots after that
// (glibc 2.36), and then runs their initializers, those of all images of a dlopen after the slots of all. So the
// entry of an image's dynamic section that names its initializer (DT_INIT, which every image that a compiler's driver
// has linked has) is made to name a hook until then: it sets the slots, puts the entry back, and goes on to the
// initializer.

#include "hooks/guest/apply.h"
#include "hooks/guest/loaded.h"
#include "hooks/guest/protect.h"

#include <elf.h>

namespace kymo::hooks {

namespace {

constexpr std::uint32_t kWrite = 2;  // PF_W

std::uint64_t* initializer_of(const link_map& map, const image::LoadedImage& image) {
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
        if (entry.d_tag == DT_INIT) {
            return &entry.d_un.d_ptr;
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
    std::uint64_t* initializer = initializer_of(map, image);
    if (initializer == nullptr || free == kMostLater) {
        return Problem::kNoLater;
    }
    const std::uint32_t hook = first_later_ + free;
    hooks_[hook].continuation = map.l_addr + *initializer;
    later_[free] = {&map, initializer, *initializer};
    *initializer = codes_[hook].entry - map.l_addr;
    return Problem::kNone;
}

// Of a dlopen that has failed, images go again without having run.
void Hooks::forget_unloaded() {
    for (Later& later : later_) {
        if (later.map != nullptr && known_of(later.map, later.map->l_addr) == nullptr) {
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
