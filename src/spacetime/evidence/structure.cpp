#include "spacetime/evidence/structure.h"

#include "base/hash.h"
#include "base/tables/number_table.h"
#include "spacetime/profile/own_code.h"

#include <algorithm>
#include <unordered_map>

namespace kymo::spacetime {
namespace {

constexpr std::size_t kSmallFunction = 1500;  // instructions

struct Key {
    std::uint32_t parent;
    std::uint32_t kind;
    std::uint64_t what;
    bool operator==(const Key&) const = default;
};
struct KeyHash {
    std::size_t operator()(const Key& key) const {
        return hash_of(std::uint64_t{key.parent} << 8U | key.kind, key.what);
    }
};

// A loop around an offset, outermost first, and its position in the chain of frames.
struct LoopAt {
    std::uint32_t loop = 0;
    std::size_t frames = 1;
};

class Builder {
  public:
    Builder(const Profile& profile, const Names& names, const CodeMap& code)
        : profile_(profile), names_(names), code_(code), inclusive_(profile.self) {}

    Structure build() {
        for (std::size_t node = profile_.nodes.size() - 1; node > 0; --node) {
            add(inclusive_[profile_.nodes[node].parent], inclusive_[node]);
        }
        result_.nodes.push_back({.is_group = true});
        result_.lines.emplace_back();
        result_.node_of.resize(profile_.nodes.size());
        for (std::uint32_t i = 1; i < profile_.nodes.size(); ++i) {
            add_profile_node(i);
        }
        result_.total = CostTable(profile_.events.size());
        result_.total.resize(result_.nodes.size());
        for (std::size_t i = 0; i < profile_.nodes.size(); ++i) {
            add(result_.total[result_.node_of[i]], profile_.self[i]);
        }
        for (std::size_t node = result_.nodes.size() - 1; node > 0; --node) {
            add(result_.total[result_.nodes[node].parent], result_.total[node]);
        }
        return std::move(result_);
    }

  private:
    std::uint32_t child(std::uint32_t parent, std::uint32_t kind, std::uint64_t what, const StructureNode& made) {
        const auto [node, is_new] = index_.try_emplace({parent, kind, what}, result_.nodes.size());
        if (is_new) {
            result_.nodes.push_back(made);
            result_.nodes.back().parent = parent;
            result_.lines.emplace_back();
        }
        return node;
    }

    void add_profile_node(std::uint32_t i) {
        const ProfileNode& node = profile_.nodes[i];
        const std::uint32_t above = result_.node_of[node.parent];
        if (node.kind != NodeKind::kFrame) {
            const std::uint32_t what = node.kind == NodeKind::kProcess ? group_of(node.image) : node.image;
            result_.node_of[i] = child(above, 100 + static_cast<std::uint32_t>(node.kind), what, {.is_group = true});
            return;
        }
        const auto frames = names_.at(node.image, node.offset);
        const std::uint32_t function = code_.function_at(node.image, node.offset);
        const auto loops = loops_at(function, node, frames);
        std::uint32_t at = above;
        std::size_t next_loop = 0;
        for (std::size_t level = 0; level < frames.size(); ++level) {
            const program::Frame& frame = frames[level];
            const program::Symbols& symbols = names_.symbols();
            // What a rank waits for is known by the message library's own functions: they stay in the tree.
            const program::Function& function_of = symbols.functions[frame.function];
            const bool of_runtime =
                is_runtime(function_of, symbols.files[frame.file]) && !is_message_library(function_of.module);
            const std::uint32_t caller = level == 0 ? same_function_above(above, frame.function) : kNone;
            const bool is_recursion = caller != kNone;
            at = is_recursion ? caller
                              : child(at, frame.inlined ? 1 : 0, frame.function,
                                      {.is_runtime = of_runtime,
                                       .kind = frame.inlined ? SpaceKind::kInlined : SpaceKind::kFunction,
                                       .function = frame.function,
                                       .inlined = static_cast<std::uint32_t>(level),
                                       .code = function});
            if (!is_recursion) {
                add_line(at, frame, i);
            }
            for (; next_loop < loops.size() && loops[next_loop].frames <= level + 1; ++next_loop) {
                const std::uint32_t loop = loops[next_loop].loop;
                at = child(at, 2, std::uint64_t{function} << 32U | loop,
                           {.is_runtime = of_runtime,
                            .kind = kind_of(function, loop),
                            .function = frame.function,
                            .inlined = static_cast<std::uint32_t>(level),
                            .code = function,
                            .loop = loop});
                add_line(at, frame, i);
            }
        }
        result_.node_of[i] = at;
    }

    // Ranks of a job that run one program are one group: they are compared like threads.
    std::uint32_t group_of(std::uint32_t process) const {
        const auto& processes = profile_.processes;
        const auto is_alike = [&](const ProfileProcess& other) {
            return other.rank != kNoRank && other.executable == processes[process].executable;
        };
        return processes[process].rank == kNoRank
                   ? process
                   : static_cast<std::uint32_t>(std::find_if(processes.begin(), processes.end(), is_alike) -
                                                processes.begin());
    }

    // The nearest function on the call path, if it is this one.
    std::uint32_t same_function_above(std::uint32_t node, std::uint32_t function) const {
        while (!result_.nodes[node].is_group && result_.nodes[node].kind != SpaceKind::kFunction) {
            node = result_.nodes[node].parent;
        }
        return !result_.nodes[node].is_group && result_.nodes[node].function == function ? node : kNone;
    }

    SpaceKind kind_of(std::uint32_t function, std::uint32_t loop) {
        const auto& loops = code_.made(function)->flow->loops.loops;
        const bool has_inner =
            std::any_of(loops.begin(), loops.end(), [&](const program::Loop& other) { return other.parent == loop; });
        return loops[loop].parent == kNone && has_inner ? SpaceKind::kLoopNest : SpaceKind::kLoop;
    }

    std::vector<LoopAt> loops_at(std::uint32_t function, const ProfileNode& node,
                                 std::span<const program::Frame> frames) {
        std::vector<LoopAt> result;
        const CodeOfFunction* code = code_.made(function);
        if (code == nullptr || frames.empty()) {
            return result;
        }
        const FunctionFlow& flow = *code->flow;
        const std::uint32_t block = flow.graph.block_at(node.offset);
        for (std::uint32_t loop = block == kNone ? kNone : flow.loops.loop_of[block]; loop != kNone;
             loop = flow.loops.loops[loop].parent) {
            const auto head = head_of(function, flow, loop, node.image);
            result.push_back({loop, std::max<std::size_t>(common(head, frames), 1)});
        }
        std::reverse(result.begin(), result.end());
        for (std::size_t i = 1; i < result.size(); ++i) {
            result[i].frames = std::max(result[i].frames, result[i - 1].frames);
        }
        return result;
    }

    static std::size_t common(std::span<const program::Frame> a, std::span<const program::Frame> b) {
        std::size_t count = 0;
        while (count < a.size() && count < b.size() && a[count].function == b[count].function) {
            ++count;
        }
        return count;
    }

    // The functions that contain a loop. Its header alone may be inlined code, like a comparison
    // of iterators: the jumps back to it belong to the loop too.
    std::span<const program::Frame> head_of(std::uint32_t function, const FunctionFlow& flow, std::uint32_t loop,
                                            std::uint32_t image) {
        const std::uint32_t header = flow.loops.loops[loop].header;
        const auto head = names_.at(image, flow.graph.blocks[header].begin);
        const auto [known, is_new] = head_sizes_.try_emplace(std::uint64_t{function} << 32U | loop, head.size());
        for (std::size_t i = 0; is_new && i < flow.loops.back_edges.size(); ++i) {
            const auto& [latch, to] = flow.loops.back_edges[i];
            const auto jump = names_.at(image, flow.graph.last_instruction(flow.graph.blocks[latch]));
            if (to == header && !jump.empty()) {
                known->second = std::min(known->second, common(head, jump));
            }
        }
        return head.first(std::min(known->second, head.size()));
    }

    void add_line(std::uint32_t at, const program::Frame& frame, std::uint32_t profile_node) {
        if (frame.line == 0) {
            return;
        }
        auto& costs = result_.lines[at][{frame.file, frame.line}];
        costs.resize(inclusive_.columns());
        add(costs, inclusive_[profile_node]);
    }

    const Profile& profile_;
    const Names& names_;
    const CodeMap& code_;
    CostTable inclusive_;
    Structure result_;
    NumberTable<Key, KeyHash> index_;
    std::unordered_map<std::uint64_t, std::size_t> head_sizes_;  // by function and loop
};

}  // namespace

std::span<const program::Frame> Names::at(std::uint32_t image, std::uint64_t offset) const {
    const auto& offsets = requests_[image].offsets;
    const auto at = std::lower_bound(offsets.begin(), offsets.end(), ImageOffset{offset});
    if (at == offsets.end() || raw(*at) != offset) {
        return {};
    }
    return symbols_.images[image].at(static_cast<std::size_t>(at - offsets.begin()));
}

std::vector<std::uint64_t> telling_addresses(const program::FlowGraph& graph) {
    if (graph.instructions.size() <= kSmallFunction) {
        return graph.instructions;
    }
    std::vector<std::uint64_t> addresses;
    for (const program::Block& block : graph.blocks) {
        addresses.push_back(block.begin);
        addresses.push_back(graph.last_instruction(block));
    }
    return addresses;
}

Structure make_structure(const Profile& profile, const Names& names, const CodeMap& code) {
    return Builder(profile, names, code).build();
}

}  // namespace kymo::spacetime
