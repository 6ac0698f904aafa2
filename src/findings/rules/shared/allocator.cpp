#include "findings/rules/shared/allocator.h"

#include "spacetime/evidence/account/system_calls.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr std::array<std::string_view, 14> kTaking = {
    "malloc",         "calloc",     "realloc",        "int_malloc",    "int_realloc", "malloc_consolidate",
    "sysmalloc",      "memalign",   "posix_memalign", "aligned_alloc", "tcache_init", "operator new",
    "operator new[]", "_int_malloc"};
constexpr std::array<std::string_view, 8> kReleasing = {
    "free",         "cfree",   "int_free",        "int_free_merge_chunk",
    "unlink_chunk", "systrim", "operator delete", "operator delete[]"};
constexpr double kLeastReleased = 1.0 / 8;  // of the time in the allocator

// Without the one underscore that the C library puts before some.
template <std::size_t N>
bool is_one_of(const Place& place, const std::array<std::string_view, N>& names) {
    const std::string call = call_name(place.function);
    const std::string_view function = std::string_view(call).substr(call.starts_with('_') ? 1 : 0);
    return std::find(names.begin(), names.end(), function) != names.end();
}

}  // namespace

bool is_allocator(const Place& place) {
    return is_one_of(place, kTaking) || is_one_of(place, kReleasing);
}

std::vector<NodeIndex> allocator_calls(const Evidence& evidence) {
    std::vector<NodeIndex> calls;
    std::vector<bool> inside(evidence.nodes.size(), false);
    for (const NodeIndex i : indices(evidence.nodes)) {
        const SpaceNode& node = i.in(evidence.nodes);
        const bool is_below = node.parent != kNone && node.parent.in(inside);
        i.in(inside) = is_below || is_allocator(node.place);
        if (!i.in(inside) || is_below || node.kind == SpaceKind::kIteration || node.kind == SpaceKind::kMark) {
            continue;
        }
        calls.push_back(i);
    }
    return calls;
}

bool keeps_memory(const Evidence& evidence) {
    double all = 0;
    double released = 0;
    for (const NodeIndex i : allocator_calls(evidence)) {
        const SpaceNode& node = i.in(evidence.nodes);
        const auto ns = static_cast<double>(node.total.user + node.total.system);
        all += ns;
        released += is_one_of(node.place, kReleasing) ? ns : 0;
    }
    return all > 0 && released < kLeastReleased * all;
}

}  // namespace kymo::findings
