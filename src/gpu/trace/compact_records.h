// What the compact form's writer and reader have in common (docs/gpu-traces.md).
#pragma once

#include <cstdint>

namespace kymo::gpu {

enum : std::uint8_t {  // records
    kEndRecord = 0,
    kHeaderRecord = 1,
    kInstructionRecord = 2,
    kCtaRecord = 3,
    kOperandRecord = 4,
    kValuesRecord = 5
};
inline constexpr std::uint8_t kCompactVersion = 1;
inline constexpr std::uint64_t kMostCompactText = 1U << 16U;

}  // namespace kymo::gpu
