// What a function's registers hold when it begins: constants, parameters, special registers.
#include "gpu/ptx/execute/cta_runner.h"

#include <array>
#include <cstring>

namespace kymo::gpu::ptx {
namespace {

template <typename T>
void broadcast_as(std::byte* at, std::uint64_t value) {
    std::array<T, kWarpLanes> lanes;
    lanes.fill(static_cast<T>(value));
    std::memcpy(at, lanes.data(), sizeof lanes);
}

void broadcast(std::byte* at, unsigned bits, std::uint64_t value) {
    bits == 64   ? broadcast_as<std::uint64_t>(at, value)
    : bits == 32 ? broadcast_as<std::uint32_t>(at, value)
                 : broadcast_as<std::uint16_t>(at, value);
}

}  // namespace

std::uint64_t CtaRunner::special(std::string_view name, const Warp& warp, unsigned lane,
                                 std::uint64_t local_at) const {
    const Dim3& block = parts_.launch.block;
    const Dim3& grid = parts_.launch.grid;
    const std::uint64_t thread = std::uint64_t{warp.number} * kWarpLanes + lane;
    const auto part = [&](const Dim3& dim) {
        return name.back() == 'x' ? dim.x : name.back() == 'y' ? dim.y : dim.z;
    };
    if (name.starts_with("%tid")) {
        return name.back() == 'x'   ? thread % block.x
               : name.back() == 'y' ? thread / block.x % block.y
                                    : thread / (std::uint64_t{block.x} * block.y);
    }
    const std::uint32_t bit = 1U << lane;
    return name.starts_with("%ntid")      ? part(block)
           : name.starts_with("%ctaid")   ? part(cta_)
           : name.starts_with("%nctaid")  ? part(grid)
           : name == "%laneid"            ? lane
           : name == "%warpid"            ? warp.number
           : name == "%nwarpid"           ? warps()
           : name == "%nsmid"             ? 1
           : name == "%lanemask_eq"       ? bit
           : name == "%lanemask_lt"       ? bit - 1
           : name == "%lanemask_le"       ? bit | (bit - 1)
           : name == "%lanemask_gt"       ? ~(bit | (bit - 1))
           : name == "%lanemask_ge"       ? ~(bit - 1)
           : name == "%dynamic_smem_size" ? parts_.launch.dynamic_shared
           : name == "%total_smem_size"   ? parts_.shared_bytes + parts_.launch.dynamic_shared
           : name == "%dynamic_shared"    ? parts_.shared_bytes
           : name == "%local"             ? local_at
           : name == "%parameters" ? reinterpret_cast<std::uint64_t>(const_cast<AlignedBytes&>(parameters_).data())
                                   : 0;  // %smid: one SM, one CTA at a time
}

// Constants and presets; `only_cta`: what is another in every CTA.
void CtaRunner::fill(Frame& frame, const Warp& warp, bool only_cta) {
    std::byte* const memory = frame.memory->data();
    if (!only_cta) {
        for (const ConstantPlace& constant : frame.code->constants) {
            if (constant.bits == 1) {
                std::memcpy(memory + constant.place, &constant.value, 4);
            } else {
                broadcast(memory + constant.place, constant.bits, constant.value);
            }
        }
    }
    for (const Preset& preset : frame.code->presets) {
        std::byte* const at = memory + preset.place;
        if (preset.kind == Preset::Kind::kParameter) {
            if (!only_cta) {
                std::uint64_t value = 0;
                std::memcpy(&value, parts_.launch.parameters.data() + preset.offset, preset.bytes);
                const unsigned unused = 64 - 8U * preset.bytes;
                if (preset.is_signed) {
                    value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
                }
                broadcast(at, preset.bits, value);
            }
            continue;
        }
        if (preset.special.starts_with("%ctaid")) {
            broadcast(at, preset.bits,
                      special(preset.special, warp, 0, 0) + static_cast<std::uint64_t>(preset.addend));
            continue;
        }
        if (only_cta) {
            continue;
        }
        for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
            const std::uint64_t value =
                special(preset.special, warp, lane, frame.local_at) + static_cast<std::uint64_t>(preset.addend);
            std::memcpy(at + std::size_t{lane} * (preset.bits / 8U), &value, preset.bits / 8U);
        }
    }
}

// A frame becomes the current one.
void CtaRunner::enter(Strand& state, std::size_t number) {
    Frame& frame = state.frames[number];
    state.warp.frame = frame.memory->data();
    state.warp.local_at = frame.local_at;
    if (frame.code->layout.parameter_bytes != 0 && !frame.parameters) {
        frame.parameters = std::make_shared<AlignedBytes>(frame.code->layout.parameter_bytes * kWarpLanes);
    }
    state.warp.parameters = frame.parameters ? frame.parameters->data() : nullptr;
    state.warp.parameter_stride = frame.code->layout.parameter_bytes;
    state.warp.lists = frame.code->lists.data();
}

}  // namespace kymo::gpu::ptx
