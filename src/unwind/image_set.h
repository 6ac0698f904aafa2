// The load images of our own process with their unwinding tables, looked up by address from signal handlers.
//
// Contract: find(), rule_at() and the walk over them take no lock and may run in any handler on any thread at any
// time. Adding and removing take turns by a lock that cannot dead-lock: a handler that interrupted its holder, or
// that waits too long (about a millisecond), gives up, and that one address stays unknown until the next time. An
// ImageId is one *loading*: never reused, not even for the same file at the same place. What was handed out stays
// valid forever; an image that is loaded repeatedly shares one table, so that dlopen/dlclose in a loop does not
// use up memory. If there is no image, only the dynamic linker's own look-up is tried; an image that cannot be
// described is remembered as such, and no resources stay taken for it. At most kMaxImages loadings in a process's
// life; further ones have no rules. All memory comes from the kernel directly; errno is kept.
#pragma once

#include "base/ids.h"
#include "image/arena.h"
#include "image/describe.h"
#include "image/loaded_image.h"
#include "unwind/compile.h"
#include "unwind/page_map.h"
#include "unwind/refused_places.h"
#include "unwind/rule_cache.h"
#include "unwind/table.h"

#include <atomic>
#include <cstdint>

namespace kymo::unwind {

// The usual ImageHooks::describe: image::describe_image_at.
bool describe_own_image(void* context, std::uint64_t address, image::Arena& arena, image::LoadedImage* image);

// Callbacks to the owner of the set, possibly inside a signal handler: no malloc, no locks that the interrupted
// code may hold, no calls back into the set's add and remove. All but locate() are called with the registration
// lock held.
struct ImageHooks {
    void* context = nullptr;
    // Describes the image at a process address; false: none there.
    bool (*describe)(void* context, std::uint64_t address, image::Arena& arena, image::LoadedImage* image) = nullptr;
    // Once for each loading, as soon as it can be found. May be nullptr.
    void (*added)(void* context, ImageId id, const image::LoadedImage& image) = nullptr;
    // Once for each loading that is gone. May be nullptr.
    void (*removed)(void* context, ImageId id) = nullptr;
    // The place of the image at an address; false: none there. Called for each unknown address, so it must be
    // cheap. nullptr: image::find_image if describe is describe_own_image; otherwise an image may be anywhere, and
    // each page is a place.
    bool (*locate)(void* context, std::uint64_t address, image::ImagePlace* place) = nullptr;
    // Makes the tables: for another architecture than this build's, compile_for with its RulePacker.
    bool (*compile)(const CompileInput& input, Table* table) = unwind::compile;
    // The images are another process's (LoadedImage::elsewhere): at other addresses there is nothing to read.
    bool is_elsewhere = false;
};

// Code that is not the program's but replaces it: code that hooks have put between a function and its caller, or
// moved elsewhere. The walk looks up addresses that no rule covers. Usable in handlers.
struct Detour {
    enum Kind : std::uint8_t {
        kCaller,   // the caller's return address is `address`; the stack is the caller's
        kOnStack,  // the caller's return address is on top of the stack
        kMoved,    // represents the instruction at `address`, with the stack pointer `stack` bytes too low
    };
    Kind kind = kCaller;
    std::uint64_t address = 0;
    std::uint32_t stack = 0;
};
struct Detours {
    void* context = nullptr;
    bool (*find)(void* context, std::uint64_t address, Detour* detour) = nullptr;
};

// Compiles the call-frame sections of a mapped image, and Go's function table, into a table. False: no memory. An
// image without any gives an empty table.
bool compile_image(const image::LoadedImage& image, Table* table,
                   bool (*compile)(const CompileInput& input, Table* table) = unwind::compile);

class ImageSet {
  public:
    static constexpr std::uint32_t kMaxImages = 65533;  // two numbers of 16 bits are left for others

    // A loading as the walk uses it; lives as long as the set.
    struct alignas(64) Entry {
        std::atomic<const Table*> table{nullptr};  // nullptr: not published, or retired
        std::uint64_t bias = 0;
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        const image::LoadedImage* image = nullptr;
        const Table* kept_table = nullptr;  // stays when retired
        std::uint32_t fingerprint = 0;      // of the call-frame header, for images without a build id
        bool is_table_shared = false;       // the caller of add() keeps it, for other sets as well
        bool is_alive() const { return table.load(std::memory_order_acquire) != nullptr; }
    };

    constexpr ImageSet() = default;
    ImageSet(const ImageSet&) = delete;
    ImageSet& operator=(const ImageSet&) = delete;

    // Once, before anything else, not in a handler. False: the kernel refused memory.
    bool create(const ImageHooks& hooks);

    // Gives all memory back; what was handed out is no longer valid. No walk is under way, and none follows.
    void release();

    // Before the detours can be met; they stay.
    void set_detours(const Detours* detours) { detours_.store(detours, std::memory_order_release); }
    bool find_detour(std::uint64_t address, Detour* detour) const {
        const Detours* detours = detours_.load(std::memory_order_acquire);
        return detours != nullptr && detours->find(detours->context, address, detour);
    }

    // The id of the image around the address; a new image is registered and compiled now. ImageId{0}: none, or the
    // lock is not available, or no memory. Cost when new: some 20 ns a row, milliseconds for the largest images.
    // `describes`, if not nullptr: how many new images may still be described; counted down.
    ImageId add_at(std::uint64_t address, unsigned* describes = nullptr);
    // An image that the caller has described. The sections that are mapped must stay.
    ImageId add(const image::LoadedImage& image);
    // Likewise, with the table that compile_image() made of it, wherever it lay; it must stay as long as the set.
    ImageId add(const image::LoadedImage& image, const Table& table);

    // Retires every image that is in [begin, end), or for which `gone` returns true; after dlclose. Returns the
    // number retired.
    std::size_t remove(std::uint64_t begin, std::uint64_t end);
    std::size_t remove_if(bool (*gone)(void* context, const image::LoadedImage&), void* context);
    // remove_if with image::is_still_loaded.
    std::size_t remove_unloaded();

    // In a forked child, before anything else: the lock's holder may not exist here.
    void after_fork_in_child() { owner_.store(0, std::memory_order_release); }

    // The living image around an address; nullptr: none known (nothing is registered).
    const Entry* find(std::uint64_t address) const {
        const PageMap::Slot slot = pages_.find(address);
        if (slot == 0) {
            return nullptr;
        }
        const Entry& entry = entries_[slot];
        return entry.is_alive() && address - entry.begin < entry.end - entry.begin ? &entry : nullptr;
    }

    struct Lookup {
        const Entry* image = nullptr;  // nullptr: no image there
        ImageId id{0};
        RuleWord rule = simple_rule(RuleKind::kNone);
    };
    // The image and the rule at a process address; registers a new image, as add_at(). 2 ns if it was looked up
    // recently, about 50 ns otherwise.
    Lookup rule_at(std::uint64_t address, unsigned* describes = nullptr) {
        Lookup found;
        const std::uint32_t slot = cache_.find(address, &found.rule);
        found.image = &entries_[slot];
        found.id = ImageId{slot};
        if (slot == 0 || !found.image->is_alive()) [[unlikely]] {
            return slow_rule_at(address, describes);
        }
        return found;
    }

    bool is_elsewhere() const { return hooks_.is_elsewhere; }

    // Registered so far, retired ones included: ids 1 … count().
    std::uint32_t count() const { return used_.load(std::memory_order_acquire); }
    // Precondition: 1 <= id <= count().
    const Entry& entry(ImageId id) const { return entries_[raw(id)]; }

  private:
    class Turn;  // holds the registration lock

    Lookup slow_rule_at(std::uint64_t address, unsigned* describes);
    ImageId known_at(std::uint64_t address) const;
    ImageId add_locked(const image::LoadedImage& image, const Table* shared = nullptr);
    const Entry* twin_of(const image::LoadedImage& image, std::uint32_t fingerprint) const;
    const image::LoadedImage* keep(const image::LoadedImage& image);
    const Table* new_table(const image::LoadedImage& image);
    void retire(std::uint32_t slot);

    Entry* entries_ = nullptr;  // kMaxImages + 1, of which entry 0 is never alive
    PageMap pages_;
    RuleCache cache_;
    std::atomic<std::uint32_t> used_{0};
    std::atomic<std::int32_t> owner_{0};  // the registration lock: its holder's thread id; 0: free
    image::Arena arena_;                  // under the lock
    RefusedPlaces refused_;
    std::atomic<const Detours*> detours_{nullptr};
    ImageHooks hooks_;
};

}  // namespace kymo::unwind
