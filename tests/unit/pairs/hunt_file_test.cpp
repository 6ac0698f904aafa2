#include "pairs/hunt_file.h"

#include <gtest/gtest.h>
#include <string>

namespace kymo::pairs {
namespace {

const std::string kGood =
    "kymo-hunt 1\nevent 3\nattr 1 2 0 7 100 2 0\nkey 4\nseed 9\nkernel 17 5 6\n"
    "rule 0 4 64 2000 40 3 24000 2001\nepoch 9000 20000\nepoch 9001 21000\n";

TEST(HuntFile, IsReadInFull) {
    HuntFile file;
    ASSERT_TRUE(parse_hunt_file(kGood, file));
    EXPECT_EQ(file.event, 3U);
    EXPECT_EQ(file.attributes.type, 1U);
    EXPECT_EQ(file.attributes.config, 2U);
    EXPECT_EQ(file.attributes.config2, 7U);
    EXPECT_EQ(file.attributes.period, 100U);
    EXPECT_EQ(file.attributes.precise, 2U);
    EXPECT_FALSE(file.attributes.user_only);
    EXPECT_EQ(file.key, 4U);
    EXPECT_EQ(file.seed, 9U);
    EXPECT_EQ(file.kernel.holder, 17U);
    EXPECT_EQ(file.kernel.program, 5U);
    EXPECT_EQ(file.kernel.state, 6U);
    EXPECT_EQ(file.rule.cells, 4U);
    EXPECT_EQ(file.rule.unit, 64U);
    EXPECT_EQ(file.rule.gain, 2000U);
    EXPECT_EQ(file.rule.gap, 40U);
    EXPECT_EQ(file.rule.period, 3U);
    EXPECT_EQ(file.rule.hold, 24000U);
    EXPECT_EQ(file.rule.hold_gain, 2001U);
    ASSERT_EQ(file.rule.epochs, 2U);
    EXPECT_EQ(file.rule.epoch[1].start, 9001U);
    EXPECT_EQ(file.rule.epoch[1].bound, 21000U);
}

TEST(HuntFile, WithoutTheKernelLineTheProgramHunts) {
    std::string text = kGood;
    const std::size_t line = text.find("kernel");
    text.erase(line, text.find('\n', line) + 1 - line);
    HuntFile file;
    ASSERT_TRUE(parse_hunt_file(text, file));
    EXPECT_EQ(file.kernel.holder, 0U);
}

TEST(HuntFile, IsRefusedAsAWhole) {
    HuntFile file;
    for (std::size_t size = 0; size + 1 < kGood.size(); ++size) {
        // Cut anywhere but behind a whole epoch it is not the same file; it must never be read beyond its end.
        parse_hunt_file(std::string_view(kGood).substr(0, size), file);
    }
    EXPECT_FALSE(parse_hunt_file("", file));
    EXPECT_FALSE(parse_hunt_file(kGood + "x\n", file));
    EXPECT_FALSE(parse_hunt_file("kymo-hunt 1\n", file));
}

// Every line of it is good; only there are too many.
TEST(HuntFile, LongerThanItMayBeIsRefused) {
    HuntFile file;
    std::string text = kGood;
    while (text.size() + 7 <= kMaxHuntFile) {
        text += "seed 9\n";
    }
    EXPECT_TRUE(parse_hunt_file(text, file)) << text.size();
    text += "seed 9\n";
    EXPECT_GT(text.size(), kMaxHuntFile);
    EXPECT_FALSE(parse_hunt_file(text, file));
}

}  // namespace
}  // namespace kymo::pairs
