// What the name of a program, library or other origin of code says about it.
#pragma once

#include <cstdint>
#include <string_view>

namespace kymo::import::named {

// The kernel, one of its modules, or code of eBPF programs, as perf and pprof's writers name them.
bool is_kernel_module(std::string_view module);

// Where the module is unknown: whether the address is in the upper half, which is the kernel's.
constexpr bool is_kernel_address(std::uint64_t address) {
    return address >> 63U != 0;
}

}  // namespace kymo::import::named
