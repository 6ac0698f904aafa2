#include "unwind/image_set.h"

#include "base/checksum.h"
#include "image/describe.h"
#include "image/go_module.h"
#include "unwind/native.h"
#include "unwind/walk_limits.h"

#include <array>
#include <new>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::unwind {

namespace {

constexpr std::uint64_t kPage = 4096;

FrameSection section_in_memory(const image::LoadedImage& image, image::Range range, bool exact) {
    FrameSection section;
    section.bytes = {reinterpret_cast<const std::uint8_t*>(range.begin + image.elsewhere), range.end - range.begin};
    section.address = range.begin - image.bias;
    section.relocated_by = image.elsewhere == 0 ? image.bias : 0;  // elsewhere it is as in the file
    section.exact = exact;
    return section;
}

std::span<const std::uint8_t> bytes_in_memory(const image::LoadedImage& image, image::Range range) {
    return {reinterpret_cast<const std::uint8_t*>(range.begin + image.elsewhere), range.end - range.begin};
}

// Without functions: there is none, or it is not understood.
image::GoTable go_table_of(const image::LoadedImage& image) {
    constexpr std::uint32_t kExecutable = 1;
    constexpr std::uint32_t kWritable = 2;
    constexpr std::uint32_t kReadable = 4;
    image::GoTable table;
    if (image.go_table.empty()) {
        return table;
    }
    // The description of the program is data that are relocated or written; in newer ones it may be constant.
    std::array<image::GoPiece, image::LoadedImage{}.segments.size()> data;
    std::size_t count = 0;
    for (const std::uint32_t flags : {kReadable | kWritable, kReadable}) {
        for (std::uint32_t i = 0; i < image.segment_count; ++i) {
            const image::LoadedSegment& segment = image.segments[i];
            if ((segment.flags & (kReadable | kWritable | kExecutable)) == flags && count < data.size()) {
                data[count++] = {segment.range.begin - image.bias, bytes_in_memory(image, segment.range)};
            }
        }
    }
    image::GoProgram program;
    program.table = {image.go_table.begin - image.bias, bytes_in_memory(image, image.go_table)};
    program.data = std::span(data).first(count);
    program.relocated_by = image.elsewhere == 0 ? image.bias : 0;
    if (image.elsewhere != 0 && !image.relocations.empty()) {
        program.relocations = bytes_in_memory(image, image.relocations);
    }
    image::open_go_table(program, &table);
    return table;
}

// The pages that belong to an image: all of them, or those of its segments if other images may be in between.
std::uint32_t pieces_of(const image::LoadedImage& image) {
    return image.is_whole ? 1 : image.segment_count;
}
image::Range piece_of(const image::LoadedImage& image, std::uint32_t index) {
    if (image.is_whole) {
        return image.range;
    }
    const image::LoadedSegment& segment = image.segments[index];
    const std::uint64_t end = segment.end > segment.range.end ? segment.end : segment.range.end;
    return {segment.range.begin & ~(kPage - 1), (end + kPage - 1) & ~(kPage - 1)};
}
// The same file at the same place again.
bool is_same_loading(const image::LoadedImage& left, const image::LoadedImage& right) {
    return left.range.begin == right.range.begin && left.bias == right.bias && left.is_whole == right.is_whole;
}

bool covers(const image::LoadedImage& image, std::uint64_t address) {
    bool covered = false;
    for (std::uint32_t i = 0; i < pieces_of(image); ++i) {
        covered = covered || piece_of(image, i).holds(address);
    }
    return covered;
}

// Enough of what linkers write about a file's functions to distinguish builds.
std::uint32_t fingerprint_of(const image::LoadedImage& image) {
    constexpr std::uint64_t kEnough = std::uint64_t{256} << 10U;
    if (!image.build_id.empty() || image.eh_frame_header.empty()) {
        return 0;
    }
    const std::uint64_t size = image.eh_frame_header.end - image.eh_frame_header.begin;
    return crc32c(reinterpret_cast<const void*>(image.eh_frame_header.begin + image.elsewhere),
                  size < kEnough ? size : kEnough);
}

bool same_bytes(std::span<const std::uint8_t> left, std::span<const std::uint8_t> right) {
    return left.size() == right.size() && (left.empty() || std::memcmp(left.data(), right.data(), left.size()) == 0);
}

}  // namespace

bool describe_own_image(void* /*context*/, std::uint64_t address, image::Arena& arena, image::LoadedImage* image) {
    return image::describe_image_at(address, arena, image);
}

bool compile_image(const image::LoadedImage& image, Table* table,
                   bool (*compile)(const CompileInput& input, Table* table)) {
    CompileInput input;
    const image::Range code = image.code();
    input.base = image.range.begin - image.bias;
    input.code_begin = code.begin - image.bias;
    input.code_end = code.end - image.bias;
    if (!image.eh_frame.empty()) {
        input.eh_frame = section_in_memory(image, image.eh_frame, true);
    } else if (!image.eh_frame_header.empty() &&
               read_frame_header(section_in_memory(image, image.eh_frame_header, false), &input.eh_header)) {
        // The header contains the begin of .eh_frame; it ends before its segment does.
        const std::uint64_t begin = image.bias + input.eh_header.eh_frame;
        if (const image::LoadedSegment* segment = image.segment_of(begin); segment != nullptr) {
            input.eh_frame = section_in_memory(image, {begin, segment->range.end}, false);
        }
    }
    input.debug_frame.bytes = image.debug_frame;
    input.debug_frame.kind = FrameSectionKind::kDebugFrame;
    input.go = go_table_of(image);
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
            native::pause();
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
    if (hooks.locate == nullptr && hooks.describe == describe_own_image) {
        hooks_.locate = [](void*, std::uint64_t address, image::ImagePlace* place) {
            return image::find_image(address, place);
        };
    }
    entries_ = static_cast<Entry*>(image::map_pages(sizeof(Entry) * (kMaxImages + 1)));
    return entries_ != nullptr && pages_.create() && cache_.create();
}

void ImageSet::release() {
    for (std::uint32_t slot = 1; slot <= count(); ++slot) {
        // Loadings of one file share a table; released once, it is empty.
        const Entry& entry = entries_[slot];
        if (const Table* table = entry.kept_table; table != nullptr && !entry.is_table_shared) {
            unwind::release(const_cast<Table*>(table));
        }
    }
    if (entries_ != nullptr) {
        image::unmap_pages(entries_, sizeof(Entry) * (kMaxImages + 1));
        entries_ = nullptr;
    }
    pages_.release();
    cache_.release();
    arena_.release();
    used_.store(0, std::memory_order_release);
}

ImageId ImageSet::known_at(std::uint64_t address) const {
    const Entry* known = find(address);
    return ImageId{known == nullptr ? 0 : static_cast<std::uint32_t>(known - entries_)};
}

ImageId ImageSet::add_at(std::uint64_t address, unsigned* describes) {
    if (const ImageId known = known_at(address); known != ImageId{0} || hooks_.describe == nullptr) {
        return known;
    }
    image::ImagePlace place{{address & ~(kPage - 1), 0}, nullptr};
    if ((hooks_.locate != nullptr && !hooks_.locate(hooks_.context, address, &place)) ||
        refused_.refuses(place.range.begin) || (describes != nullptr && !WalkLimits::take(*describes))) {
        return ImageId{0};
    }
    const Turn turn(*this);
    if (!turn) {
        return ImageId{0};
    }
    if (const ImageId known = known_at(address); known != ImageId{0}) {  // registered by the thread that held the
                                                                         // lock
        return known;
    }
    // Not on the stack: half a kilobyte is much on an alternate signal stack.
    image::Arena scratch;
    auto* image = scratch.allocate_array<image::LoadedImage>(1);
    ImageId added{0};
    if (image != nullptr && hooks_.describe(hooks_.context, address, scratch, image) && covers(*image, address)) {
        added = add_locked(*image);
    }
    if (added == ImageId{0}) {
        refused_.note(place.range.begin);
    }
    scratch.release();
    return added;
}

ImageId ImageSet::add(const image::LoadedImage& image) {
    const Turn turn(*this);
    return turn ? add_locked(image) : ImageId{0};
}

ImageId ImageSet::add(const image::LoadedImage& image, const Table& table) {
    const Turn turn(*this);
    return turn ? add_locked(image, &table) : ImageId{0};
}

ImageId ImageSet::add_locked(const image::LoadedImage& image, const Table* shared) {
    const std::uint32_t slot = used_.load(std::memory_order_relaxed) + 1;
    if (slot > kMaxImages || image.range.empty()) {
        return ImageId{0};
    }
    // The new mapping has replaced whatever was here before. The new entry is not alive yet.
    for (std::uint32_t i = 0; i < pieces_of(image); ++i) {
        const image::Range piece = piece_of(image, i);
        for (std::uint64_t at = piece.begin; at < piece.end; at += kPage) {
            if (const PageMap::Slot old = pages_.find(at); old != 0 && entries_[old].is_alive()) {
                retire(old);
            }
        }
        if (!pages_.set(piece.begin, piece.end, static_cast<PageMap::Slot>(slot))) {
            return ImageId{0};
        }
    }
    const std::uint32_t fingerprint = fingerprint_of(image);
    const Entry* twin = twin_of(image, fingerprint);
    const image::LoadedImage* kept =
        twin != nullptr && is_same_loading(*twin->image, image) ? twin->image : keep(image);
    const Table* table = shared != nullptr ? shared : twin != nullptr ? twin->kept_table : new_table(image);
    if (kept == nullptr || table == nullptr) {
        return ImageId{0};
    }
    Entry& entry = entries_[slot];
    entry.bias = image.bias;
    entry.begin = image.range.begin;
    entry.end = image.range.end;
    entry.image = kept;
    entry.kept_table = table;
    entry.fingerprint = fingerprint;
    entry.is_table_shared = shared != nullptr || (twin != nullptr && twin->is_table_shared);
    used_.store(slot, std::memory_order_release);
    entry.table.store(table, std::memory_order_release);
    if (hooks_.added != nullptr) {
        hooks_.added(hooks_.context, ImageId{slot}, *kept);
    }
    return ImageId{slot};
}

// An earlier loading of the same file.
const ImageSet::Entry* ImageSet::twin_of(const image::LoadedImage& image, std::uint32_t fingerprint) const {
    constexpr std::uint32_t kLookBack = 4096;
    const std::uint32_t used = used_.load(std::memory_order_relaxed);
    for (std::uint32_t back = 0; back < used && back < kLookBack; ++back) {
        const Entry& old = entries_[used - back];
        const bool told_apart = !image.build_id.empty() || fingerprint != 0;
        if (told_apart && old.fingerprint == fingerprint &&
            old.end - old.begin == image.range.end - image.range.begin &&
            same_bytes(old.image->build_id, image.build_id) && old.image->path == image.path) {
            return &old;
        }
    }
    return nullptr;
}

// With its strings, forever. Call-frame sections are of no use once there is a table.
const image::LoadedImage* ImageSet::keep(const image::LoadedImage& image) {
    auto* kept = arena_.allocate_array<image::LoadedImage>(1);
    if (kept != nullptr) {
        *kept = image;
        kept->path = arena_.copy(image.path);
        kept->build_id = arena_.copy(image.build_id);
        kept->debug_frame = {};
    }
    return kept;
}

const Table* ImageSet::new_table(const image::LoadedImage& image) {
    Table table;
    auto* kept = compile_image(image, &table, hooks_.compile) ? arena_.allocate_array<Table>(1) : nullptr;
    if (kept != nullptr) {
        *kept = table;
    }
    return kept;
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
    if (turn) {
        refused_.forget();
    }
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

ImageSet::Lookup ImageSet::slow_rule_at(std::uint64_t address, unsigned* describes) {
    const Entry* entry = find(address);
    if (entry == nullptr) {
        const ImageId id = add_at(address, describes);
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
