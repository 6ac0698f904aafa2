// A library that is laid out like the program: the dynamic sections of both lie equally far from their beginnings
// (linked so: see CMakeLists.txt), as they do by chance where program and plugin are small.
#include "image/describe.h"
#include "image/loaded_image.h"

#include <climits>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <string_view>
#include <unistd.h>

namespace kymo::image {
namespace {

std::uint64_t dynamic_offset(const link_map& map) {
    return reinterpret_cast<std::uint64_t>(map.l_ld) - map.l_addr;
}

TEST(LibraryLaidOutLikeTheProgram, IsNotTakenForIt) {
    void* library = dlopen(KYMO_ALIKE, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    link_map* map = nullptr;
    ASSERT_EQ(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
    ASSERT_EQ(dynamic_offset(*map), dynamic_offset(*_r_debug.r_map)) << "this test is not linked as it should be";

    Arena arena;
    LoadedImage image;
    ASSERT_TRUE(describe_image_at(reinterpret_cast<std::uint64_t>(dlsym(library, "subject")), arena, &image));
    EXPECT_EQ(image.path, std::string_view(KYMO_ALIKE));

    char own[PATH_MAX] = {};
    ASSERT_GT(readlink("/proc/self/exe", own, sizeof(own) - 1), 0);
    ASSERT_TRUE(describe_image_at(reinterpret_cast<std::uint64_t>(&dynamic_offset), arena, &image));
    EXPECT_EQ(image.path, own);
    dlclose(library);
}

}  // namespace
}  // namespace kymo::image
