// Waits in the words of the source: by object and place, with the holder and where that thread was; and which
// thread blocked which.
//
// A place is the innermost frame of the program's own (own_code.h).
#pragma once

#include "program/symbolize.h"
#include "spacetime/load/waits.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::spacetime {

// A thread that was waited for, and where it mostly was.
struct WaitHolder {
    WaitThreadIndex thread = {};  // kNone: a thread id that is not among them
    std::uint64_t tid = 0;
    program::SourcePlace place;   // where it was longest meanwhile
    recording::WaitKind doing{};  // kind of wait it was in there; 0: on a processor
    std::int64_t place_ns = 0;    // its time there
    std::int64_t seen_ns = 0;     // its time in known places
    WaitAmount amount;
};

struct WaitRow {
    std::uint64_t pid = 0;
    recording::WaitKind kind{};
    std::uint64_t object = 0;
    program::SourcePlace place;
    WaitAmount amount;
    std::vector<WaitThreadIndex> waiters;  // longest first
    std::vector<WaitHolder> holders;       // longest first; without unknown ones
};

// `holder` kept `waiter` waiting.
struct Blocking {
    WaitThreadIndex holder = {};
    WaitThreadIndex waiter = {};
    WaitAmount amount;
    recording::WaitKind kind{};  // the one with most time
    program::SourcePlace place;  // where the holder was longest
    recording::WaitKind doing{};
};

struct WaitTable {
    std::vector<WaitRow> rows;        // most time first
    std::vector<Blocking> blockings;  // most time first
};

// The waits' frames beside others that are looked up: of an image that has a request already, into that one, of
// others into a new one behind all. The result: by waits.images, the index of its request. The offsets are then
// neither sorted nor unique. `known`: images parallel to `requests`. Pure.
std::vector<std::uint32_t> add_frames(const Waits& waits, std::span<const ImageInfo> known,
                                      std::vector<program::Request>& requests);
// `request_of`: as add_frames() returned it. `requests`: sorted and unique by now, and parallel to symbols.images.
WaitTable make_wait_table(const Waits& waits, const std::vector<std::uint32_t>& request_of,
                          const std::vector<program::Request>& requests, const program::Symbols& symbols);
// Looks its frames up by itself. Cost: opens each image.
WaitTable make_wait_table(const Waits& waits);

// "mutex", "read lock", "sleep"; "running" for 0.
std::string_view wait_kind_words(recording::WaitKind kind);
// The same as JSON key: "read-lock".
std::string wait_kind_key(recording::WaitKind kind);
// "pipe"; empty: not known.
std::string_view file_kind_words(recording::FileKind kind);
// Likewise with what is read or written, if known: "read from a pipe".
std::string wait_words(recording::WaitKind kind, std::uint64_t object);

}  // namespace kymo::spacetime
