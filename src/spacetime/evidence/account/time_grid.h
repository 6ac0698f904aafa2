// How many of a process's threads were on a processor, over time: nanoseconds by bin, one row a process. Exact except
// for the width of a bin; adds up from parts in any order. 8 bytes a bin, for rows that have any time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace kymo::spacetime {

class TimeGrid {
  public:
    TimeGrid() = default;
    TimeGrid(std::uint64_t begin, std::uint64_t end, std::size_t rows)
        : begin_(begin),
          bins_(std::clamp<std::size_t>((std::size_t{1} << 21U) / std::max<std::size_t>(rows, 1), 64, 1U << 16U)),
          width_(std::max<std::uint64_t>(1, (end - begin) / bins_ + 1)),
          rows_(rows) {}

    template <typename Visit>
    void members(const Visit& visit) {
        visit(begin_, bins_, width_, rows_, bin_, bin_begin_, bin_end_);
    }

    // Constant time, however many bins it covers.
    void add(std::size_t row, std::uint64_t from, std::uint64_t to) {
        from = std::max(from, begin_);
        if (from >= to) {
            return;
        }
        Row& change = rows_[row];
        if (change.empty()) {
            change.resize(bins_ + 1);
        }
        enter(from);
        if (to <= bin_end_) {
            change[bin_] += signed_of(to - from);
            change[bin_ + 1] -= signed_of(to - from);
            return;
        }
        const std::int64_t first = signed_of(bin_end_ - from);
        change[bin_] += first;
        change[bin_ + 1] += signed_of(width_) - first;
        enter(to - 1);
        const std::int64_t last = signed_of(to - bin_begin_);
        change[bin_] -= signed_of(width_) - last;
        change[bin_ + 1] -= last;
    }
    void merge(TimeGrid&& other) {
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            if (rows_[row].empty()) {
                rows_[row] = std::move(other.rows_[row]);
                continue;
            }
            for (std::size_t i = 0; i < other.rows_[row].size(); ++i) {
                rows_[row][i] += other.rows_[row][i];
            }
        }
    }
    // After this mean() and at() may be called, and add() not.
    void settle() {
        for (Row& row : rows_) {
            std::int64_t in_bin = 0;
            std::int64_t before = 0;
            for (std::int64_t& bin : row) {
                in_bin += bin;
                bin = before;
                before += in_bin;
            }
        }
    }
    // Threads on a processor, on average over [from, to).
    double mean(std::size_t row, std::uint64_t from, std::uint64_t to) const {
        return from < to ? (until(row, to) - until(row, from)) / static_cast<double>(to - from) : 0;
    }

    std::size_t bins() const { return bins_; }
    std::uint64_t width() const { return width_; }
    std::int64_t at(std::size_t row, std::size_t bin) const {
        const Row& before = rows_[row];
        return before.empty() ? 0 : before[bin + 1] - before[bin];
    }

  private:
    // By bin and behind the last, nanoseconds: how much more than in the bin before; once settled: the sum before it.
    using Row = std::vector<std::int64_t>;

    static std::int64_t signed_of(std::uint64_t ns) { return static_cast<std::int64_t>(ns); }

    void enter(std::uint64_t time) {
        if (time >= bin_begin_ && time < bin_end_) {  // times that follow each other are often in one bin
            return;
        }
        bin_ = std::min<std::size_t>((time - begin_) / width_, bins_ - 1);
        bin_begin_ = begin_ + bin_ * width_;
        bin_end_ = bin_ + 1 == bins_ ? ~std::uint64_t{0} : bin_begin_ + width_;
    }

    double until(std::size_t row, std::uint64_t time) const {
        if (rows_[row].empty()) {
            return 0;
        }
        const std::uint64_t since = time < begin_ ? 0 : time - begin_;
        const std::size_t bin = std::min<std::size_t>(since / width_, bins_ - 1);
        const double part = std::min(1.0, static_cast<double>(since - bin * width_) / static_cast<double>(width_));
        return static_cast<double>(rows_[row][bin]) + part * static_cast<double>(at(row, bin));
    }

    std::uint64_t begin_ = 0;
    std::size_t bins_ = 1;
    std::uint64_t width_ = 1;
    std::vector<Row> rows_;
    // The bin entered last.
    std::size_t bin_ = 0;
    std::uint64_t bin_begin_ = 0;
    std::uint64_t bin_end_ = 0;
};

}  // namespace kymo::spacetime
