// Detects whether a descriptor may have been replaced: a counter for each number, shared by numbers that are 4,096
// apart.
#pragma once

#include <atomic>
#include <cstdint>

namespace kymo::monitor {

class DescriptorChanges {
  public:
    // Never 0.
    std::uint32_t of(int descriptor) const {
        return 2 * (counts_[slot(descriptor)].load(std::memory_order_acquire) +
                    all_.load(std::memory_order_acquire)) +
               1;
    }
    // After a call that closed it, reassigned it, or connected it.
    void note(int descriptor) { counts_[slot(descriptor)].fetch_add(1, std::memory_order_release); }
    void note_all() { all_.fetch_add(1, std::memory_order_release); }

  private:
    static constexpr std::uint32_t kSlots = 4096;
    static std::uint32_t slot(int descriptor) { return static_cast<std::uint32_t>(descriptor) % kSlots; }
    std::atomic<std::uint32_t> all_{0};
    std::atomic<std::uint32_t> counts_[kSlots] = {};
};

extern DescriptorChanges descriptor_changes;

}  // namespace kymo::monitor
