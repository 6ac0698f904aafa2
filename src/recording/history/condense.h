// Old rows of one stream, made fewer: pure functions on the committed bytes of a chunk.
//
// Samples. Consecutive ones within Coarseness::longest_span() become one row for each event among them, at the time
// of that event's last sample, with the sum of all deltas since the row before. Its context is that of one of them,
// drawn at random with the samples that each represents as weights, so that what a context is charged is right on
// average (Horvitz and Thompson, 1952), and the totals of events stay exact. It is as if the stream had been sampled
// at a lower rate.
//
// Rare contexts. A row stays as it is if its context has only kRare rows among the old ones. The samples before it
// are closed first, so that it has only its own deltas.
//
// Waits shorter than Coarseness::shortest_wait are added up by kind, as the monitor does with the shortest ones
// (WaitBrief); those not over or abandoned, and those of rare contexts, stay.
//
// Absences from a processor (Switch) likewise, by thread; the first one of a thread in a chunk stays.
//
// Kernel ticks: of those between two rows of samples two are drawn. Of `exact-calls` the last row of a function is
// valid: the others go. All other rows stay, in their order, and samples are not made one across them, save rows
// that describe contexts.
//
// Cost: some 60 ns a sample. Memory: the chunk.
#pragma once

#include "base/ids.h"
#include "recording/history/coarseness.h"
#include "recording/table_schema.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace kymo::recording {

// How many old rows each context has in a file, of samples and of waits.
class ContextRows {
  public:
    static constexpr std::uint32_t kRare = 2;

    enum class Of : std::uint8_t { kSamples, kWaits };
    std::uint32_t& of(Of what, StreamId stream, std::uint64_t context) {
        Table& table = tables_[static_cast<std::size_t>(what)];
        const std::uint64_t key = std::uint64_t{raw(stream)} << 32U | (context & 0xffffffffU);
        if (table.last == nullptr || table.last_key != key) {  // mostly it is the same as before
            table.last = &table.rows[key];
            table.last_key = key;
        }
        return *table.last;
    }
    bool is_rare(Of what, StreamId stream, std::uint64_t context) { return of(what, stream, context) <= kRare; }

  private:
    struct Table {
        std::unordered_map<std::uint64_t, std::uint32_t> rows;
        std::uint64_t last_key = 0;
        std::uint32_t* last = nullptr;  // elements stay where they are
    };
    Table tables_[2];
};

// Whether tables of this description can be condensed: those that condense() writes are described as this Kymo does.
bool can_condense(const TableSchema& table);

// What a chunk has, for a plan.
struct ChunkRows {
    bool is_sound = true;           // every row can be read
    bool is_of_one = true;          // all rows are of the stream that the chunk begins with
    StreamId last_stream{0};        // of its last row
    std::uint64_t last_time = 0;    // of its last sample or wait
    std::uint64_t other_bytes = 0;  // rows that stay
};
// What samples and waits take is added, ages counted from `now`; null: not. Rows of contexts are counted.
ChunkRows read_rows(std::span<const std::uint8_t> payload, StreamId stream, std::uint64_t now, ContextRows& contexts,
                    SamplesByAge* samples, WaitsByLength* waits);

// Behind it rows are of that stream, and all differences count from 0.
void append_marker(std::vector<std::uint8_t>& rows, StreamId stream);

// The bytes of a chunk with fewer rows. None: a row cannot be read. `contexts` is kept up to date. `seed`: of the
// random draws.
std::optional<std::vector<std::uint8_t>> condense(std::span<const std::uint8_t> payload, StreamId stream,
                                                  const Coarseness& coarseness, ContextRows& contexts,
                                                  std::uint64_t seed);

}  // namespace kymo::recording
