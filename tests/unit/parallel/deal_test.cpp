#include "parallel/deal.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace kymo::parallel {
namespace {

std::vector<std::uint64_t> loads(std::span<const std::uint64_t> weights, std::uint32_t workers) {
    std::vector<std::uint64_t> loads(workers);
    const auto dealt = deal(weights, workers);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        loads.at(dealt[i]) += weights[i];
    }
    return loads;
}

TEST(Deal, GivesEachWorkerAsMuch) {
    EXPECT_EQ(loads(std::vector<std::uint64_t>{25, 50, 25}, 2), (std::vector<std::uint64_t>{50, 50}));
    EXPECT_EQ(loads(std::vector<std::uint64_t>(1000, 7), 4), (std::vector<std::uint64_t>{1750, 1750, 1750, 1750}));
}

TEST(Deal, PiecesWithoutWeightAreSpreadToo) {
    const auto dealt = deal(std::vector<std::uint64_t>(6, 0), 3);
    for (std::uint32_t worker = 0; worker < 3; ++worker) {
        EXPECT_EQ(std::count(dealt.begin(), dealt.end(), worker), 2);
    }
}

TEST(Deal, NoWorkerHasMoreThanTheMeanAndAPiece) {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::uint64_t> weights(1 + random() % 50);
        for (std::uint64_t& weight : weights) {
            weight = 1 + random() % 1000;
        }
        const auto workers = static_cast<std::uint32_t>(1 + random() % 8);
        const auto all = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
        const std::uint64_t heaviest = *std::max_element(weights.begin(), weights.end());
        const auto given = loads(weights, workers);
        EXPECT_EQ(std::accumulate(given.begin(), given.end(), std::uint64_t{0}), all);
        EXPECT_LE(*std::max_element(given.begin(), given.end()), all / workers + 1 + heaviest);
    }
}

TEST(Deal, NothingToDeal) {
    EXPECT_TRUE(deal({}, 3).empty());
}

}  // namespace
}  // namespace kymo::parallel
