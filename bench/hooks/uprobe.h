// The kernel's way of counting calls of a function: a uprobe at its entry, and another at its exit; each an event
// that counts, or an eBPF program that adds 1 to a map's entry. Root, usually.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kymo::bench {

class Uprobes {
  public:
    Uprobes() = default;
    Uprobes(const Uprobes&) = delete;
    Uprobes& operator=(const Uprobes&) = delete;
    ~Uprobes();

    // Empty: in place. Otherwise what was refused.
    std::string place(const void* function, bool with_program);
    // Of entries, as the event or the map has it.
    [[nodiscard]] std::uint64_t entries() const;

  private:
    std::vector<int> files_;
    int map_ = -1;
    int event_ = -1;
};

}  // namespace kymo::bench
