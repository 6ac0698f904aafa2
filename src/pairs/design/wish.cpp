#include "pairs/design/wish.h"

#include "pairs/design/binomial.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <fmt/format.h>

namespace kymo::pairs {
namespace {

struct ExactTerminals {
    double all = 0;
    double matching = 0;
};

// The smallest T2 that keeps the false alarms within bounds, for a given T1.
double matching_terminal(double all, double refuse, double alpha) {
    double matching = std::ceil(boost::math::quantile(boost::math::complement(Binomial(all, refuse), alpha)));
    while (matching > 1 && at_least(all, refuse, matching - 1) <= alpha) {
        --matching;
    }
    while (at_least(all, refuse, matching) > alpha) {
        ++matching;
    }
    return matching;
}

// The power rises and falls with T1 (T2 is an integer), so the smallest T1 is searched step by step; `from` is a
// T1 known to be too small.
ExactTerminals pair_terminals(const Wish& wish, double alpha, double from) {
    const double p1 = wish.share;
    const double p0 = wish.refuse;
    // The normal approximation is too small by no more than a third (tested over the grid).
    const boost::math::normal normal;
    const double z = boost::math::quantile(boost::math::complement(normal, alpha)) * std::sqrt(p0 * (1 - p0)) +
                     boost::math::quantile(normal, wish.confidence) * std::sqrt(p1 * (1 - p1));
    const double guess = 0.6 * z * z / ((p1 - p0) * (p1 - p0));
    for (double all = std::max({1.0, std::floor(guess), from});; ++all) {
        const double matching = matching_terminal(all, p0, alpha);
        if (matching <= all && at_least(all, p1, matching) >= wish.confidence) {
            return {all, matching};
        }
    }
}

// Ticks an event: as fine as the counters allow, since a gain rounded to whole events would be another test.
std::uint32_t choose_unit(double most_events) {
    constexpr double kRoom = 1U << 26U;
    std::uint32_t unit = 1024;
    while (unit > 1 && most_events * unit > kRoom) {
        unit /= 2;
    }
    return most_events * unit > kRoom ? 0 : unit;
}

Error usage(std::string what, std::string next) {
    return {ErrorKind::kUsage, std::move(what), std::move(next)};
}

Result<void> check(const Wish& wish) {
    if (!(wish.share > 0 && wish.share < 1)) {
        return usage(fmt::format("a share of {} cannot be hunted for", wish.share),
                     "--share takes a number between 0 and 1, for example 0.05 for 5 %");
    }
    if (!(wish.refuse > 0 && wish.refuse < wish.share)) {
        return usage(fmt::format("--refuse {} and --share {} contradict each other", wish.refuse, wish.share),
                     "the share to refuse is above 0 and below the share to find: half of it, for example");
    }
    if (wish.terminals) {
        const Terminals& terminals = *wish.terminals;
        if (terminals.matching == 0 || terminals.matching > terminals.all || terminals.matching >= kMostMatches ||
            terminals.all >= 1U << 26U) {
            return usage(fmt::format("terminals of {} and {} end no test", terminals.all, terminals.matching),
                         fmt::format("T1 is at most {}, T2 at least 1, at most T1 and below {}: for example "
                                     "--terminals 400,12",
                                     (1U << 26U) - 1, kMostMatches));
        }
    } else if (!(wish.confidence >= 0.5 && wish.confidence < 1)) {
        return usage(fmt::format("--confidence {} is not a probability that a test can be held to", wish.confidence),
                     "it lies between 0.5 and 1, and below 1: for example 0.99");
    }
    if ((!wish.terminals && !(wish.false_reports > 0 && wish.false_reports < 1)) ||
        (wish.false_alarm && !(*wish.false_alarm > 0 && *wish.false_alarm < 0.5))) {
        return usage(fmt::format("--false-reports {} cannot be kept to", wish.false_reports),
                     "it is the expected number of false reports of the run, above 0 and below 1");
    }
    if (wish.cells == 0 || wish.cells > kMaxCells) {
        return usage(fmt::format("{} pairs cannot hunt", wish.cells),
                     fmt::format("--pairs takes 1 to {}", kMaxCells));
    }
    if (wish.period == 0) {
        return usage("a period of 0 events tests none", "--every takes 1 or more");
    }
    return {};
}

}  // namespace

double reported(const Terminals& terminals, double share) {
    return at_least(terminals.all, share, terminals.matching);
}

Wish with_terminals(Wish wish, const Terminals& terminals, bool has_share, bool has_refuse) {
    wish.form = Form::kPair;
    wish.terminals = terminals;
    if (!has_share && terminals.all != 0) {
        wish.share = std::min(0.99, static_cast<double>(terminals.matching) / terminals.all);
    }
    if (!has_refuse) {
        wish.refuse = 0.4 * wish.share;
    }
    wish.confidence = wish.share > 0 && wish.share < 1 ? reported(terminals, wish.share) : 0;
    wish.false_reports = 0;
    return wish;
}

double false_alarm(const Wish& wish, std::uint32_t epoch) {
    if (wish.false_alarm) {
        return *wish.false_alarm;
    }
    const double i = epoch;
    return wish.false_reports * std::exp2(-i) / ((i + 1) * (i + 2));
}

Result<Rule> make_rule(const Wish& wish) {
    if (auto good = check(wish); !good) {
        return good.error();
    }
    const double a = std::log(wish.share / wish.refuse);
    const double b = std::log((1 - wish.refuse) / (1 - wish.share));
    const double beta = wish.terminals ? 0.01 : 1 - wish.confidence;  // of terminals: for the rest alone
    Rule rule;
    rule.form = wish.form;
    rule.cells = wish.cells;
    rule.period = wish.period;
    rule.epochs = kMaxEpochs;
    double start[kMaxEpochs];  // in events
    double bound[kMaxEpochs];
    double most = 0;
    double from = 1;
    for (std::uint32_t i = 0; i < kMaxEpochs; ++i) {
        const double alpha = wish.terminals ? 0 : false_alarm(wish, i);
        if (wish.terminals) {
            start[i] = wish.terminals->all;
            bound[i] = wish.terminals->matching;
        } else if (wish.form == Form::kSequential) {
            start[i] = std::log((1 - alpha) / beta) / b;
            bound[i] = start[i] + std::log((1 - beta) / alpha) / b;
        } else if (i > 0 && alpha == false_alarm(wish, i - 1)) {
            start[i] = start[i - 1];
            bound[i] = bound[i - 1];
        } else {
            const ExactTerminals terminals = pair_terminals(wish, alpha, from);
            from = start[i] = terminals.all;
            bound[i] = terminals.matching;
        }
        most = std::max({most, start[i], bound[i]});
    }
    const double hold = 12 / b;  // at its share the source falls that far behind once in e^12 trials
    most = std::max({most, hold, a / b + 1});
    rule.unit = choose_unit(most);
    const bool countable = wish.form != Form::kPair || *std::max_element(bound, bound + kMaxEpochs) < kMostMatches;
    if (rule.unit == 0 || !countable) {
        return usage(
            fmt::format("shares of {} and {} are too small to be distinguished here", wish.share, wish.refuse),
            "give a larger --share, or put more distance between --share and --refuse");
    }
    const auto ticks = [&](double events) {
        return static_cast<std::uint32_t>(std::max(1.0, std::round(events * rule.unit)));
    };
    for (std::uint32_t i = 0; i < kMaxEpochs; ++i) {
        rule.epoch[i].start = ticks(start[i]);
        rule.epoch[i].bound = wish.form == Form::kPair ? static_cast<std::uint32_t>(bound[i]) : ticks(bound[i]);
    }
    rule.gain = wish.form == Form::kPair ? 0 : ticks(a / b + 1);
    rule.hold = ticks(hold);
    rule.hold_gain = ticks(a / b + 1);
    const double hopeless = std::log(1 / beta) / b;
    rule.gap = wish.gap ? *wish.gap : static_cast<std::uint32_t>(std::max(4.0, hopeless / 4));
    return rule;
}

}  // namespace kymo::pairs
