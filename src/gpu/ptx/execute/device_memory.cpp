#include "gpu/ptx/execute/device_memory.h"

#include "gpu/ptx/round_up.h"

#include <fmt/format.h>
#include <sys/mman.h>

namespace kymo::gpu::ptx {
namespace {

constexpr std::uint64_t kPage = 4096;
// First choice for the first allocation: far from the memory of programs and libraries.
constexpr std::uint64_t kFirst = std::uint64_t{1} << 45U;
constexpr std::uint64_t kBehindLast = kFirst + (std::uint64_t{1} << 44U);

// Zeroed, at the requested address if that is free. Pages cost nothing until they are touched.
void* take(std::uint64_t hint, std::uint64_t bytes) {
    void* const at = mmap(reinterpret_cast<void*>(hint), round_up(bytes, kPage), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? nullptr : at;
}

void give(void* at, std::uint64_t bytes) {
    munmap(at, round_up(bytes, kPage));
}

}  // namespace

DeviceMemory::~DeviceMemory() {
    for (const auto& [address, block] : blocks_) {
        if (block.owned != nullptr) {
            give(block.owned, block.bytes);
        }
    }
}

Result<std::uint64_t> DeviceMemory::allocate(std::uint64_t bytes, Contents contents) {
    const std::scoped_lock lock(mutex_);
    const std::uint64_t wanted = bytes == 0 ? 1 : bytes;
    next_ = next_ < kFirst || next_ + wanted > kBehindLast ? kFirst : next_;
    void* const at = wanted > most_bytes_ - used_ ? nullptr : take(next_, wanted);
    if (at == nullptr) {
        return Error{
            ErrorKind::kNoSpace,
            fmt::format("device memory is used up: {} bytes wanted, {} of {} in use", bytes, used_, most_bytes_),
            "allocate less, or choose a GPU with more memory"};
    }
    used_ += wanted;
    next_ += round_up(wanted, kPage);
    const auto address = reinterpret_cast<std::uint64_t>(at);
    const bool unknown = watches_ && contents == Contents::kUnknown;
    blocks_[address] = {wanted, at, unknown ? std::make_unique<WrittenBytes>(wanted) : nullptr};
    return address;
}

bool DeviceMemory::free(std::uint64_t address) {
    const std::scoped_lock lock(mutex_);
    const auto found = blocks_.find(address);
    if (found == blocks_.end() || found->second.owned == nullptr) {
        return false;
    }
    give(found->second.owned, found->second.bytes);
    used_ -= found->second.bytes;
    blocks_.erase(found);
    return true;
}

void DeviceMemory::share(std::uint64_t address, std::uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    blocks_[address] = {bytes, nullptr, nullptr};
}

bool DeviceMemory::unshare(std::uint64_t address) {
    const std::scoped_lock lock(mutex_);
    const auto found = blocks_.find(address);
    if (found == blocks_.end() || found->second.owned != nullptr) {
        return false;
    }
    blocks_.erase(found);
    return true;
}

std::optional<DeviceMemory::Range> DeviceMemory::find(std::uint64_t address, std::uint64_t bytes) const {
    const std::scoped_lock lock(mutex_);
    const auto after = blocks_.upper_bound(address);
    if (after == blocks_.begin()) {
        return std::nullopt;
    }
    const auto& [begin, block] = *std::prev(after);
    const Range range{begin, begin + block.bytes};
    return range.holds(address, bytes) ? std::optional(range) : std::nullopt;
}

std::optional<DeviceMemory::Range> DeviceMemory::nearest(std::uint64_t address) const {
    const std::scoped_lock lock(mutex_);
    std::optional<Range> best;
    const auto distance = [&](const Range& range) {
        return address < range.begin ? range.begin - address : address < range.end ? 0 : address - range.end;
    };
    const auto after = blocks_.upper_bound(address);
    for (const auto at : {after, after == blocks_.begin() ? blocks_.end() : std::prev(after)}) {
        if (at != blocks_.end()) {
            const Range range{at->first, at->first + at->second.bytes};
            best = !best || distance(range) < distance(*best) ? range : *best;
        }
    }
    return best;
}

void DeviceMemory::watch() {
    const std::scoped_lock lock(mutex_);
    watches_ = true;
}

void DeviceMemory::wrote(std::uint64_t address, std::uint64_t bytes) {
    std::uint64_t first = 0;
    if (WrittenBytes* const known = written(address, first); known != nullptr) {
        known->set(first, bytes);
    }
}

WrittenBytes* DeviceMemory::written(std::uint64_t address, std::uint64_t& first) const {
    const std::scoped_lock lock(mutex_);
    const auto after = blocks_.upper_bound(address);
    if (!watches_ || after == blocks_.begin()) {
        return nullptr;
    }
    first = address - std::prev(after)->first;
    return std::prev(after)->second.written.get();
}

std::uint64_t DeviceMemory::used_bytes() const {
    const std::scoped_lock lock(mutex_);
    return used_;
}

}  // namespace kymo::gpu::ptx
