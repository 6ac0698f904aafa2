// Which rows of a file an excerpt has (File::set_excerpt()), asked row by row in the file's order.
//
// Segments, not chunks: a chunk may hold rows of several streams in turn. Memory: a few bytes a stream.
#pragma once

#include "base/ids.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace kymo::recording {

// How many rows of a table there are.
enum class Amount : std::uint8_t {
    kBounded,   // by what there is in the program: call paths, images, threads
    kOfSample,  // one a sample: samples
    kBySample,  // as time passes, among the samples of their streams: waits, registers, the kernel's ticks, marks
    kByTime,    // as time passes, of all threads together: switch records
};
Amount amount_of(std::string_view table);

class Excerpt {
  public:
    // `samples` of a segment; 0: all.
    explicit Excerpt(std::uint32_t samples) : samples_(samples) {}

    bool is_all() const { return samples_ == 0; }
    void begin_segment(StreamId stream);
    // Whether it has the next row, of a table of that amount.
    bool has(Amount amount);
    // Whether samples were left out between this one, the last that it has, and the one before in its stream.
    bool is_behind_gap() const { return is_behind_gap_; }
    // Skips the rest of the segment.
    void leave_rest();
    // Of a chunk, where samples alone are asked for: they lie in its first bytes, some of them where rows are long.
    std::size_t head_bytes() const { return std::max(kLeastHead, kSampleBytes * samples_); }

  private:
    static constexpr std::size_t kLeastHead = 4096;
    static constexpr std::size_t kSampleBytes = 64;

    struct Stream {
        bool has_begun = false;
        bool is_cut = false;  // since its last sample that the excerpt has
    };

    std::uint32_t samples_;
    std::unordered_map<std::uint32_t, Stream> streams_;
    Stream* stream_ = nullptr;  // of the segment
    bool is_first_ = true;      // the segment is its stream's first
    std::uint32_t seen_ = 0;    // samples of the segment that the excerpt has
    bool is_behind_gap_ = false;
};

}  // namespace kymo::recording
