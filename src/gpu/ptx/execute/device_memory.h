// A modelled GPU's memory: allocations in this process. A device address is a host address, so copies are memcpy.
//
// Contract: any thread; a launch in progress sees what was allocated before it began. Every access that a kernel
// makes is checked against the ranges here. The bytes are zero at first. The same allocations have the same
// addresses in every run, as on a GPU, because the modelled caches depend on them.
#pragma once

#include "base/result.h"
#include "gpu/ptx/check/written_bytes.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace kymo::gpu::ptx {

class DeviceMemory {
  public:
    struct Range {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        bool holds(std::uint64_t address, std::uint64_t bytes) const {
            return address >= begin && address <= end && bytes <= end - address;
        }
    };

    explicit DeviceMemory(std::uint64_t most_bytes = 1ULL << 40U) : most_bytes_(most_bytes) {}
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    // Aligned to 256 bytes, as cudaMalloc's. Errors: kNoSpace.
    enum class Contents : std::uint8_t { kZero, kUnknown };  // kUnknown: on a GPU, leftovers of earlier use
    Result<std::uint64_t> allocate(std::uint64_t bytes, Contents contents = Contents::kZero);
    bool free(std::uint64_t address);  // false: not the beginning of an allocation
    // Host memory that kernels may use too (pinned and managed memory). The caller keeps it.
    void share(std::uint64_t address, std::uint64_t bytes);
    bool unshare(std::uint64_t address);

    // The range that holds all of these bytes.
    std::optional<Range> find(std::uint64_t address, std::uint64_t bytes) const;
    // The range that an address just outside of it was probably meant for; for messages.
    std::optional<Range> nearest(std::uint64_t address) const;
    // From now on records which bytes of kUnknown contents were written; the host calls wrote() for its own
    // writes.
    void watch();
    void wrote(std::uint64_t address, std::uint64_t bytes);
    // Those bytes' record, and where in it the address is; null: all count as written.
    WrittenBytes* written(std::uint64_t address, std::uint64_t& first) const;
    std::uint64_t used_bytes() const;
    std::uint64_t most_bytes() const { return most_bytes_; }

  private:
    struct Block {
        std::uint64_t bytes = 0;
        void* owned = nullptr;                            // null: shared
        std::unique_ptr<WrittenBytes> written = nullptr;  // null: all of them
    };
    mutable std::mutex mutex_;
    std::map<std::uint64_t, Block> blocks_;  // by address
    std::uint64_t most_bytes_;
    std::uint64_t used_ = 0;
    std::uint64_t next_ = 0;  // where the next allocation is asked for
    bool watches_ = false;
};

}  // namespace kymo::gpu::ptx
