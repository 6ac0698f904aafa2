// Which kind of wait a system call is, from its number and arguments.
#pragma once

#include "recording/tables/waits.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace kymo::import {

struct BlockingCall {
    recording::WaitKind kind{};
    std::uint64_t object = 0;  // as recording::Wait's; of descriptors without the kind of file
    std::uint64_t holder = 0;  // likewise
};

// None: it does not wait, or not for anything that has a kind. Numbers are those of this machine's kind of processor.
std::optional<BlockingCall> blocking_call(std::uint64_t number, const std::array<std::uint64_t, 4>& arguments);

// The number of the system call that ends at the end of this code: the constant that is put into the register of
// the number a few instructions before. None: the code does not end so. Of the shape that C libraries have; where the
// number comes from memory or an argument there is none.
std::optional<std::uint64_t> number_of_call(std::span<const std::uint8_t> code);
inline constexpr std::size_t kCallCode = 40;  // bytes of code that number_of_call() looks at

}  // namespace kymo::import
