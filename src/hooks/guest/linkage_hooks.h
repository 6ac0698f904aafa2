// Hooks in linkage tables: the slots through which images call functions of others.
//
// Slots are planned, image by image, and set all at once, because the code that finds functions calls through such
// slots itself.
#pragma once

#include "hooks/guest/hook_table.h"
#include "hooks/guest/linkage.h"
#include "hooks/guest/problem.h"
#include "hooks/plan_file.h"
#include "image/loaded_image.h"

#include <cstdint>
#include <link.h>
#include <string_view>

namespace kymo::hooks {

class LinkageHooks {
  public:
    static constexpr std::uint32_t kRoom = 4;  // hooks an imported name: images may be bound to different functions

    constexpr LinkageHooks(const Plan& plan, HookTable& table) : plan_(plan), table_(table) {}

    // All hooks that are added to the table from now on are imports'. `own`: Kymo's own image. False: no memory.
    bool make(image::Range own);
    bool are_planned() const { return !plan_.imports.empty(); }
    // Whether the plan contains any of the image's.
    bool has_slots(const link_map& map, const image::LoadedImage& image) const;

    // The image's slots. `is_later`: it was not loaded at the start.
    void plan_slots(const link_map& map, const image::LoadedImage& image, bool is_later);
    // A word to set together with them.
    void plan_word(std::uint64_t* at, std::uint64_t value, const image::LoadedImage& image);
    Problem set_planned();

    std::uint32_t slots() const { return slots_; }

  private:
    struct PlannedSlot {
        std::uint64_t* at = nullptr;
        std::uint64_t value = 0;
        bool read_only = false;   // when it has been set, as the dynamic linker left it
        bool executable = false;  // the page contains code as well
    };
    // The image of the slots.
    struct PlannedFor {
        const image::LoadedImage* image = nullptr;
        const link_map* later = nullptr;  // null: it was loaded at the start
        image::Range read_only;
    };
    static constexpr std::uint32_t kMostSlots = 1U << 17U;

    void plan_slot(const LinkageSlot& slot, const PlannedFor& where);
    void plan(const PlannedSlot& slot);
    void* find_function(const LinkageSlot& slot, const link_map* later) const;
    std::uint32_t import_named(std::string_view symbol) const;
    std::uint32_t import_hook(std::uint32_t import, std::uint64_t function);

    const Plan& plan_;
    HookTable& table_;
    image::Range own_;
    std::uint32_t* import_of_ = nullptr;  // by hook
    std::uint32_t first_import_ = 0;      // hook
    PlannedSlot* planned_ = nullptr;
    std::uint32_t planned_count_ = 0;
    std::uint32_t slots_ = 0;
};

}  // namespace kymo::hooks
