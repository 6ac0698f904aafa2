// A bounded cursor over the bytes of a call-frame section.
//
// Contract: reads that would leave the bytes give 0 and set failed(), once and for all; the caller checks at the end
// of a piece instead of after every read. Little-endian. Encodings: DWARF 5, section 7.6 (LEB128).
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace kymo::unwind {

class ByteReader {
  public:
    constexpr ByteReader() = default;
    constexpr explicit ByteReader(std::span<const std::uint8_t> bytes, std::uint64_t at = 0)
        : data_(bytes.data()), size_(bytes.size()), at_(at), failed_(at > bytes.size()) {}

    bool failed() const { return failed_; }
    bool at_end() const { return failed_ || at_ == size_; }
    std::uint64_t position() const { return at_; }
    std::uint64_t left() const { return failed_ ? 0 : size_ - at_; }

    template <typename T>
    T read() {
        T value{};
        if (left() < sizeof(T)) {
            fail();
            return value;
        }
        std::memcpy(&value, data_ + at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }
    std::uint8_t u8() { return read<std::uint8_t>(); }
    std::uint16_t u16() { return read<std::uint16_t>(); }
    std::uint32_t u32() { return read<std::uint32_t>(); }
    std::uint64_t u64() { return read<std::uint64_t>(); }

    // Bits beyond the 64th are dropped.
    std::uint64_t uleb() {
        std::uint8_t byte = u8();
        if (byte < 0x80) {
            return byte;
        }
        std::uint64_t value = byte & 0x7FU;
        for (unsigned shift = 7; byte >= 0x80 && !failed_; shift += 7) {
            byte = u8();
            value |= shift < 64 ? static_cast<std::uint64_t>(byte & 0x7FU) << shift : 0;
        }
        return value;
    }
    std::int64_t sleb() {
        std::uint64_t value = 0;
        std::uint8_t byte = 0;
        unsigned shift = 0;
        do {
            byte = u8();
            value |= shift < 64 ? static_cast<std::uint64_t>(byte & 0x7FU) << shift : 0;
            shift += 7;
        } while (byte >= 0x80 && !failed_);
        if (shift < 64 && (byte & 0x40U) != 0) {
            value |= ~std::uint64_t{0} << shift;
        }
        return static_cast<std::int64_t>(value);
    }

    // The next `size` bytes; empty and failed() where there are not as many.
    std::span<const std::uint8_t> block(std::uint64_t size) {
        if (left() < size) {
            fail();
            return {};
        }
        const std::span<const std::uint8_t> bytes(data_ + at_, size);
        at_ += size;
        return bytes;
    }
    void skip(std::uint64_t size) { block(size); }
    void fail() { failed_ = true; }

  private:
    const std::uint8_t* data_ = nullptr;
    std::uint64_t size_ = 0;
    std::uint64_t at_ = 0;
    bool failed_ = false;
};

}  // namespace kymo::unwind
