// Selects nodes of the structure: those with more than a share of the processor time or of the wall time.
//
// A function all of whose time is below one kept call of another function (main → run) is left out: it would
// repeat what that one shows. So is the run-time library's code around kept code of the program (how it
// starts a thread). Nodes in `asked` are kept whatever their time. Siblings are ordered by time, most first.
#pragma once

#include "spacetime/evidence/structure.h"
#include "spacetime/spaces/share.h"

#include <cstdint>
#include <vector>

namespace kymo::spacetime {

struct KeptNodes {
    std::vector<std::uint32_t> structure;  // kept node → structure node; a parent comes before its children
    std::vector<std::uint32_t> parent;     // kept node → kept node; kNone: at the top
    std::vector<std::uint32_t> depth;      // 0: at the top
    std::vector<std::uint32_t> leaf_of;    // profile node → the innermost kept node that it lies in; kNone: in none
    std::vector<std::uint32_t> children;   // kept node → number of kept children

    std::size_t size() const { return structure.size(); }
};

// `asked`: by structure node; empty: none.
KeptNodes keep_nodes(const Structure& structure, Share share, const std::vector<bool>& asked = {});

}  // namespace kymo::spacetime
