// Hooks at functions' entries: patches the code of an image that is in the plan.
#pragma once

#include "hooks/guest/areas.h"
#include "hooks/guest/data_images.h"
#include "hooks/guest/hook_table.h"
#include "hooks/guest/problem.h"
#include "hooks/plan_file.h"
#include "image/loaded_image.h"

#include <cstdint>

namespace kymo::hooks {

// The state of an image of the plan.
struct ImageState {
    std::uint64_t bias = 0;
    bool hooked = false;
    bool seen = false;
    Area area;  // kept in case the image is loaded again
};

class EntryHooks {
  public:
    constexpr EntryHooks(const Plan& plan, HookTable& table, Areas& areas, DataImages& data)
        : plan_(plan), table_(table), areas_(areas), data_(data) {}

    // False: no memory.
    bool make();
    // Null: not in the plan.
    ImageState* state_of(const image::LoadedImage& image);
    // Its data can be read from now on.
    void data_is_there(const ImageState& state, const image::LoadedImage& image, bool at_start);
    // All of its functions, or none.
    Problem hook(ImageState& state, const image::LoadedImage& image);

    // Begins a check of all loaded images: none counts as seen; those not seen by the end are not hooked any more.
    void begin_look();
    void end_look();

    std::uint32_t functions() const { return functions_; }

  private:
    Problem patch(const PlanImage& planned, const image::LoadedImage& image, const HookCode* codes);

    const Plan& plan_;
    HookTable& table_;
    Areas& areas_;
    DataImages& data_;
    ImageState* images_ = nullptr;  // as the plan's
    std::uint32_t functions_ = 0;
};

}  // namespace kymo::hooks
