// The page of `kymo view`: one HTML file that holds everything it shows (docs/page-data.md).
#pragma once

#include "analysis/analysis.h"
#include "base/result.h"
#include "view/page/time_pass.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kymo::view {

// A page that `kymo view --serve` made, and can make again.
struct ServedPage {
    std::uint32_t look = 1;   // which reading of the recording, from 1
    bool is_growing = false;  // not all of its files were closed: the program may still run
};

struct PageOptions {
    std::optional<TimeRange> range;              // show only this; single samples reach further in it
    std::size_t most_pieces = 300'000;           // single samples are kept if there are at most this many
    std::size_t most_cells = 2'500'000;          // of all levels together
    std::size_t level_bytes = 6U << 20U;         // deflated, of all levels and single samples together
    std::size_t most_nodes = 12'000;             // of the call tree
    std::size_t most_occurrences = 300'000;      // occurrences of all spaces together
    std::size_t occurrence_bytes = 4U << 20U;    // deflated, of all occurrences together
    std::size_t source_bytes = 600'000;          // of source text and disassembly, before deflating
    bool sources = true;                         // embed source lines of what was sampled
    std::optional<ServedPage> served = {};       // none: a file
    bool whole_sources = false;                  // embed whole files of the program's own code
    std::size_t whole_source_bytes = 4U << 20U;  // of these, before deflating
    std::string editor_link = {};                // with {file} and {line}; empty: places are not links
};

// The page's bytes. The page of an excerpt is labelled, has only what an excerpt can show, and polls its server until
// the whole is ready. `shell` is the built page without data. Errors: a file of the recording cannot be read.
Result<std::string> make_page(const analysis::Analysis& analysis, std::string_view shell,
                              const PageOptions& options = {});

}  // namespace kymo::view
