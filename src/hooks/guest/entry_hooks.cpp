#include "hooks/guest/entry_hooks.h"

#include "hooks/guest/protect.h"
#include "hooks/native.h"
#include "image/arena.h"

#include <cstring>
#include <sys/mman.h>

namespace kymo::hooks {
namespace {

bool is_image(const Plan& plan, const PlanImage& planned, const image::LoadedImage& image) {
    if (planned.build_id_bytes != 0) {
        return image.build_id.size() == planned.build_id_bytes &&
               std::memcmp(image.build_id.data(), planned.build_id, planned.build_id_bytes) == 0;
    }
    return image.build_id.empty() && image.path == plan.text_of(planned.path);
}

}  // namespace

bool EntryHooks::make() {
    images_ = static_cast<ImageState*>(image::map_pages((plan_.images.size() + 1) * sizeof(ImageState)));
    return images_ != nullptr;
}

void EntryHooks::begin_look() {
    for (std::size_t i = 0; i < plan_.images.size(); ++i) {
        images_[i].seen = false;
    }
}

void EntryHooks::end_look() {
    for (std::size_t i = 0; i < plan_.images.size(); ++i) {
        images_[i].hooked = images_[i].hooked && images_[i].seen;
        if (!images_[i].seen) {
            data_.unloaded(static_cast<std::uint32_t>(i));
        }
    }
}

ImageState* EntryHooks::state_of(const image::LoadedImage& image) {
    for (std::size_t i = 0; i < plan_.images.size(); ++i) {
        if (is_image(plan_, plan_.images[i], image)) {
            return &images_[i];
        }
    }
    return nullptr;
}

void EntryHooks::data_is_there(const ImageState& state, const image::LoadedImage& image, bool at_start) {
    data_.loaded(static_cast<std::uint32_t>(&state - images_), image, at_start);
}

Problem EntryHooks::hook(ImageState& state, const image::LoadedImage& image) {
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
        HookCode& made = table_.code(first + i);
        made = {reinterpret_cast<std::uint64_t>(place), 0, function, &entry};
        if (entry.moved_bytes != 0 || is_place) {
            made.moved = reinterpret_cast<std::uint64_t>(code.at());
            write_moved(code, entry, image.bias);
        }
        table_.hook(first + i).continuation = made.moved != 0 ? made.moved : function + entry.original_bytes;
        place += hook_bytes(entry.moved_bytes, is_place);
    }
    state.area = {{at, at + bytes}, &table_.code(first), static_cast<std::uint32_t>(entries.size())};
    if (!areas_.publish(state.area)) {
        state.area = {};
        return Problem::kNoCode;
    }
    const Problem problem = patch(planned, image, &table_.code(first));
    if (problem == Problem::kNone) {
        state.hooked = true;
        state.bias = image.bias;
        functions_ += static_cast<std::uint32_t>(entries.size());
    }
    return problem;
}

Problem EntryHooks::patch(const PlanImage& planned, const image::LoadedImage& image, const HookCode* codes) {
    constexpr std::uint32_t kRead = 4;  // PF_R, PF_W
    constexpr std::uint32_t kWrite = 2;
    const auto entries = plan_.entries_of(planned);
    // One segment at a time; it stays executable because other threads may be running in it.
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
