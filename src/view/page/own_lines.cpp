#include "view/page/own_lines.h"

#include "spacetime/profile/own_code.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <tuple>

namespace kymo::view {
namespace {

using namespace spacetime;

constexpr std::uint32_t kNoLine = 0;

class OwnLines {
  public:
    OwnLines(const Profile& profile, const CallTree& tree, const std::vector<program::Request>& requests,
             Leaves& leaves)
        : profile_(profile),
          tree_(tree),
          requests_(requests),
          leaves_(leaves),
          is_own_(own_functions(profile, tree.symbols)) {
        for (std::uint32_t line = 1; line < leaves_.lines.size(); ++line) {
            const LeafLine& known = leaves_.lines[line];
            lines_.try_emplace({known.function, known.file, known.line, known.image}, line);
        }
    }

    std::vector<OwnLine> find() {
        std::vector<std::uint32_t> line_of(profile_.nodes.size(), kNoLine);
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> found;  // leaf, line → ns
        for (std::uint32_t node = 1; node < profile_.nodes.size(); ++node) {
            const std::uint32_t here = own_line(profile_.nodes[node]);
            line_of[node] = here != kNoLine ? here : line_of[profile_.nodes[node].parent];
            const std::uint32_t leaf = leaves_.leaf_of[node];
            const std::int64_t ns = wall_time(profile_.self[node]);
            if (line_of[node] != kNoLine && ns > 0 && line_of[node] != leaves_.leaves[leaf].line) {
                found[{leaf, line_of[node]}] += ns;
            }
        }
        std::vector<OwnLine> own;
        own.reserve(found.size());
        for (const auto& [key, ns] : found) {
            own.push_back({key.first, key.second, ns});
        }
        return own;
    }

  private:
    std::uint32_t own_line(const ProfileNode& node) {
        if (node.kind != NodeKind::kFrame) {
            return kNoLine;
        }
        const auto& offsets = requests_[node.image].offsets;
        const auto at = std::lower_bound(offsets.begin(), offsets.end(), ImageOffset{node.offset});
        const auto frames = tree_.symbols.images[node.image].at(static_cast<std::size_t>(at - offsets.begin()));
        for (const program::Frame& frame : std::ranges::reverse_view(frames)) {
            if (is_own_[frame.function] && frame.line != 0) {
                const auto [entry, is_new] = lines_.try_emplace({frame.function, frame.file, frame.line, node.image},
                                                                static_cast<std::uint32_t>(leaves_.lines.size()));
                if (is_new) {
                    leaves_.lines.push_back(
                        {frame.function, frame.file, frame.line, node.image, node.offset, node.offset});
                }
                return entry->second;
            }
        }
        return kNoLine;
    }

    const Profile& profile_;
    const CallTree& tree_;
    const std::vector<program::Request>& requests_;
    Leaves& leaves_;
    std::vector<bool> is_own_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> lines_;
};

}  // namespace

std::vector<OwnLine> own_lines(const Profile& profile, const CallTree& tree,
                               const std::vector<program::Request>& requests, Leaves& leaves) {
    return OwnLines(profile, tree, requests, leaves).find();
}

}  // namespace kymo::view
