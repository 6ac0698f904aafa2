// The host's processors as rows of cells, from /proc/stat and /proc/schedstat.
//
// Filled periodically by one thread of a process outside the measured program; readable by any process of the same
// user like other segments. Two small files a fill, some 10 µs a processor. In a container the figures are the
// host's.
#pragma once

#include "base/result.h"
#include "cells/segment.h"
#include "cells/standard.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string_view>

namespace kymo::metrics {

// By cells::ProcessorCell; run-queue is not in it.
using ProcessorTimes = std::array<std::uint64_t, cells::kStandardCells>;

// The text of /proc/stat, then of /proc/schedstat (empty if the kernel has none), by processor number. Lines that
// are not understood are skipped.
std::map<std::uint32_t, ProcessorTimes> parse_processors(std::string_view stat, std::string_view schedstat,
                                                         std::uint64_t ticks_per_second);

class Processors {
  public:
    // Makes `path`. kNoSpace, kPermission.
    Result<void> open(const std::filesystem::path& path);
    [[nodiscard]] bool is_open() const { return segment_.is_open(); }
    void fill();  // after open()

  private:
    struct Known {
        cells::Row* row = nullptr;
        std::uint64_t time = 0;
        std::uint64_t run_delay = 0;
    };
    cells::Segment segment_;
    std::map<std::uint32_t, Known> known_;
};

}  // namespace kymo::metrics
