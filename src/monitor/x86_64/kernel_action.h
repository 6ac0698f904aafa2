// x86-64: a signal's action as the kernel takes it, which is not the C library's structure.
#pragma once

#include <cstdint>

namespace kymo::monitor::x86_64 {

struct KernelAction {
    std::uint64_t handler = 0;
    std::uint64_t flags = 0;
    std::uint64_t restorer = 0;
    std::uint64_t mask = 0;
};

}  // namespace kymo::monitor::x86_64
