// Reads a segment from outside: all cells of a process at one time.
//
// The program may run, hang or be gone, and the file may be any user's: it is only read (never mapped, so a file
// that shrinks is an error and not a SIGBUS), every size in it is checked, and the result is bounded by the
// format's bounds. Each row is consistent, or marked as torn (docs/cells-format.md, "generation numbers"). Costs
// some 10 µs and three copies of the rows in use.
#pragma once

#include "base/result.h"
#include "cells/layout.h"
#include "cells/ticks.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kymo::cells {

struct Metric {
    ResourceKind kind = ResourceKind::kNone;
    std::uint32_t cell = 0;
    MetricType type = MetricType::kCounter;
    Origin origin = Origin::kProgram;
    std::string unit;
    std::string name;
    std::string description;
    MetricTotal total = MetricTotal::kOfType;
    std::uint8_t per = 0;
};

struct RunningTimer {
    std::uint32_t number = 0;
    std::uint32_t depth = 0;
    std::uint32_t cell = 0;
    std::uint64_t so_far = 0;  // ns, up to the reading, or to the process's end if that is known
};

struct RowValues {
    std::uint64_t number = 0;
    std::array<std::uint64_t, 3> key{};
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  // 0: the object exists
    RowState state = RowState::kFree;
    std::uint32_t writer = 0;
    std::uint64_t filled = 0;
    std::string name;
    bool torn = false;  // it kept changing while it was read
    std::vector<std::uint64_t> cells;
    std::vector<RunningTimer> running;
};

struct TableValues {
    ResourceKind kind = ResourceKind::kNone;
    std::uint32_t cells = 0;
    std::uint32_t first_indexed = 0;
    std::uint32_t indexed = 0;
    std::uint32_t refused = 0;
    bool folding = false;         // one ended row may be in both the sum and a row
    std::vector<RowValues> rows;  // those in use; the sum of ended ones (state kSum) is the first
};

struct Snapshot {
    std::uint64_t time = 0;  // CLOCK_MONOTONIC, ns
    std::uint32_t pid = 0;
    std::uint32_t image = 0;
    std::string program;
    std::uint64_t made = 0;
    std::uint64_t ended = 0;  // 0: it runs, or ended without recording it
    TickRate rate;
    std::vector<Metric> schema;
    std::vector<TableValues> tables;

    [[nodiscard]] const TableValues* table(ResourceKind kind) const;
    [[nodiscard]] const Metric* metric(ResourceKind kind, std::string_view name) const;
};

// kNotFound, kPermission, kMalformed, kNewerFormat.
Result<Snapshot> read_segment(const std::filesystem::path& path);

}  // namespace kymo::cells
