#include "spacetime/spaces/executed.h"

#include <algorithm>
#include <utility>

namespace kymo::spacetime {

ExecutedSpaces executed_spaces(std::uint64_t a, std::uint64_t b, std::span<const TakenBranch> branches,
                               bool reaches_back, const std::function<PairRule*(std::uint64_t)>& function_at) {
    ExecutedSpaces result;
    const auto add = [&](std::uint64_t first, std::uint64_t last) {
        PairRule* const function = function_at(first);
        CodeSpace stretch = function == nullptr ? CodeSpace{} : function->executed(first, last);
        if (stretch.pairs.empty()) {
            ++result.broken;
            return;
        }
        const auto known = std::find(result.functions.begin(), result.functions.end(), function);
        if (known == result.functions.end()) {
            result.functions.push_back(function);
            result.spaces.push_back(std::move(stretch));
            return;
        }
        CodeSpace& space = result.spaces[static_cast<std::size_t>(known - result.functions.begin())];
        space.pairs.insert(space.pairs.end(), stretch.pairs.begin(), stretch.pairs.end());
        space.ranges.insert(space.ranges.end(), stretch.ranges.begin(), stretch.ranges.end());
        space.parts.insert(space.parts.end(), stretch.parts.begin(), stretch.parts.end());
        space.instructions += stretch.instructions;
    };
    if (branches.empty() || reaches_back) {
        add(a, branches.empty() ? b : branches.front().from);
    } else if (PairRule* const function = function_at(a); function != nullptr) {
        const std::uint64_t until = branches.front().from;
        if (function_at(until) == function) {
            result.guessed = function->between(a, until);
        } else {
            result.guessed.spaces = {function->tail(a)};
        }
    }
    for (std::size_t i = 0; i < branches.size(); ++i) {
        add(branches[i].to, i + 1 < branches.size() ? branches[i + 1].from : b);
    }
    for (CodeSpace& space : result.spaces) {
        space.ranges = normalise(std::move(space.ranges));
    }
    return result;
}

}  // namespace kymo::spacetime
