// What a hunt found: heavy hitters, ranked, with the times at which each held its share.
//
// Read from a recording's hunt, find, find-end and hunt-end rows, with their call paths and places looked up. A
// source that was found, went quiet and was found again is one heavy hitter with several holds. Every value comes
// with how it is known: the share from the events after the result (pairs/share.h), its error as one standard
// deviation.
#pragma once

#include "pairs/share.h"
#include "program/listing/around.h"
#include "recording/reader.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kymo::spacetime {

enum class HuntedBy : std::uint8_t { kProgram, kKernel, kReplay };

struct HuntFacts {
    std::string event;
    recording::HuntKey key = recording::HuntKey::kInstruction;
    recording::HuntPrecision precision = recording::HuntPrecision::kSkid;
    bool literal_pair = false;
    std::uint64_t cells = 0;
    std::uint64_t every = 1;
    double share = 0;
    double refuse = 0;
    double confidence = 0;
    double false_reports = 0;
    double events_alone = 0;
    double events_among_many = 0;
    std::uint64_t all_terminal = 0;  // of the literal pair, in events; 0: not known
    std::uint64_t matching_terminal = 0;
    std::uint64_t rest = 0;  // most events between a test and the next capture, plus one; 0: not known
    // How it went, all processes together.
    HuntedBy engine = HuntedBy::kProgram;
    std::uint64_t events = 0;
    std::uint64_t captures = 0;
    std::uint64_t overfull = 0;
    std::uint64_t dropped = 0;
    std::size_t unfinished =
        0;  // processes without a last word (killed): their counts are those of half the events or more
    // Of a replay: events with no address known (never captured), and such whose function, line or block is not.
    std::uint64_t placeless = 0;
    std::uint64_t by_instruction = 0;
};

// From `begin` to `end` the source kept its share.
struct Hold {
    std::int64_t begin_ns = 0;  // since the run's begin
    std::int64_t end_ns = 0;
    bool quiet = false;  // it ended because the source went quiet
};

struct HeavyHitter {
    program::ImageName image;
    std::uint64_t offset = 0;
    program::SourcePlace place;
    std::vector<program::SourcePlace>
        path;                // of one instance, outermost first, without the place itself; may be empty
    std::uint64_t data = 0;  // data address of the deciding event
    std::uint64_t pid = 0;
    std::uint64_t tid = 0;     // whose event decided the first find
    pairs::Share share;        // of the hunted events, while it ruled
    std::uint64_t events = 0;  // of the first test
    std::uint64_t matches = 0;
    std::uint64_t found_after = 0;  // events of the hunt until the first find
    std::vector<Hold> when;
    std::vector<program::ListedInstruction> listing;
    std::size_t row = 0;  // index of HuntResults::rows
};

// What a reader is shown as one: the heavy hitters of one source line.
struct HuntRow {
    pairs::Share share;  // together, while they held
    std::size_t hitters = 0;
};

struct HuntResults {
    bool hunted = false;  // there was a hunt
    HuntFacts hunt;
    std::vector<HuntRow> rows;               // by share, largest first
    std::vector<HeavyHitter> heavy_hitters;  // by row, and by share in it
};

}  // namespace kymo::spacetime
