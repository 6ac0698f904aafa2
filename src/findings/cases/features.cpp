#include "findings/cases/features.h"

#include "findings/statistics/robust.h"

#include <algorithm>
#include <cmath>

namespace kymo::findings {
namespace {

using spacetime::Evidence;

double wall(const OccurrenceRef& occurrence) {
    return static_cast<double>(std::max<std::int64_t>(1, occurrence.table->terms[occurrence.row].wall()));
}

// Clocks count time, which the terms already have.
bool is_clock(std::string_view counter) {
    return counter == "task-clock" || counter == "cpu-clock" || counter == "system-time";
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

ComparedOccurrences compare_by_features(const Evidence& evidence, std::vector<OccurrenceRef> occurrences) {
    ComparedOccurrences compared;
    compared.occurrences = std::move(occurrences);
    for (const OccurrenceRef& occurrence : compared.occurrences) {
        compared.stream.push_back(occurrence.table->thread[occurrence.row]);
    }
    std::vector<double> values;
    const auto add = [&](std::string name, const auto& tested, const auto& shown) {
        values.clear();
        bool differs = false;
        std::size_t unknown = 0;
        for (const OccurrenceRef& occurrence : compared.occurrences) {
            values.push_back(tested(occurrence));
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
        for (const OccurrenceRef& occurrence : compared.occurrences) {
            column.shown.push_back(shown(occurrence));
        }
    };
    const auto add_plain = [&](std::string name, const auto& value) { add(std::move(name), value, value); };
    for (std::size_t c = 0; c < evidence.run.counters.size(); ++c) {
        if (is_clock(evidence.run.counters[c])) {
            continue;
        }
        const auto count = [c](const OccurrenceRef& occurrence) {
            return static_cast<double>(occurrence.table->deltas_of(occurrence.row)[c]);
        };
        add(
            evidence.run.counters[c],
            [&](const OccurrenceRef& occurrence) { return count(occurrence) / wall(occurrence); }, count);
    }
    const auto migrations = [](const OccurrenceRef& occurrence) {
        return static_cast<double>(occurrence.table->migrations[occurrence.row]);
    };
    add(
        "changes of processor",
        [&](const OccurrenceRef& occurrence) { return migrations(occurrence) / wall(occurrence); }, migrations);
    for (const TermInfo& info : kTerms) {
        if (info.term != Term::kUser) {
            add_plain("share of " + std::string(info.words), [&info](const OccurrenceRef& occurrence) {
                return static_cast<double>(occurrence.table->terms[occurrence.row].*info.member) / wall(occurrence);
            });
        }
    }
    add_plain("threads at work", [](const OccurrenceRef& occurrence) {
        return static_cast<double>(occurrence.table->active_threads[occurrence.row]);
    });
    add_plain("iterations a second of user time", [](const OccurrenceRef& occurrence) {
        const auto user =
            static_cast<double>(std::max<std::int64_t>(1, occurrence.table->terms[occurrence.row].user));
        return occurrence.table->progress[occurrence.row] * 1e9 / user;
    });
    compared.plain_columns = compared.columns.size();
    // Without the time without a processor: others cause that.
    const auto own_ns = [](const OccurrenceRef& occurrence) {
        const spacetime::TimeTerms& terms = occurrence.table->terms[occurrence.row];
        return static_cast<double>(std::max<std::int64_t>(1, terms.wall() - terms.run_queue));
    };
    add(
        "duration", [&](const OccurrenceRef& occurrence) { return std::log(own_ns(occurrence)); },
        [&](const OccurrenceRef& occurrence) { return own_ns(occurrence) / 1e9; });
    return compared;
}

namespace {

void test_columns(const ComparedOccurrences& compared, std::span<const char> label, std::size_t first,
                  std::size_t columns, const FeatureTestOptions& options, Random random, Case* subject) {
    const Labelled labelled{compared.stream, label, std::span(compared.ranks).subspan(first, columns), true};
    const auto bad = static_cast<std::size_t>(std::count(label.begin(), label.end(), 1));
    MaxT test;
    if (bad >= kLeastTested && label.size() - bad >= kLeastTested) {
        test = options.null == Null::kShifts ? shift_test(labelled, random, options.permutations)
                                             : pair_test(labelled, random, options.permutations);
        subject->tested = test.least_p <= kLeastResolution && columns != 0;
        subject->p = subject->tested ? test.p : 1;
    }
    for (std::size_t f = 0; f < columns; ++f) {
        const FeatureColumn& column = compared.columns[first + f];
        const Means mean = means(column.shown, label);
        Feature feature;
        feature.name = column.name;
        feature.bad = mean.bad;
        feature.good = mean.good;
        feature.effect = cliffs_delta(column.balances, label);
        feature.p = subject->tested ? test.features[f].adjusted : 1;
        subject->features.push_back(std::move(feature));
    }
    std::stable_sort(subject->features.begin(), subject->features.end(), [](const Feature& a, const Feature& b) {
        return a.p != b.p ? a.p < b.p : std::abs(a.effect) > std::abs(b.effect);
    });
}

}  // namespace

void test_features(const ComparedOccurrences& compared, std::span<const char> label,
                   const FeatureTestOptions& options, Random random, Case* subject) {
    const std::size_t columns = options.with_duration ? compared.columns.size() : compared.plain_columns;
    test_columns(compared, label, 0, columns, options, random, subject);
}

void test_duration(const ComparedOccurrences& compared, std::span<const char> label, std::size_t permutations,
                   Random random, Case* subject) {
    test_columns(compared, label, compared.plain_columns, compared.columns.size() - compared.plain_columns,
                 {.null = Null::kShifts, .with_duration = true, .permutations = permutations}, random, subject);
}

}  // namespace kymo::findings
