// Hooks in linkage tables: the slots through which images call functions of others.

#include "hooks/guest/apply.h"
#include "hooks/guest/loaded.h"
#include "hooks/guest/protect.h"
#include "hooks/x86_64/entry.h"

#include <dlfcn.h>

namespace kymo::hooks {

namespace {

const void* image_of(void* function) {
    dl_find_object found{};
    return _dl_find_object(function, &found) == 0 ? found.dlfo_map_start : nullptr;
}

// A definition without a version (in a preloaded library) comes before the versioned one of the image that it stands
// in for; dlvsym passes it by.
void* find_in(void* scope, const LinkageSlot& slot) {
    void* first = dlsym(scope, slot.symbol.data());
    void* versioned = slot.version == nullptr ? nullptr : dlvsym(scope, slot.symbol.data(), slot.version);
    return versioned != nullptr && (first == nullptr || image_of(first) == image_of(versioned)) ? versioned : first;
}

}  // namespace

// What the dynamic linker would bind the slot to; null: none, or that is not certain. An image that was loaded later
// looks at its own needs, too: behind what all can see, or before (RTLD_DEEPBIND).
void* Hooks::find_function(const LinkageSlot& slot, const link_map* later) const {
    void* for_all = find_in(RTLD_DEFAULT, slot);
    if (later == nullptr) {
        return for_all;
    }
    void* own = find_in(const_cast<link_map*>(later), slot);  // glibc's handles are these
    dlerror();                                                // what was not found is not the program's to be told
    const bool is_certain = for_all == nullptr || own == nullptr || for_all == own ||
                            image_of(for_all) == reinterpret_cast<const void*>(own_.begin);
    return !is_certain ? nullptr : for_all != nullptr ? for_all : own;
}

// Code of all hooks that there may be besides functions' own: written once, since later other threads run in it.
Problem Hooks::make_import_code() {
    const std::uint64_t bytes = kAreaHead + std::uint64_t{hook_room_ - hook_count_} * hook_bytes(0);
    std::uint8_t* begin = Areas::map(bytes, {});
    if (begin == nullptr) {
        return Problem::kNoMemory;
    }
    const auto area = reinterpret_cast<std::uint64_t>(begin);
    write_area_head(begin);
    std::uint8_t* at = begin + kAreaHead;
    for (std::uint32_t hook = hook_count_; hook < hook_room_; ++hook, at += hook_bytes(0)) {
        CodeWriter code(at);
        write_entry(code, area, hook);
        codes_[hook].entry = reinterpret_cast<std::uint64_t>(at);
    }
    import_area_ = {{area, area + bytes}, codes_ + hook_count_, hook_room_ - hook_count_};
    first_later_ = hook_count_;
    for (std::uint32_t i = 0; i < kMostLater; ++i) {
        hooks_[new_hook(nullptr, 0)].tells_images = true;
    }
    first_import_ = hook_count_;
    return areas_.publish(import_area_) ? Problem::kNone : Problem::kNoCode;
}

// The hook of an imported name whose calls go to `function`. 0: no more room.
std::uint32_t Hooks::import_hook(std::uint32_t import, std::uint64_t function) {
    for (std::uint32_t hook = first_import_; hook < hook_count_; ++hook) {
        if (import_of_[hook] == import && hooks_[hook].continuation == function) {
            return hook;
        }
    }
    const std::uint32_t hook = new_hook(&plan_.points[plan_.imports[import].point], function);
    import_of_[hook] = import;
    return hook;
}

// Its number in the plan; as many as there are: it is none.
std::uint32_t Hooks::import_named(std::string_view symbol) const {
    std::uint32_t i = 0;
    while (i < plan_.imports.size() && plan_.text_of(plan_.imports[i].symbol) != symbol) {
        ++i;
    }
    return i;
}

void Hooks::plan_slots(const link_map& map, const image::LoadedImage& image, bool at_start) {
    if (plan_.imports.empty()) {
        return;
    }
    struct Visit {
        Hooks* hooks;
        PlannedFor where;
    } visit{this, {&image, at_start ? nullptr : &map, relocated_read_only(image)}};
    for_each_slot(image, reinterpret_cast<std::uint64_t>(map.l_ld), &visit,
                  [](void* context, const LinkageSlot& slot) {
                      const auto* given = static_cast<const Visit*>(context);
                      given->hooks->plan_slot(slot, given->where);
                  });
}

void Hooks::plan_slot(const LinkageSlot& slot, const PlannedFor& where) {
    const std::uint32_t import = import_named(slot.symbol);
    if (import == plan_.imports.size()) {
        return;
    }
    const std::uint64_t function =
        slot.is_bound ? *slot.at : reinterpret_cast<std::uint64_t>(find_function(slot, where.later));
    const std::uint32_t hook = function == 0 ? 0 : import_hook(import, function);
    const auto at = reinterpret_cast<std::uint64_t>(slot.at);
    if (hook != 0 && planned_slot_count_ < kMostSlots) {
        planned_slots_[planned_slot_count_++] = {slot.at, codes_[hook].entry, where.read_only.holds(at),
                                                 where.image->is_code(at)};
    }
}

// All at once: what finds functions calls functions through such slots itself.
Problem Hooks::hook_slots() {
    for (std::uint32_t i = 0; i < planned_slot_count_; ++i) {
        const PlannedSlot& slot = planned_slots_[i];
        const auto at = reinterpret_cast<std::uint64_t>(slot.at);
        const int code = slot.executable ? PROT_EXEC : 0;
        if (!protect({at, at + sizeof *slot.at}, PROT_READ | PROT_WRITE | code)) {
            return Problem::kNoCode;
        }
        __atomic_store_n(slot.at, slot.value, __ATOMIC_RELEASE);
        if (slot.read_only) {
            protect({at, at + sizeof *slot.at}, PROT_READ | code);
        }
        ++slots_;
    }
    planned_slot_count_ = 0;
    return Problem::kNone;
}

}  // namespace kymo::hooks
