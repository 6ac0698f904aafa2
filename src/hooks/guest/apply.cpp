#include "hooks/guest/apply.h"

#include "hooks/guest/loaded.h"
#include "hooks/guest/protect.h"
#include "hooks/guest/raw_system.h"
#include "hooks/x86_64/entry.h"

#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace kymo::hooks {

namespace {

constexpr std::uint32_t kImportRoom = 4;  // hooks an imported name: images may be bound to different functions of it

constinit Hooks* applied = nullptr;

bool shadow_stack_on() {
    constexpr std::uint64_t kStatus = 0x5005;  // ARCH_SHSTK_STATUS
    std::uint64_t features = 0;
    return raw_system(SYS_arch_prctl, kStatus, reinterpret_cast<std::uint64_t>(&features)) == 0 &&
           (features & 1U) != 0;
}

// False: there is more to do than one addition.
bool is_addition(const cells::Step* steps, std::uint32_t count, Addition* out) {
    if (count == 0) {
        return true;  // of nothing
    }
    const bool subtracts = steps->operation == cells::Operation::kSubtract;
    if (count != 1 || steps->right.source != cells::Source::kConstant ||
        (!subtracts && steps->operation != cells::Operation::kAdd)) {
        return false;
    }
    *out = {subtracts ? ~steps->constant + 1 : steps->constant, steps->target * sizeof(std::uint64_t)};
    return true;
}

bool is_image(const Plan& plan, const PlanImage& planned, const image::LoadedImage& image) {
    if (planned.build_id_bytes != 0) {
        return image.build_id.size() == planned.build_id_bytes &&
               std::memcmp(image.build_id.data(), planned.build_id, planned.build_id_bytes) == 0;
    }
    return image.build_id.empty() && image.path == plan.text_of(planned.path);
}

}  // namespace

const char* describe(Problem problem) {
    switch (problem) {
        case Problem::kBadPlan:
            return "the plan of its hooks is damaged";
        case Problem::kNoMemory:
            return "no memory for its hooks";
        case Problem::kNoCode:
            return "code may not be changed in this process";
        case Problem::kNoRoom:
            return "no free addresses near it for its hooks";
        case Problem::kOtherCode:
            return "its code in memory is not that of its file";
        case Problem::kShadowStack:
            return "the processor checks return addresses in this process (shadow stack)";
        case Problem::kNoLoading:
            return "images that are loaded later are not noticed by this dynamic linker";
        case Problem::kNoLater:
            return "it was loaded later, and has no initializer to be led past: its calls through its linkage table "
                   "are not seen";
        case Problem::kNone:
            break;
    }
    return "";
}

void Hooks::tell(Problem problem, std::string_view image) const {
    if (problem != Problem::kNone && owner_.problem != nullptr) {
        owner_.problem(owner_.context, problem, image);
    }
}

std::uint32_t Hooks::new_hook(const PlanPoint* point, std::uint64_t continuation) {
    if (hook_count_ == hook_room_) {
        return 0;
    }
    Hook& hook = hooks_[hook_count_];
    hook.continuation = continuation;
    if (point != nullptr) {
        hook.entry = plan_.steps.data() + point->first_entry;
        hook.entry_steps = static_cast<std::uint16_t>(point->entry_steps);
        hook.exit = plan_.steps.data() + point->first_exit;
        hook.exit_steps = static_cast<std::uint16_t>(point->exit_steps);
        hook.follows = point->exit_steps != 0;
        hook.is_quick = is_addition(hook.entry, point->entry_steps, &hook.quick_entry) &&
                        is_addition(hook.exit, point->exit_steps, &hook.quick_exit);
    }
    return hook_count_++;
}

bool Hooks::begin(std::span<const std::uint8_t> file, image::Range own, const ApplyHooks& owner) {
    owner_ = owner;
    own_ = own;
    if (!find_plan(file, &plan_)) {
        tell(Problem::kBadPlan, {});
        return false;
    }
    if (shadow_stack_on()) {
        tell(Problem::kShadowStack, {});
        return false;
    }
    hook_room_ =
        static_cast<std::uint32_t>(plan_.entries.size() + kImportRoom * plan_.imports.size() + 2 + kMostLater);
    hooks_ = static_cast<Hook*>(image::map_pages(hook_room_ * sizeof(Hook)));
    codes_ = static_cast<HookCode*>(image::map_pages(hook_room_ * sizeof(HookCode)));
    import_of_ = static_cast<std::uint32_t*>(image::map_pages(hook_room_ * sizeof(std::uint32_t)));
    images_ = static_cast<ImageState*>(image::map_pages((plan_.images.size() + 1) * sizeof(ImageState)));
    planned_slots_ = static_cast<PlannedSlot*>(image::map_pages(kMostSlots * sizeof(PlannedSlot)));
    known_ = static_cast<Known*>(image::map_pages(std::size_t{2} * kMostKnown * sizeof(Known)));
    if (hooks_ == nullptr || codes_ == nullptr || import_of_ == nullptr || images_ == nullptr || known_ == nullptr ||
        planned_slots_ == nullptr) {
        tell(Problem::kNoMemory, {});
        return false;
    }
    hook_count_ = 1;
    for (const PlanEntry& entry : plan_.entries) {
        new_hook(&plan_.points[entry.point], 0);
    }
    loading_hook_ = new_hook(nullptr, 0);
    if (const Problem problem = plan_.imports.empty() ? Problem::kNone : make_import_code();
        problem != Problem::kNone) {
        tell(problem, {});
        return false;
    }
    runtime.hooks = hooks_;
    runtime.images_changed = images_changed;
    applied = this;
    on_ = true;
    scan(true);
    tell(notice_loading(), {});
    return true;
}

void Hooks::images_changed(std::uint32_t hook) {
    if (applied == nullptr) {
        return;
    }
    if (hook != applied->loading_hook_) {
        applied->set_later_slots();
    } else if (loaded_is_consistent()) {
        applied->scan(false);
    }
}

const Hooks::Known* Hooks::known_of(const void* map, std::uint64_t bias) const {
    for (std::uint32_t i = 0; i < known_count_; ++i) {
        if (known_[i].map == map && known_[i].bias == bias) {
            return &known_[i];
        }
    }
    return nullptr;
}

void Hooks::scan(bool at_start) {
    for (std::size_t i = 0; i < plan_.images.size(); ++i) {
        images_[i].seen = false;
    }
    Known* next = known_ + kMostKnown;  // the list as it is now; what has gone is left out
    std::uint32_t count = 0;
    for (const link_map* map = first_loaded(); map != nullptr; map = map->l_next) {
        const Known* known = known_of(map, map->l_addr);
        const Known now = known != nullptr ? *known : Known{map, map->l_addr, look_at_image(*map, at_start)};
        if (now.state != nullptr) {
            now.state->seen = true;
        }
        if (count < kMostKnown) {
            next[count++] = now;
        }
    }
    std::memcpy(known_, next, count * sizeof(Known));
    known_count_ = count;
    for (std::size_t i = 0; i < plan_.images.size(); ++i) {
        images_[i].hooked = images_[i].hooked && images_[i].seen;
    }
    if (at_start) {
        tell(hook_slots(), {});
    } else {
        forget_unloaded();
    }
}

// Hooks an image that has come. Null: the plan does not have it, or has one like it already.
Hooks::ImageState* Hooks::look_at_image(const link_map& map, bool at_start) {
    image::LoadedImage image;
    image::Arena scratch;
    ImageState* state = nullptr;
    if (describe_loaded(map, scratch, &image) && image.range.begin != own_.begin) {
        state = state_of(image);
        if (state != nullptr && state->hooked && state->seen) {
            state = nullptr;  // loaded twice, in two name spaces: the first one has the hooks
        } else if (state != nullptr) {
            tell(hook_image(*state, image), image.path);
        }
        if (at_start) {
            plan_slots(map, image, true);
        } else {
            tell(await_relocation(map, image), image.path);
        }
    }
    scratch.release();
    return state;
}

Hooks::ImageState* Hooks::state_of(const image::LoadedImage& image) {
    for (std::size_t i = 0; i < plan_.images.size(); ++i) {
        if (is_image(plan_, plan_.images[i], image)) {
            return &images_[i];
        }
    }
    return nullptr;
}

// ---- functions' entries -----------------------------------------------------------------------------------

Problem Hooks::hook_image(ImageState& state, const image::LoadedImage& image) {
    const PlanImage& planned = plan_.images[static_cast<std::size_t>(&state - images_)];
    const auto entries = plan_.entries_of(planned);
    if (entries.empty()) {
        return Problem::kNone;
    }
    for (const PlanEntry& entry : entries) {
        if (!image.is_code(image.bias + entry.offset) ||
            !image.is_code(image.bias + entry.offset + entry.original_bytes - 1) ||
            std::memcmp(reinterpret_cast<const void*>(image.bias + entry.offset), entry.original,
                        entry.original_bytes) != 0) {
            return Problem::kOtherCode;
        }
    }
    std::uint64_t bytes = kAreaHead;
    for (const PlanEntry& entry : entries) {
        bytes += hook_bytes(entry.moved_bytes, entry.is_place != 0);
    }
    const image::Range& old = state.area.range;
    const bool reuse = !old.empty() && image.range.end - old.begin < kReach && old.end - image.range.begin < kReach &&
                       Areas::make_writable(state.area);
    auto* begin = reuse ? reinterpret_cast<std::uint8_t*>(old.begin) : Areas::map(bytes, image.range);
    if (begin == nullptr) {
        return Problem::kNoRoom;
    }
    const auto at = reinterpret_cast<std::uint64_t>(begin);
    write_area_head(begin);
    std::uint8_t* place = begin + kAreaHead;
    const std::uint32_t first = planned.first_entry + 1;
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
        const PlanEntry& entry = entries[i];
        const std::uint64_t function = image.bias + entry.offset;
        const bool is_place = entry.is_place != 0;
        CodeWriter code(place);
        (is_place ? write_place : write_entry)(code, at, first + i);
        HookCode& made = codes_[first + i];
        made = {reinterpret_cast<std::uint64_t>(place), 0, function, &entry};
        if (entry.moved_bytes != 0 || is_place) {
            made.moved = reinterpret_cast<std::uint64_t>(code.at());
            write_moved(code, entry, image.bias);
        }
        hooks_[first + i].continuation = made.moved != 0 ? made.moved : function + entry.original_bytes;
        place += hook_bytes(entry.moved_bytes, is_place);
    }
    state.area = {{at, at + bytes}, codes_ + first, static_cast<std::uint32_t>(entries.size())};
    if (!areas_.publish(state.area)) {
        state.area = {};
        return Problem::kNoCode;
    }
    const Problem problem = patch(planned, image, codes_ + first);
    if (problem == Problem::kNone) {
        state.hooked = true;
        state.bias = image.bias;
        functions_ += static_cast<std::uint32_t>(entries.size());
    }
    return problem;
}

Problem Hooks::patch(const PlanImage& planned, const image::LoadedImage& image, const HookCode* codes) {
    constexpr std::uint32_t kRead = 4;  // PF_R, PF_W
    constexpr std::uint32_t kWrite = 2;
    const auto entries = plan_.entries_of(planned);
    // A segment at a time: other threads may be at work in it, so it stays executable.
    for (std::uint32_t s = 0; s < image.segment_count; ++s) {
        const image::LoadedSegment& segment = image.segments[s];
        bool open = false;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const std::uint64_t function = image.bias + entries[i].offset;
            if (!segment.range.holds(function)) {
                continue;
            }
            if (!open && !protect(segment.range, PROT_READ | PROT_WRITE | PROT_EXEC)) {
                return Problem::kNoCode;
            }
            open = true;
            write_jump(reinterpret_cast<std::uint8_t*>(function), codes[i].entry);
        }
        if (open) {
            protect(segment.range, PROT_EXEC | ((segment.flags & kRead) != 0 ? PROT_READ : 0) |
                                       ((segment.flags & kWrite) != 0 ? PROT_WRITE : 0));
        }
    }
    return Problem::kNone;
}

}  // namespace kymo::hooks
