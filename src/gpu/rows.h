// Tables that a modelled kernel's recording has beside those of recording/tables.h.
#pragma once

#include "recording/schema.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::gpu {

// One launch, times in the model's clock.
struct KernelRow {
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
        using recording::ColumnType;
        visit("time", ColumnType::kDelta, "ns", &KernelRow::time);
        visit("duration", ColumnType::kUint, "ns", &KernelRow::duration);
        visit("name", ColumnType::kText, "", &KernelRow::name);
        visit("gpu", ColumnType::kText, "", &KernelRow::gpu);
        visit("ctas", ColumnType::kUint, "", &KernelRow::ctas);
        visit("threads_per_cta", ColumnType::kUint, "", &KernelRow::threads_per_cta);
        visit("cycles", ColumnType::kReal, "cycles", &KernelRow::cycles);
        visit("mhz", ColumnType::kReal, "MHz", &KernelRow::mhz);
    }
};

// One static instruction of the image, and where its warps' cycles went over the whole launch.
struct InstructionRow {
    std::uint64_t offset = 0;  // in the image
    std::uint64_t line = 0;    // 0: unknown
    std::string_view opcode = {};
    std::uint64_t issued = 0;
    std::uint64_t lanes = 0;
    std::uint64_t sectors = 0;
    std::span<const std::uint64_t> cycles = {};  // by gpu::Cause

    static constexpr const char* kTable = "gpu-instruction";
    static constexpr std::uint32_t kTableId = 101;
    template <typename V>
    static constexpr void columns(V&& visit) {
        using recording::ColumnType;
        visit("offset", ColumnType::kDelta, "address", &InstructionRow::offset);
        visit("line", ColumnType::kUint, "", &InstructionRow::line);
        visit("opcode", ColumnType::kText, "", &InstructionRow::opcode);
        visit("issued", ColumnType::kUint, "", &InstructionRow::issued);
        visit("lanes", ColumnType::kUint, "", &InstructionRow::lanes);
        visit("sectors", ColumnType::kUint, "", &InstructionRow::sectors);
        visit("cycles", ColumnType::kUintList, "cycles", &InstructionRow::cycles);
    }
};

// A finding of the model itself (findings.h).
struct FindingRow {
    std::string_view kind = {};
    std::string_view title = {};
    double share = 0;
    double seconds = 0;
    std::uint64_t offset_begin = 0;
    std::uint64_t offset_end = 0;
    std::uint64_t line = 0;
    std::string_view direction = {};

    static constexpr const char* kTable = "gpu-finding";
    static constexpr std::uint32_t kTableId = 102;
    template <typename V>
    static constexpr void columns(V&& visit) {
        using recording::ColumnType;
        visit("kind", ColumnType::kText, "", &FindingRow::kind);
        visit("title", ColumnType::kText, "", &FindingRow::title);
        visit("share", ColumnType::kReal, "", &FindingRow::share);
        visit("seconds", ColumnType::kReal, "s", &FindingRow::seconds);
        visit("offset_begin", ColumnType::kUint, "address", &FindingRow::offset_begin);
        visit("offset_end", ColumnType::kUint, "address", &FindingRow::offset_end);
        visit("line", ColumnType::kUint, "", &FindingRow::line);
        visit("direction", ColumnType::kText, "", &FindingRow::direction);
    }
};

}  // namespace kymo::gpu
