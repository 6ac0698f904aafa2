// Selects a file's rows for an excerpt (File::set_excerpt()), called row by row in the file's order.
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

// What a table's number of rows grows with.
enum class Amount : std::uint8_t {
    kBounded,   // with the program: call paths, images, threads
    kOfSample,  // with the samples: one row each
    kBySample,  // with time, among the samples of their streams: waits, registers, the kernel's ticks, marks
    kByTime,    // with time, for all threads together: switch records
};
Amount amount_of(std::string_view table);

class Excerpt {
  public:
    // `samples` of a segment; 0: all.
    explicit Excerpt(std::uint32_t samples) : samples_(samples) {}

    bool is_all() const { return samples_ == 0; }
    void begin_segment(StreamId stream);
    // Whether the excerpt has the next row, of a table of that amount.
    bool has(Amount amount) { return is_all() || amount == Amount::kBounded || takes(amount); }
    // Whether samples were left out between the excerpt's last one and the one before it in its stream.
    bool is_behind_gap() const { return is_behind_gap_; }
    // Skips the rest of the segment.
    void leave_rest();
    // Of a chunk, if only samples are requested: they are in its first bytes, fewer of them if rows are long.
    std::size_t head_bytes() const { return std::max(kLeastHead, kSampleBytes * samples_); }

  private:
    static constexpr std::size_t kLeastHead = 4096;
    static constexpr std::size_t kSampleBytes = 64;

    struct Stream {
        bool has_begun = false;
        bool is_cut = false;  // since the stream's last sample in the excerpt
    };

    // Not inline, unlike what scans of everything run for each row.
    bool takes(Amount amount);

    std::uint32_t samples_;
    std::unordered_map<std::uint32_t, Stream> streams_;
    Stream* stream_ = nullptr;  // of the segment
    bool is_first_ = true;      // the segment is its stream's first
    std::uint32_t seen_ = 0;    // samples of the segment in the excerpt
    bool is_behind_gap_ = false;
};

}  // namespace kymo::recording
