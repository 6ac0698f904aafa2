#include "spacetime/profile/call_tree.h"

#include "base/hash.h"
#include "base/tables/number_table.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace kymo::spacetime {
namespace {

struct PlaceKey {
    std::uint32_t owner;
    std::uint32_t file;
    std::uint32_t line;
    bool operator==(const PlaceKey&) const = default;
};

struct PlaceHash {
    std::size_t operator()(const PlaceKey& key) const {
        return hash_of(std::uint64_t{key.owner} << 32U | key.line, key.file);
    }
};

// Processor time by place; the owner's hottest is kept at the end.
class Hottest {
  public:
    void add(std::uint32_t owner, const program::Frame& frame, std::int64_t time) {
        if (frame.line != 0) {
            times_[{owner, frame.file, frame.line}] += time;
        }
    }

    // Calls place(owner, file, line) once for every owner that has one. Of equals, the first line.
    template <typename Place>
    void choose(Place&& place) const {
        std::unordered_map<std::uint32_t, std::pair<PlaceKey, std::int64_t>> best;
        for (const auto& [key, time] : times_) {
            const auto [entry, is_new] = best.try_emplace(key.owner, key, time);
            auto& [known, known_time] = entry->second;
            if (!is_new && (time > known_time || (time == known_time && std::pair(key.file, key.line) <
                                                                            std::pair(known.file, known.line)))) {
                entry->second = {key, time};
            }
        }
        for (const auto& [owner, chosen] : best) {
            place(owner, chosen.first.file, chosen.first.line);
        }
    }

  private:
    std::unordered_map<PlaceKey, std::int64_t, PlaceHash> times_;
};

class TreeBuilder {
  public:
    TreeBuilder(const Profile& profile, const std::vector<program::Request>& requests, program::Symbols symbols)
        : profile_(profile), requests_(requests), node_totals_(profile.events.size()) {
        tree_.symbols = std::move(symbols);
        const std::size_t events = profile.events.size();
        tree_.self = CostTable(events);
        tree_.total = CostTable(events);
        tree_.function_self = CostTable(events);
        tree_.function_total = CostTable(events);
        tree_.line_self = CostTable(events);
    }

    CallTree build() {
        sum_profile_totals();
        add_nodes();
        sum_totals();
        add_functions();
        return std::move(tree_);
    }

  private:
    void sum_profile_totals() {
        node_totals_ = profile_.self;
        for (std::size_t node = profile_.nodes.size() - 1; node > 0; --node) {
            add(node_totals_[profile_.nodes[node].parent], node_totals_[node]);
        }
    }

    std::span<const program::Frame> frames_of(const ProfileNode& node) const {
        const auto& offsets = requests_[node.image].offsets;
        const auto at = std::lower_bound(offsets.begin(), offsets.end(), ImageOffset{node.offset});
        return tree_.symbols.images[node.image].at(static_cast<std::size_t>(at - offsets.begin()));
    }

    CallNodeIndex child(CallNodeIndex parent, std::uint32_t function, NodeKind kind, bool inlined) {
        const PlaceKey key{raw(parent), function, (static_cast<std::uint32_t>(kind) << 1U) | (inlined ? 1U : 0U)};
        const auto [node, is_new] = index_.try_emplace(key, tree_.nodes.size());
        if (is_new) {
            tree_.nodes.push_back({.parent = parent, .function = function, .kind = kind, .inlined = inlined});
        }
        return CallNodeIndex(node);
    }

    // "process 17 (make)", "rank 2 (solver 17)".
    static std::string process_words(const ProfileProcess& process) {
        const std::string called = called_name(process.command, process.executable);
        const std::string pid = std::to_string(process.pid);
        if (process.rank != kNoRank) {
            return "rank " + std::to_string(process.rank) + " (" + called + (called.empty() ? "" : " ") + pid + ")";
        }
        return "process " + pid + (called.empty() ? "" : " (" + called + ")");
    }

    std::uint32_t pseudo_function(const ProfileNode& node) {
        std::string name;
        switch (node.kind) {
            case NodeKind::kProcess: {
                name = process_words(profile_.processes[node.image]);
                break;
            }
            case NodeKind::kPartial:
                name = "[partial call paths]";
                break;
            case NodeKind::kDropped:
                name = "[call paths beyond the table]";
                break;
            case NodeKind::kNoPath:
                name = "[no call path]";
                break;
            case NodeKind::kUnknownCall:
                name = "[call not known]";
                break;
            default:
                name = "[after the last sample]";
        }
        auto& functions = tree_.symbols.functions;
        const auto known = pseudo_.find(name);
        if (known != pseudo_.end()) {
            return known->second;
        }
        functions.push_back({.name = name, .module = {}, .source = program::NameSource::kAddress});
        return pseudo_[name] = static_cast<std::uint32_t>(functions.size() - 1);
    }

    void add_nodes() {
        tree_.nodes.push_back({.kind = NodeKind::kRoot});
        tree_.node_of.resize(profile_.nodes.size(), CallNodeIndex(0));
        for (std::size_t i = 1; i < profile_.nodes.size(); ++i) {
            const ProfileNode& node = profile_.nodes[i];
            CallNodeIndex at = tree_.node_of[node.parent];
            if (node.kind != NodeKind::kFrame) {
                at = child(at, pseudo_function(node), node.kind, false);
            } else {
                const std::int64_t time = processor_time(node_totals_[i]);
                for (const program::Frame& frame : frames_of(node)) {
                    at = child(at, frame.function, NodeKind::kFrame, frame.inlined);
                    hottest_of_node_.add(raw(at), frame, time);
                }
            }
            tree_.node_of[i] = at;
        }
        tree_.self.resize(tree_.nodes.size());
        for (std::size_t i = 0; i < profile_.nodes.size(); ++i) {
            add(tree_.node_of[i].in(tree_.self), profile_.self[i]);
        }
        hottest_of_node_.choose([&](std::uint32_t node, std::uint32_t file, std::uint32_t line) {
            tree_.nodes[node].file = file;
            tree_.nodes[node].line = line;
        });
        add_lines();
    }

    void add_lines() {
        std::unordered_map<PlaceKey, std::uint32_t, PlaceHash> index;
        for (std::size_t i = 1; i < profile_.nodes.size(); ++i) {
            const ProfileNode& node = profile_.nodes[i];
            const auto costs = profile_.self[i];
            if (node.kind != NodeKind::kFrame ||
                std::all_of(costs.begin(), costs.end(), [](std::int64_t value) { return value == 0; })) {
                continue;
            }
            const auto frames = frames_of(node);
            if (frames.empty()) {
                continue;
            }
            const program::Frame& leaf = frames.back();
            hottest_of_function_.add(leaf.function, leaf, processor_time(costs));
            if (leaf.line == 0) {
                continue;
            }
            const auto [entry, is_new] = index.try_emplace({leaf.function, leaf.file, leaf.line},
                                                           static_cast<std::uint32_t>(tree_.lines.size()));
            if (is_new) {
                tree_.lines.push_back({leaf.function, leaf.file, leaf.line});
                tree_.line_self.resize(tree_.lines.size());
            }
            add(tree_.line_self[entry->second], costs);
        }
    }

    void sum_totals() {
        tree_.total = tree_.self;
        for (std::size_t node = tree_.nodes.size() - 1; node > 0; --node) {
            add(tree_.nodes[node].parent.in(tree_.total), tree_.total[node]);
        }
    }

    // A node adds its total to its function unless the function is already on the path above. Walks depth
    // first, with the number of times that each function is on the present path.
    void add_functions() {
        std::vector<CallNodeIndex> first_child(tree_.nodes.size());
        std::vector<CallNodeIndex> next_sibling(tree_.nodes.size());
        for (std::size_t i = tree_.nodes.size() - 1; i > 0; --i) {
            CallNodeIndex& first = tree_.nodes[i].parent.in(first_child);
            next_sibling[i] = first;
            first = CallNodeIndex(i);
        }
        std::vector<std::uint32_t> on_path(tree_.symbols.functions.size());
        std::vector<std::uint32_t> rows(tree_.symbols.functions.size(), kNone);
        CallNodeIndex at(0);
        bool entering = true;
        while (true) {
            const CallNode& node = at.in(tree_.nodes);
            if (entering) {
                if (node.kind == NodeKind::kFrame) {
                    add_to_function(at, rows, ++on_path[node.function] == 1);
                }
                if (at.in(first_child) != kNone) {
                    at = at.in(first_child);
                    continue;
                }
            }
            if (node.kind == NodeKind::kFrame) {
                --on_path[node.function];
            }
            if (at == CallNodeIndex(0)) {
                break;
            }
            entering = at.in(next_sibling) != kNone;
            at = entering ? at.in(next_sibling) : node.parent;
        }
        hottest_of_function_.choose([&](std::uint32_t function, std::uint32_t file, std::uint32_t line) {
            if (rows[function] != kNone) {
                tree_.functions[rows[function]].file = file;
                tree_.functions[rows[function]].line = line;
            }
        });
    }

    void add_to_function(CallNodeIndex node, std::vector<std::uint32_t>& rows, bool is_outermost) {
        const std::uint32_t function = node.in(tree_.nodes).function;
        std::uint32_t& row = rows[function];
        if (row == kNone) {
            row = static_cast<std::uint32_t>(tree_.functions.size());
            tree_.functions.push_back({.function = function});
            tree_.function_self.resize(tree_.functions.size());
            tree_.function_total.resize(tree_.functions.size());
        }
        add(tree_.function_self[row], node.in(tree_.self));
        if (is_outermost) {
            add(tree_.function_total[row], node.in(tree_.total));
        }
    }

    const Profile& profile_;
    const std::vector<program::Request>& requests_;
    CallTree tree_;
    CostTable node_totals_;                   // by profile node
    NumberTable<PlaceKey, PlaceHash> index_;  // of nodes
    std::unordered_map<std::string, std::uint32_t> pseudo_;
    Hottest hottest_of_node_;
    Hottest hottest_of_function_;
};

}  // namespace

CallTree fold_recursion(const CallTree& tree, const std::vector<bool>& combined) {
    CallTree folded;
    folded.self = CostTable(tree.self.events());
    folded.nodes.push_back(tree.nodes[0]);
    NumberTable<PlaceKey, PlaceHash> index;  // of folded nodes
    std::vector<CallNodeIndex> node_of(tree.nodes.size(), CallNodeIndex(0));
    std::vector<std::uint32_t> depth(tree.nodes.size(), 1);
    std::vector<std::int64_t> hottest(1);
    for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
        const CallNode& node = tree.nodes[i];
        const CallNodeIndex parent = node.parent.in(node_of);
        CallNodeIndex& at = node_of[i];
        const CallNode& above = parent.in(folded.nodes);
        if (node.kind == NodeKind::kFrame && above.kind == NodeKind::kFrame && above.function == node.function) {
            at = parent;
            depth[i] = node.parent.in(depth) + 1;
        } else {
            const bool is_combined = i < combined.size() && combined[i];
            const PlaceKey key{raw(parent), is_combined ? kNone : node.function,
                               (static_cast<std::uint32_t>(node.kind) << 1U) | (node.inlined ? 1U : 0U)};
            const auto [known, is_new] = index.try_emplace(key, folded.nodes.size());
            at = CallNodeIndex(known);
            if (is_new) {
                folded.nodes.push_back(node);
                folded.nodes.back().parent = parent;
                hottest.push_back(-1);
            }
            at.in(folded.nodes).combined += is_combined ? 1 : 0;
        }
        CallNode& into = at.in(folded.nodes);
        into.recursion = std::max(into.recursion, depth[i]);
        if (const std::int64_t time = processor_time(tree.self[i]); time > at.in(hottest)) {
            at.in(hottest) = time;
            into.file = node.file;
            into.line = node.line;
        }
    }
    folded.self.resize(folded.nodes.size());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        add(node_of[i].in(folded.self), tree.self[i]);
    }
    folded.total = folded.self;
    for (std::size_t node = folded.nodes.size() - 1; node > 0; --node) {
        add(folded.nodes[node].parent.in(folded.total), folded.total[node]);
    }
    return folded;
}

std::vector<program::Request> frames_to_name(const Profile& profile) {
    std::vector<program::Request> requests(profile.images.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
        requests[i].image = {profile.images[i].path, profile.images[i].build_id, profile.images[i].machine,
                             profile.images[i].content};
    }
    for (const ProfileNode& node : profile.nodes) {
        if (node.kind == NodeKind::kFrame) {
            requests[node.image].offsets.push_back(ImageOffset{node.offset});
        }
    }
    program::sort_offsets(requests);
    return requests;
}

CallTree make_call_tree(const Profile& profile, const std::vector<program::Request>& requests,
                        program::Symbols symbols) {
    return TreeBuilder(profile, requests, std::move(symbols)).build();
}

CallTree make_call_tree(const Profile& profile) {
    const auto requests = frames_to_name(profile);
    return make_call_tree(profile, requests, program::symbolize(requests));
}

}  // namespace kymo::spacetime
