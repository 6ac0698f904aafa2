// What a thread waits for that is blocked in a futex call: told by the function of the C library that made the call.
#pragma once

#include "recording/tables/waits.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

namespace kymo::import {

// The functions of POSIX threads and C11 threads that wait, in the files that have them: a C library, or a program
// that is linked statically.
//
// Not thread-safe. Cost: a file's symbols when it is first asked for; then a binary search.
class WaitCalls {
  public:
    // Of a wait in this function: none if no such function lies at this offset of the image.
    std::optional<recording::WaitKind> at(const std::filesystem::path& file, std::uint64_t offset);

  private:
    struct Function {
        std::uint64_t end = 0;
        recording::WaitKind kind{};
    };
    using Functions = std::map<std::uint64_t, Function>;  // by begin
    static Functions read(const std::filesystem::path& file);

    std::map<std::filesystem::path, Functions> files_;
};

}  // namespace kymo::import
