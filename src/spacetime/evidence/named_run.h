// A profile with the code behind it and the names of that code: what call tree and evidence are made from, looked up
// once.
#pragma once

#include "spacetime/evidence/code_map.h"
#include "spacetime/evidence/structure.h"
#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"
#include "spacetime/spaces/share.h"

#include <memory>
#include <vector>

namespace kymo::spacetime {

struct NamedRun {
    std::unique_ptr<CodeMap> code;
    std::vector<program::Request> requests;  // parallel to profile.images
    CallTree tree;

    Names names() const { return Names(requests, tree.symbols); }
};

// Functions with more than a quarter of `share` of the time have their code looked into: graphs, loops, lines of each
// instruction. Cost: opens the images twice (code, debug information), in parallel.
NamedRun name_run(const Profile& profile, Share share = percent(1));

}  // namespace kymo::spacetime
