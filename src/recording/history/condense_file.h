// Condenses the old rows of a recording file while a program writes it, in place, so that the file takes no more than
// a given space however long the program runs (`kymo record --max-size`).
//
// Only chunks that no stream goes on in are rewritten, and only behind the first of each stream. The rows of
// consecutive chunks of one stream go into the first of them; the others become grid steps of zeros, and their space
// is given back to the file system (a hole). FileHeader::freed_bytes has the sum, so that the writer can take as much
// again at the file's end. A kill in between loses the rows of some 64 KiB and nothing else.
//
// A reader must not read the file meanwhile: history_lock.h.
#pragma once

#include "base/result.h"
#include "recording/folder.h"

#include <cstdint>
#include <string>

namespace kymo::recording {

struct CondensePlan {
    std::uint64_t most_bytes = 0;  // that the file may take when it is done; half of them are its newest rows
    std::uint64_t now = 0;         // ns of the file's clock
};

struct Condensed {
    std::uint64_t bytes = 0;  // that the file takes now
    std::uint64_t bytes_before = 0;
};

// What the file takes now: what was handed out without what was freed. 0: it is closed, packed or not readable.
std::uint64_t bytes_taken(const Folder& folder, const std::string& name);

// Errors: kUnsupported: not a file as this Kymo writes it, or the file system has no holes. kMalformed: damaged.
// Cost: reads old rows twice; some 100 ns for each old sample.
Result<Condensed> condense_file(const Folder& folder, const std::string& name, const CondensePlan& plan);

}  // namespace kymo::recording
