// Putting a plan's hooks into the process: into the images that are there when the program starts, and into each that
// is loaded later, after it has been mapped and before any of its code has run. The linkage tables of a later one are
// filled in between, by the dynamic linker; so its initializer is led past us first (apply_later.cpp).
//
// Contract: begin() once, before main with one thread; after that images are noticed in the dynamic linker's own
// calls (one thread at a time). An image is known by its build id, or by its path where it has none. What cannot be
// hooked is left as it was, and told. look_at() may be called in handlers. No malloc; all memory comes from the
// kernel.
#pragma once

#include "hooks/guest/areas.h"
#include "hooks/guest/linkage.h"
#include "hooks/guest/thread.h"
#include "hooks/plan_file.h"
#include "image/arena.h"
#include "image/loaded_image.h"

#include <cstdint>
#include <link.h>
#include <span>
#include <string_view>

namespace kymo::hooks {

enum class Problem : std::uint8_t {
    kNone = 0,
    kBadPlan,      // damaged, or another version's
    kNoMemory,     // the kernel refused it
    kNoCode,       // code may not be made or changed here (SELinux, …)
    kNoRoom,       // no free address space within reach of the image
    kOtherCode,    // the code is not what was planned: the file or the memory has been changed
    kShadowStack,  // the processor checks return addresses
    kNoLoading,    // images that are loaded later cannot be noticed
    kNoLater,      // nothing of an image that was loaded later tells that its linkage table is filled in
};
// In words that follow the name of what has the problem.
const char* describe(Problem problem);

// What the owner is told; called where the hooks are applied. May be null.
struct ApplyHooks {
    void* context = nullptr;
    void (*problem)(void* context, Problem problem, std::string_view image) = nullptr;
};

class Hooks {
  public:
    constexpr Hooks() = default;
    Hooks(const Hooks&) = delete;
    Hooks& operator=(const Hooks&) = delete;

    // `file`: the plan's bytes, which stay. `own`: the image that is Kymo's and is left alone. False: nothing is
    // hooked, and why was told.
    bool begin(std::span<const std::uint8_t> file, image::Range own, const ApplyHooks& owner);
    bool on() const { return on_; }

    // Leaves out what would change cells whose bits are set, and starts of timers that are bound to them; does again
    // what is no longer set. Calls that are under way may still add, or add a part. By one thread at a time, also in
    // a handler: others run the steps meanwhile.
    void switch_off(const std::uint64_t (&cells)[2], const std::uint32_t (&bindings)[cells::kTaskTimers]);

    std::uint32_t functions() const { return functions_; }  // hooked at their entries
    std::uint32_t slots() const { return slots_; }          // of linkage tables

    Areas::Meaning look_at(std::uint64_t address) const { return areas_.look_at(address); }

  private:
    struct ImageState {
        std::uint64_t bias = 0;
        bool hooked = false;
        bool seen = false;
        Area area;  // kept for when the image comes back
    };

    // An entry of the dynamic linker's list that has been looked at.
    struct Known {
        const void* map = nullptr;
        std::uint64_t bias = 0;
        ImageState* state = nullptr;  // null: the plan does not have it
    };
    // A slot that is to be set.
    struct PlannedSlot {
        std::uint64_t* at = nullptr;
        std::uint64_t value = 0;
        bool read_only = false;   // when it has been set, as the dynamic linker left it
        bool executable = false;  // code lies in its page, too
    };
    // An image that has been mapped and whose slots are to be set when they are filled in.
    struct Later {
        const link_map* map = nullptr;  // null: none; of an image that has gone again: to be compared only
        std::uint64_t bias = 0;
        std::uint64_t* initializer = nullptr;  // in its dynamic section: the function, or the list of them
        std::uint64_t offset = 0;              // what stood there
        std::uint64_t* list = nullptr;         // of functions: the one that is led through instead; null: a function
        std::uint64_t functions = 0;           // how many
        std::uint32_t hook = 0;
    };
    // Whose slot it is.
    struct PlannedFor {
        const image::LoadedImage* image = nullptr;
        const link_map* later = nullptr;  // null: it was there at the start
        image::Range read_only;
    };
    static constexpr std::uint32_t kMostLater = 64;  // in one call of dlopen, with what they need
    // Lists of initializers that stand in for images' own are never given back: one may still be at work in an image.
    static constexpr std::uint32_t kMostLists = 256;
    static constexpr std::uint64_t kMostInitializers = 512;
    static constexpr std::uint32_t kMostSlots = 1U << 17U;
    static constexpr std::uint32_t kMostKnown = 8192;  // those beyond are looked at every time

    static void images_changed(std::uint32_t hook);
    void scan(bool at_start);
    const Known* known_of(const void* map, std::uint64_t bias) const;
    ImageState* look_at_image(const link_map& map, bool at_start);
    ImageState* state_of(const image::LoadedImage& image);
    Problem hook_image(ImageState& state, const image::LoadedImage& image);
    Problem patch(const PlanImage& planned, const image::LoadedImage& image, const HookCode* codes);
    void plan_slots(const link_map& map, const image::LoadedImage& image, bool at_start);
    void plan_slot(const LinkageSlot& slot, const PlannedFor& where);
    Problem hook_slots();
    bool has_slots(const link_map& map, const image::LoadedImage& image) const;
    std::uint32_t import_named(std::string_view symbol) const;
    void* find_function(const LinkageSlot& slot, const link_map* later) const;
    Problem await_relocation(const link_map& map, const image::LoadedImage& image);
    bool lead_list(const link_map& map, const image::LoadedImage& image, std::uint64_t hook_at, Later* later);
    void fill_list(const Later& later);
    void forget_unloaded();
    void set_later_slots();
    std::uint32_t import_hook(std::uint32_t import, std::uint64_t function);
    Problem make_import_code();
    Problem notice_loading();
    std::uint32_t new_hook(const PlanPoint* point, std::uint64_t continuation);
    void tell(Problem problem, std::string_view image) const;

    bool on_ = false;
    ApplyHooks owner_;
    Plan plan_;
    image::Range own_;
    image::Arena arena_;
    ImageState* images_ = nullptr;
    Hook* hooks_ = nullptr;      // number 0 is none; then the plan's entries, in its order; then imports
    HookCode* codes_ = nullptr;  // as hooks_
    std::uint32_t* import_of_ = nullptr;
    Known* known_ = nullptr;
    std::uint32_t known_count_ = 0;
    std::uint32_t hook_count_ = 0;
    std::uint32_t hook_room_ = 0;
    PlannedSlot* planned_slots_ = nullptr;
    std::uint32_t planned_slot_count_ = 0;
    Area import_area_;                // code of all hooks from first_later_ on; empty: nothing is imported
    std::uint32_t loading_hook_ = 0;  // the dynamic linker's word to debuggers
    std::uint32_t first_later_ = 0;   // hooks of initializers
    std::uint32_t first_import_ = 0;
    Later later_[kMostLater];
    std::uint32_t lists_ = 0;
    std::uint32_t functions_ = 0;
    std::uint32_t slots_ = 0;
    Areas areas_;
};

}  // namespace kymo::hooks
