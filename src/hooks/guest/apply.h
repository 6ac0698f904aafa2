// Puts a plan's hooks into the process: into the images that are loaded when the program starts, and into each
// later one, after it has been mapped and before any of its code has run. The dynamic linker fills in the linkage
// tables of a later image in between, so its initializer is diverted through a hook first (later_images.h).
//
// Contract: begin() once, before main with one thread; after that images are noticed in the dynamic linker's own
// calls (one thread at a time). An image is identified by its build id, or by its path if it has none. What cannot
// be hooked is left unchanged, and reported. look_at() may be called in handlers. No malloc; all memory comes from
// the kernel.
#pragma once

#include "hooks/guest/areas.h"
#include "hooks/guest/data_images.h"
#include "hooks/guest/entry_hooks.h"
#include "hooks/guest/hook_table.h"
#include "hooks/guest/known_images.h"
#include "hooks/guest/later_images.h"
#include "hooks/guest/linkage_hooks.h"
#include "hooks/guest/problem.h"
#include "hooks/plan_file.h"
#include "image/loaded_image.h"

#include <cstdint>
#include <link.h>
#include <span>
#include <string_view>

namespace kymo::hooks {

// The owner's callbacks, called where the hooks are applied. May be null.
struct ApplyHooks {
    void* context = nullptr;
    void (*problem)(void* context, Problem problem, std::string_view image) = nullptr;
};

class Hooks {
  public:
    constexpr Hooks() = default;
    Hooks(const Hooks&) = delete;
    Hooks& operator=(const Hooks&) = delete;

    // `file`: the plan's bytes, which stay. `own`: Kymo's own image, which is not hooked. False: nothing is
    // hooked; the reason has been reported.
    bool begin(std::span<const std::uint8_t> file, image::Range own, const ApplyHooks& owner);
    bool on() const { return on_; }

    // As HookTable::switch_off(). Calls in progress may still add, or add a part.
    void switch_off(const std::uint64_t (&cells)[2], const std::uint32_t (&bindings)[cells::kTaskTimers]) {
        table_.switch_off(cells, bindings);
    }

    // As DataImages'.
    void follow_no_pointers() { data_.follow_no_pointers(); }

    std::uint32_t functions() const { return entries_.functions(); }        // hooked at their entries
    std::uint32_t counted_functions() const { return table_.functions(); }  // whose occurrences are to be recorded
    bool has_steps() const { return !plan_.steps.empty(); }
    std::uint32_t slots() const { return linkage_.slots(); }  // of linkage tables

    Areas::Meaning look_at(std::uint64_t address) const { return areas_.look_at(address); }

  private:
    static void images_changed(std::uint32_t hook);
    Problem make(std::span<const std::uint8_t> file);
    void scan(bool at_start);
    ImageState* look_at_image(const link_map& map, bool at_start);
    void tell(Problem problem, std::string_view image) const;

    bool on_ = false;
    ApplyHooks owner_;
    Plan plan_;
    image::Range own_;
    std::uint32_t loading_hook_ = 0;  // the dynamic linker's notification of debuggers
    HookTable table_;
    Areas areas_;
    DataImages data_;
    EntryHooks entries_{plan_, table_, areas_, data_};
    LinkageHooks linkage_{plan_, table_};
    LaterImages later_{table_, linkage_};
    KnownImages known_;
};

}  // namespace kymo::hooks
