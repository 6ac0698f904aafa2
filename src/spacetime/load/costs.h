// What something cost: a fixed set of columns, one row for each thing (a call path, a thread, a function).
//
// Integers throughout, so that parts of a recording add up to the whole bit for bit, in any order. Times
// are nanoseconds; they are signed because the clocks that they come from are read a moment apart, so that
// a single interval may be off by some hundred nanoseconds either way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kymo::spacetime {

enum CostColumn : std::size_t {
    kUser = 0,    // ns on a processor in the program
    kSystem = 1,  // ns on a processor in the kernel
    kOffCpu = 2,  // ns not on a processor
    kSamples = 3,
    kFirstEvent = 4,  // one column an event of the recording, in its order
};

class CostTable {
  public:
    explicit CostTable(std::size_t events = 0) : columns_(kFirstEvent + events) {}

    std::size_t columns() const { return columns_; }
    std::size_t events() const { return columns_ - kFirstEvent; }
    std::size_t rows() const { return values_.size() / columns_; }
    void resize(std::size_t rows) { values_.resize(rows * columns_); }

    std::span<std::int64_t> operator[](std::size_t row) {
        return std::span(values_).subspan(row * columns_, columns_);
    }
    std::span<const std::int64_t> operator[](std::size_t row) const {
        return std::span(values_).subspan(row * columns_, columns_);
    }

    bool operator==(const CostTable&) const = default;

    template <typename Visit>
    void members(const Visit& visit) {
        visit(columns_, values_);
    }

  private:
    std::size_t columns_;
    std::vector<std::int64_t> values_;
};

inline void add(std::span<std::int64_t> to, std::span<const std::int64_t> what) {
    for (std::size_t i = 0; i < to.size(); ++i) {
        to[i] += what[i];
    }
}

inline std::int64_t processor_time(std::span<const std::int64_t> costs) {
    return costs[kUser] + costs[kSystem];
}

inline std::int64_t wall_time(std::span<const std::int64_t> costs) {
    return costs[kUser] + costs[kSystem] + costs[kOffCpu];
}

}  // namespace kymo::spacetime
