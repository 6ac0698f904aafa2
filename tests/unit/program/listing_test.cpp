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
    // Which instructions there are is the compiler's affair, and a sanitizer's.
    const ImageName self{.path = "/proc/self/exe", .build_id = {}};
    const ImageOffset begin = offset_of(reinterpret_cast<const void*>(&kymo_listed));
    const auto whole = list_instructions(self, std::vector{begin});
    ASSERT_EQ(whole.size(), 1U);
    ASSERT_GT(whole[0].end - whole[0].begin, 6U);
    for (const ListedInstruction& wanted : whole[0].instructions) {
        std::vector<std::uint64_t> near;  // three bytes before, three after
        for (const ListedInstruction& other : whole[0].instructions) {
            if (other.offset + 3 >= wanted.offset && other.offset <= wanted.offset + 3) {
                near.push_back(other.offset);
            }
        }
        const auto listings = list_instructions(self, std::vector{ImageOffset{wanted.offset}}, {.function_bytes = 6});
        ASSERT_EQ(listings.size(), 1U);
        std::vector<std::uint64_t> listed;
        for (const ListedInstruction& instruction : listings[0].instructions) {
            listed.push_back(instruction.offset);
        }
        EXPECT_EQ(listed, near);
        EXPECT_LT(listed.size(), whole[0].instructions.size());
    }
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
