#include "compare/align.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

namespace kymo::compare {
namespace {

constexpr double kNews = 0.5;        // distance between the times before and after a moment, from which on it
                                     // counts as a change
constexpr double kBeyondNoise = 2;   // times the distance that three quarters of the moments exceed
constexpr std::size_t kAround = 4;   // bins on either side that are compared
constexpr std::size_t kNear = 2;     // bins by which the match may miss a pair of turns
constexpr std::size_t kThrough = 1;  // the same if one of them belongs to another pair
constexpr double kMostUnlike = 0.6;  // distance of runs that are matched
constexpr double kDetour = 0.02;     // the cost of a step that moves only one clock

using Bin = std::vector<double>;  // by function: processors at work

std::vector<Bin> bins_of(const Timeline& run, const std::map<std::string, std::size_t>& column) {
    std::vector<Bin> bins(run.bins, Bin(column.size()));
    const double length = run.duration_ns / static_cast<double>(run.bins);
    for (std::size_t i = 0; i < run.functions.size(); ++i) {
        for (std::size_t bin = 0; bin < run.bins; ++bin) {
            bins[bin][column.at(run.functions[i])] = std::max(run.ns[i][bin], 0.0) / length;
        }
    }
    return bins;
}

// The part that only one of them does, as a share of what either does, 0 to 1 (Ruzicka's). Of two that do nothing:
// 0.
double distance(const Bin& a, const Bin& b) {
    double apart = 0;
    double either = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        apart += std::abs(a[i] - b[i]);
        either += std::max(a[i], b[i]);
    }
    return either > 0 ? apart / either : 0;
}

struct Step {
    std::size_t base;
    std::size_t other;
};

// The pairs of matched bins, from the first to the last.
std::vector<Step> match(const std::vector<Bin>& base, const std::vector<Bin>& other, double* mean) {
    const std::size_t rows = base.size();
    const std::size_t columns = other.size();
    enum : std::uint8_t { kBoth, kBase, kOther };
    std::vector<std::uint8_t> from(rows * columns);
    std::vector<double> above(columns);
    std::vector<double> row(columns);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
            const double here = distance(base[i], other[j]);
            if (i == 0 && j == 0) {
                row[j] = here;
                continue;
            }
            const double none = HUGE_VAL;
            const double detour = kDetour * (1 - here);  // cheap where both do different work
            const double both = i > 0 && j > 0 ? above[j - 1] : none;
            const double base_alone = i > 0 ? above[j] + detour : none;
            const double other_alone = j > 0 ? row[j - 1] + detour : none;
            const double best = std::min({both, base_alone, other_alone});
            row[j] = best + here;
            from[i * columns + j] = best == both ? kBoth : best == base_alone ? kBase : kOther;
        }
        std::swap(above, row);
    }
    std::vector<Step> steps{{rows - 1, columns - 1}};
    double sum = distance(base[rows - 1], other[columns - 1]);
    while (steps.back().base > 0 || steps.back().other > 0) {
        Step next = steps.back();
        const std::uint8_t step = from[next.base * columns + next.other];
        next.base -= step != kOther ? 1 : 0;
        next.other -= step != kBase ? 1 : 0;
        sum += distance(base[next.base], other[next.other]);
        steps.push_back(next);
    }
    std::reverse(steps.begin(), steps.end());
    *mean = sum / static_cast<double>(steps.size());
    return steps;
}

// Of each bin: the distance between the times before and after its begin.
std::vector<double> news_of(const std::vector<Bin>& bins) {
    std::vector<double> news(bins.size());
    for (std::size_t at = 1; at < bins.size(); ++at) {
        const std::size_t reach = std::min({kAround, at, bins.size() - at});
        Bin before(bins[0].size());
        Bin behind(bins[0].size());
        for (std::size_t i = 0; i < reach; ++i) {
            for (std::size_t column = 0; column < before.size(); ++column) {
                before[column] += bins[at - 1 - i][column] / static_cast<double>(reach);
                behind[column] += bins[at + i][column] / static_cast<double>(reach);
            }
        }
        news[at] = distance(before, behind);
    }
    return news;
}

// The bins whose begin changes the run's work more than neighbouring ones.
std::vector<std::size_t> turns_of(const std::vector<Bin>& bins) {
    const std::vector<double> news = news_of(bins);
    std::vector<double> sorted = news;
    std::sort(sorted.begin(), sorted.end());
    const double enough = std::max(kNews, kBeyondNoise * sorted[sorted.size() / 4]);
    std::vector<std::size_t> turns;
    for (std::size_t at = 0; at < news.size(); ++at) {
        const std::size_t first = at > kAround ? at - kAround : 0;
        const std::size_t end = std::min(news.size(), at + kAround + 1);
        const bool is_most = *std::max_element(news.begin() + static_cast<std::ptrdiff_t>(first),
                                               news.begin() + static_cast<std::ptrdiff_t>(end)) == news[at];
        if (news[at] >= enough && is_most && (turns.empty() || at > turns.back() + kAround)) {
            turns.push_back(at);
        }
    }
    return turns;
}

// A turn of each run, and by how many bins the match misses them.
struct TurnPair {
    Step at;
    std::size_t away;
};

std::size_t apart(std::size_t a, std::size_t b) {
    return a > b ? a - b : b - a;
}

// Pairs that the match passes within kNear bins, the nearest first.
std::vector<TurnPair> near_turns(const std::vector<Step>& steps, const std::vector<std::size_t>& base_turns,
                                 const std::vector<std::size_t>& other_turns) {
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> nearest;
    const auto from = [](const std::vector<std::size_t>& turns, std::size_t bin) {
        return std::lower_bound(turns.begin(), turns.end(), bin > kNear ? bin - kNear : 0);
    };
    for (const Step& step : steps) {
        for (auto base = from(base_turns, step.base); base != base_turns.end() && *base <= step.base + kNear;
             ++base) {
            for (auto other = from(other_turns, step.other);
                 other != other_turns.end() && *other <= step.other + kNear; ++other) {
                const std::size_t away = apart(*base, step.base) + apart(*other, step.other);
                const auto [entry, is_new] = nearest.try_emplace({*base, *other}, away);
                entry->second = std::min(entry->second, away);
            }
        }
    }
    std::vector<TurnPair> pairs;
    for (const auto& [pair, away] : nearest) {
        if (away <= kNear) {
            pairs.push_back({{pair.first, pair.second}, away});
        }
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const TurnPair& a, const TurnPair& b) { return a.away < b.away; });
    return pairs;
}

// Turns of both runs that the match brings together, ascending. Those that it passes most closely are taken first;
// one turn may be several of the other run where the match goes through them all: what is between is in one run
// alone.
std::vector<Step> turns_together(const std::vector<Step>& steps, const std::vector<std::size_t>& base_turns,
                                 const std::vector<std::size_t>& other_turns) {
    std::vector<Step> taken;
    for (const TurnPair& pair : near_turns(steps, base_turns, other_turns)) {
        const bool fits = std::all_of(taken.begin(), taken.end(), [&](const Step& one) {
            const bool is_crossed = (one.base < pair.at.base && one.other > pair.at.other) ||
                                    (one.base > pair.at.base && one.other < pair.at.other);
            const bool is_shared = one.base == pair.at.base || one.other == pair.at.other;
            return !is_crossed && (!is_shared || pair.away <= kThrough);
        });
        if (fits) {
            taken.push_back(pair.at);
        }
    }
    std::sort(taken.begin(), taken.end(),
              [](const Step& a, const Step& b) { return a.base != b.base ? a.base < b.base : a.other < b.other; });
    return taken;
}

}  // namespace

Alignment align(const Timeline& base, const Timeline& other) {
    Alignment made;
    made.points.push_back({0, 0});
    if (base.bins > 0 && other.bins > 0) {
        std::map<std::string, std::size_t> column;
        for (const Timeline* const run : {&base, &other}) {
            for (const std::string& name : run->functions) {
                column.try_emplace(name, column.size());
            }
        }
        const auto base_bins = bins_of(base, column);
        const auto other_bins = bins_of(other, column);
        const auto steps = match(base_bins, other_bins, &made.distance);
        const double base_bin = base.duration_ns / static_cast<double>(base.bins);
        const double other_bin = other.duration_ns / static_cast<double>(other.bins);
        made.is_matched = made.distance <= kMostUnlike;
        const auto pairs =
            made.is_matched ? turns_together(steps, turns_of(base_bins), turns_of(other_bins)) : std::vector<Step>{};
        for (const Step& pair : pairs) {
            made.points.push_back(
                {static_cast<double>(pair.base) * base_bin, static_cast<double>(pair.other) * other_bin});
        }
    }
    made.points.push_back({base.duration_ns, other.duration_ns});
    return made;
}

}  // namespace kymo::compare
