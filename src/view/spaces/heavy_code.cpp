#include "view/spaces/heavy_code.h"

#include "program/demangle.h"
#include "view/spaces/space_words.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kymo::view {

using namespace spacetime;

namespace {

constexpr std::size_t kKernelName = 15;  // letters of a process's name that the kernel keeps

// Templates of the standard library are in the program's own image.
bool is_of_language(const Place& place) {
    constexpr std::array<std::string_view, 3> kNames = {"std::", "__gnu_cxx::", "operator new"};
    return std::any_of(kNames.begin(), kNames.end(),
                       [&](std::string_view name) { return place.function.starts_with(name); }) ||
           place.file.find("/include/c++/") != std::string::npos;
}

std::int64_t shown_weight(const SameSpaces& group) {
    return std::llround(group.weight * 1000);
}

}  // namespace

bool is_own(const Evidence& evidence, const Place& place) {
    return !is_of_language(place) &&
           std::any_of(evidence.run.processes.begin(), evidence.run.processes.end(),
                       [&](const ProcessFacts& process) {
                           return process.name == place.module ||
                                  (process.name.size() == kKernelName && place.module.starts_with(process.name));
                       });
}

NodeIndex own_code_around(const Evidence& evidence, const SameSpaces& group) {
    if (is_own(evidence, evidence.spaces[group.members.front()].place)) {
        return kNone;
    }
    NodeIndex node = group.node;
    while (node != kNone && !is_own(evidence, node.in(evidence.nodes).place)) {
        node = node.in(evidence.nodes).parent;
    }
    return node;
}

std::vector<std::uint32_t> groups_by_weight(const Evidence& evidence, std::string_view filter) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < evidence.same_spaces.size(); ++i) {
        const auto& members = evidence.same_spaces[i].members;
        if (std::any_of(members.begin(), members.end(),
                        [&](std::uint32_t member) { return passes(evidence.spaces[member].place, filter); })) {
            order.push_back(i);
        }
    }
    const auto is_others = [&](const SameSpaces& group) {
        return !is_own(evidence, evidence.spaces[group.members.front()].place);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const SameSpaces& one = evidence.same_spaces[a];
        const SameSpaces& other = evidence.same_spaces[b];
        const std::int64_t difference = shown_weight(one) - shown_weight(other);
        return difference != 0 ? difference > 0 : !is_others(one) && is_others(other);
    });
    return order;
}

TimeTerms user_time(const Evidence& evidence, const SameSpaces& group) {
    return {.user = std::llround(group.time_share * static_cast<double>(evidence.run.total.user))};
}

std::string heavy_name(const Evidence& evidence, const HeavySpace& space, bool unicode) {
    const Place& place = space.place;
    std::string name = place.function.empty() ? place.module : program::plain_name(place.function);
    if (const std::string lines = place_lines(place, unicode); !lines.empty()) {
        name += " " + lines;
    }
    if (space.same < evidence.same_spaces.size()) {
        if (const NodeIndex around = own_code_around(evidence, evidence.same_spaces[space.same]); around != kNone) {
            const SpaceNode& own = around.in(evidence.nodes);
            const std::string lines = place_lines(own.place, unicode);
            return space_name(own) + (lines.empty() ? "" : " " + lines) + (unicode ? " › " : " > ") + name;
        }
    }
    return name;
}

std::string group_name(const Evidence& evidence, const SameSpaces& group, bool unicode) {
    return heavy_name(evidence, evidence.spaces[group.members.front()], unicode);
}

std::string group_neighbour_name(const Evidence& evidence, std::uint32_t group, bool is_before, bool unicode) {
    if (group < evidence.same_spaces.size()) {
        return group_name(evidence, evidence.same_spaces[group], unicode);
    }
    switch (group) {
        case kStreamEdge:
            return is_before ? "(begin)" : "(end)";
        case kAnyNeighbour:
            return "(any)";
        default:
            return "(elsewhere)";
    }
}

}  // namespace kymo::view
