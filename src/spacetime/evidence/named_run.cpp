#include "spacetime/evidence/named_run.h"

#include "spacetime/spaces/pair_counts.h"
#include "team/members.h"

#include <algorithm>
#include <utility>

// What processes of a team send one another of names.
namespace kymo::program {

KYMO_MEMBERS(ImageName, path, build_id, machine, content)
KYMO_MEMBERS(Request, image, offsets)
KYMO_MEMBERS(Function, name, module, file, line, source)
KYMO_MEMBERS(Frame, function, file, line, inlined)
KYMO_MEMBERS(ImageSymbols, first, frames)
KYMO_MEMBERS(Symbols, functions, files, images, warnings)

}  // namespace kymo::program

namespace kymo::spacetime {
namespace {

// Functions with much time of their own, or that call such ones.
std::vector<std::uint32_t> heavy_functions(const Profile& profile, const CodeMap& code, Share share) {
    CostTable inclusive = profile.self;
    for (std::size_t node = profile.nodes.size() - 1; node > 0; --node) {
        add(inclusive[profile.nodes[node].parent], inclusive[node]);
    }
    const std::uint64_t processor = positive(processor_time(inclusive[0]));
    const std::uint64_t wall = positive(wall_time(inclusive[0]));
    std::vector<std::int64_t> own(code.size());
    std::vector<bool> is_heavy(code.size());
    for (std::size_t i = 1; i < profile.nodes.size(); ++i) {
        const ProfileNode& node = profile.nodes[i];
        const std::uint32_t function =
            node.kind == NodeKind::kFrame ? code.function_at(node.image, node.offset) : kNone;
        if (function == kNone) {
            continue;
        }
        own[function] += processor_time(profile.self[i]);
        is_heavy[function] = is_heavy[function] ||
                             is_above(positive(processor_time(inclusive[i])), processor, share) ||
                             is_above(positive(wall_time(inclusive[i])), wall, share) ||
                             is_above(positive(own[function]), processor, share);
    }
    std::vector<std::uint32_t> functions;
    for (std::uint32_t function = 0; function < is_heavy.size(); ++function) {
        if (is_heavy[function]) {
            functions.push_back(function);
        }
    }
    return functions;
}

}  // namespace

NamedRun name_run(const Profile& profile, Share share, team::Team* team) {
    NamedRun run;
    run.requests = frames_to_name(profile);
    std::vector<std::vector<std::uint64_t>> offsets(run.requests.size());
    for (std::size_t image = 0; image < offsets.size(); ++image) {
        for (const ImageOffset offset : run.requests[image].offsets) {
            offsets[image].push_back(raw(offset));
        }
    }
    run.code = std::make_unique<CodeMap>(profile.images, offsets);
    const auto functions = heavy_functions(profile, *run.code, {std::max(1U, share.per_million / 4)});
    run.code->make_flows(functions);
    for (const std::uint32_t function : functions) {
        if (const CodeOfFunction* code = run.code->made(function)) {
            auto& wanted = run.requests[code->image].offsets;
            for (const std::uint64_t address : telling_addresses(code->flow->graph)) {
                wanted.push_back(ImageOffset{address});
            }
        }
    }
    const auto request_of_waits = add_frames(profile.waits, profile.images, run.requests);
    program::sort_offsets(run.requests);
    program::Symbols symbols;
    if (team::is_first(team)) {
        symbols = program::symbolize(run.requests);
    }
    team::broadcast(team, run.requests);  // another host may have read other code
    team::broadcast(team, symbols);
    run.tree = make_call_tree(profile, run.requests, std::move(symbols));
    run.waits = make_wait_table(profile.waits, request_of_waits, run.requests, run.tree.symbols);
    return run;
}

}  // namespace kymo::spacetime
