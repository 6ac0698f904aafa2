#include "unwind/image_set.h"

#include "base/checksum.h"
#include "unwind/compile.h"

#include <new>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::unwind {

namespace {

FrameSection section_in_memory(const image::LoadedImage& image, image::Range range, bool exact) {
    FrameSection section;
    section.bytes = {reinterpret_cast<const std::uint8_t*>(range.begin), range.end - range.begin};
    section.address = range.begin - image.bias;
    section.relocated_by = image.bias;
    section.exact = exact;
    return section;
}

// Enough of what linkers write about a file's functions to tell one build from another.
std::uint32_t fingerprint_of(const image::LoadedImage& image) {
    constexpr std::uint64_t kEnough = std::uint64_t{256} << 10U;
    if (!image.build_id.empty() || image.eh_frame_header.empty()) {
        return 0;
    }
    const std::uint64_t size = image.eh_frame_header.end - image.eh_frame_header.begin;
    return crc32c(reinterpret_cast<const void*>(image.eh_frame_header.begin), size < kEnough ? size : kEnough);
}

bool same_bytes(std::span<const std::uint8_t> left, std::span<const std::uint8_t> right) {
    return left.size() == right.size() && (left.empty() || std::memcmp(left.data(), right.data(), left.size()) == 0);
}

}  // namespace

bool describe_own_image(void* /*context*/, std::uint64_t address, image::Arena& arena, image::LoadedImage* image) {
    return image::describe_image_at(address, arena, image);
}

bool compile_image(const image::LoadedImage& image, Table* table) {
    CompileInput input;
    const image::Range code = image.code();
    input.base = image.range.begin - image.bias;
    input.code_begin = code.begin - image.bias;
    input.code_end = code.end - image.bias;
    if (!image.eh_frame.empty()) {
        input.eh_frame = section_in_memory(image, image.eh_frame, true);
    } else if (!image.eh_frame_header.empty() &&
               read_frame_header(section_in_memory(image, image.eh_frame_header, false), &input.eh_header)) {
        // The header tells where .eh_frame begins; it ends before its segment does.
        const std::uint64_t begin = image.bias + input.eh_header.eh_frame;
        if (const image::LoadedSegment* segment = image.segment_of(begin); segment != nullptr) {
            input.eh_frame = section_in_memory(image, {begin, segment->range.end}, false);
        }
    }
    input.debug_frame.bytes = image.debug_frame;
    input.debug_frame.kind = FrameSectionKind::kDebugFrame;
    return compile(input, table);
}

// Waiting is bounded, and a thread never waits for itself.
class ImageSet::Turn {
  public:
    explicit Turn(ImageSet& set) : set_(set) {
        constexpr unsigned kPatience = 20000;  // pauses, about a millisecond
        const auto self = static_cast<std::int32_t>(syscall(SYS_gettid));
        for (unsigned i = 0; i < kPatience; ++i) {
            std::int32_t holder = 0;
            if (set_.owner_.compare_exchange_strong(holder, self, std::memory_order_acquire)) {
                held_ = true;
                return;
            }
            if (holder == self) {
                return;
            }
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
    }
    ~Turn() {
        if (held_) {
            set_.owner_.store(0, std::memory_order_release);
        }
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    explicit operator bool() const { return held_; }

  private:
    ImageSet& set_;
    bool held_ = false;
};

bool ImageSet::create(const ImageHooks& hooks) {
    hooks_ = hooks;
    entries_ = static_cast<Entry*>(image::map_pages(sizeof(Entry) * (kMaxImages + 1)));
    return entries_ != nullptr && pages_.create() && cache_.create();
}

ImageId ImageSet::add_at(std::uint64_t address) {
    if (const Entry* known = find(address); known != nullptr) {
        return ImageId{static_cast<std::uint32_t>(known - entries_)};
    }
    const Turn turn(*this);
    if (!turn || hooks_.describe == nullptr) {
        return ImageId{0};
    }
    if (const Entry* known = find(address); known != nullptr) {  // by whom we waited for
        return ImageId{static_cast<std::uint32_t>(known - entries_)};
    }
    // On the arena: half a kilobyte is much on an alternate signal stack.
    auto* image = arena_.allocate_array<image::LoadedImage>(1);
    if (image == nullptr || !hooks_.describe(hooks_.context, address, arena_, image)) {
        return ImageId{0};
    }
    return add_locked(*image);
}

ImageId ImageSet::add(const image::LoadedImage& image) {
    const Turn turn(*this);
    if (!turn) {
        return ImageId{0};
    }
    auto* kept = arena_.allocate_array<image::LoadedImage>(1);
    if (kept == nullptr) {
        return ImageId{0};
    }
    *kept = image;
    return add_locked(*kept);
}

ImageId ImageSet::add_locked(const image::LoadedImage& image) {
    const std::uint32_t slot = used_.load(std::memory_order_relaxed) + 1;
    if (slot > kMaxImages || image.range.empty()) {
        return ImageId{0};
    }
    // What is mapped here now has taken the place of whatever was here before.
    for (std::uint64_t at = image.range.begin; at < image.range.end; at += 4096) {
        if (const PageMap::Slot old = pages_.find(at); old != 0 && entries_[old].is_alive()) {
            retire(old);
        }
    }
    const std::uint32_t fingerprint = fingerprint_of(image);
    const Table* table = table_for(image, fingerprint);
    if (table == nullptr) {
        return ImageId{0};
    }
    Entry& entry = entries_[slot];
    entry.bias = image.bias;
    entry.begin = image.range.begin;
    entry.end = image.range.end;
    entry.image = &image;
    entry.kept_table = table;
    entry.fingerprint = fingerprint;
    used_.store(slot, std::memory_order_release);
    entry.table.store(table, std::memory_order_release);
    if (!pages_.set(entry.begin, entry.end, static_cast<PageMap::Slot>(slot))) {
        entry.table.store(nullptr, std::memory_order_release);
        return ImageId{0};
    }
    if (hooks_.added != nullptr) {
        hooks_.added(hooks_.context, ImageId{slot}, image);
    }
    return ImageId{slot};
}

const Table* ImageSet::table_for(const image::LoadedImage& image, std::uint32_t fingerprint) {
    constexpr std::uint32_t kLookBack = 4096;
    const std::uint32_t used = used_.load(std::memory_order_relaxed);
    for (std::uint32_t back = 0; back < used && back < kLookBack; ++back) {
        const Entry& old = entries_[used - back];
        const bool told_apart = !image.build_id.empty() || fingerprint != 0;
        if (told_apart && old.fingerprint == fingerprint &&
            old.end - old.begin == image.range.end - image.range.begin &&
            same_bytes(old.image->build_id, image.build_id) && old.image->path == image.path) {
            return old.kept_table;
        }
    }
    auto* table = arena_.allocate_array<Table>(1);
    return table != nullptr && compile_image(image, table) ? table : nullptr;
}

void ImageSet::retire(std::uint32_t slot) {
    entries_[slot].table.store(nullptr, std::memory_order_release);
    if (hooks_.removed != nullptr) {
        hooks_.removed(hooks_.context, ImageId{slot});
    }
}

std::size_t ImageSet::remove_if(bool (*gone)(void* context, const image::LoadedImage&), void* context) {
    const Turn turn(*this);
    std::size_t removed = 0;
    for (std::uint32_t slot = 1; turn && slot <= used_.load(std::memory_order_relaxed); ++slot) {
        if (entries_[slot].is_alive() && gone(context, *entries_[slot].image)) {
            retire(slot);
            ++removed;
        }
    }
    return removed;
}

std::size_t ImageSet::remove(std::uint64_t begin, std::uint64_t end) {
    image::Range range{begin, end};
    return remove_if(
        [](void* context, const image::LoadedImage& image) {
            const auto* outer = static_cast<const image::Range*>(context);
            return image.range.begin >= outer->begin && image.range.end <= outer->end;
        },
        &range);
}

std::size_t ImageSet::remove_unloaded() {
    return remove_if([](void*, const image::LoadedImage& image) { return !image::is_still_loaded(image); }, nullptr);
}

ImageSet::Lookup ImageSet::slow_rule_at(std::uint64_t address) {
    const Entry* entry = find(address);
    if (entry == nullptr) {
        const ImageId id = add_at(address);
        if (id == ImageId{0}) {
            return {};
        }
        entry = &entries_[raw(id)];
    }
    const Table* table = entry->table.load(std::memory_order_acquire);
    if (table == nullptr) {
        return {};
    }
    Lookup found;
    found.image = entry;
    found.id = ImageId{static_cast<std::uint32_t>(entry - entries_)};
    found.rule = table->find(address - entry->bias);
    cache_.insert(address, raw(found.id), found.rule);
    return found;
}

}  // namespace kymo::unwind
