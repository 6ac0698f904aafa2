#include "gpu/model/huge_pages.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>

namespace kymo::gpu {
namespace {

class HugePages : public std::pmr::memory_resource {
    static std::align_val_t alignment_of(std::size_t bytes, std::size_t alignment) {
        return std::align_val_t{bytes >= kHugePage ? std::max(alignment, kHugePage) : alignment};
    }
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        void* const at = ::operator new(bytes, alignment_of(bytes, alignment));
        if (bytes >= kHugePage) {
            // Only advice: without huge pages it is slower.
            (void)::madvise(at, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
        }
        return at;
    }
    void do_deallocate(void* at, std::size_t bytes, std::size_t alignment) override {
        ::operator delete(at, alignment_of(bytes, alignment));
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace

std::pmr::memory_resource* huge_pages() {
    static HugePages resource;
    return &resource;
}

}  // namespace kymo::gpu
