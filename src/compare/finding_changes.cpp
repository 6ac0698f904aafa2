#include "compare/finding_changes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace kymo::compare {
namespace {

constexpr double kFindingChange = 0.02;  // of the run: shares that differ by less are the same

// A finding is the same if its kind and place are.
std::map<std::pair<std::string, std::string>, FindingChange> findings_of(const std::vector<RunFigures>& base,
                                                                         const std::vector<RunFigures>& other) {
    std::map<std::pair<std::string, std::string>, FindingChange> all;
    const auto add = [&](const std::vector<RunFigures>& runs, bool is_base) {
        for (const RunFigures& run : runs) {
            std::set<std::pair<std::string, std::string>> seen;
            for (const FindingFigures& one : run.findings) {
                const auto key = std::pair(one.kind, one.place);
                if (!seen.insert(key).second) {
                    continue;  // its largest is the first
                }
                FindingChange& change = all[key];
                change.kind = one.kind;
                change.place = one.place;
                change.title = one.title;
                (is_base ? change.base_share : change.other_share) += one.share / static_cast<double>(runs.size());
                ++(is_base ? change.base_runs : change.other_runs);
            }
        }
    };
    add(base, true);
    add(other, false);
    return all;
}

}  // namespace

FindingChanges compare_findings(const std::vector<RunFigures>& base, const std::vector<RunFigures>& other) {
    FindingChanges all;
    for (auto& [key, change] : findings_of(base, other)) {
        // Present in most runs of a side; if only in some, it is near its limit.
        const bool was = 2 * change.base_runs > base.size();
        const bool is = 2 * change.other_runs > other.size();
        if (was && change.other_runs == 0) {
            all.gone.push_back(std::move(change));
        } else if (is && change.base_runs == 0) {
            all.added.push_back(std::move(change));
        } else if (was && is && std::abs(change.other_share - change.base_share) > kFindingChange) {
            all.changed.push_back(std::move(change));
        }
    }
    const auto larger = [](const FindingChange& a, const FindingChange& b) {
        return std::abs(a.other_share - a.base_share) > std::abs(b.other_share - b.base_share);
    };
    for (auto* const list : {&all.gone, &all.added, &all.changed}) {
        std::sort(list->begin(), list->end(), larger);
    }
    return all;
}

}  // namespace kymo::compare
