#include "hooks/guest/data_images.h"

#include "hooks/native.h"
#include "image/arena.h"

#include <algorithm>
#include <dlfcn.h>
#include <link.h>
#include <sys/syscall.h>
#include <sys/uio.h>

namespace kymo::hooks {
namespace {

constinit std::uint64_t own_process = 0;

bool read_by_kernel(std::uint64_t address, std::uint64_t bytes, void* to) {
    const iovec local{to, bytes};
    const iovec remote{reinterpret_cast<void*>(address), bytes};
    return raw_system(SYS_process_vm_readv, own_process, reinterpret_cast<std::uint64_t>(&local), 1,
                      reinterpret_cast<std::uint64_t>(&remote), 1) == static_cast<long>(bytes);
}

bool read_nothing(std::uint64_t /*address*/, std::uint64_t /*bytes*/, void* /*to*/) {
    return false;
}

struct ThreadBlock {
    std::uint64_t bias;
    const void* begin;
};

// Finds the calling thread's block of an image's thread-local storage.
int find_block(dl_phdr_info* info, std::size_t bytes, void* wanted) {
    auto* block = static_cast<ThreadBlock*>(wanted);
    if (bytes < offsetof(dl_phdr_info, dlpi_tls_data) + sizeof info->dlpi_tls_data ||
        info->dlpi_addr != block->bias || info->dlpi_tls_modid == 0) {
        return 0;
    }
    block->begin = info->dlpi_tls_data;
    return 1;
}

}  // namespace

Problem DataImages::make(const Plan& plan) {
    if (plan.loads.empty()) {
        return Problem::kNone;
    }
    images_ = static_cast<cells::DataImage*>(image::map_pages((plan.images.size() + 1) * sizeof(cells::DataImage)));
    if (images_ == nullptr) {
        return Problem::kNoMemory;
    }
    in_process(static_cast<int>(raw_system(SYS_getpid)));
    sources_ = {plan.loads.data(), images_, read_by_kernel};
    std::uint64_t own = 1;
    std::uint64_t copy = 0;
    const bool follows =
        std::any_of(plan.loads.begin(), plan.loads.end(), [](const cells::Load& load) { return load.links != 0; });
    if (follows && !read_by_kernel(reinterpret_cast<std::uint64_t>(&own), sizeof own, &copy)) {
        follow_no_pointers();
        return Problem::kNoReads;
    }
    return Problem::kNone;
}

// Images loaded with the program have their thread-local storage at a fixed distance from every thread's pointer.
void DataImages::loaded(std::uint32_t number, const image::LoadedImage& image, bool at_start) {
    if (images_ == nullptr || images_[number].is_loaded) {
        return;  // a second copy (dlmopen): data of the first one is read, as the first one has the hooks
    }
    cells::DataImage& data = images_[number];
    data.bias = image.bias;
    data.is_permanent = at_start;
    if (!at_start) {
        __atomic_store_n(&data.is_loaded, true, __ATOMIC_RELEASE);
        return;
    }
    // The dynamic linker's own, because a program may have a function of that name.
    const auto visit_all = reinterpret_cast<decltype(&dl_iterate_phdr)>(dlsym(RTLD_NEXT, "dl_iterate_phdr"));
    ThreadBlock block{image.bias, nullptr};
    if (visit_all != nullptr && visit_all(find_block, &block) != 0 && block.begin != nullptr) {
        data.thread_offset =
            static_cast<const char*>(block.begin) - static_cast<const char*>(__builtin_thread_pointer());
        data.has_thread_offset = true;
    }
    __atomic_store_n(&data.is_loaded, true, __ATOMIC_RELEASE);
}

void DataImages::unloaded(std::uint32_t number) {
    if (images_ != nullptr) {
        __atomic_store_n(&images_[number].is_loaded, false, __ATOMIC_RELEASE);
    }
}

void DataImages::in_process(int pid) {
    own_process = static_cast<std::uint64_t>(pid);
}

void DataImages::follow_no_pointers() {
    __atomic_store_n(&sources_.read, &read_nothing, __ATOMIC_RELEASE);
}

}  // namespace kymo::hooks
