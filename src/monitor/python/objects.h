// CPython's objects, read from a sampling handler: the interpreter may be in the middle of changing them, so nothing
// is followed that is not readable.
#pragma once

#include "monitor/python/layout.h"
#include "unwind/readable.h"

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace kymo::monitor::python {

class Objects {
  public:
    explicit Objects(const Layout& layout) : layout_(layout) {}

    bool is_readable(std::uint64_t object, std::size_t bytes) {
        constexpr std::uint64_t kUserEnd = std::uint64_t{1} << 47U;
        if (object == 0 || object % 4 != 0 || object >= kUserEnd || bytes > kUserEnd - object) {
            return false;
        }
        for (std::uint64_t page = object / kPage; page <= (object + bytes - 1) / kPage; ++page) {
            if (!pages_.is_readable(page)) {
                return false;
            }
        }
        return true;
    }

    // Precondition: readable.
    template <typename T>
    static T at(std::uint64_t object, std::size_t offset) {
        T value;
        std::memcpy(&value, reinterpret_cast<const void*>(object + offset), sizeof value);
        return value;
    }
    static std::uint64_t word(std::uint64_t object, std::size_t offset) { return at<std::uint64_t>(object, offset); }

    // The contents of a `bytes`; empty: it is none that can be read.
    std::span<const std::uint8_t> bytes(std::uint64_t object);
    // A `str` as UTF-8, as much of it as fits into `room`.
    std::string_view text(std::uint64_t object, std::span<char> room);

  private:
    static constexpr std::uint64_t kPage = unwind::ReadablePages::kPage;

    const Layout& layout_;
    unwind::ReadablePages pages_;
};

}  // namespace kymo::monitor::python
