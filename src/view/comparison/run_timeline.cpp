#include "view/comparison/run_timeline.h"

#include "compare/compare.h"
#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/make_profile.h"
#include "view/pieces.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

namespace kymo::view {
namespace {

using namespace spacetime;
using compare::Timeline;

constexpr std::size_t kSamplesOfBin = 6;
constexpr std::size_t kLeastBins = 10;
constexpr std::size_t kMostBins = 400;
constexpr std::size_t kMostFunctions = 40;
constexpr double kLeastShare = 0.005;     // of a run's processor time: a row of its own
constexpr double kLeastNode = 0.001;      // a node with less counts as its caller
constexpr double kLeastWithCalls = 0.01;  // of a run's processor time
constexpr double kMostWithCalls = 0.95;   // in both runs: main, and what calls it
constexpr std::size_t kEnoughRows = 3;    // with fewer, functions in nearly all of both runs are shown too
constexpr const char* kOthers = "[other functions]";

bool is_on_processor(ThreadState state) {
    return state == ThreadState::kUser || state == ThreadState::kSystem || state == ThreadState::kSpinning;
}

double sum_of(const std::vector<double>& row) {
    return std::accumulate(row.begin(), row.end(), 0.0);
}

// Time by row and bin; rows get their bins when they are met.
class Rows {
  public:
    Rows(std::size_t rows, std::size_t bins, double bin_ns) : rows_(rows), bins_(bins), bin_ns_(bin_ns) {}

    void add(std::size_t row, double begin, double end) {
        auto& into = rows_[row];
        into.resize(bins_);
        for (std::size_t bin = std::min(static_cast<std::size_t>(begin / bin_ns_), bins_ - 1); begin < end; ++bin) {
            const double until = bin == bins_ - 1 ? end : std::min(end, static_cast<double>(bin + 1) * bin_ns_);
            into[bin] += until - begin;
            begin = until;
        }
    }
    void add(std::size_t row, const std::vector<double>& time) {
        auto& into = rows_[row];
        into.resize(bins_);
        std::transform(time.begin(), time.end(), into.begin(), into.begin(), std::plus<>());
    }
    std::size_t size() const { return rows_.size(); }
    std::vector<double>& operator[](std::size_t row) { return rows_[row]; }

  private:
    std::vector<std::vector<double>> rows_;
    std::size_t bins_;
    double bin_ns_;
};

// Names that tables show, each once, with the number of each of the tree's functions among them.
struct Names {
    std::vector<std::string> shown;
    std::vector<std::size_t> of_function;

    Names(const Profile& profile, const CallTree& tree) {
        std::unordered_map<std::string, std::size_t> known;
        for (const std::string& key : compare::function_keys(profile, tree)) {
            const auto [entry, is_new] =
                known.try_emplace(compare::shown_name({compare::RowKind::kFunction, key}), shown.size());
            if (is_new) {
                shown.push_back(entry->first);
            }
            of_function.push_back(entry->second);
        }
    }
};

Timeline named_rows(const Names& names, Rows& rows, double duration_ns, std::size_t bins) {
    Timeline made{duration_ns, bins, {}, {}};
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (!rows[row].empty()) {
            made.functions.emplace_back(row < names.shown.size() ? names.shown[row] : kOthers);
            made.ns.push_back(std::move(rows[row]));
        }
    }
    return made;
}

// Functions with all that they call, from the times of call nodes. A function counts once however often it is on
// a path.
Timeline with_calls(const Names& names, const CallTree& tree, Rows& nodes, double duration_ns, std::size_t bins) {
    Rows rows(names.shown.size(), bins, 1);
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        if (nodes[node].empty()) {
            continue;
        }
        std::set<std::size_t> on_path;
        for (std::size_t at = node; at != 0; at = raw(tree.nodes[at].parent)) {
            on_path.insert(names.of_function[tree.nodes[at].function]);
        }
        for (const std::size_t row : on_path) {
            rows.add(row, nodes[node]);
        }
    }
    return named_rows(names, rows, duration_ns, bins);
}

// Itself, or the nearest caller with enough time.
std::vector<std::size_t> kept_nodes(const CallTree& tree) {
    const double least = kLeastNode * static_cast<double>(processor_time(tree.total[0]));
    std::vector<std::size_t> kept(tree.nodes.size());
    for (std::size_t node = 1; node < kept.size(); ++node) {
        const bool is_enough = static_cast<double>(processor_time(tree.total[node])) >= least;
        kept[node] = is_enough ? node : kept[raw(tree.nodes[node].parent)];
    }
    return kept;
}

double time_of(const Timeline& run) {
    return std::accumulate(run.ns.begin(), run.ns.end(), 0.0,
                           [](double sum, const auto& row) { return sum + sum_of(row); });
}

// Each function's share of the processor time of either run, by name.
struct Shares {
    double base = 0;
    double other = 0;
};
using SharesByName = std::map<std::string, Shares>;

SharesByName shares_of(const Timeline& base, double base_time, const Timeline& other, double other_time) {
    SharesByName shares;
    for (std::size_t row = 0; row < base.ns.size(); ++row) {
        shares[base.functions[row]].base = sum_of(base.ns[row]) / base_time;
    }
    for (std::size_t row = 0; row < other.ns.size(); ++row) {
        shares[other.functions[row]].other = sum_of(other.ns[row]) / other_time;
    }
    return shares;
}

// Keeps the rows of these names; the rest becomes a row of others, or is dropped.
void keep_rows(Timeline& run, const std::set<std::string>& kept, bool has_others) {
    Timeline made{run.duration_ns, run.bins, {}, {}};
    Rows others(1, run.bins, 1);
    for (std::size_t row = 0; row < run.ns.size(); ++row) {
        if (kept.contains(run.functions[row])) {
            made.functions.push_back(std::move(run.functions[row]));
            made.ns.push_back(std::move(run.ns[row]));
        } else if (has_others) {
            others.add(0, run.ns[row]);
        }
    }
    if (!others[0].empty()) {
        made.functions.emplace_back(kOthers);
        made.ns.push_back(std::move(others[0]));
    }
    run = std::move(made);
}

std::set<std::string> chosen_themselves(const SharesByName& shares) {
    std::vector<std::pair<double, std::string>> order;
    for (const auto& [name, share] : shares) {
        const double most = std::max(share.base, share.other);
        if (name != kOthers && most >= kLeastShare) {
            order.emplace_back(-most, name);
        }
    }
    std::sort(order.begin(), order.end());
    std::set<std::string> chosen;
    for (std::size_t i = 0; i < std::min(order.size(), kMostFunctions); ++i) {
        chosen.insert(order[i].second);
    }
    return chosen;
}

std::set<std::string> chosen_with_calls(const SharesByName& shares) {
    std::set<std::string> some;
    std::set<std::string> always;
    for (const auto& [name, share] : shares) {
        if (std::max(share.base, share.other) >= kLeastWithCalls) {
            (std::min(share.base, share.other) > kMostWithCalls ? always : some).insert(name);
        }
    }
    if (some.size() < kEnoughRows) {
        some.merge(always);
    }
    return some;
}

}  // namespace

Result<RunTimeline> run_timeline(const recording::Recording& recording) {
    const auto profile = load_profile(recording);
    if (!profile) {
        return profile.error();
    }
    const std::uint64_t length = profile->end > profile->begin ? profile->end - profile->begin : 0;
    RunTimeline made;
    made.itself.duration_ns = made.with_calls.duration_ns = static_cast<double>(length);
    const std::size_t clock = clock_event(*profile);
    const std::uint64_t samples = clock < profile->samples_by_event.size() ? profile->samples_by_event[clock] : 0;
    if (samples == 0 || length == 0) {
        return made;
    }
    const std::size_t bins = std::clamp(static_cast<std::size_t>(samples / kSamplesOfBin), kLeastBins, kMostBins);
    const double bin_ns = static_cast<double>(length) / static_cast<double>(bins);
    const CallTree tree = make_call_tree(*profile);
    const Names names(*profile, tree);
    const std::vector<std::size_t> kept = kept_nodes(tree);
    // A function with too little to be seen has no name: the last row.
    const std::size_t others = names.shown.size();
    const double least = kLeastNode * static_cast<double>(processor_time(tree.total[0]));
    std::vector<std::size_t> row_of_function(tree.symbols.functions.size(), others);
    for (std::size_t i = 0; i < tree.functions.size(); ++i) {
        if (static_cast<double>(processor_time(tree.function_self[i])) >= least) {
            row_of_function[tree.functions[i].function] = names.of_function[tree.functions[i].function];
        }
    }
    Rows functions(others + 1, bins, bin_ns);
    Rows nodes(tree.nodes.size(), bins, bin_ns);
    const auto walked = walk_pieces(recording, *profile, {{0, length}, {}}, [&](const Piece& piece) {
        if (is_on_processor(piece.state)) {
            const std::size_t node = raw(tree.node_of[piece.node]);
            const auto begin = static_cast<double>(piece.begin);
            const auto end = static_cast<double>(piece.end);
            functions.add(row_of_function[tree.nodes[node].function], begin, end);
            nodes.add(kept[node], begin, end);
        }
    });
    if (!walked) {
        return walked.error();
    }
    made.itself = named_rows(names, functions, static_cast<double>(length), bins);
    made.with_calls = with_calls(names, tree, nodes, static_cast<double>(length), bins);
    return made;
}

void choose_rows(RunTimeline& base, RunTimeline& other) {
    const double base_time = std::max(time_of(base.itself), 1.0);
    const double other_time = std::max(time_of(other.itself), 1.0);
    const auto themselves = chosen_themselves(shares_of(base.itself, base_time, other.itself, other_time));
    const auto with_calls = chosen_with_calls(shares_of(base.with_calls, base_time, other.with_calls, other_time));
    for (RunTimeline* const run : {&base, &other}) {
        keep_rows(run->itself, themselves, true);
        keep_rows(run->with_calls, with_calls, false);
    }
}

}  // namespace kymo::view
