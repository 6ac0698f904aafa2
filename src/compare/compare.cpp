#include "compare/compare.h"

#include "compare/permutation.h"
#include "program/demangle.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <numeric>
#include <set>

namespace kymo::compare {
namespace {

constexpr double kLeastShare = 0.002;  // of processor time, on either side: functions with less are not compared
constexpr double kLeastPathShare = 0.01;
constexpr double kSameTime = 0.95;       // of a path's time: a callee with more makes the path redundant
constexpr double kLeastSpread = 0.0005;  // of a run's time: the variation of measuring itself
constexpr double kTrusted = 0.3;         // of the error of sampling: a smaller spread is luck, however alike the
                                         // runs are
constexpr double kSure = 2;              // standard deviations
constexpr double kBeyondError = 3;       // of a row's value: its error at most a third
constexpr std::size_t kFamilies = 2;
constexpr std::size_t kMostLines = 3;

using Runs = std::vector<RunFigures>;

double value(const RunFigures& run, const RowKey& key) {
    const auto found = run.rows.find(key);
    return found == run.rows.end() ? 0 : found->second.value;
}

std::vector<double> values(const Runs& runs, const RowKey& key) {
    std::vector<double> all;
    all.reserve(runs.size());
    for (const RunFigures& run : runs) {
        all.push_back(value(run, key));
    }
    return all;
}

double median(std::vector<double> all) {
    std::sort(all.begin(), all.end());
    const std::size_t half = all.size() / 2;
    return all.size() % 2 == 1 ? all[half] : (all[half - 1] + all[half]) / 2;
}

double mean(const std::vector<double>& all) {
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

Side side_of(const std::vector<double>& all) {
    const auto [least, most] = std::minmax_element(all.begin(), all.end());
    return {median(all), *least, *most};
}

// The name up to its parameters, which may have changed: "f(int)" → "f". Parentheses of "(anonymous namespace)"
// and of a library behind the name are not parameters.
std::string stem(const std::string& name) {
    int depth = 0;
    for (std::size_t i = 1; i < name.size(); ++i) {
        depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
        if (name[i] == '(' && depth <= 0 && name[i - 1] != ':' && name[i - 1] != ' ') {
            return name.substr(0, i);
        }
    }
    return name;
}

// Renames functions inside call paths; adds up paths that become equal.
void rename_in_paths(Runs& runs, const std::map<std::string, std::string>& renamed) {
    if (renamed.empty()) {
        return;
    }
    for (RunFigures& run : runs) {
        std::map<RowKey, Amount> rows;
        for (auto& [key, amount] : run.rows) {
            RowKey now = key;
            if (key.kind == RowKind::kPath) {
                std::vector<std::string> parts = path_parts(key.name);
                for (std::string& part : parts) {
                    const auto found = renamed.find(part);
                    part = found == renamed.end() ? part : found->second;
                }
                now.name = fmt::format("{}", fmt::join(parts, kCalls));
            }
            Amount& row = rows[now];
            const double sum = row.value + amount.value;
            row = std::move(amount);
            row.value = sum;
        }
        run.rows = std::move(rows);
    }
}

// By stem, the functions that only one side has; if there is one on each, it is the same with other parameters.
void match_by_stem(const Runs& base, Runs& other) {
    const auto keys_of = [](const Runs& runs) {
        std::set<RowKey> keys;
        for (const RunFigures& run : runs) {
            for (const auto& [key, amount] : run.rows) {
                if (key.kind == RowKind::kFunction) {
                    keys.insert(key);
                } else if (key.kind == RowKind::kPath) {
                    for (std::string& part : path_parts(key.name)) {
                        keys.insert({RowKind::kFunction, std::move(part)});
                    }
                }
            }
        }
        return keys;
    };
    const std::set<RowKey> ours = keys_of(base);
    const std::set<RowKey> theirs = keys_of(other);
    std::map<std::string, std::vector<RowKey>> gone;
    std::map<std::string, std::vector<RowKey>> added;
    for (const RowKey& key : ours) {
        if (!theirs.contains(key)) {
            gone[stem(key.name)].push_back(key);
        }
    }
    for (const RowKey& key : theirs) {
        if (!ours.contains(key)) {
            added[stem(key.name)].push_back(key);
        }
    }
    std::map<std::string, std::string> renamed;
    for (const auto& [name, keys] : added) {
        const auto before = gone.find(name);
        if (keys.size() != 1 || before == gone.end() || before->second.size() != 1) {
            continue;
        }
        for (RunFigures& run : other) {
            if (auto row = run.rows.extract(keys[0]); !row.empty()) {
                row.key() = before->second[0];
                run.rows.insert(std::move(row));
            }
        }
        renamed[keys[0].name] = before->second[0].name;
    }
    rename_in_paths(other, renamed);
}

// Whether most runs of a side measure the row to a third; a function needs nine samples for that. A row measured
// worse is not informative, and raises the p-values of all others.
bool is_known(const Runs& runs, const RowKey& key) {
    std::size_t known = 0;
    for (const RunFigures& run : runs) {
        const auto found = run.rows.find(key);
        known += found != run.rows.end() && found->second.value > 0 &&
                         found->second.value >= kBeyondError * found->second.error
                     ? 1
                     : 0;
    }
    return 2 * known > runs.size();
}

bool is_processor_time(RowKind kind) {
    return kind == RowKind::kFunction || kind == RowKind::kPath;
}

// Removes a call path if one of its callees has almost all of its time on both sides: the longer path is more
// specific.
void drop_callers(std::set<RowKey>& keys, const Runs& base, const Runs& other) {
    std::set<RowKey> dropped;
    for (const RowKey& key : keys) {
        const std::size_t end = key.kind == RowKind::kPath ? key.name.rfind(kCalls) : std::string::npos;
        if (end == std::string::npos) {
            continue;
        }
        const RowKey caller{RowKind::kPath, key.name.substr(0, end)};
        const auto has_all = [&](const Runs& runs) {
            return median(values(runs, key)) >= kSameTime * median(values(runs, caller));
        };
        if (keys.contains(caller) && has_all(base) && has_all(other)) {
            dropped.insert(caller);
        }
    }
    for (const RowKey& key : dropped) {
        keys.erase(key);
    }
}

// Largest sampling error of the row in a run.
double sampling_error(const Runs& runs, const RowKey& key) {
    double most = 0;
    for (const RunFigures& run : runs) {
        if (const auto found = run.rows.find(key); found != run.rows.end()) {
            most = std::max(most, found->second.error);
        }
    }
    return most;
}

// All call paths of all runs; a path's name sorts behind its callers'.
std::vector<PathTime> path_times(const Runs& base, const Runs& other) {
    std::set<RowKey> keys;
    for (const Runs* const runs : {&base, &other}) {
        for (const RunFigures& run : *runs) {
            for (auto row = run.rows.lower_bound({RowKind::kPath, ""});
                 row != run.rows.end() && row->first.kind == RowKind::kPath; ++row) {
                keys.insert(row->first);
            }
        }
    }
    std::vector<PathTime> paths;
    for (const RowKey& key : keys) {
        const double error = std::hypot(sampling_error(base, key) / std::sqrt(static_cast<double>(base.size())),
                                        sampling_error(other, key) / std::sqrt(static_cast<double>(other.size())));
        paths.push_back({key.name, mean(values(base, key)), mean(values(other, key)), error});
    }
    return paths;
}

// Everything with a share on either side.
std::set<RowKey> compared_keys(const Runs& base, const Runs& other) {
    std::map<RowKey, double> most;  // largest share in a run
    for (const Runs* const runs : {&base, &other}) {
        for (const RunFigures& run : *runs) {
            const double processor = std::max(value(run, kProcessorTime), 1.0);
            const double wall = std::max(value(run, kWallTime), 1.0);
            for (const auto& [key, amount] : run.rows) {
                const double share = is_processor_time(key.kind)  ? amount.value / processor
                                     : key.kind == RowKind::kWait ? amount.value / wall
                                                                  : 1.0;
                most[key] = std::max(most[key], amount.value > 0 ? share : 0.0);
            }
        }
    }
    std::set<RowKey> keys;
    for (const auto& [key, share] : most) {
        const double least = key.kind == RowKind::kPath ? kLeastPathShare : kLeastShare;
        if (share >= least && (is_known(base, key) || is_known(other, key))) {
            keys.insert(key);
        }
    }
    drop_callers(keys, base, other);
    return keys;
}

std::vector<LineChange> line_changes(const Runs& base, const Runs& other, const RowKey& key) {
    std::map<std::int64_t, double> sums;
    const auto add = [&](const Runs& runs, double sign) {
        for (const RunFigures& run : runs) {
            if (const auto found = run.rows.find(key); found != run.rows.end()) {
                for (const auto& [line, ns] : found->second.lines) {
                    sums[line] += sign * ns / static_cast<double>(runs.size());
                }
            }
        }
    };
    add(base, -1);
    add(other, 1);
    std::vector<LineChange> all;
    all.reserve(sums.size());
    for (const auto& [line, difference] : sums) {
        all.push_back({line, difference});
    }
    std::sort(all.begin(), all.end(), [](const LineChange& a, const LineChange& b) {
        return std::abs(a.difference) > std::abs(b.difference);
    });
    all.resize(std::min(all.size(), kMostLines));
    return all;
}

void describe(Change& change, const Runs& base, const Runs& other) {
    for (const Runs* const runs : {&other, &base}) {
        for (const RunFigures& run : *runs) {
            const auto found = run.rows.find(change.key);
            if (found != run.rows.end() && !found->second.file.empty()) {
                change.file = found->second.file;
                change.line = found->second.line;
                return;
            }
        }
    }
}

// The whole run's times are one family, everything else another, so that the question whether a build became
// slower does not pay for the many that locate the change. Holm's rule (1979) keeps the error of both together:
// the p-values of the family with the smallest one count twice.
void set_p_values(Comparison& comparison, const std::vector<ComparedAmount>& amounts) {
    std::vector<std::size_t> rows[kFamilies];
    std::vector<double> p[kFamilies];
    double least[kFamilies] = {1, 1};
    for (std::size_t i = 0; i < amounts.size(); ++i) {
        rows[comparison.changes[i].key.kind == RowKind::kWhole ? 0 : 1].push_back(i);
    }
    for (std::size_t family = 0; family < kFamilies; ++family) {
        std::vector<ComparedAmount> some;
        some.reserve(rows[family].size());
        for (const std::size_t i : rows[family]) {
            some.push_back(amounts[i]);
        }
        p[family] = p_values(some);
        for (const double one : p[family]) {
            least[family] = std::min(least[family], one);
        }
    }
    for (std::size_t family = 0; family < kFamilies; ++family) {
        const double before = kFamilies * std::min(least[0], least[1]);  // of the clearer one's clearest
        const bool is_clearer = least[family] <= least[1 - family];
        for (std::size_t i = 0; i < rows[family].size(); ++i) {
            const double own = is_clearer ? kFamilies * p[family][i] : std::max(before, p[family][i]);
            comparison.changes[rows[family][i]].p = std::min(1.0, own);
        }
    }
}

}  // namespace

double Change::ratio() const {
    return base.median > 0    ? difference() / base.median
           : difference() > 0 ? std::numeric_limits<double>::infinity()
                              : 0.0;
}

const Change* Comparison::find(const RowKey& key) const {
    const Change* shown = nullptr;
    std::size_t count = 0;
    for (const Change& change : changes) {
        if (change.key == key) {
            return &change;
        }
        if (change.key.kind == key.kind && change.shown == key.name) {
            shown = &change;
            ++count;
        }
    }
    return count == 1 ? shown : nullptr;
}

std::string shown_name(const RowKey& key) {
    if (key.kind == RowKind::kPath) {
        std::string text;
        for (const std::string& part : path_parts(key.name)) {
            text += (text.empty() ? std::string() : std::string(kCalls)) + shown_name({RowKind::kFunction, part});
        }
        return text;
    }
    if (key.kind != RowKind::kFunction || key.name.starts_with('[')) {
        return key.name;
    }
    const std::size_t library = key.name.ends_with(')') ? key.name.rfind(" (") : std::string::npos;
    const std::string suffix = library == std::string::npos ? "" : key.name.substr(library);
    return program::plain_name(std::string_view(key.name).substr(0, library)) + suffix;
}

Comparison compare(Runs base, Runs other) {
    Comparison comparison;
    comparison.base_runs = base.size();
    comparison.other_runs = other.size();
    comparison.has_p = kFamilies * least_p(base.size(), other.size()) <= kSignificant;
    match_by_stem(base, other);
    std::vector<ComparedAmount> amounts;
    for (const RowKey& key : compared_keys(base, other)) {
        Change change;
        change.key = key;
        change.shown = shown_name(key);
        ComparedAmount amount{values(base, key), values(other, key), 0};
        change.base = side_of(amount.base);
        change.other = side_of(amount.other);
        const RowKey& whole = key.kind == RowKind::kWait ? kWallTime : kProcessorTime;
        const double run = std::max(median(values(base, whole)), median(values(other, whole)));
        if (key.kind == RowKind::kEvent) {
            change.least = std::sqrt(change.base.median + change.other.median);
            amount.least_spread = std::sqrt(std::max(change.base.median, 1.0));
        } else {
            change.error = std::hypot(sampling_error(base, key), sampling_error(other, key));
            change.least = 2 * kLeastSpread * run;
            amount.least_spread = std::max(kLeastSpread * run, kTrusted * change.error / std::sqrt(2.0));
        }
        if (key.kind == RowKind::kFunction) {
            change.lines = line_changes(base, other, key);
        }
        describe(change, base, other);
        comparison.changes.push_back(std::move(change));
        amounts.push_back(std::move(amount));
    }
    if (comparison.has_p) {
        set_p_values(comparison, amounts);
    }
    std::stable_sort(comparison.changes.begin(), comparison.changes.end(), [](const Change& a, const Change& b) {
        return a.key.kind != b.key.kind ? a.key.kind < b.key.kind : a.difference() > b.difference();
    });
    comparison.paths = path_times(base, other);
    comparison.findings = compare_findings(base, other);
    for (const Runs* const runs : {&base, &other}) {
        for (const RunFigures& run : *runs) {
            if (run.is_damaged) {
                comparison.warnings.push_back(run.name +
                                              ": parts of the recording are lost: its figures are too small");
            }
        }
    }
    return comparison;
}

std::vector<Limit> exceeded(const Comparison& comparison, const std::vector<Limit>& limits) {
    std::vector<Limit> all;
    for (const Limit& limit : limits) {
        const Change* const change = comparison.find(limit.key);
        if (change == nullptr) {
            continue;
        }
        const double sure = comparison.has_p ? 0 : kSure * std::max(change->error, change->least);
        if (comparison.differs(*change) && change->difference() - sure > limit.share * change->base.median) {
            all.push_back(limit);
        }
    }
    return all;
}

}  // namespace kymo::compare
