#include "events/suggest.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace kymo::events {
namespace {

char fold(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::string folded(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), fold);
    return result;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> above(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        above[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = fold(a[i - 1]) == fold(b[j - 1]);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0U : 1U)});
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1])) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        std::swap(before, above);
        std::swap(above, row);
    }
    return above[b.size()];
}

std::vector<std::string> nearest(std::string_view name, std::span<const std::string> known, std::size_t limit) {
    const std::string wanted = folded(name);
    const std::size_t allowed = std::max<std::size_t>(1, name.size() / 3);
    std::vector<std::pair<std::size_t, const std::string*>> ranked;
    for (const std::string& candidate : known) {
        std::size_t distance = edit_distance(name, candidate);
        if (distance > allowed && wanted.size() >= 3 && folded(candidate).find(wanted) != std::string::npos) {
            distance = allowed;
        }
        if (distance <= allowed) {
            ranked.emplace_back(distance, &candidate);
        }
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> result;
    for (std::size_t i = 0; i < std::min(limit, ranked.size()); ++i) {
        result.push_back(*ranked[i].second);
    }
    return result;
}

}  // namespace kymo::events
