// Text in fields of fixed size, padded with zeros and truncated to fit.
#pragma once

#include <cstddef>
#include <string_view>

namespace kymo::cells {

inline void copy_text(char* out, std::size_t capacity, std::string_view text) {
    __builtin_memset(out, 0, capacity);
    if (!text.empty()) {
        __builtin_memcpy(out, text.data(), text.size() < capacity ? text.size() : capacity);
    }
}

inline bool same_text(const char* kept, std::size_t capacity, std::string_view text) {
    const std::size_t size = text.size() < capacity ? text.size() : capacity;
    return __builtin_memcmp(kept, text.data(), size) == 0 && (size == capacity || kept[size] == 0);
}

}  // namespace kymo::cells
