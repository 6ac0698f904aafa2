#include "events/kept_code.h"

#include "events/kept_file.h"

#include <gtest/gtest.h>
#include <memory>

namespace kymo::events {
namespace {

std::unique_ptr<KeptCode> parsed(const std::string& text) {
    auto code = std::make_unique<KeptCode>();
    return parse_kept_code(text, *code) ? std::move(code) : nullptr;
}

int image_of(const KeptCode& code, std::string_view build_id) {
    return code.image_of({reinterpret_cast<const std::uint8_t*>(build_id.data()), build_id.size()});
}

TEST(KeptCode, RangesAreFoundByImageAndOffset) {
    const auto code = parsed(
        "kymo-kept 1\nevent 4\nevent a\nimage 6162\nrange 10 20\nrange 20 21\nrange 40 50\nimage 63\nrange 0 1\n");
    ASSERT_NE(code, nullptr);
    EXPECT_EQ(code->events, 0x410U);
    EXPECT_EQ(image_of(*code, "ab"), 0);
    EXPECT_EQ(image_of(*code, "c"), 1);
    EXPECT_EQ(image_of(*code, "a"), -1);
    EXPECT_EQ(image_of(*code, ""), -1);
    std::string held;
    for (std::uint64_t offset = 0; offset <= 0x51; ++offset) {
        held += code->holds(0, offset) ? 'x' : '.';
    }
    EXPECT_EQ(held, std::string(0x10, '.') + std::string(0x11, 'x') + std::string(0x1f, '.') +
                        std::string(0x10, 'x') + "..");
    EXPECT_TRUE(code->holds(1, 0));
    EXPECT_FALSE(code->holds(1, 1));
}

TEST(KeptCode, WhatIsNotUnderstoodIsRefusedAsAWhole) {
    for (const char* text : {"", "kymo-kept 2\n", "kymo-kept 1\nrange 1 2\n", "kymo-kept 1\nimage 6\n",
                             "kymo-kept 1\nimage 61\nrange 2 1\n", "kymo-kept 1\nimage 61\nrange 1 3\nrange 2 4\n",
                             "kymo-kept 1\nimage 61\nrange 1\n", "kymo-kept 1\nevent 10\n", "kymo-kept 1\n\n"}) {
        EXPECT_EQ(parsed(text), nullptr) << text;
    }
}

TEST(KeptCode, MoreThanFitsIsRefused) {
    std::string ranges = "kymo-kept 1\nimage 61\n";
    for (std::uint64_t i = 0; i < kMaxKeptRanges; ++i) {
        ranges += "range " + std::to_string(10 * i) + " " + std::to_string(10 * i + 1) + "\n";
    }
    EXPECT_NE(parsed(ranges), nullptr);
    EXPECT_EQ(parsed(ranges + "range ffffff fffffff\n"), nullptr);
    EXPECT_EQ(parsed("kymo-kept 1\n" + std::string(kMaxKeptFile, ' ')), nullptr);
}

TEST(KeptCode, WhatIsWrittenReadsBack) {
    const std::vector<CodeOfImage> images = {{"ab", {{0x40, 0x50}, {0x10, 0x20}, {0x18, 0x24}}},
                                             {"", {{1, 2}}},    // cannot be told again
                                             {"c", {{5, 5}}}};  // nothing in it
    const std::string text = format_kept_code(1U << 3U, images);
    EXPECT_EQ(text, "kymo-kept 1\nevent 3\nimage 6162\nrange 10 24\nrange 40 50\n");
    EXPECT_NE(parsed(text), nullptr);
}

TEST(KeptCode, TooManyRangesAreJoinedWithTheNearest) {
    std::vector<CodeOfImage> images(2);
    for (std::size_t i = 0; i < 2; ++i) {
        images[i].build_id = i == 0 ? "ab" : "cd";
        for (std::uint64_t at = 0; at < 5000; ++at) {
            images[i].ranges.emplace_back(0x100 * at, 0x100 * at + 0x10);
        }
        images[i].ranges.emplace_back(0x10000000, 0x10000010);  // far from the others
    }
    const auto code = parsed(format_kept_code(0, images));
    ASSERT_NE(code, nullptr);
    EXPECT_EQ(code->image_count, 2U);
    for (std::uint32_t image = 0; image < 2; ++image) {
        for (const auto& [begin, end] : images[image].ranges) {
            EXPECT_TRUE(code->holds(image, begin) && code->holds(image, end - 1));
        }
        EXPECT_FALSE(code->holds(image, 0x8000000));
    }
}

}  // namespace
}  // namespace kymo::events
