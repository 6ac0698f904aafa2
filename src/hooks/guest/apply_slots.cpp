// Hooks in linkage tables: the slots through which images call functions of others.

#include "hooks/guest/apply.h"
#include "hooks/guest/protect.h"
#include "hooks/x86_64/entry.h"

#include <dlfcn.h>

namespace kymo::hooks {

namespace {

const void* image_of(void* function) {
    dl_find_object found{};
    return _dl_find_object(function, &found) == 0 ? found.dlfo_map_start : nullptr;
}

// What the dynamic linker would bind the slot to. A definition without a version (in a preloaded library) comes
// before the versioned one of the image that it stands in for; dlvsym passes it by.
void* find_function(const LinkageSlot& slot) {
    void* first = dlsym(RTLD_DEFAULT, slot.symbol.data());
    void* versioned = slot.version == nullptr ? nullptr : dlvsym(RTLD_DEFAULT, slot.symbol.data(), slot.version);
    return versioned != nullptr && (first == nullptr || image_of(first) == image_of(versioned)) ? versioned : first;
}

}  // namespace

// The hook of an imported name whose calls go to `function`. 0: no more room.
std::uint32_t Hooks::import_hook(std::uint32_t import, std::uint64_t function) {
    for (std::uint32_t hook = static_cast<std::uint32_t>(plan_.entries.size()) + 1; hook < hook_count_; ++hook) {
        if (import_of_[hook] == import && hooks_[hook].continuation == function) {
            return hook;
        }
    }
    const std::uint32_t hook = new_hook(&plan_.points[plan_.imports[import].point], function);
    if (hook != 0) {
        import_of_[hook] = import;
        codes_[hook] = {reinterpret_cast<std::uint64_t>(import_code_), 0, function, nullptr};
        CodeWriter code(import_code_);
        write_entry(code, import_area_.range.begin, hook);
        import_code_ += hook_bytes(0);
        ++import_area_.count;
    }
    return hook;
}

void Hooks::plan_slot(const LinkageSlot& slot, const image::LoadedImage& image, image::Range read_only) {
    for (std::uint32_t i = 0; i < plan_.imports.size(); ++i) {
        if (plan_.text_of(plan_.imports[i].symbol) != slot.symbol) {
            continue;
        }
        std::uint64_t function = *slot.at;
        if (!slot.is_bound) {
            void* found = find_function(slot);
            function = reinterpret_cast<std::uint64_t>(found);
        }
        const std::uint32_t hook = function == 0 ? 0 : import_hook(i, function);
        const auto at = reinterpret_cast<std::uint64_t>(slot.at);
        if (hook != 0 && planned_slot_count_ < kMostSlots) {
            planned_slots_[planned_slot_count_++] = {slot.at, hook, read_only.holds(at), image.is_code(at)};
        }
        return;
    }
}

// All at once, when the code behind them is there: what finds functions calls functions through such slots itself.
Problem Hooks::hook_slots() {
    if (!areas_.publish(import_area_)) {
        return Problem::kNoCode;
    }
    for (std::uint32_t i = 0; i < planned_slot_count_; ++i) {
        const PlannedSlot& slot = planned_slots_[i];
        const auto at = reinterpret_cast<std::uint64_t>(slot.at);
        const int code = slot.executable ? PROT_EXEC : 0;
        if (!protect({at, at + sizeof *slot.at}, PROT_READ | PROT_WRITE | code)) {
            return Problem::kNoCode;
        }
        __atomic_store_n(slot.at, codes_[slot.hook].entry, __ATOMIC_RELEASE);
        if (slot.read_only) {
            protect({at, at + sizeof *slot.at}, PROT_READ | code);
        }
        ++slots_;
    }
    return Problem::kNone;
}

}  // namespace kymo::hooks
