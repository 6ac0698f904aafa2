// Where directories of images keep one by its build id, as below /usr/lib/debug.
#pragma once

#include <string>
#include <string_view>

namespace kymo {

// `.build-id/ab/cdef…`; empty for a build id of less than two bytes. `build_id`: raw bytes.
inline std::string build_id_path(std::string_view build_id) {
    constexpr const char* kDigits = "0123456789abcdef";
    if (build_id.size() < 2) {
        return {};
    }
    std::string path = ".build-id/";
    for (std::size_t i = 0; i < build_id.size(); ++i) {
        const auto byte = static_cast<unsigned char>(build_id[i]);
        path += kDigits[byte >> 4U];
        path += kDigits[byte & 0xFU];
        if (i == 0) {
            path += '/';
        }
    }
    return path;
}

}  // namespace kymo
