// Time cut into bins: how long each thread was at each leaf in each state, bin by bin, at several resolutions.
//
// A *cell* is (thread, bin, leaf, state) with its nanoseconds and what events counted in it; empty cells are
// omitted. Cells of a thread are sorted by (bin, key). Each level adds up to the same sums as the finest, exactly.
//
// Memory: 24 bytes a cell and 8 more an event; cells of a level are at most the pieces given to it plus one a bin
// that a piece crosses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kymo::view {

// leaf and state in one number.
constexpr std::uint32_t kStateBits = 3;
constexpr std::uint32_t cell_key(std::uint32_t leaf, std::uint32_t state) {
    return leaf << kStateBits | state;
}

constexpr std::uint32_t state_of(std::uint32_t key) {
    return key & ((1U << kStateBits) - 1);
}
constexpr std::uint32_t kNoState = ~0U;

struct CellLevel {
    explicit CellLevel(std::uint64_t bin_width = 1, std::size_t event_count = 0)
        : width(bin_width), events(event_count) {}

    std::uint64_t width;               // ns of a bin
    std::vector<std::uint64_t> first;  // by thread: its cells are [first[t], first[t + 1])
    std::vector<std::uint64_t> bin;
    std::vector<std::uint32_t> key;
    std::vector<std::uint64_t> ns;
    std::vector<std::vector<std::uint64_t>> events;  // event by event, parallel to the cells

    std::size_t size() const { return bin.size(); }
};

// The cells of one thread at one resolution, from its pieces in the order of time.
class ThreadCells {
  public:
    ThreadCells(std::uint64_t width, std::size_t events) : level_(width, events) {}

    // [begin, end) since the run's begin. Precondition: begin is not before the last piece's.
    void add(std::uint64_t begin, std::uint64_t end, std::uint32_t key);
    // Counts of [begin, end), spread evenly over its bins, exactly. To be called before the add() of the same piece.
    void count(std::uint64_t begin, std::uint64_t end, std::uint32_t key, std::span<const std::uint64_t> values);

    CellLevel finish();

  private:
    struct Open {
        std::uint64_t bin;
        std::uint32_t key;
        std::uint64_t ns;
        std::vector<std::uint64_t> values;
    };
    Open& cell(std::uint64_t bin, std::uint32_t key);
    void flush_before(std::uint64_t bin);

    CellLevel level_;
    std::vector<Open> open_;  // of the bins that may still change
};

// The threads' cells one after another; all of one width and as many events.
CellLevel join(std::span<const CellLevel> threads, std::uint64_t width, std::size_t events);

// Extends what is known of a part of each bin to all of it: cells whose state is `unknown` are distributed over
// the bin's others in proportion to these, counts likewise; if there are none, over those of the bin before.
// Sums of ns do not change, and a thread of which nothing is known keeps its cells.
CellLevel fill_unknown(const CellLevel& level, std::uint32_t unknown);

// The same with bins `factor` times as wide.
CellLevel coarser(const CellLevel& level, std::uint64_t factor);

}  // namespace kymo::view
