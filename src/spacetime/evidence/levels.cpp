#include "spacetime/evidence/levels.h"

#include "parallel/loops.h"

#include <algorithm>

namespace kymo::spacetime {
namespace {

constexpr double kAboutAsGood = 0.85;  // of the best score
constexpr double kLeastScore = 0.02;   // of the run
constexpr double kLeastEvenness = 0.3;

double evenness(const LevelStructure& level) {
    double covered = 0;
    double even = 0;
    for (const auto& [thread, rounds] : level.streams) {
        covered += static_cast<double>(rounds.covered_ns);
        even += static_cast<double>(rounds.covered_ns) * rounds.evenness;
    }
    return covered > 0 ? even / covered : 0;
}

class Chooser {
  public:
    Chooser(const KeptNodes& kept, std::vector<LevelStructure>& levels) : kept_(kept), levels_(levels) {}

    // The best among the allowed nodes, and again among those neither above nor below it, and inside its phases.
    void choose(std::vector<std::uint32_t> nodes, bool is_top) {
        while (true) {
            const auto best = std::max_element(nodes.begin(), nodes.end(), [&](std::uint32_t a, std::uint32_t b) {
                return levels_[a].score < levels_[b].score;
            });
            if (best == nodes.end() || levels_[*best].score < kLeastScore) {
                return;
            }
            std::uint32_t chosen = *best;
            for (std::uint32_t at = kept_.parent[*best]; at != kNone; at = kept_.parent[at]) {
                const bool is_allowed = std::find(nodes.begin(), nodes.end(), at) != nodes.end();
                if (is_allowed && levels_[at].score >= kAboutAsGood * levels_[*best].score) {
                    chosen = at;
                }
            }
            levels_[chosen].is_loop = evenness(levels_[chosen]) >= kLeastEvenness;
            levels_[chosen].is_main = is_top && levels_[chosen].is_loop;
            std::vector<std::uint32_t> inside;
            std::vector<std::uint32_t> beside;
            for (const std::uint32_t node : nodes) {
                if (is_below(node, chosen)) {
                    inside.push_back(node);
                } else if (node != chosen && !is_below(chosen, node)) {
                    beside.push_back(node);
                }
            }
            choose(std::move(inside), is_top && !levels_[chosen].is_loop);
            nodes = std::move(beside);
        }
    }

  private:
    bool is_below(std::uint32_t node, std::uint32_t above) const {
        for (std::uint32_t at = kept_.parent[node]; at != kNone; at = kept_.parent[at]) {
            if (at == above) {
                return true;
            }
        }
        return false;
    }

    const KeptNodes& kept_;
    std::vector<LevelStructure>& levels_;
};

}  // namespace

std::vector<LevelStructure> find_levels(const KeptNodes& kept, const OccurrenceSums& sums, std::int64_t wall_ns) {
    std::vector<LevelStructure> levels(kept.size());
    parallel::for_each_index(kept.size(), [&](std::size_t node) {
        std::vector<const OccurrenceSequence*> sequences;
        std::vector<std::uint32_t> threads;
        for (auto at = sums.sequences.lower_bound({static_cast<std::uint32_t>(node), 0});
             at != sums.sequences.end() && at->first.first == node; ++at) {
            sequences.push_back(&at->second);
            threads.push_back(at->first.second);
        }
        auto found = find_rounds(sequences);
        LevelStructure& level = levels[node];
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (found[i].rounds.empty()) {
                continue;
            }
            level.score += static_cast<double>(found[i].covered_ns) * found[i].evenness;
            level.rounds += found[i].rounds.size();
            level.streams.emplace_back(threads[i], std::move(found[i]));
        }
        level.score = wall_ns > 0 ? std::min(1.0, level.score / static_cast<double>(wall_ns)) : 0;
    });
    std::vector<std::uint32_t> all;
    for (std::uint32_t node = 0; node < kept.size(); ++node) {
        if (kept.children[node] != 0) {
            all.push_back(node);
        }
    }
    Chooser(kept, levels).choose(std::move(all), true);
    return levels;
}

}  // namespace kymo::spacetime
