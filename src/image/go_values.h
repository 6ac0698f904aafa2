// A value for each address of a Go function: the depth of its stack frame, a line, a file's number or an inlined
// call's.
//
// Go's linker keeps such a table as pairs of numbers in LEB128: by how much the value changes (zigzag; the first one
// counts from −1), and for how many units of code it then holds. A change of 0 behind the first pair ends the table.
// Source: "Go 1.2 Runtime Symbol Information" (golang.org/s/go12symtab), section "PC-Value Table Encoding".
//
// Contract: the bytes may be anything; nothing outside them is read, and each step takes some of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kymo::image {

class GoValues {
  public:
    // `begin`: the function's; `quantum`: bytes of one unit of code.
    GoValues(std::span<const std::uint8_t> bytes, std::uint64_t begin, unsigned quantum)
        : bytes_(bytes), begin_(begin), end_(begin), quantum_(quantum) {}

    // Moves to the next stretch of code. False: there is none, or the bytes end.
    bool next() {
        std::uint32_t change = 0;
        std::uint32_t length = 0;
        if (!read(&change) || (change == 0 && !is_first_) || !read(&length)) {
            return false;
        }
        is_first_ = false;
        value_ += (change >> 1U) ^ (0U - (change & 1U));
        begin_ = end_;
        end_ += std::uint64_t{length} * quantum_;
        return true;
    }

    // The stretch that next() has moved to. It may be empty, and may lie beyond the function if the bytes are wrong.
    std::uint64_t begin() const { return begin_; }
    std::uint64_t end() const { return end_; }
    std::int32_t value() const { return static_cast<std::int32_t>(value_); }

    std::size_t bytes_read() const { return at_; }

  private:
    // Bits beyond the 32nd are dropped. False: the bytes end before it does.
    bool read(std::uint32_t* number) {
        *number = 0;
        for (unsigned shift = 0; at_ < bytes_.size(); shift += 7) {
            const std::uint8_t byte = bytes_[at_++];
            *number |= shift < 32 ? static_cast<std::uint32_t>(byte & 0x7FU) << shift : 0;
            if (byte < 0x80) {
                return true;
            }
        }
        return false;
    }

    std::span<const std::uint8_t> bytes_;
    std::size_t at_ = 0;
    std::uint64_t begin_;
    std::uint64_t end_;
    std::uint32_t value_ = ~std::uint32_t{0};
    unsigned quantum_;
    bool is_first_ = true;
};

}  // namespace kymo::image
