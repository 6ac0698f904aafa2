// Exact occurrences from the rows of a recording.
#pragma once

#include "base/result.h"
#include "recording/handlers.h"
#include "recording/tables/exact.h"
#include "spacetime/exact/exact_calls.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace kymo::spacetime {

// One file's rows about them. A reader of rows (recording/handlers.h).
struct ExactRows {
    struct CallsOfThread {
        recording::ExactCalls row;
        std::vector<std::uint64_t> counts;
        std::vector<std::uint64_t> slowest;
    };

    void read_from(const recording::File& file, recording::Handlers& handlers);

    std::uint32_t pid = 0;
    std::map<std::uint64_t, std::uint64_t> tids;  // by stream
    // By stream and function; of each the last row.
    std::map<std::pair<std::uint64_t, std::uint64_t>, CallsOfThread> threads;
    std::map<std::uint64_t, ExactFunction> functions;
    std::string earlier;
};

// `files`: the rows of all files of the recording; empty for other recordings. Rows that cannot be (of functions that
// were not chosen, lists that do not fit) are left out.
ExactCalls exact_calls(const std::vector<ExactRows>& files);

}  // namespace kymo::spacetime
