#include "view/terminal/own_code.h"

#include "spacetime/profile/own_code.h"

namespace kymo::view {
using namespace spacetime;

OwnCode own_code(const Profile& profile, const CallTree& tree) {
    const std::vector<bool> is_own = own_functions(profile, tree.symbols);
    OwnCode own{.functions = {},
                .self = CostTable(tree.self.events()),
                .libraries = CostTable(tree.self.events()),
                .total = CostTable(tree.self.events())};
    std::vector<std::uint32_t> row_of(tree.symbols.functions.size(), kNone);
    for (std::size_t i = 0; i < tree.functions.size(); ++i) {
        const FunctionCosts& function = tree.functions[i];
        if (!is_own[function.function]) {
            continue;
        }
        row_of[function.function] = static_cast<std::uint32_t>(own.functions.size());
        own.functions.push_back(function);
        own.total.resize(own.functions.size());
        spacetime::add(own.total[own.functions.size() - 1], tree.function_total[i]);
    }
    own.self.resize(own.functions.size());
    own.libraries.resize(own.functions.size());
    std::vector<std::uint32_t> owner(tree.nodes.size(), kNone);  // a row
    for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
        const CallNode& node = tree.nodes[i];
        const bool is_here = node.kind == NodeKind::kFrame && row_of[node.function] != kNone;
        owner[i] = is_here ? row_of[node.function] : node.parent.in(owner);
        if (owner[i] != kNone) {
            spacetime::add((is_here ? own.self : own.libraries)[owner[i]], tree.self[i]);
        }
    }
    return own;
}

}  // namespace kymo::view
