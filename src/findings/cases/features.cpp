#include "findings/cases/features.h"

#include "findings/statistics/robust.h"

#include <algorithm>
#include <cmath>
#include <functional>

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

Means means(const std::vector<double>& values, std::span<const char> label) {
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

std::vector<FeatureColumn> feature_columns(const Evidence& evidence, std::span<const VisitRef> visits,
                                           bool with_duration) {
    std::vector<FeatureColumn> columns;
    const auto add = [&](std::string name, const std::function<double(const VisitRef&)>& tested,
                         const std::function<double(const VisitRef&)>& shown) {
        FeatureColumn column{std::move(name), {}, {}};
        bool differs = false;
        for (const VisitRef& visit : visits) {
            column.values.push_back(tested(visit));
            column.shown.push_back(shown(visit));
            differs = differs || column.values.back() != column.values.front();
        }
        const bool is_known =
            std::any_of(column.values.begin(), column.values.end(), [](double value) { return !std::isnan(value); });
        if (differs && is_known) {
            columns.push_back(std::move(column));
        }
    };
    const auto add_plain = [&](std::string name, const std::function<double(const VisitRef&)>& value) {
        add(std::move(name), value, value);
    };
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
    add_plain("threads on a processor",
              [](const VisitRef& visit) { return static_cast<double>(visit.table->active_threads[visit.row]); });
    add_plain("iterations a second of user time", [](const VisitRef& visit) {
        const auto user = static_cast<double>(std::max<std::int64_t>(1, visit.table->terms[visit.row].user));
        return visit.table->progress[visit.row] * 1e9 / user;
    });
    if (with_duration) {
        add(
            "duration", [](const VisitRef& visit) { return std::log(wall(visit)); },
            [](const VisitRef& visit) { return wall(visit) / 1e9; });
    }
    return columns;
}

void test_features(std::span<const VisitRef> visits, std::span<const char> label,
                   const std::vector<FeatureColumn>& columns, Null null, Random random, std::size_t permutations,
                   Case* subject) {
    std::vector<std::uint32_t> stream;
    stream.reserve(visits.size());
    for (const VisitRef& visit : visits) {
        stream.push_back(visit.table->thread[visit.row]);
    }
    std::vector<std::vector<double>> values;
    for (const FeatureColumn& column : columns) {
        values.push_back(column.values);
    }
    const Labelled labelled{stream, label, values};
    const auto bad = static_cast<std::size_t>(std::count(label.begin(), label.end(), 1));
    MaxT test;
    if (bad >= kLeastTested && label.size() - bad >= kLeastTested) {
        test = null == Null::kShifts ? shift_test(labelled, random, permutations)
                                     : pair_test(labelled, random, permutations);
        subject->tested = test.least_p <= kLeastResolution && !columns.empty();
        subject->p = subject->tested ? test.p : 1;
    }
    for (std::size_t f = 0; f < columns.size(); ++f) {
        std::vector<double> sides[2];
        for (std::size_t i = 0; i < visits.size(); ++i) {
            if (!std::isnan(columns[f].values[i])) {
                sides[label[i] != 0 ? 1 : 0].push_back(columns[f].values[i]);
            }
        }
        const Means mean = means(columns[f].shown, label);
        Feature feature;
        feature.name = columns[f].name;
        feature.bad = mean.bad;
        feature.good = mean.good;
        feature.effect = cliffs_delta(sides[1], sides[0]);
        feature.shift = hodges_lehmann_shift(sides[1], sides[0]);
        feature.p = subject->tested ? test.features[f].adjusted : 1;
        subject->features.push_back(std::move(feature));
    }
    std::stable_sort(subject->features.begin(), subject->features.end(), [](const Feature& a, const Feature& b) {
        return a.p != b.p ? a.p < b.p : std::abs(a.effect) > std::abs(b.effect);
    });
}

}  // namespace kymo::findings
