// Files of generated recordings. All functions throw std::runtime_error with the reason where they fail.
#pragma once

#include "recording/pack.h"
#include "recording/writer.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace kymo::bench {

inline void require(bool good, const std::string& what) {
    if (!good) {
        throw std::runtime_error(what);
    }
}

inline void create(recording::FileWriter& writer, const std::filesystem::path& path, std::uint32_t pid) {
    const int error = writer.create(path.c_str(), {.machine = 62, .pid = pid, .producer = "kymo generator"});
    require(error == 0, path.string() + ": " + std::strerror(error));
}

// As `kymo record` leaves it: closed and packed.
inline void finish(recording::FileWriter& writer, const std::filesystem::path& path) {
    const int error = writer.close();
    require(error == 0, path.string() + ": " + std::strerror(error));
    const auto packed = recording::pack_file(path);
    require(packed.ok(), packed ? "" : packed.error().what);
}

}  // namespace kymo::bench
