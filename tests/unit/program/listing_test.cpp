#include "program/listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

extern "C" {
extern const char __executable_start;  // the linker's: where this program is loaded

[[gnu::noinline]] int kymo_listed(int value) {
    return value * 12345 + 1;
}
}

namespace kymo::program {
namespace {

ImageOffset offset_of(const void* address) {
    return ImageOffset{reinterpret_cast<std::uintptr_t>(address) -
                       reinterpret_cast<std::uintptr_t>(&__executable_start)};
}

TEST(Listing, IsOfTheWholeFunction) {
#if !defined(__x86_64__)
    GTEST_SKIP() << "only x86-64 has a formatter";
#endif
    const ImageOffset begin = offset_of(reinterpret_cast<const void*>(&kymo_listed));
    const ImageOffset inside{raw(begin) + 1};
    const auto listings = list_instructions({.path = "/proc/self/exe", .build_id = {}}, std::vector{inside});
    ASSERT_EQ(listings.size(), 1U);
    EXPECT_EQ(listings[0].begin, raw(begin));
    ASSERT_GE(listings[0].instructions.size(), 2U);
    EXPECT_EQ(listings[0].instructions.front().offset, raw(begin));
    std::string text;
    for (const ListedInstruction& instruction : listings[0].instructions) {
        text += instruction.text + "\n";
    }
    EXPECT_THAT(text, ::testing::HasSubstr("0x3039")) << "the factor, 12345";
    EXPECT_THAT(text, ::testing::HasSubstr("ret"));
}

TEST(Listing, OfALongFunctionOnlyWhatIsNear) {
#if !defined(__x86_64__)
    GTEST_SKIP() << "only x86-64 has a formatter";
#endif
    const ImageOffset begin = offset_of(reinterpret_cast<const void*>(&kymo_listed));
    const auto listings =
        list_instructions({.path = "/proc/self/exe", .build_id = {}}, std::vector{begin}, {.function_bytes = 2});
    ASSERT_EQ(listings.size(), 1U);
    EXPECT_EQ(listings[0].instructions.size(), 1U);
}

TEST(Listing, OfWhatIsNotThereIsNothing) {
    const std::vector offsets{ImageOffset{0x1000}};
    EXPECT_TRUE(list_instructions({.path = "/nonexistent/app", .build_id = {}}, offsets).empty());
    EXPECT_TRUE(list_instructions({.path = "/etc/hostname", .build_id = {}}, offsets).empty());
    EXPECT_TRUE(list_instructions({.path = "/proc/self/exe", .build_id = "other"}, offsets).empty());
    EXPECT_TRUE(list_instructions({.path = "/proc/self/exe", .build_id = {}}, std::vector{ImageOffset{1}}).empty());
    EXPECT_TRUE(list_instructions({.path = "/proc/self/exe", .build_id = {}}, {}).empty());
}

}  // namespace
}  // namespace kymo::program
