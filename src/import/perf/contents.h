// What the first reading of a file finds: all but the fields of its records.
#pragma once

#include "import/perf/events.h"
#include "import/perf/facts.h"
#include "import/perf/skipped.h"
#include "import/perf/spool.h"

#include <compare>
#include <optional>
#include <vector>

namespace kymo::import::perf {

// Where a record is, and when it was made.
struct Place {
    static constexpr std::uint64_t kInSpool = std::uint64_t{1} << 63;

    std::uint64_t time = 0;
    std::uint64_t at = 0;  // its offset in the file; with kInSpool, among the decompressed bytes

    friend auto operator<=>(const Place&, const Place&) = default;
};

struct Contents {
    FileFacts facts;
    Events events;
    std::vector<Place> places;  // of the records to deliver, in the file's order
    Skipped skipped;
    std::optional<Spool> decompressed;
};

}  // namespace kymo::import::perf
