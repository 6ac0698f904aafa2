#include "hooks/guest/areas.h"

#include "hooks/guest/slots.h"
#include "hooks/native.h"

#include <sys/mman.h>
#include <sys/syscall.h>

namespace kymo::hooks {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLowest = 64ULL * 1024;  // as the kernel's vm.mmap_min_addr
constexpr std::uint64_t kHeap = 1ULL << 30U;     // the memory behind a program is its heap's

std::uint8_t* map_at(std::uint64_t address, std::uint64_t bytes) {
    const int fixed = address == 0 ? 0 : MAP_FIXED_NOREPLACE;
    const long got =
        raw_system(SYS_mmap, address, bytes, PROT_READ | PROT_WRITE,
                   static_cast<std::uint64_t>(MAP_PRIVATE | MAP_ANONYMOUS | fixed), ~std::uint64_t{0}, 0);
    if (got < 0 && got > -4096) {
        return nullptr;
    }
    if (address != 0 && static_cast<std::uint64_t>(got) != address) {  // an old kernel that takes the address as a
                                                                       // hint
        raw_system(SYS_munmap, static_cast<std::uint64_t>(got), bytes);
        return nullptr;
    }
    return reinterpret_cast<std::uint8_t*>(got);
}

}  // namespace

std::uint8_t* Areas::map(std::uint64_t bytes, image::Range image) {
    bytes = (bytes + kPage - 1) & ~(kPage - 1);
    if (image.empty()) {
        return map_at(0, bytes);
    }
    // Below the image first, nearest first, in growing steps; behind it only beyond a program's heap.
    const std::uint64_t size = image.end - image.begin;
    if (size + bytes >= kReach) {
        return nullptr;
    }
    const std::uint64_t farthest = kReach - size - bytes;
    for (std::uint64_t away = 0; away <= farthest; away += kPage + (away / 8 & ~(kPage - 1))) {
        if (image.begin < kLowest + bytes + away) {
            break;
        }
        if (std::uint8_t* got = map_at(((image.begin & ~(kPage - 1)) - bytes - away), bytes); got != nullptr) {
            return got;
        }
    }
    for (std::uint64_t away = kHeap; away <= farthest; away += kPage + (away / 8 & ~(kPage - 1))) {
        if (std::uint8_t* got = map_at(((image.end + kPage - 1) & ~(kPage - 1)) + away, bytes); got != nullptr) {
            return got;
        }
    }
    return nullptr;
}

bool Areas::publish(const Area& area) {
    const std::uint64_t bytes = (area.range.end - area.range.begin + kPage - 1) & ~(kPage - 1);
    const std::uint32_t count = count_.load(std::memory_order_relaxed);
    if (raw_system(SYS_mprotect, area.range.begin, bytes, PROT_READ | PROT_EXEC) != 0) {
        raw_system(SYS_munmap, area.range.begin, bytes);
        return false;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        if (areas_[i].range.begin == area.range.begin) {
            return true;  // written again for an image that was loaded again
        }
    }
    if (count == kMost) {
        raw_system(SYS_munmap, area.range.begin, bytes);
        return false;
    }
    areas_[count] = area;
    count_.store(count + 1, std::memory_order_release);
    return true;
}

bool Areas::make_writable(const Area& area) {
    const std::uint64_t bytes = (area.range.end - area.range.begin + kPage - 1) & ~(kPage - 1);
    return raw_system(SYS_mprotect, area.range.begin, bytes, PROT_READ | PROT_WRITE) == 0;
}

Areas::Meaning Areas::look_at(std::uint64_t address) const {
    if (in_stubs(address)) {
        const std::uint64_t into = address & (kStubBytes - 1);
        if (into == 0 || into >= kStubPushedAt) {
            return {Meaning::kOnStack, 0, 0};
        }
        return {Meaning::kCaller, slot_of_stub(address)->return_before + 1, 0};
    }
    const std::uint32_t count = count_.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i < count; ++i) {
        const Area& area = areas_[i];
        if (area.count == 0 || !area.range.holds(address)) {
            continue;
        }
        std::uint32_t low = 0;
        for (std::uint32_t high = area.count; high - low > 1;) {
            const std::uint32_t middle = low + (high - low) / 2;
            (area.codes[middle].entry <= address ? low : high) = middle;
        }
        const HookCode& code = area.codes[low];
        if (code.moved == 0 || address < code.moved) {
            return code.plan != nullptr && code.plan->is_place != 0
                       ? Meaning{Meaning::kMoved, code.function, place_stack(address - code.entry)}
                       : Meaning{Meaning::kOnStack, 0, 0};
        }
        const std::uint64_t into = address - code.moved;
        if (into >= code.plan->moved_bytes) {
            return {Meaning::kMoved, code.function + code.plan->original_bytes, 0};
        }
        unsigned n = 0;
        while (n + 1U < code.plan->instructions && code.plan->moved_at[n + 1] <= into) {
            ++n;
        }
        if (code.plan->ends_in_call != 0 && n + 1U == code.plan->instructions &&
            into >= code.plan->moved_at[n] + kCallPushes) {
            return {Meaning::kOnStack, 0, 0};
        }
        return {Meaning::kMoved, code.function + code.plan->original_at[n], 0};
    }
    return {};
}

}  // namespace kymo::hooks
