// This very program: not position-independent, with code far from the rest of it (linked so: see CMakeLists.txt). The
// dynamic linker then knows its segments one by one, and not each of them begins with an ELF header.
#include "image/describe.h"
#include "image/linked_object.h"
#include "image/loaded_image.h"

#include <climits>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace kymo::image {
namespace {

__attribute__((noinline)) int near_code(int a) {
    asm volatile("" ::: "memory");
    return a + 1;
}
__attribute__((noinline, section(".far_text"))) int far_code(int a) {
    asm volatile("" ::: "memory");
    return a + 2;
}

template <typename Function>
std::uint64_t address_of(Function* function) {
    return reinterpret_cast<std::uint64_t>(function);
}

// An address between two segments; 0: there is none.
std::uint64_t in_the_gap(const LoadedImage& image) {
    for (std::uint32_t i = 0; i + 1 < image.segment_count; ++i) {
        const std::uint64_t end = image.segments[i].range.end;
        if (image.segments[i + 1].range.begin - end > 1U << 20U) {
            return end + (1U << 19U);
        }
    }
    return 0;
}

TEST(ProgramWithGaps, TheLinkerKnowsItsSegmentsOneByOne) {
    dl_find_object found{};
    ASSERT_EQ(_dl_find_object(reinterpret_cast<void*>(&near_code), &found), 0);
    EXPECT_GT(
        address_of(&far_code) - reinterpret_cast<std::uint64_t>(found.dlfo_map_start),
        static_cast<std::uint64_t>(static_cast<char*>(found.dlfo_map_end) - static_cast<char*>(found.dlfo_map_start)))
        << "this test is not linked as it should be";
}

TEST(ProgramWithGaps, IsOneImage) {
    EXPECT_EQ(near_code(1) + far_code(1), 5);
    Arena arena;
    LoadedImage from_near;
    LoadedImage from_far;
    ASSERT_TRUE(describe_image_at(address_of(&near_code), arena, &from_near));
    ASSERT_TRUE(describe_image_at(address_of(&far_code), arena, &from_far));
    char own[PATH_MAX] = {};
    ASSERT_GT(readlink("/proc/self/exe", own, sizeof(own) - 1), 0);
    for (const LoadedImage* image : {&from_near, &from_far}) {
        EXPECT_EQ(image->path, own);
        EXPECT_EQ(image->bias, 0U);
        EXPECT_EQ(image->build_id.size(), 20U);
        EXPECT_FALSE(image->is_whole);
        EXPECT_TRUE(image->is_code(address_of(&near_code)));
        EXPECT_TRUE(image->is_code(address_of(&far_code)));
        EXPECT_TRUE(image->range.holds(address_of(&near_code)));
        EXPECT_TRUE(image->range.holds(address_of(&far_code)));
        EXPECT_FALSE(image->eh_frame_header.empty());
        EXPECT_TRUE(is_still_loaded(*image));
    }
    EXPECT_EQ(from_near.range.begin, from_far.range.begin);
    EXPECT_EQ(from_near.range.end, from_far.range.end);
    arena.release();
}

TEST(ProgramWithGaps, WhatLiesInAGapIsNotPartOfIt) {
    Arena arena;
    LoadedImage image;
    ASSERT_TRUE(describe_image_at(address_of(&near_code), arena, &image));
    const std::uint64_t gap = in_the_gap(image);
    ASSERT_NE(gap, 0U);
    EXPECT_EQ(image.segment_of(gap), nullptr);
    LoadedImage other;
    EXPECT_FALSE(describe_image_at(gap, arena, &other));
    ImagePlace place;
    EXPECT_FALSE(find_image(gap, &place));
    EXPECT_TRUE(find_image(address_of(&far_code), &place));
    EXPECT_TRUE(place.range.holds(address_of(&far_code)));
    arena.release();
}

// As glibc before 2.35 has it looked up.
TEST(ProgramWithGaps, TheLinkersListGivesItsSegmentsOneByOne) {
    Arena arena;
    LoadedImage image;
    ASSERT_TRUE(describe_image_at(address_of(&near_code), arena, &image));
    for (const std::uint64_t address : {address_of(&near_code), address_of(&far_code)}) {
        LinkedObject expected;
        LinkedObject found;
        ASSERT_TRUE(find_linked_object(address, &expected));
        ASSERT_TRUE(find_in_list(address, &found));
        EXPECT_EQ(found.begin, expected.begin);
        EXPECT_EQ(found.end, expected.end);
        EXPECT_EQ(found.map, expected.map);
    }
    LinkedObject found;
    EXPECT_FALSE(find_in_list(in_the_gap(image), &found));
    arena.release();
}

TEST(ProgramWithGaps, LibrariesAreWhole) {
    Arena arena;
    LoadedImage image;
    // A function that no sanitizer's run time has as well.
    const auto in_libc = reinterpret_cast<std::uint64_t>(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"));
    ASSERT_TRUE(describe_image_at(in_libc, arena, &image));
    EXPECT_TRUE(image.is_whole);
    EXPECT_NE(image.path.find("libc.so.6"), std::string_view::npos);
    arena.release();
}

}  // namespace
}  // namespace kymo::image
