// Selects the readings of a process's memory that become rows, so that steady memory costs nothing and days of
// changing memory a bounded amount.
//
// A reading is a row if it differs from the last row by more than kLeastChange and by more than 1 %. After every
// kRowsBefore rows the time between rows doubles; within it only the highest and the newest reading are kept: a
// peak is never left out. So n readings at most, one every 100 ms, become O(log n) times kRowsBefore rows: those of a
// day some 20,000.
//
// Plain values; one process's readings in the order of time.
#pragma once

#include "recording/tables/memory.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kymo::launch {

struct Resident {
    std::uint64_t bytes = 0;
    std::uint64_t shared_bytes = 0;  // of them: of files, and shared memory
    bool operator==(const Resident&) const = default;
};

// The text of /proc/PID/statm. None: malformed, or the process has no memory any more (it has ended).
std::optional<Resident> parse_statm(std::string_view text, std::uint64_t page_bytes);

class ResidentRows {
  public:
    static constexpr std::uint64_t kLeastChange = 64 * 1024;  // bytes
    static constexpr std::uint64_t kRowsBefore = 2048;
    static constexpr std::uint64_t kFirstGap = 200'000'000;  // ns between rows after the first kRowsBefore

    explicit ResidentRows(std::uint64_t pid) : pid_(pid) {}

    // The rows that are due now: none, one or two.
    std::vector<recording::Memory> take(std::uint64_t time, const Resident& reading);
    // The process or the run has ended: what was kept back, and for a process that has ended a row with that.
    std::vector<recording::Memory> end(std::uint64_t time, bool has_ended);

  private:
    struct Reading {
        std::uint64_t time = 0;
        Resident resident;
    };
    [[nodiscard]] bool is_change(const Resident& reading) const;
    void keep_back(const Reading& reading);
    void write_kept_back(std::vector<recording::Memory>& rows);
    void write(const Reading& reading, std::vector<recording::Memory>& rows);

    std::uint64_t pid_;
    std::optional<Reading> written_;
    std::optional<Reading> highest_;  // kept back since then
    std::optional<Reading> newest_;
    std::uint64_t rows_ = 0;  // since gap_ns_ was last doubled
    std::uint64_t gap_ns_ = 0;
};

}  // namespace kymo::launch
