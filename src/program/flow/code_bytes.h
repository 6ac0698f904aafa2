// Bytes of an image by image offset: code to decode, read-only data to find jump tables in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kymo::program {

struct CodeRange {
    std::uint64_t begin = 0;                   // image offset of the first byte
    std::span<const std::uint8_t> bytes = {};  // borrowed
    std::uint64_t end() const { return begin + bytes.size(); }
};

// Ranges by address. Borrows their bytes.
class CodeBytes {
  public:
    CodeBytes() = default;
    // Sorts; leaves out empty ranges, those that begin inside an earlier one, and those that would wrap around.
    explicit CodeBytes(std::vector<CodeRange> ranges);

    std::span<const CodeRange> ranges() const { return ranges_; }
    // From `address` to the end of the range that holds it; empty where none does. Cost: binary search.
    std::span<const std::uint8_t> from(std::uint64_t address) const;
    bool contains(std::uint64_t address) const { return !from(address).empty(); }

  private:
    std::vector<CodeRange> ranges_;
};

}  // namespace kymo::program
