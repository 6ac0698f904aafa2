#include "hooks/guest/linkage_hooks.h"

#include "hooks/guest/loaded.h"
#include "hooks/guest/protect.h"
#include "image/arena.h"
#include "image/linked_object.h"

#include <dlfcn.h>
#include <sys/mman.h>

namespace kymo::hooks {

namespace {

// Where the image around a function begins; 0: none.
std::uint64_t image_of(void* function) {
    image::LinkedObject found;
    return image::find_linked_object(reinterpret_cast<std::uint64_t>(function), &found) ? found.begin : 0;
}

// A definition without a version (in a preloaded library) precedes the versioned one of the image that it
// replaces; dlvsym skips it.
void* find_in(void* scope, const LinkageSlot& slot) {
    void* first = dlsym(scope, slot.symbol.data());
    void* versioned = slot.version == nullptr ? nullptr : dlvsym(scope, slot.symbol.data(), slot.version);
    return versioned != nullptr && (first == nullptr || image_of(first) == image_of(versioned)) ? versioned : first;
}

}  // namespace

bool LinkageHooks::make(image::Range own) {
    own_ = own;
    first_import_ = table_.size();
    import_of_ = static_cast<std::uint32_t*>(image::map_pages(table_.room() * sizeof(std::uint32_t)));
    planned_ = static_cast<PlannedSlot*>(image::map_pages(kMostSlots * sizeof(PlannedSlot)));
    return import_of_ != nullptr && planned_ != nullptr;
}

bool LinkageHooks::has_slots(const link_map& map, const image::LoadedImage& image) const {
    struct Visit {
        const LinkageHooks* hooks;
        bool found;
    } visit{this, false};
    if (!are_planned()) {
        return false;
    }
    for_each_slot(image, reinterpret_cast<std::uint64_t>(map.l_ld), &visit,
                  [](void* context, const LinkageSlot& slot) {
                      auto* given = static_cast<Visit*>(context);
                      const LinkageHooks& hooks = *given->hooks;
                      given->found = given->found || hooks.import_named(slot.symbol) < hooks.plan_.imports.size();
                  });
    return visit.found;
}

// The function that the dynamic linker would bind the slot to; null: none, or not certain. For an image loaded
// later, its own dependencies are searched as well: after the global scope, or before it (RTLD_DEEPBIND).
void* LinkageHooks::find_function(const LinkageSlot& slot, const link_map* later) const {
    void* for_all = find_in(RTLD_DEFAULT, slot);
    if (later == nullptr) {
        return for_all;
    }
    void* own = find_in(const_cast<link_map*>(later), slot);  // these are glibc's handles
    dlerror();                                                // the program must not see this error
    const bool is_certain = for_all == nullptr || own == nullptr || for_all == own || image_of(for_all) == own_.begin;
    return !is_certain ? nullptr : for_all != nullptr ? for_all : own;
}

// The hook of an imported name whose calls go to `function`. 0: no room left.
std::uint32_t LinkageHooks::import_hook(std::uint32_t import, std::uint64_t function) {
    for (std::uint32_t hook = first_import_; hook < table_.size(); ++hook) {
        if (import_of_[hook] == import && table_.hook(hook).continuation == function) {
            return hook;
        }
    }
    const std::uint32_t hook = table_.add(&plan_.points[plan_.imports[import].point], function);
    import_of_[hook] = import;
    return hook;
}

// Its number in the plan; the number of imports: not in the plan.
std::uint32_t LinkageHooks::import_named(std::string_view symbol) const {
    std::uint32_t i = 0;
    while (i < plan_.imports.size() && plan_.text_of(plan_.imports[i].symbol) != symbol) {
        ++i;
    }
    return i;
}

void LinkageHooks::plan_slots(const link_map& map, const image::LoadedImage& image, bool is_later) {
    if (!are_planned()) {
        return;
    }
    struct Visit {
        LinkageHooks* hooks;
        PlannedFor where;
    } visit{this, {&image, is_later ? &map : nullptr, relocated_read_only(image)}};
    for_each_slot(image, reinterpret_cast<std::uint64_t>(map.l_ld), &visit,
                  [](void* context, const LinkageSlot& slot) {
                      const auto* given = static_cast<const Visit*>(context);
                      given->hooks->plan_slot(slot, given->where);
                  });
}

void LinkageHooks::plan_slot(const LinkageSlot& slot, const PlannedFor& where) {
    const std::uint32_t import = import_named(slot.symbol);
    if (import == plan_.imports.size()) {
        return;
    }
    const std::uint64_t function =
        slot.is_bound ? *slot.at : reinterpret_cast<std::uint64_t>(find_function(slot, where.later));
    const std::uint32_t hook = function == 0 ? 0 : import_hook(import, function);
    const auto at = reinterpret_cast<std::uint64_t>(slot.at);
    if (hook != 0) {
        plan({slot.at, table_.code(hook).entry, where.read_only.holds(at), where.image->is_code(at)});
    }
}

void LinkageHooks::plan_word(std::uint64_t* word, std::uint64_t value, const image::LoadedImage& image) {
    const auto at = reinterpret_cast<std::uint64_t>(word);
    plan({word, value, relocated_read_only(image).holds(at), image.is_code(at)});
}

void LinkageHooks::plan(const PlannedSlot& slot) {
    if (planned_count_ < kMostSlots) {
        planned_[planned_count_++] = slot;
    }
}

Problem LinkageHooks::set_planned() {
    for (std::uint32_t i = 0; i < planned_count_; ++i) {
        const PlannedSlot& slot = planned_[i];
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
    planned_count_ = 0;
    return Problem::kNone;
}

}  // namespace kymo::hooks
