// A profile with its code and the names of that code: the base of call tree and evidence, looked up
// once.
#pragma once

#include "spacetime/evidence/code_map.h"
#include "spacetime/evidence/structure.h"
#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"
#include "spacetime/profile/wait_table.h"
#include "spacetime/spaces/share.h"
#include "team/team.h"

#include <memory>
#include <vector>

namespace kymo::spacetime {

struct NamedRun {
    std::unique_ptr<CodeMap> code;
    // Those of profile.images, then of further images that only waits are in.
    std::vector<program::Request> requests;
    CallTree tree;
    WaitTable waits;

    Names names() const { return Names(requests, tree.symbols); }
};

// The code of functions with more than a quarter of `share` of the time is examined: graphs, loops, lines of each
// instruction. Cost: opens the images twice (code, debug information), in parallel.
// Of a team all must call it: the first process looks up the names, and sends them to the others.
NamedRun name_run(const Profile& profile, Share share = percent(1), team::Team* team = nullptr);

}  // namespace kymo::spacetime
