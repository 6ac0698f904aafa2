#include "findings/rules/shared/neighbourhood.h"

#include "findings/statistics/robust.h"
#include "findings/words.h"

#include <vector>

namespace kymo::findings {

using spacetime::kAnyNeighbour;

namespace {

std::string neighbour_words(const Case& subject, std::uint32_t neighbour) {
    const spacetime::Evidence& evidence = *subject.evidence;
    if (subject.same == kNone) {
        return neighbour_name(evidence, neighbour);
    }
    return neighbour < evidence.same_spaces.size()
               ? name(evidence.spaces[evidence.same_spaces[neighbour].members.front()].place)
               : "anything else";
}

}  // namespace

std::string neighbourhood_words(const Case& subject) {
    if (subject.after == kAnyNeighbour) {
        return "after " + neighbour_words(subject, subject.before);
    }
    const std::string after = neighbour_words(subject, subject.after);
    return subject.before == kAnyNeighbour ? "before " + after
                                           : "between " + neighbour_words(subject, subject.before) + " and " + after;
}

bool is_of_what_follows(const Case& subject) {
    return subject.before == kAnyNeighbour;
}

bool is_beyond_either(const Case& subject, double at_least, bool is_more,
                      const std::function<double(std::size_t)>& value) {
    if (subject.before == kAnyNeighbour || subject.after == kAnyNeighbour) {
        return true;
    }
    std::vector<double> inside;
    inside.reserve(subject.bad_rows.size());
    for (const std::size_t row : subject.bad_rows) {
        inside.push_back(value(row));
    }
    std::vector<double> beside[2];
    for (const std::size_t row : subject.good_rows) {
        if (subject.rows().before[row] == subject.before) {
            beside[0].push_back(value(row));
        } else if (subject.rows().after[row] == subject.after) {
            beside[1].push_back(value(row));
        }
    }
    const double own = median(std::move(inside));
    for (std::vector<double>& values : beside) {
        const double other = median(std::move(values));
        if (is_more ? own < at_least * other : own * at_least > other) {
            return false;
        }
    }
    return true;
}

}  // namespace kymo::findings
