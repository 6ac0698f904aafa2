#include "findings/statistics/max_t.h"

#include <algorithm>
#include <array>
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

// Counts, permutation by permutation, how often the null does as well as the observation. Step-down: feature k of
// the order by |statistic| is compared with the maximum over the features from k on.
class Tally {
  public:
    explicit Tally(std::vector<double> observed, std::size_t enough = kAllHits)
        : observed_(std::move(observed)), enough_(enough), order_(observed_.size()) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
            return std::abs(observed_[a]) > std::abs(observed_[b]);
        });
        alone_.assign(observed_.size(), 0);
        maxima_.assign(observed_.size(), 0);
    }

    // False: no further draws are needed.
    bool add(std::span<const double> drawn) {
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
        return maxima_[0] < enough_;
    }

    std::size_t drawn() const { return drawn_; }

    // `beside`: 1 if the observed labelling was not among the drawn ones.
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
    std::size_t enough_;
    std::vector<std::size_t> order_;
    std::vector<std::size_t> alone_;   // by feature
    std::vector<std::size_t> maxima_;  // by place in the order
    std::size_t drawn_ = 0;
};

std::size_t bounded(std::size_t permutations, std::size_t features, std::size_t labelled) {
    const std::size_t each = std::max<std::size_t>(1, features * labelled);
    return std::clamp(kMostWork / each, std::min(kLeastPermutations, permutations), permutations);
}

// The features' ranks: computed here, unless given.
class Ranks {
  public:
    explicit Ranks(const Labelled& occurrences) : ranks_(occurrences.features) {
        if (!occurrences.is_ranked) {
            made_.reserve(occurrences.features.size());
            for (const std::vector<double>& feature : occurrences.features) {
                made_.push_back(standard_ranks(feature));
            }
            ranks_ = made_;
        }
    }
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    ~Ranks() = default;
    std::size_t size() const { return ranks_.size(); }
    const std::vector<double>& operator[](std::size_t feature) const { return ranks_[feature]; }

  private:
    std::vector<std::vector<double>> made_;
    std::span<const std::vector<double>> ranks_;
};

// Sums of values under random signs, for many draws of the signs at once and value by value the same signs in every
// row. Eight values at a time: of their 256 possible sums each draw looks up one.
class SignedSums {
  public:
    static constexpr std::size_t kDraws = 256;

    // `rows`: of equal length; they must outlive this.
    explicit SignedSums(std::span<const std::vector<double>> rows) : rows_(rows), sums_(rows.size() * kDraws) {}

    // The next kDraws draws.
    void draw(Random* random) {
        std::fill(sums_.begin(), sums_.end(), 0.0);
        const std::size_t values = rows_.empty() ? 0 : rows_[0].size();
        for (std::size_t begin = 0; begin < values; begin += kGroup) {
            std::array<std::uint8_t, kDraws> signs;
            for (std::size_t i = 0; i < kDraws; i += sizeof(std::uint64_t)) {
                const std::uint64_t bits = random->next();
                for (std::size_t byte = 0; byte < sizeof bits; ++byte) {
                    signs[i + byte] = static_cast<std::uint8_t>(bits >> 8U * byte);
                }
            }
            const std::size_t count = std::min(kGroup, values - begin);
            for (std::size_t row = 0; row < rows_.size(); ++row) {
                fill_table(std::span(rows_[row]).subspan(begin, count));
                double* const sums = sums_.data() + row * kDraws;
                for (std::size_t i = 0; i < kDraws; ++i) {
                    sums[i] += table_[signs[i]];
                }
            }
        }
    }
    double sum(std::size_t row, std::size_t draw) const { return sums_[row * kDraws + draw]; }

  private:
    static constexpr std::size_t kGroup = 8;

    // Bit i of the index: the sign of value i.
    void fill_table(std::span<const double> values) {
        table_[0] = 0;
        std::size_t filled = 1;
        for (std::size_t i = 0; i < kGroup; ++i) {
            const double value = i < values.size() ? values[i] : 0;
            for (std::size_t at = 0; at < filled; ++at) {
                table_[filled + at] = table_[at] + value;
                table_[at] -= value;
            }
            filled *= 2;
        }
    }

    std::span<const std::vector<double>> rows_;
    std::vector<double> sums_;  // row by row, draw by draw
    std::array<double, std::size_t{1} << kGroup> table_{};
};

}  // namespace

std::vector<double> standard_ranks(std::span<const double> values) {
    std::vector<double> filled(values.begin(), values.end());
    std::vector<double> known;
    std::copy_if(filled.begin(), filled.end(), std::back_inserter(known), [](double x) { return !std::isnan(x); });
    if (known.size() < filled.size()) {
        const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
        std::nth_element(known.begin(), middle, known.end());
        const double median = known.empty() ? 0 : *middle;
        std::replace_if(filled.begin(), filled.end(), [](double x) { return std::isnan(x); }, median);
    }
    return standard_ranks(balances(filled));
}

std::vector<double> standard_ranks(std::span<const std::int32_t> balances) {
    std::vector<double> ranks(balances.begin(), balances.end());
    const double squares = std::inner_product(ranks.begin(), ranks.end(), ranks.begin(), 0.0);
    if (squares > 0) {
        const double scale = std::sqrt(static_cast<double>(ranks.size() - 1) / squares);
        std::for_each(ranks.begin(), ranks.end(), [&](double& rank) { rank *= scale; });
    }
    return ranks;
}

MaxT shift_test(const Labelled& occurrences, Random random, std::size_t permutations, std::size_t enough) {
    const std::size_t n = occurrences.label.size();
    const std::vector<StreamPart> streams = parts(occurrences.stream);
    std::vector<std::vector<std::size_t>> labelled(streams.size());  // places within their stream
    std::size_t count = 0;
    double shifts = 1;
    for (std::size_t s = 0; s < streams.size(); ++s) {
        for (std::size_t i = 0; i < streams[s].size; ++i) {
            if (occurrences.label[streams[s].begin + i] != 0) {
                labelled[s].push_back(i);
                ++count;
            }
        }
        if (!labelled[s].empty() && labelled[s].size() < streams[s].size) {
            shifts *= static_cast<double>(streams[s].size);
        }
    }
    if (count == 0 || count == n || occurrences.features.empty()) {
        return Tally({}).result(0);
    }
    // Ranks add up to 0: the smaller group gives the same result with the opposite sign for less work.
    if (2 * count > n) {
        std::vector<char> others(n);
        std::transform(occurrences.label.begin(), occurrences.label.end(), others.begin(),
                       [](char label) -> char { return label != 0 ? 0 : 1; });
        Labelled fewer = occurrences;
        fewer.label = others;
        MaxT test = shift_test(fewer, random, permutations, enough);
        for (FeatureTest& feature : test.features) {
            feature.statistic = -feature.statistic;
        }
        return test;
    }
    const Ranks ranks(occurrences);
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
    permutations = bounded(permutations, ranks.size(), count);
    if (shifts <= static_cast<double>(permutations) && streams.size() == 1) {
        Tally tally(drawn);
        for (; shift[0] < streams[0].size; ++shift[0]) {
            statistics(shift, &drawn);
            tally.add(drawn);
        }
        return tally.result(0);
    }
    Tally tally(drawn, enough);
    for (bool goes_on = true; goes_on && tally.drawn() < permutations;) {
        for (std::size_t s = 0; s < streams.size(); ++s) {
            shift[s] = static_cast<std::size_t>(random.below(streams[s].size));
        }
        statistics(shift, &drawn);
        goes_on = tally.add(drawn);
    }
    MaxT test = tally.result(1);
    test.least_p = std::max(1 / static_cast<double>(permutations + 1), 1 / shifts);
    return test;
}

MaxT pair_test(const Labelled& occurrences, Random random, std::size_t permutations, std::size_t enough) {
    // Disjoint pairs of neighbours in time: one labelled, one not, of one stream.
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i + 1 < occurrences.label.size(); ++i) {
        if (occurrences.stream[i] == occurrences.stream[i + 1] &&
            (occurrences.label[i] != 0) != (occurrences.label[i + 1] != 0)) {
            pairs.emplace_back(occurrences.label[i] != 0 ? i : i + 1, occurrences.label[i] != 0 ? i + 1 : i);
            ++i;
        }
    }
    if (pairs.empty() || occurrences.features.empty()) {
        return Tally({}).result(0);
    }
    const Ranks ranks(occurrences);
    std::vector<std::vector<double>> differences(ranks.size());
    std::vector<double> observed(ranks.size(), 0);
    for (std::size_t f = 0; f < ranks.size(); ++f) {
        double squares = 0;
        for (const auto& [with, without] : pairs) {
            differences[f].push_back(ranks[f][with] - ranks[f][without]);
            squares += differences[f].back() * differences[f].back();
        }
        const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
        for (double& difference : differences[f]) {
            difference *= scale;
            observed[f] += difference;
        }
    }
    Tally tally(observed, enough);
    permutations = bounded(permutations, differences.size(), pairs.size());
    SignedSums sums(differences);
    std::vector<double> drawn(differences.size());
    for (bool goes_on = true; goes_on && tally.drawn() < permutations;) {
        sums.draw(&random);
        for (std::size_t i = 0; goes_on && i < SignedSums::kDraws && tally.drawn() < permutations; ++i) {
            for (std::size_t f = 0; f < drawn.size(); ++f) {
                drawn[f] = sums.sum(f, i);
            }
            goes_on = tally.add(drawn);
        }
    }
    MaxT test = tally.result(1);
    test.least_p =
        std::max(1 / static_cast<double>(permutations + 1), std::exp2(1 - static_cast<double>(pairs.size())));
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

std::vector<char> exchanged_labels(std::span<const std::uint32_t> stream, std::span<const char> label,
                                   Random* random) {
    std::vector<char> result(label.begin(), label.end());
    for (const StreamPart& part : parts(stream)) {
        for (std::size_t left = part.size; left > 1; --left) {
            std::swap(result[part.begin + left - 1], result[part.begin + random->below(left)]);
        }
    }
    return result;
}

}  // namespace kymo::findings
