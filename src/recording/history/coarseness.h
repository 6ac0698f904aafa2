// How much of old rows is kept: samples the coarser the older they are, so that the space for the history of a run
// grows with the logarithm of its length, and of waits the longest.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace kymo::recording {

struct Coarseness {
    std::uint64_t now = 0;            // ns of the file's clock: from here ages count
    double span = 0;                  // a row of a sample represents at most this part of its age
    std::uint64_t shortest_wait = 0;  // ns: shorter waits and absences are added up

    std::uint64_t longest_span(std::uint64_t time) const {
        return static_cast<std::uint64_t>(span * static_cast<double>(now - std::min(now, time)));
    }
};

inline constexpr std::size_t kBitWidths = 65;

// What a file's samples take, by age.
class SamplesByAge {
  public:
    // A row of `bytes`, of that age, that represents `span` ns and so many samples.
    void add(std::uint64_t age, std::uint64_t span, std::size_t bytes, std::uint64_t samples) {
        samples_ += std::min(samples, UINT64_MAX - samples_);
        Bin& bin = bins_[static_cast<std::size_t>(std::bit_width(age))];
        ++bin.rows;
        bin.span += static_cast<double>(span);
        bytes_ += bytes;
        ++rows_;
    }
    std::uint64_t bytes() const { return bytes_; }
    std::uint64_t rows() const { return rows_; }
    std::uint64_t samples() const { return samples_; }

    // An estimate of the bytes that stay if no row represents more than `part` of its age, where it can be helped.
    double bytes_at(double part) const {
        double rows = 0;
        for (std::size_t bits = 1; bits < kBitWidths; ++bits) {
            const double age = 1.5 * static_cast<double>(std::uint64_t{1} << (bits - 1));
            rows += std::min(static_cast<double>(bins_[bits].rows), bins_[bits].span / (part * age));
        }
        return rows_ == 0 ? 0 : rows * static_cast<double>(bytes_) / static_cast<double>(rows_);
    }

  private:
    struct Bin {
        std::uint64_t rows = 0;
        double span = 0;
    };
    std::array<Bin, kBitWidths> bins_{};  // by the bits of the age
    std::uint64_t bytes_ = 0;
    std::uint64_t rows_ = 0;
    std::uint64_t samples_ = 0;
};

// What a file's waits and absences take, by their length.
class WaitsByLength {
  public:
    void add(std::uint64_t duration, std::size_t bytes) {
        bytes_[static_cast<std::size_t>(std::bit_width(duration))] += bytes;
    }
    std::uint64_t bytes_from(std::size_t bits) const {
        std::uint64_t bytes = 0;
        for (; bits < kBitWidths; ++bits) {
            bytes += bytes_[bits];
        }
        return bytes;
    }
    // The least power of two, in ns, such that waits of at least that length fit; 0: all do.
    std::uint64_t shortest_that_fits(double space) const {
        std::size_t bits = 0;
        while (bits + 1 < kBitWidths && static_cast<double>(bytes_from(bits)) > space) {
            ++bits;
        }
        return bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
    }

  private:
    std::array<std::uint64_t, kBitWidths> bytes_{};  // by the bits of the duration
};

}  // namespace kymo::recording
