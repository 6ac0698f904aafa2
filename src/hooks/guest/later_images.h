// The linkage tables of images that are loaded while the program runs.
//
// The dynamic linker notifies debuggers when images are mapped; it fills in their slots after that (glibc 2.36),
// and then runs their initializers: those of all images of a dlopen after the slots of all. So the entry of an
// image's dynamic section that names its initializer (DT_INIT, which every image linked by a compiler's driver
// has) is changed to name a hook until then: the hook sets the slots, restores the entry, and continues with the
// initializer. An image that has only a list of initializers (DT_INIT_ARRAY) gets another list, whose first entry
// is the hook; the rest of it is filled in then, since the image's own list is relocated by that time.
#pragma once

#include "hooks/guest/known_images.h"
#include "hooks/guest/linkage_hooks.h"

#include <cstdint>
#include <link.h>

namespace kymo::hooks {

class LaterImages {
  public:
    static constexpr std::uint32_t kMost = 64;  // in one call of dlopen, with what they need

    constexpr LaterImages(HookTable& table, LinkageHooks& linkage) : table_(table), linkage_(linkage) {}

    // Takes kMost hooks of the table; each reports when the slots of its image are filled in.
    void make();

    // A newly mapped image: its slots are to be set when they are filled in.
    Problem await(const link_map& map, const image::LoadedImage& image);
    // Images of a failed dlopen are unloaded without having run, and the linker has freed their entries by now.
    void forget_unloaded(const KnownImages& known);
    // The first of the new images' initializers is about to run: all slots are filled in.
    Problem set_slots();

  private:
    struct Later {
        const link_map* map = nullptr;  // null: none; of an unloaded image: only for comparison
        std::uint64_t bias = 0;
        std::uint64_t* initializer = nullptr;  // in its dynamic section: the function, or the list of them
        std::uint64_t offset = 0;              // its original value
        std::uint64_t* list = nullptr;         // of functions: the replacement list; null: a function
        std::uint64_t functions = 0;           // how many
        std::uint32_t hook = 0;
    };
    // Replacement lists of initializers are never freed: an image may still be running one.
    static constexpr std::uint32_t kMostLists = 256;
    static constexpr std::uint64_t kMostInitializers = 512;

    bool lead_list(const link_map& map, const image::LoadedImage& image, std::uint64_t hook_at, Later* later);
    void fill_list(const Later& later);

    HookTable& table_;
    LinkageHooks& linkage_;
    std::uint32_t first_ = 0;  // hook
    Later later_[kMost];
    std::uint32_t lists_ = 0;
};

}  // namespace kymo::hooks
