// The running program's own file, also where the dynamic linker was called as a program and given this one to start
// (as the tarball's bin/kymo does): /proc/self/exe then leads to the linker.
#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/auxv.h>
#include <system_error>

namespace kymo {

// Empty: not known. Not for signal handlers.
inline std::filesystem::path own_program() {
    std::error_code error;
    const std::uint64_t headers = getauxval(AT_PHDR);
    if (getauxval(AT_BASE) != 0 || headers == 0) {
        return std::filesystem::read_symlink("/proc/self/exe", error);
    }
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        const char* const behind = line.data() + line.size();
        const auto [dash, ignored] = std::from_chars(line.data(), behind, begin, 16);
        if (dash != behind && std::from_chars(dash + 1, behind, end, 16).ec == std::errc{} && headers >= begin &&
            headers < end) {
            const std::size_t slash = line.find('/');
            return slash == std::string::npos ? std::string() : line.substr(slash);
        }
    }
    return {};
}

// PREFIX if the program is PREFIX/bin/kymo.
inline std::filesystem::path own_prefix() {
    return own_program().parent_path().parent_path();
}

}  // namespace kymo
