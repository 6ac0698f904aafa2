#include "findings/cases/features.h"

#include "findings/statistics/robust.h"

#include <algorithm>
#include <cmath>

namespace kymo::findings {
namespace {

using spacetime::Evidence;

double wall(const VisitRef& visit) {
    return static_cast<double>(std::max<std::int64_t>(1, visit.table->terms[visit.row].wall()));
}

// Clocks count time, which the terms already have.
bool is_clock(std::string_view counter) {
    return counter == "task-clock" || counter == "cpu-clock";
}

struct Means {
    double bad = 0;
    double good = 0;
};

Means means(std::span<const double> values, std::span<const char> label) {
    double sums[2] = {0, 0};
    double counts[2] = {0, 0};
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isnan(values[i])) {
            sums[label[i] != 0 ? 1 : 0] += values[i];
            counts[label[i] != 0 ? 1 : 0] += 1;
        }
    }
    return {counts[1] > 0 ? sums[1] / counts[1] : kUnknown, counts[0] > 0 ? sums[0] / counts[0] : kUnknown};
}

}  // namespace

ComparedVisits compare_by_features(const Evidence& evidence, std::vector<VisitRef> visits) {
    ComparedVisits compared;
    compared.visits = std::move(visits);
    for (const VisitRef& visit : compared.visits) {
        compared.stream.push_back(visit.table->thread[visit.row]);
    }
    std::vector<double> values;
    const auto add = [&](std::string name, const auto& tested, const auto& shown) {
        values.clear();
        bool differs = false;
        std::size_t unknown = 0;
        for (const VisitRef& visit : compared.visits) {
            values.push_back(tested(visit));
            differs = differs || values.back() != values.front();
            unknown += std::isnan(values.back()) ? 1 : 0;
        }
        if (!differs || unknown == values.size()) {
            return;
        }
        FeatureColumn& column = compared.columns.emplace_back();
        column.name = std::move(name);
        column.balances = balances(values);
        compared.ranks.push_back(unknown == 0 ? standard_ranks(column.balances) : standard_ranks(values));
        for (const VisitRef& visit : compared.visits) {
            column.shown.push_back(shown(visit));
        }
    };
    const auto add_plain = [&](std::string name, const auto& value) { add(std::move(name), value, value); };
    for (std::size_t c = 0; c < evidence.run.counters.size(); ++c) {
        if (is_clock(evidence.run.counters[c])) {
            continue;
        }
        const auto count = [c](const VisitRef& visit) {
            return static_cast<double>(visit.table->deltas_of(visit.row)[c]);
        };
        add(evidence.run.counters[c], [&](const VisitRef& visit) { return count(visit) / wall(visit); }, count);
    }
    const auto migrations = [](const VisitRef& visit) {
        return static_cast<double>(visit.table->migrations[visit.row]);
    };
    add("changes of processor", [&](const VisitRef& visit) { return migrations(visit) / wall(visit); }, migrations);
    for (const TermInfo& info : kTerms) {
        if (info.term != Term::kUser) {
            add_plain("share of " + std::string(info.words), [&info](const VisitRef& visit) {
                return static_cast<double>(visit.table->terms[visit.row].*info.member) / wall(visit);
            });
        }
    }
    add_plain("threads at work",
              [](const VisitRef& visit) { return static_cast<double>(visit.table->active_threads[visit.row]); });
    add_plain("iterations a second of user time", [](const VisitRef& visit) {
        const auto user = static_cast<double>(std::max<std::int64_t>(1, visit.table->terms[visit.row].user));
        return visit.table->progress[visit.row] * 1e9 / user;
    });
    compared.plain_columns = compared.columns.size();
    // Without the time that a processor was lacking: that is others' doing.
    const auto own_ns = [](const VisitRef& visit) {
        const spacetime::TimeTerms& terms = visit.table->terms[visit.row];
        return static_cast<double>(std::max<std::int64_t>(1, terms.wall() - terms.run_queue));
    };
    add(
        "duration", [&](const VisitRef& visit) { return std::log(own_ns(visit)); },
        [&](const VisitRef& visit) { return own_ns(visit) / 1e9; });
    return compared;
}

void test_features(const ComparedVisits& compared, std::span<const char> label, const FeatureTestOptions& options,
                   Random random, Case* subject) {
    const std::size_t columns = options.with_duration ? compared.columns.size() : compared.plain_columns;
    const Labelled labelled{compared.stream, label, std::span(compared.ranks).first(columns), true};
    const auto bad = static_cast<std::size_t>(std::count(label.begin(), label.end(), 1));
    MaxT test;
    if (bad >= kLeastTested && label.size() - bad >= kLeastTested) {
        test = options.null == Null::kShifts ? shift_test(labelled, random, options.permutations)
                                             : pair_test(labelled, random, options.permutations);
        subject->tested = test.least_p <= kLeastResolution && columns != 0;
        subject->p = subject->tested ? test.p : 1;
    }
    for (std::size_t f = 0; f < columns; ++f) {
        const Means mean = means(compared.columns[f].shown, label);
        Feature feature;
        feature.name = compared.columns[f].name;
        feature.bad = mean.bad;
        feature.good = mean.good;
        feature.effect = cliffs_delta(compared.columns[f].balances, label);
        feature.p = subject->tested ? test.features[f].adjusted : 1;
        subject->features.push_back(std::move(feature));
    }
    std::stable_sort(subject->features.begin(), subject->features.end(), [](const Feature& a, const Feature& b) {
        return a.p != b.p ? a.p < b.p : std::abs(a.effect) > std::abs(b.effect);
    });
}

}  // namespace kymo::findings
