// The page of `kymo view`: one HTML file that holds everything it shows (docs/page-data.md).
#pragma once

#include "base/result.h"
#include "findings/finding.h"
#include "recording/reader.h"
#include "spacetime/evidence/evidence.h"
#include "spacetime/finds/finds.h"
#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"
#include "view/page/time_pass.h"

#include <optional>
#include <string>
#include <string_view>

namespace kymo::view {

struct PageOptions {
    std::optional<TimeRange> range;       // show only this; single samples reach further in it
    std::size_t most_pieces = 300'000;    // single samples are kept when they are no more than this
    std::size_t most_cells = 2'500'000;   // of all levels together
    std::size_t level_bytes = 6U << 20U;  // deflated, of all levels and single samples together
    std::size_t most_nodes = 12'000;      // of the call tree
    std::size_t most_visits = 300'000;    // occurrences of all spaces together
    std::size_t visit_bytes = 4U << 20U;  // deflated, of all occurrences together
    std::size_t source_bytes = 600'000;   // of source text and disassembly, before deflating
    bool sources = true;                  // embed source lines of what was sampled
};

struct PageInput {
    const recording::Recording& recording;
    const spacetime::Profile& profile;
    const spacetime::CallTree& tree;
    const std::vector<program::Request>& requests;  // what the tree's symbols are the answers to
    const spacetime::Evidence& evidence;
    const findings::Judgement& judgement;
    const spacetime::Finds& finds;  // of a hunt; of none it is empty
};

// The page's bytes. `shell` is the built page without data. Errors: a file of the recording cannot be read.
Result<std::string> make_page(const PageInput& input, std::string_view shell, const PageOptions& options = {});

}  // namespace kymo::view
