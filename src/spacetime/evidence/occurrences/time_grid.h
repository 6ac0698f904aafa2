// How many of a process's threads were on a processor, over time: nanoseconds by bin, one row a process. Exact but
// for the width of a bin; adds up from parts in any order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kymo::spacetime {

class TimeGrid {
  public:
    TimeGrid() = default;
    TimeGrid(std::uint64_t begin, std::uint64_t end, std::size_t rows)
        : begin_(begin),
          bins_(std::clamp<std::size_t>((std::size_t{1} << 21U) / std::max<std::size_t>(rows, 1), 64, 1U << 16U)),
          width_(std::max<std::uint64_t>(1, (end - begin) / bins_ + 1)),
          ns_(rows * bins_) {}

    void add(std::size_t row, std::uint64_t from, std::uint64_t to) {
        from = std::max(from, begin_);
        while (from < to) {
            if (from < bin_begin_ || from >= bin_end_) {  // of times that follow each other few enter another bin
                bin_ = std::min<std::size_t>((from - begin_) / width_, bins_ - 1);
                bin_begin_ = begin_ + bin_ * width_;
                bin_end_ = bin_ + 1 == bins_ ? ~std::uint64_t{0} : bin_begin_ + width_;
            }
            const std::uint64_t next = std::min(to, bin_end_);
            ns_[row * bins_ + bin_] += static_cast<std::int64_t>(next - from);
            from = next;
        }
    }
    void merge(const TimeGrid& other) {
        for (std::size_t i = 0; i < ns_.size(); ++i) {
            ns_[i] += other.ns_[i];
        }
    }
    // From now on mean() may be asked.
    void settle() {
        before_.assign(ns_.size() + ns_.size() / std::max<std::size_t>(bins_, 1), 0);
        for (std::size_t row = 0; row * bins_ < ns_.size(); ++row) {
            for (std::size_t bin = 0; bin < bins_; ++bin) {
                before_[row * (bins_ + 1) + bin + 1] = before_[row * (bins_ + 1) + bin] + ns_[row * bins_ + bin];
            }
        }
    }
    // Threads on a processor, on average over [from, to).
    double mean(std::size_t row, std::uint64_t from, std::uint64_t to) const {
        return from < to ? (until(row, to) - until(row, from)) / static_cast<double>(to - from) : 0;
    }

    std::size_t bins() const { return bins_; }
    std::uint64_t width() const { return width_; }
    std::int64_t at(std::size_t row, std::size_t bin) const { return ns_[row * bins_ + bin]; }

  private:
    double until(std::size_t row, std::uint64_t time) const {
        const std::uint64_t since = time < begin_ ? 0 : time - begin_;
        const std::size_t bin = std::min<std::size_t>(since / width_, bins_ - 1);
        const double part = std::min(1.0, static_cast<double>(since - bin * width_) / static_cast<double>(width_));
        return static_cast<double>(before_[row * (bins_ + 1) + bin]) +
               part * static_cast<double>(ns_[row * bins_ + bin]);
    }

    std::uint64_t begin_ = 0;
    std::size_t bins_ = 1;
    std::uint64_t width_ = 1;
    std::vector<std::int64_t> ns_;
    std::vector<std::int64_t> before_;
    // Of the last add().
    std::size_t bin_ = 0;
    std::uint64_t bin_begin_ = 0;
    std::uint64_t bin_end_ = 0;
};

}  // namespace kymo::spacetime
