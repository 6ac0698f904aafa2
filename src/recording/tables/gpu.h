// Tables of a modelled GPU kernel's recording beside those of recording/tables.h. Such files name the machine
// kModelledGpu in their header.
#pragma once

#include "recording/schema.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::recording {

inline constexpr std::uint16_t kModelledGpu = 190;  // EM_CUDA of ELF

// One launch, times in the model's clock.
struct GpuKernel {
    std::uint64_t time = 0;
    std::uint64_t duration = 0;
    std::string_view name = {};
    std::string_view gpu = {};
    std::uint64_t ctas = 0;
    std::uint64_t threads_per_cta = 0;
    double cycles = 0;
    double mhz = 0;

    static constexpr const char* kTable = "gpu-kernel";
    static constexpr std::uint32_t kTableId = 100;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &GpuKernel::time);
        visit("duration", ColumnType::kUint, "ns", &GpuKernel::duration);
        visit("name", ColumnType::kText, "", &GpuKernel::name);
        visit("gpu", ColumnType::kText, "", &GpuKernel::gpu);
        visit("ctas", ColumnType::kUint, "", &GpuKernel::ctas);
        visit("threads_per_cta", ColumnType::kUint, "", &GpuKernel::threads_per_cta);
        visit("cycles", ColumnType::kReal, "cycles", &GpuKernel::cycles);
        visit("mhz", ColumnType::kReal, "MHz", &GpuKernel::mhz);
    }
};

// One static instruction of the image, and the cycles of its warps over the whole launch, by cause.
struct GpuInstruction {
    std::uint64_t offset = 0;  // in the image
    std::uint64_t line = 0;    // 0: unknown
    std::string_view opcode = {};
    std::uint64_t issued = 0;
    std::uint64_t lanes = 0;
    std::uint64_t sectors = 0;
    std::span<const std::uint64_t> cycles = {};  // in the order of the causes of gpu/model/result.h

    static constexpr const char* kTable = "gpu-instruction";
    static constexpr std::uint32_t kTableId = 101;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("offset", ColumnType::kDelta, "address", &GpuInstruction::offset);
        visit("line", ColumnType::kUint, "", &GpuInstruction::line);
        visit("opcode", ColumnType::kText, "", &GpuInstruction::opcode);
        visit("issued", ColumnType::kUint, "", &GpuInstruction::issued);
        visit("lanes", ColumnType::kUint, "", &GpuInstruction::lanes);
        visit("sectors", ColumnType::kUint, "", &GpuInstruction::sectors);
        visit("cycles", ColumnType::kUintList, "cycles", &GpuInstruction::cycles);
    }
};

// A finding of the model itself (docs/findings.md), and its first piece of evidence.
struct GpuFinding {
    std::string_view kind = {};
    std::string_view title = {};
    double share = 0;
    double seconds = 0;
    std::uint64_t offset_begin = 0;
    std::uint64_t offset_end = 0;
    std::uint64_t line = 0;
    std::string_view direction = {};
    std::string_view event = {};  // of the evidence; empty: none
    double bad = 0;
    double good = 0;

    static constexpr const char* kTable = "gpu-finding";
    static constexpr std::uint32_t kTableId = 102;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("kind", ColumnType::kText, "", &GpuFinding::kind);
        visit("title", ColumnType::kText, "", &GpuFinding::title);
        visit("share", ColumnType::kReal, "", &GpuFinding::share);
        visit("seconds", ColumnType::kReal, "s", &GpuFinding::seconds);
        visit("offset_begin", ColumnType::kUint, "address", &GpuFinding::offset_begin);
        visit("offset_end", ColumnType::kUint, "address", &GpuFinding::offset_end);
        visit("line", ColumnType::kUint, "", &GpuFinding::line);
        visit("direction", ColumnType::kText, "", &GpuFinding::direction);
        visit("event", ColumnType::kText, "", &GpuFinding::event);
        visit("bad", ColumnType::kReal, "", &GpuFinding::bad);
        visit("good", ColumnType::kReal, "", &GpuFinding::good);
    }
};

// Calls visit.template operator()<Row>() once for each.
template <typename V>
constexpr void for_each_gpu_row(V&& visit) {
    visit.template operator()<GpuKernel>();
    visit.template operator()<GpuInstruction>();
    visit.template operator()<GpuFinding>();
}

}  // namespace kymo::recording
