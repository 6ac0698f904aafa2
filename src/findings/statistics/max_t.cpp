#include "findings/statistics/max_t.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kymo::findings {
namespace {

struct StreamPart {
    std::size_t begin = 0;
    std::size_t size = 0;
};

std::vector<StreamPart> parts(std::span<const std::uint32_t> stream) {
    std::vector<StreamPart> result;
    for (std::size_t i = 0; i < stream.size(); ++i) {
        if (i == 0 || stream[i] != stream[i - 1]) {
            result.push_back({i, 0});
        }
        ++result.back().size;
    }
    return result;
}

// Ranks centred on 0, ties sharing theirs, scaled so that their squares add up to one less than their number.
std::vector<double> standard_ranks(const std::vector<double>& values) {
    const std::size_t n = values.size();
    std::vector<double> known;
    std::copy_if(values.begin(), values.end(), std::back_inserter(known), [](double x) { return !std::isnan(x); });
    std::sort(known.begin(), known.end());
    const double middle = known.empty() ? 0 : known[known.size() / 2];
    std::vector<double> filled = values;
    std::replace_if(filled.begin(), filled.end(), [](double x) { return std::isnan(x); }, middle);

    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return filled[a] < filled[b]; });
    std::vector<double> ranks(n);
    const double centre = static_cast<double>(n - 1) / 2;
    double squares = 0;
    for (std::size_t i = 0; i < n;) {
        std::size_t end = i + 1;
        while (end < n && filled[order[end]] == filled[order[i]]) {
            ++end;
        }
        const double rank = static_cast<double>(i + end - 1) / 2 - centre;
        for (; i < end; ++i) {
            ranks[order[i]] = rank;
            squares += rank * rank;
        }
    }
    if (squares > 0) {
        const double scale = std::sqrt(static_cast<double>(n - 1) / squares);
        std::for_each(ranks.begin(), ranks.end(), [&](double& rank) { rank *= scale; });
    }
    return ranks;
}

// Counts, permutation by permutation, how often the null does as well as what was observed. Step-down: feature k of
// the order by |statistic| is held against the maximum over the features from k on.
class Tally {
  public:
    explicit Tally(std::vector<double> observed) : observed_(std::move(observed)), order_(observed_.size()) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
            return std::abs(observed_[a]) > std::abs(observed_[b]);
        });
        alone_.assign(observed_.size(), 0);
        maxima_.assign(observed_.size(), 0);
    }

    void add(std::span<const double> drawn) {
        double largest = 0;
        for (std::size_t k = order_.size(); k-- > 0;) {
            const std::size_t feature = order_[k];
            const double bound = std::abs(observed_[feature]) * (1 - 1e-9);
            const double value = std::abs(drawn[feature]);
            largest = std::max(largest, value);
            alone_[feature] += value >= bound ? 1 : 0;
            maxima_[k] += largest >= bound ? 1 : 0;
        }
        ++drawn_;
    }

    // `beside`: 1 where the observed labelling was not among those drawn.
    MaxT result(double beside) const {
        MaxT test;
        test.permutations = drawn_;
        const double all = static_cast<double>(drawn_) + beside;
        test.least_p = all > 0 ? 1 / all : 1;
        test.features.resize(observed_.size());
        double adjusted = 0;
        for (std::size_t k = 0; k < order_.size(); ++k) {
            FeatureTest& feature = test.features[order_[k]];
            feature.statistic = observed_[order_[k]];
            feature.p = all > 0 ? (static_cast<double>(alone_[order_[k]]) + beside) / all : 1;
            adjusted = std::max(adjusted, all > 0 ? (static_cast<double>(maxima_[k]) + beside) / all : 1);
            feature.adjusted = adjusted;
        }
        test.p = order_.empty() ? 1 : test.features[order_[0]].adjusted;
        return test;
    }

  private:
    std::vector<double> observed_;
    std::vector<std::size_t> order_;
    std::vector<std::size_t> alone_;   // by feature
    std::vector<std::size_t> maxima_;  // by place in the order
    std::size_t drawn_ = 0;
};

std::size_t bounded(std::size_t permutations, std::size_t features, std::size_t labelled) {
    const std::size_t each = std::max<std::size_t>(1, features * labelled);
    return std::clamp(kMostWork / each, std::min(kLeastPermutations, permutations), permutations);
}

}  // namespace

MaxT shift_test(const Labelled& visits, Random random, std::size_t permutations) {
    const std::size_t n = visits.label.size();
    const std::vector<StreamPart> streams = parts(visits.stream);
    std::vector<std::vector<std::size_t>> labelled(streams.size());  // places within their stream
    std::size_t count = 0;
    double shifts = 1;
    for (std::size_t s = 0; s < streams.size(); ++s) {
        for (std::size_t i = 0; i < streams[s].size; ++i) {
            if (visits.label[streams[s].begin + i] != 0) {
                labelled[s].push_back(i);
                ++count;
            }
        }
        if (!labelled[s].empty() && labelled[s].size() < streams[s].size) {
            shifts *= static_cast<double>(streams[s].size);
        }
    }
    if (count == 0 || count == n || visits.features.empty()) {
        return Tally({}).result(0);
    }
    std::vector<std::vector<double>> ranks;
    ranks.reserve(visits.features.size());
    for (const std::vector<double>& feature : visits.features) {
        ranks.push_back(standard_ranks(feature));
    }
    const auto members = static_cast<double>(count);
    const double scale = 1 / std::sqrt(members * (1 - members / static_cast<double>(n)));
    const auto statistics = [&](std::span<const std::size_t> shift, std::vector<double>* out) {
        out->assign(ranks.size(), 0);
        for (std::size_t s = 0; s < streams.size(); ++s) {
            for (const std::size_t i : labelled[s]) {
                const std::size_t moved = i + shift[s];
                const std::size_t row =
                    streams[s].begin + (moved < streams[s].size ? moved : moved - streams[s].size);
                for (std::size_t f = 0; f < ranks.size(); ++f) {
                    (*out)[f] += ranks[f][row];
                }
            }
        }
        for (double& value : *out) {
            value *= scale;
        }
    };
    std::vector<std::size_t> shift(streams.size(), 0);
    std::vector<double> drawn;
    statistics(shift, &drawn);
    Tally tally(drawn);
    permutations = bounded(permutations, ranks.size(), count);
    if (shifts <= static_cast<double>(permutations) && streams.size() == 1) {
        for (; shift[0] < streams[0].size; ++shift[0]) {
            statistics(shift, &drawn);
            tally.add(drawn);
        }
        return tally.result(0);
    }
    for (std::size_t i = 0; i < permutations; ++i) {
        for (std::size_t s = 0; s < streams.size(); ++s) {
            shift[s] = static_cast<std::size_t>(random.below(streams[s].size));
        }
        statistics(shift, &drawn);
        tally.add(drawn);
    }
    MaxT test = tally.result(1);
    test.least_p = std::max(test.least_p, 1 / shifts);
    return test;
}

MaxT pair_test(const Labelled& visits, Random random, std::size_t permutations) {
    // Disjoint pairs of neighbours in time: one labelled, one not, of one stream.
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i + 1 < visits.label.size(); ++i) {
        if (visits.stream[i] == visits.stream[i + 1] && (visits.label[i] != 0) != (visits.label[i + 1] != 0)) {
            pairs.emplace_back(visits.label[i] != 0 ? i : i + 1, visits.label[i] != 0 ? i + 1 : i);
            ++i;
        }
    }
    if (pairs.empty() || visits.features.empty()) {
        return Tally({}).result(0);
    }
    std::vector<std::vector<double>> differences(visits.features.size());
    std::vector<double> observed(visits.features.size(), 0);
    for (std::size_t f = 0; f < visits.features.size(); ++f) {
        const std::vector<double> ranks = standard_ranks(visits.features[f]);
        double squares = 0;
        for (const auto& [with, without] : pairs) {
            differences[f].push_back(ranks[with] - ranks[without]);
            squares += differences[f].back() * differences[f].back();
        }
        const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
        for (double& difference : differences[f]) {
            difference *= scale;
            observed[f] += difference;
        }
    }
    Tally tally(observed);
    permutations = bounded(permutations, differences.size(), pairs.size());
    std::vector<double> drawn(differences.size());
    std::vector<double> signs(pairs.size());
    for (std::size_t i = 0; i < permutations; ++i) {
        for (double& sign : signs) {
            sign = (random.next() >> 63U) != 0 ? 1 : -1;
        }
        for (std::size_t f = 0; f < differences.size(); ++f) {
            drawn[f] = std::inner_product(signs.begin(), signs.end(), differences[f].begin(), 0.0);
        }
        tally.add(drawn);
    }
    MaxT test = tally.result(1);
    test.least_p = std::max(test.least_p, std::exp2(1 - static_cast<double>(pairs.size())));
    return test;
}

std::vector<char> shifted_labels(std::span<const std::uint32_t> stream, std::span<const char> label, Random* random) {
    std::vector<char> result(label.begin(), label.end());
    for (const StreamPart& part : parts(stream)) {
        const auto begin = result.begin() + static_cast<std::ptrdiff_t>(part.begin);
        std::rotate(begin, begin + static_cast<std::ptrdiff_t>(random->below(part.size)),
                    begin + static_cast<std::ptrdiff_t>(part.size));
    }
    return result;
}

}  // namespace kymo::findings
