#include "view/page/time_pass.h"

#include "view/pieces.h"

#include <map>
#include <utility>

namespace kymo::view {
namespace {

using namespace spacetime;

std::vector<std::uint32_t> number_points(const Profile& profile, std::vector<TimePass::Point>& points) {
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> known;
    std::vector<std::uint32_t> point_of(profile.nodes.size());
    points.emplace_back();
    for (std::uint32_t node = 0; node < profile.nodes.size(); ++node) {
        if (profile.nodes[node].kind != NodeKind::kFrame || profile.self[node][kSamples] == 0) {
            continue;
        }
        const auto [entry, is_new] = known.try_emplace({profile.nodes[node].image, profile.nodes[node].offset},
                                                       static_cast<std::uint32_t>(points.size()));
        if (is_new) {
            points.push_back({profile.nodes[node].image, profile.nodes[node].offset});
        }
        point_of[node] = entry->second;
    }
    return point_of;
}

}  // namespace

Result<TimePass> run_time_pass(const recording::Recording& recording, const Profile& profile, const Leaves& leaves,
                               const TimePassOptions& options) {
    TimePass out;
    std::vector<std::uint32_t> point_of(profile.nodes.size());
    std::vector<ThreadCells> cells(profile.threads.size(), ThreadCells(options.width, options.events.size()));
    if (options.single_pieces) {
        point_of = number_points(profile, out.points);
        out.pieces.resize(profile.threads.size());
        for (std::size_t thread = 0; thread < profile.threads.size(); ++thread) {
            const std::uint64_t begin = profile.threads[thread].states.begin();
            out.pieces[thread].begin =
                std::clamp(begin < profile.begin ? 0 : begin - profile.begin, options.range.begin, options.range.end);
            out.pieces[thread].events.resize(options.events.size());
        }
    }
    const auto walked =
        walk_pieces(recording, profile, {options.range, options.events, true}, [&](const Piece& piece) {
            const std::uint32_t key = cell_key(leaves.leaf_of[piece.node], static_cast<std::uint32_t>(piece.state));
            if (!piece.events.empty()) {
                cells[piece.thread].count(piece.begin, piece.end, key, piece.events);
            }
            cells[piece.thread].add(piece.begin, piece.end, key);
            if (!options.single_pieces) {
                return;
            }
            Pieces& pieces = out.pieces[piece.thread];
            pieces.length.push_back(piece.end - piece.begin);
            pieces.key.push_back(key);
            pieces.point.push_back(piece.sampled == kNone ? kNoPoint : point_of[piece.sampled]);
            pieces.wait.push_back(piece.wait == kNone ? 0 : piece.wait + 1);
            for (std::size_t event = 0; event < options.events.size(); ++event) {
                pieces.events[event].push_back(piece.events.empty() ? 0 : piece.events[event]);
            }
        });
    if (!walked) {
        return walked.error();
    }
    std::vector<CellLevel> by_thread;
    by_thread.reserve(cells.size());
    for (ThreadCells& thread : cells) {
        by_thread.push_back(thread.finish());
    }
    out.finest = join(by_thread, options.width, options.events.size());
    if (profile.excerpt_of != 0) {
        out.finest = fill_unknown(out.finest, static_cast<std::uint32_t>(ThreadState::kPaused));
    }
    return out;
}

}  // namespace kymo::view
