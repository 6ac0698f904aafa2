// The linkage tables of a loaded image: the slots through which it calls functions of other images.
//
// Only slots that are used for calls alone (R_X86_64_JUMP_SLOT): a slot whose address is also taken must keep it,
// or two images would disagree on a function's address.
#pragma once

#include "image/loaded_image.h"

#include <cstdint>
#include <string_view>

namespace kymo::hooks {

struct LinkageSlot {
    std::uint64_t* at = nullptr;
    std::string_view symbol;
    const char* version = nullptr;  // requested by the image; null: none
    bool is_bound = false;          // the slot holds the function; otherwise the code that finds it at the first
                                    // call
};

// Calls `visit(context, slot)` for every slot of the image, whose dynamic section lies at `dynamic`.
void for_each_slot(const image::LoadedImage& image, std::uint64_t dynamic, void* context,
                   void (*visit)(void* context, const LinkageSlot& slot));

}  // namespace kymo::hooks
