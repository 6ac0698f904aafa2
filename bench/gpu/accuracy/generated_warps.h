// What generated kernels have in common: their header, buffers, and how threads become warps.
#pragma once

#include "gpu/trace/kernel.h"
#include "gpu/trace/warp_code.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>

namespace kymo::gpu {

inline constexpr std::uint32_t kAllLanes = 0xFFFF'FFFFU;
// Device buffers, far enough apart for any size here.
inline constexpr std::uint64_t kFirst = 0x7F00'0000'0000U;
inline constexpr std::uint64_t kSecond = 0x7F10'0000'0000U;
inline constexpr std::uint64_t kThird = 0x7F20'0000'0000U;

inline KernelHeader generated_header(const char* name, Dim3 grid, Dim3 block, std::uint32_t registers) {
    KernelHeader made;
    made.name = name;
    made.id = 1;
    made.grid = grid;
    made.block = block;
    made.registers = registers;
    made.binary_version = 90;
    made.tracer_version = 5;
    return made;
}

// The lanes of warp `warp` in a CTA of `threads` threads.
inline std::uint32_t launched(std::uint64_t threads, std::uint32_t warp) {
    const std::uint64_t left = threads - std::min<std::uint64_t>(threads, std::uint64_t{warp} * kWarpLanes);
    return left >= kWarpLanes ? kAllLanes : (std::uint32_t{1} << left) - 1U;
}

inline std::uint32_t warps_of(std::uint64_t threads) {
    return static_cast<std::uint32_t>((threads + kWarpLanes - 1) / kWarpLanes);
}

inline WarpTrace finished_warp(std::uint32_t id, WarpEncoder& encoder) {
    WarpTrace warp;
    warp.id = id;
    warp.instructions = encoder.instructions();
    warp.code = std::make_shared<const std::vector<std::uint8_t>>(encoder.take());
    return warp;
}

// The active lanes' addresses of one instruction.
class ActiveAddresses {
  public:
    template <typename Address>
    std::span<const std::uint64_t> fill(std::uint32_t mask, Address&& address) {
        std::size_t count = 0;
        for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
            if ((mask >> lane & 1U) != 0) {
                addresses_[count++] = address(lane);
            }
        }
        return {addresses_.data(), count};
    }

  private:
    std::array<std::uint64_t, kWarpLanes> addresses_{};
};

}  // namespace kymo::gpu
