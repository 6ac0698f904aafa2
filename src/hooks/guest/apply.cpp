#include "hooks/guest/apply.h"

#include "hooks/guest/loaded.h"
#include "hooks/guest/notice_loading.h"
#include "hooks/native.h"
#include "image/arena.h"

#include <sys/syscall.h>

namespace kymo::hooks {
namespace {

constinit Hooks* applied = nullptr;

}  // namespace

void Hooks::tell(Problem problem, std::string_view image) const {
    if (problem != Problem::kNone && owner_.problem != nullptr) {
        owner_.problem(owner_.context, problem, image);
    }
}

bool Hooks::begin(std::span<const std::uint8_t> file, image::Range own, const ApplyHooks& owner) {
    owner_ = owner;
    own_ = own;
    if (const Problem problem = make(file); problem != Problem::kNone) {
        tell(problem, {});
        return false;
    }
    runtime.hooks = &table_.hook(0);
    runtime.images_changed = images_changed;
    runtime.data = data_.sources();
    applied = this;
    on_ = true;
    scan(true);
    tell(notice_loading(table_, loading_hook_, areas_), {});
    return true;
}

Problem Hooks::make(std::span<const std::uint8_t> file) {
    if (!find_plan(file, &plan_)) {
        return Problem::kBadPlan;
    }
    if (has_shadow_stack()) {
        return Problem::kShadowStack;
    }
    const auto imports = static_cast<std::uint32_t>(plan_.imports.size());
    if (!table_.make(plan_, 1 + LaterImages::kMost + LinkageHooks::kRoom * imports) || !entries_.make() ||
        !known_.make()) {
        return Problem::kNoMemory;
    }
    if (const Problem problem = data_.make(plan_); problem == Problem::kNoReads) {
        tell(problem, {});
    } else if (problem != Problem::kNone) {
        return problem;
    }
    loading_hook_ = table_.add(nullptr, 0);
    if (!linkage_.are_planned()) {
        return Problem::kNone;
    }
    if (const Problem problem = table_.make_code_of_others(areas_); problem != Problem::kNone) {
        return problem;
    }
    later_.make();
    return linkage_.make(own_) ? Problem::kNone : Problem::kNoMemory;
}

void Hooks::images_changed(std::uint32_t hook) {
    if (applied == nullptr) {
        return;
    }
    if (hook != applied->loading_hook_) {
        applied->tell(applied->later_.set_slots(), {});
    } else if (loaded_is_consistent()) {
        applied->scan(false);
    }
}

void Hooks::scan(bool at_start) {
    entries_.begin_look();
    for (const link_map* map = first_loaded(); map != nullptr; map = map->l_next) {
        const KnownImage* known = known_.find(map, map->l_addr);
        const KnownImage now =
            known != nullptr ? *known : KnownImage{map, map->l_addr, look_at_image(*map, at_start)};
        if (now.state != nullptr) {
            now.state->seen = true;
        }
        known_.add_to_list(now);
    }
    known_.end_list();
    entries_.end_look();
    if (at_start) {
        tell(linkage_.set_planned(), {});
    } else {
        later_.forget_unloaded(known_);
    }
}

// Hooks a newly loaded image. Null: the plan does not contain it, or one like it is hooked already.
ImageState* Hooks::look_at_image(const link_map& map, bool at_start) {
    image::LoadedImage image;
    image::Arena scratch;
    ImageState* state = nullptr;
    if (describe_loaded(map, scratch, &image) && image.range.begin != own_.begin) {
        state = entries_.state_of(image);
        if (state != nullptr && state->hooked && state->seen) {
            state = nullptr;  // loaded twice, in two namespaces: the first one has the hooks
        } else if (state != nullptr) {
            entries_.data_is_there(*state, image, at_start);
            tell(entries_.hook(*state, image), image.path);
        }
        if (at_start) {
            linkage_.plan_slots(map, image, false);
        } else if (!known_.is_full() && linkage_.has_slots(map, image)) {
            tell(later_.await(map, image), image.path);
        }
    }
    scratch.release();
    return state;
}

}  // namespace kymo::hooks
