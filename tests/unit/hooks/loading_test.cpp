// Images that are loaded while the program runs are hooked before any of their code does.
#include "harness.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace kymo::hooks::testing {
namespace {

TEST(Loading, HooksWhatIsLoadedEachTime) {
    const HookedThread thread;
    for (unsigned round = 1; round <= 3; ++round) {
        void* plugin = dlopen(kPluginPath, RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(plugin, nullptr) << dlerror();
        EXPECT_EQ(thread.entries(kPlugin), 2 * round - 1) << "its constructor's call";
        const auto twice = reinterpret_cast<int (*)(int)>(dlsym(plugin, "plugin_twice"));
        EXPECT_EQ(twice(4), 50);
        EXPECT_EQ(thread.entries(kPlugin), 2 * round);
        EXPECT_EQ(thread.exits(kPlugin), 2 * round);
        ASSERT_EQ(dlclose(plugin), 0);
        EXPECT_EQ(dlopen(kPluginPath, RTLD_NOW | RTLD_NOLOAD), nullptr);
    }
}

TEST(Loading, LeavesOtherImagesAlone) {
    const HookedThread thread;
    const std::uint32_t before = hooked().functions();
    void* other = dlopen("libm.so.6", RTLD_NOW);
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(hooked().functions(), before);
    dlclose(other);
}

}  // namespace
}  // namespace kymo::hooks::testing
