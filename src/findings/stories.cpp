#include "findings/stories.h"

#include "findings/rules/shared/spare.h"
#include "program/demangle.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kymo::findings {
namespace {

using spacetime::Evidence;

constexpr double kHalf = 0.5;
constexpr double kMostOfOuter = 0.8;

bool by_falling_share(const Weighed& a, const Weighed& b) {
    return a.finding.share_low > b.finding.share_low;
}

// The number of enclosing spaces; the rounds of a loop have the loop's depth.
std::size_t depth(const Evidence& evidence, NodeIndex node) {
    if (node != kNone && node.in(evidence.nodes).kind == spacetime::SpaceKind::kIteration) {
        node = node.in(evidence.nodes).parent;
    }
    std::size_t around = 0;
    for (; node != kNone; node = node.in(evidence.nodes).parent) {
        ++around;
    }
    return around;
}

// The part of a node that is in none of those inside it is not related to them.
bool related(const Evidence& evidence, const Weighed& a, const Weighed& b) {
    const NodeIndex one = a.finding.node;
    const NodeIndex other = b.finding.node;
    return one == kNone || other == kNone || (!b.is_part && is_inside(evidence, one, other)) ||
           (!a.is_part && is_inside(evidence, other, one)) || one == other;
}

bool intersect(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

std::vector<TimeRange> joined(std::vector<TimeRange> ranges) {
    std::sort(ranges.begin(), ranges.end(), [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
    std::vector<TimeRange> result;
    for (const TimeRange& range : ranges) {
        if (!result.empty() && range.begin <= result.back().end) {
            result.back().end = std::max(result.back().end, range.end);
        } else {
            result.push_back(range);
        }
    }
    return result;
}

double length(const std::vector<TimeRange>& ranges) {
    double sum = 0;
    for (const TimeRange& range : ranges) {
        sum += static_cast<double>(range.end - range.begin);
    }
    return sum;
}

// Both joined.
double common(const std::vector<TimeRange>& a, const std::vector<TimeRange>& b) {
    double sum = 0;
    for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
        const std::uint64_t begin = std::max(a[i].begin, b[k].begin);
        const std::uint64_t end = std::min(a[i].end, b[k].end);
        sum += end > begin ? static_cast<double>(end - begin) : 0;
        (a[i].end < b[k].end ? i : k) += 1;
    }
    return sum;
}

// An empty list of times is the whole run, of threads all of them.
bool at_the_same_time(const Finding& a, const Finding& b) {
    if (!a.threads.empty() && !b.threads.empty() && !intersect(a.threads, b.threads)) {
        return false;
    }
    if (a.when.empty() || b.when.empty()) {
        return true;
    }
    const std::vector<TimeRange> left = joined(a.when);
    const std::vector<TimeRange> right = joined(b.when);
    return common(left, right) >= kHalf * std::min(length(left), length(right));
}

bool same_story(const Evidence& evidence, const Weighed& a, const Weighed& b) {
    if (a.rule->is_advantage && a.finding.kind != b.finding.kind) {
        return false;  // two different advantages are counted twice
    }
    if (intersect(a.targets, b.targets)) {
        return true;
    }
    // The work of threads in a step, and places where one of them does not work, are not parts of each other.
    const auto are = [&](Contrast one, Contrast other) {
        return a.rule->contrast == one && b.rule->contrast == other;
    };
    if (are(Contrast::kThreads, Contrast::kReturns) || are(Contrast::kReturns, Contrast::kThreads)) {
        return false;
    }
    const auto& one = a.finding.place;
    const auto& other = b.finding.place;
    const bool is_one_function = one.function == other.function && one.module == other.module;
    if (a.rule->is_exclusive && b.rule->is_exclusive && a.finding.kind != b.finding.kind && !is_one_function) {
        return false;  // of two functions each has its own time, also where one calls the other
    }
    // One defect of one function is one story, whichever rule or part of the function it comes from.
    const bool is_same_defect =
        a.finding.kind == b.finding.kind && !one.function.empty() && is_one_function && !a.rule->is_advantage;
    return (is_same_defect || related(evidence, a, b)) && (a.terms & b.terms) != 0 &&
           at_the_same_time(a.finding, b.finding);
}

// A claim of the same kind deeper inside has most of it. A system header is not a place that a user could change.
bool is_held_inside(const Evidence& evidence, const Finding& outer, const Finding& inner) {
    return inner.place.file.rfind("/usr/", 0) != 0 && !is_tool(evidence, inner.node) && inner.kind == outer.kind &&
           depth(evidence, inner.node) > depth(evidence, outer.node) && is_inside(evidence, inner.node, outer.node) &&
           inner.share_low >= kMostOfOuter * outer.share_low;
}

// What each thread runs a part of: a loop, or a parallel region as a function of its own, in whose loop it gets one.
bool has_parts(const spacetime::SpaceNode& node, const spacetime::SpaceNode& inner) {
    return node.kind == spacetime::SpaceKind::kLoop || node.kind == spacetime::SpaceKind::kLoopNest ||
           (node.kind == spacetime::SpaceKind::kFunction && program::is_parallel_region(node.place.function) &&
            node.place.function != inner.place.function);
}

// Between the two is code with the inner one in each of its parts, in which the threads do not wait for one another.
bool is_in_a_part(const Evidence& evidence, const Finding& outer, const Finding& inner) {
    constexpr double kWaits = 0.05;  // of its time
    for (NodeIndex i = inner.node; i != kNone && i != outer.node;) {
        i = i.in(evidence.nodes).parent;
        if (i != kNone && has_parts(i.in(evidence.nodes), inner.node.in(evidence.nodes))) {
            const spacetime::TimeTerms& total = i.in(evidence.nodes).total;
            const auto waits = static_cast<double>(total.waiting + total.spinning + total.other);
            if (waits < kWaits * static_cast<double>(total.wall())) {
                return true;
            }
        }
    }
    return false;
}

// Of the claims of the same kind around the best one that have most of its stake: the outermost.
std::size_t outermost_of(const Evidence& evidence, const std::vector<Weighed>& story, std::size_t best) {
    std::size_t result = best;
    for (std::size_t i = 0; i < story.size(); ++i) {
        const Finding& outer = story[i].finding;
        const bool is_further_out = outer.kind == story[best].finding.kind && outer.node != kNone &&
                                    !is_tool(evidence, outer.node) &&
                                    is_inside(evidence, story[best].finding.node, outer.node) &&
                                    depth(evidence, outer.node) < depth(evidence, story[result].finding.node);
        result = is_further_out && outer.share_low >= kMostOfOuter * story[best].finding.share_low ? i : result;
    }
    return result;
}

// `others`: the claims of other stories.
std::size_t best_of(const Evidence& evidence, const std::vector<Weighed>& story, const std::vector<Weighed>& others) {
    // By falling share_low already.
    std::size_t best = 0;
    if (story[0].rule->is_generic) {
        for (std::size_t i = 1; i < story.size(); ++i) {
            const auto is_held = [&](const Weighed& other) {
                return is_held_inside(evidence, story[i].finding, other.finding) &&
                       same_story(evidence, story[i], other);
            };
            if (!story[i].rule->is_generic && story[i].finding.share_low >= kHalf * story[0].finding.share_low &&
                std::none_of(others.begin(), others.end(), is_held)) {
                best = i;
                break;
            }
        }
    }
    // A tool with a little more at stake than the code that uses it does not represent that code.
    if (is_tool(evidence, story[best].finding.node)) {
        const Finding& tool = story[best].finding;
        const auto user = std::find_if(story.begin(), story.end(), [&](const Weighed& claim) {
            return claim.finding.kind == tool.kind && !is_tool(evidence, claim.finding.node) &&
                   is_inside(evidence, tool.node, claim.finding.node) &&
                   claim.finding.share_low >= kMostOfOuter * tool.share_low;
        });
        best = user == story.end() ? best : static_cast<std::size_t>(user - story.begin());
    }
    const bool is_of_parts = story[best].rule->is_of_parts && story[best].finding.node != kNone;
    best = is_of_parts ? outermost_of(evidence, story, best) : best;
    // Further inside, step by step. Every step goes deeper: a loop and its rounds are each inside the other.
    for (std::size_t i = 0; i < story.size(); ++i) {
        if (is_held_inside(evidence, story[best].finding, story[i].finding) &&
            !(is_of_parts && is_in_a_part(evidence, story[best].finding, story[i].finding))) {
            best = i;
            i = static_cast<std::size_t>(-1);  // again from the front
        }
    }
    return best;
}

// The story was gathered around the claim with the most at stake, which may lie further out than the one that is
// shown: claims elsewhere in the outer one's code are not part of the shown one, and become stories of their own.
void release_elsewhere(const Evidence& evidence, std::vector<Weighed>* story, std::vector<Weighed>* others) {
    const Weighed& shown = story->front();
    const auto elsewhere = std::stable_partition(story->begin() + 1, story->end(), [&](const Weighed& claim) {
        return related(evidence, shown, claim) || intersect(shown.targets, claim.targets);
    });
    std::move(elsewhere, story->end(), std::back_inserter(*others));
    story->erase(elsewhere, story->end());
    std::stable_sort(others->begin(), others->end(), by_falling_share);
}

}  // namespace

std::vector<Finding> join_stories(const Evidence& evidence, std::vector<Weighed> claims) {
    std::stable_sort(claims.begin(), claims.end(), by_falling_share);
    std::vector<Finding> findings;
    while (!claims.empty()) {
        std::vector<Weighed> story;
        std::vector<Weighed> others;
        for (Weighed& claim : claims) {
            (story.empty() || same_story(evidence, story[0], claim) ? story : others).push_back(std::move(claim));
        }
        claims = std::move(others);
        std::swap(story[0], story[best_of(evidence, story, claims)]);
        release_elsewhere(evidence, &story, &claims);
        Finding finding = std::move(story[0].finding);
        for (std::size_t i = 1; i < story.size(); ++i) {
            const auto is_told = [&](const Finding& told) { return told.kind == story[i].finding.kind; };
            if (!is_told(finding) && std::none_of(finding.also.begin(), finding.also.end(), is_told)) {
                finding.also.push_back(std::move(story[i].finding));
            }
        }
        findings.push_back(std::move(finding));
    }
    std::stable_sort(findings.begin(), findings.end(),
                     [](const Finding& a, const Finding& b) { return a.share_low > b.share_low; });
    return findings;
}

}  // namespace kymo::findings
