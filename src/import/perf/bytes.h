// Numbers and texts out of foreign bytes, each number by one load: nothing is read beyond them, and a short read is
// remembered.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace kymo::import::perf {

// Of the machine that wrote a file.
struct ByteOrder {
    bool swapped = false;  // not this machine's
    bool big = false;      // bit fields begin at the most significant bit
};

template <std::unsigned_integral T>
constexpr T swap_bytes(T value) {
    if constexpr (sizeof(T) == 1) {
        return value;
    } else if constexpr (sizeof(T) == 2) {
        return __builtin_bswap16(value);
    } else if constexpr (sizeof(T) == 4) {
        return __builtin_bswap32(value);
    } else {
        return __builtin_bswap64(value);
    }
}

// Once something was not there, all further numbers are 0 and all further parts empty.
class Bytes {
  public:
    Bytes(std::span<const std::uint8_t> bytes, ByteOrder order)
        : at_(bytes.data()), end_(bytes.data() + bytes.size()), order_(order) {}

    [[nodiscard]] bool failed() const { return failed_; }
    [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    [[nodiscard]] ByteOrder order() const { return order_; }

    template <std::unsigned_integral T>
    T number() {
        if (left() < sizeof(T)) {
            fail();
            return 0;
        }
        T value;
        std::memcpy(&value, at_, sizeof value);
        // The bytes may change: what was checked once must not be loaded again.
        asm("" : "+r"(value));
        at_ += sizeof value;
        return order_.swapped ? swap_bytes(value) : value;
    }
    std::uint8_t u8() { return number<std::uint8_t>(); }
    std::uint16_t u16() { return number<std::uint16_t>(); }
    std::uint32_t u32() { return number<std::uint32_t>(); }
    std::uint64_t u64() { return number<std::uint64_t>(); }

    std::span<const std::uint8_t> part(std::uint64_t size) {
        if (left() < size) {
            fail();
            return {};
        }
        const std::span<const std::uint8_t> result(at_, static_cast<std::size_t>(size));
        at_ += size;
        return result;
    }

    // `count` numbers to `to`, which has room for as many as these bytes can hold. Writes none if they are not all
    // there.
    bool numbers(std::uint64_t count, std::uint64_t* to) {
        if (count > left() / sizeof *to) {
            fail();
            return false;
        }
        if (count > 0) {
            std::memcpy(to, at_, static_cast<std::size_t>(count) * sizeof *to);
            at_ += count * sizeof *to;
        }
        for (std::uint64_t i = 0; order_.swapped && i < count; ++i) {
            to[i] = swap_bytes(to[i]);
        }
        return true;
    }

    // Up to the first 0, or all that is left; takes all that is left.
    std::string_view text() { return to_zero(part(left())); }

    // As in the features: a length, and so many bytes with a 0 among them.
    std::string_view counted_text() { return to_zero(part(u32())); }

  private:
    void fail() {
        failed_ = true;
        at_ = end_;
    }

    static std::string_view to_zero(std::span<const std::uint8_t> bytes) {
        const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return all.substr(0, all.find('\0'));
    }

    const std::uint8_t* at_;
    const std::uint8_t* end_;
    ByteOrder order_;
    bool failed_ = false;
};

// The number of 8 bytes at this offset; 0: it is not all there.
inline std::uint64_t number_at(std::span<const std::uint8_t> bytes, std::size_t offset, ByteOrder order) {
    return offset <= bytes.size() && bytes.size() - offset >= 8 ? Bytes(bytes.subspan(offset, 8), order).u64() : 0;
}

}  // namespace kymo::import::perf
