// The middle of a pair against the definition, spelt out: all walks that take each back edge at most once.
#include "spacetime/spaces/block_paths.h"

#include "drawn_graph.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace kymo::spacetime {
namespace {

struct Walks {
    std::size_t count = 0;
    bool too_many = false;
    std::map<std::uint32_t, std::size_t> passed_by;  // block → walks
    std::size_t fewest_back = ~std::size_t{0};
    std::map<std::size_t, std::vector<std::map<std::uint32_t, std::size_t>>> by_back_edges;
};

class Enumerator {
  public:
    Enumerator(const FunctionFlow& flow, std::uint32_t to) : flow_(flow), to_(to) {}
    Walks run(std::uint32_t from) {
        step(from);
        return walks_;
    }

  private:
    void step(std::uint32_t block) {
        const auto successors = flow_.blocks.successors(block);
        for (std::size_t i = 0; i < successors.size(); ++i) {
            const std::uint32_t back = flow_.out_back[block][i];
            if (walks_.too_many || (back != kNone && !used_.insert(back).second)) {
                continue;
            }
            if (successors[i] == to_) {
                record();
            }
            passed_.push_back(successors[i]);
            step(successors[i]);
            passed_.pop_back();
            if (back != kNone) {
                used_.erase(back);
            }
        }
    }
    void record() {
        walks_.too_many = ++walks_.count > 20'000;
        for (const std::uint32_t block : std::set<std::uint32_t>(passed_.begin(), passed_.end())) {
            ++walks_.passed_by[block];
        }
        auto& list = walks_.by_back_edges[used_.size()];
        list.emplace_back();
        for (const std::uint32_t block : passed_) {
            ++list.back()[block];
        }
    }
    const FunctionFlow& flow_;
    std::uint32_t to_;
    Walks walks_;
    std::vector<std::uint32_t> passed_;
    std::set<std::uint32_t> used_;
};

void compare(const FunctionFlow& flow, int round, std::size_t* compared) {
    const std::uint32_t blocks = static_cast<std::uint32_t>(flow.graph.blocks.size());
    for (std::uint32_t from = 0; from < blocks; ++from) {
        for (std::uint32_t to = 0; to < blocks; ++to) {
            const Walks walks = Enumerator(flow, to).run(from);
            if (walks.too_many) {
                continue;
            }
            ++*compared;
            const BlocksBetween found = blocks_between(flow, from, to);
            const auto where = [&] {
                return testing::Message() << "round " << round << ", " << from << " to " << to;
            };
            ASSERT_FALSE(found.approximate) << where();
            ASSERT_EQ(found.reachable, walks.count > 0) << where();
            std::set<std::uint32_t> common(found.common.begin(), found.common.end());
            std::set<std::uint32_t> rest;
            for (const BlockPart& part : found.rest) {
                rest.insert(part.block);
            }
            std::set<std::uint32_t> on_every;
            std::set<std::uint32_t> on_some;
            for (const auto& [block, count] : walks.passed_by) {
                (count == walks.count ? on_every : on_some).insert(block);
            }
            ASSERT_EQ(common, on_every) << where();
            ASSERT_EQ(rest, on_some) << where();
            if (walks.count == 0) {
                continue;
            }
            const auto& alternatives = walks.by_back_edges.begin()->second;
            for (const BlockPart& part : found.rest) {
                double mean = 0;
                for (const auto& passed : alternatives) {
                    const auto times = passed.find(part.block);
                    mean += times == passed.end() ? 0 : static_cast<double>(times->second);
                }
                mean *= flow.graph.blocks[part.block].instructions;
                mean /= static_cast<double>(alternatives.size());
                ASSERT_NEAR(static_cast<double>(part.instructions), mean * kInstruction, 0.51)
                    << where() << " " << part.block;
            }
        }
    }
}

std::vector<std::uint32_t> sizes(std::uint32_t blocks) {
    std::vector<std::uint32_t> result;
    for (std::uint32_t block = 0; block < blocks; ++block) {
        result.push_back(1 + block * 7 % 5);
    }
    return result;
}

TEST(BlocksBetween, OfRandomReducibleGraphsAreThoseOfTheDefinition) {
    std::mt19937 random(3);
    const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    std::size_t compared = 0;
    for (int round = 0; round < 150; ++round) {
        const std::uint32_t blocks = 3 + below(6);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
        for (std::uint32_t block = 1; block < blocks; ++block) {
            edges.emplace_back(below(block), block);
        }
        for (std::uint32_t i = below(blocks); i-- > 0;) {
            const std::uint32_t from = below(blocks - 1);
            edges.emplace_back(from, from + 1 + below(blocks - from - 1));
        }
        std::sort(edges.begin(), edges.end());
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        const auto dominators = program::immediate_dominators(program::Digraph(blocks, edges), 0);
        for (std::uint32_t i = below(4); i-- > 0;) {
            const std::uint32_t from = below(blocks);
            std::uint32_t to = from;
            for (std::uint32_t up = below(4); up-- > 0;) {
                to = dominators[to];
            }
            edges.emplace_back(from, to);
        }
        std::sort(edges.begin(), edges.end());
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        const FunctionFlow flow(draw(sizes(blocks), edges));
        ASSERT_FALSE(flow.irreducible);
        compare(flow, round, &compared);
    }
    EXPECT_GT(compared, 3000U);
}

TEST(BlocksBetween, OfRandomGraphsOfAnyKindAreThoseOfTheDefinition) {
    std::mt19937 random(5);
    const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    std::size_t compared = 0;
    for (int round = 0; round < 150; ++round) {
        const std::uint32_t blocks = 2 + below(5);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
        for (std::uint32_t i = 1 + below(2 * blocks); i-- > 0;) {
            edges.emplace_back(below(blocks), below(blocks));
        }
        std::sort(edges.begin(), edges.end());
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        compare(FunctionFlow(draw(sizes(blocks), edges)), round, &compared);
    }
    EXPECT_GT(compared, 1000U);
}

TEST(BlocksBetween, OfAThousandDiamondsNeedNoEnumeration) {
    // 2^1000 paths. Each diamond: sides of 2 and 4 instructions.
    std::vector<std::uint32_t> instructions;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (std::uint32_t i = 0; i < 1000; ++i) {
        const std::uint32_t top = 3 * i;
        instructions.insert(instructions.end(), {1, 2, 4});
        edges.insert(edges.end(), {{top, top + 1}, {top, top + 2}, {top + 1, top + 3}, {top + 2, top + 3}});
    }
    instructions.push_back(1);
    const FunctionFlow flow(draw(instructions, edges));
    const BlocksBetween found = blocks_between(flow, 0, 3000);
    EXPECT_EQ(found.common.size(), 999U);
    ASSERT_EQ(found.rest.size(), 2000U);
    for (const BlockPart& part : found.rest) {
        EXPECT_EQ(part.instructions, (part.block % 3 == 1 ? 1 : 2) * kInstruction);
    }
}

TEST(BlocksBetween, SaysWhenItIsApproximate) {
    // One header, 100 latches: from a latch to itself more back edges matter than are told apart.
    std::vector<std::uint32_t> instructions(102, 1);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges = {{0, 1}};
    for (std::uint32_t i = 2; i < 102; ++i) {
        edges.emplace_back(1, i);
        edges.emplace_back(i, 1);
    }
    const FunctionFlow flow(draw(instructions, edges));
    EXPECT_TRUE(blocks_between(flow, 2, 3).approximate);
    EXPECT_EQ(blocks_between(flow, 2, 3).common, (std::vector{1U}));
}

}  // namespace
}  // namespace kymo::spacetime
