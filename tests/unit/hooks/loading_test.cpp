// Images that are loaded while the program runs are hooked before any of their code does.
#include "harness.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

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

// Through the linkage table of an image that was not there at the start: from its constructor on, whenever its slots
// are bound, and again when it comes back.
TEST(Loading, HooksWhatALaterImageCalls) {
    const HookedThread thread;
    std::uint64_t calls = 0;
    for (const char* path : {kPluginPath, KYMO_HOOKS_BOUND_PLUGIN, kPluginPath}) {
        for (const int when : {RTLD_LAZY, RTLD_NOW}) {
            void* plugin = dlopen(path, when | RTLD_LOCAL);
            ASSERT_NE(plugin, nullptr) << dlerror();
            EXPECT_EQ(dlerror(), nullptr);
            EXPECT_EQ(thread.entries(kImported), ++calls) << "its constructor's call";
            const auto asks = reinterpret_cast<int (*)()>(dlsym(plugin, "plugin_asks_parent"));
            EXPECT_EQ(asks(), getppid());  // this program's own call counts, too
            calls += 2;
            EXPECT_EQ(thread.entries(kImported), calls);
            EXPECT_EQ(thread.exits(kImported), calls);
            ASSERT_EQ(dlclose(plugin), 0);
            ASSERT_EQ(dlopen(path, RTLD_NOW | RTLD_NOLOAD), nullptr);
        }
    }
}

// An image without DT_INIT: all of its list of initializers run, once, and their calls are seen.
TEST(Loading, HooksWhatAnImageWithAListOfInitializersCalls) {
    const HookedThread thread;
    for (std::uint64_t round = 1; round <= 3; ++round) {
        void* plugin = dlopen(KYMO_HOOKS_LIST_PLUGIN, RTLD_LAZY | RTLD_LOCAL);
        ASSERT_NE(plugin, nullptr) << dlerror();
        link_map* map = nullptr;
        ASSERT_EQ(dlinfo(plugin, RTLD_DI_LINKMAP, &map), 0);
        for (const Elf64_Dyn* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
            ASSERT_NE(entry->d_tag, DT_INIT) << "the test's plugin has got one";
            if (entry->d_tag == DT_INIT_ARRAY) {
                EXPECT_LT(entry->d_un.d_ptr, 1U << 20U) << "an offset in a small file";
            }
        }
        EXPECT_EQ(reinterpret_cast<int (*)()>(dlsym(plugin, "plugin_constructed"))(), 43) << "both have run, once";
        const auto asks = reinterpret_cast<int (*)()>(dlsym(plugin, "plugin_asks_parent"));
        EXPECT_GT(asks(), 0);
        EXPECT_EQ(thread.entries(kImported), 3 * round);
        EXPECT_EQ(thread.exits(kImported), 3 * round);
        ASSERT_EQ(dlclose(plugin), 0);
    }
}

// Mapped, led past us, and gone again before anything of it has run: it lacks a function, needs a library that lacks
// one, or needs one that is not there. (An address sanitizer tells whether the linker's entry is read after that.)
TEST(Loading, ForgetsWhatCouldNotBeLoaded) {
    const HookedThread thread;
    for (int round = 0; round < 100; ++round) {  // more than there is room for at a time
        for (const char* path : {KYMO_HOOKS_BROKEN_PLUGIN, KYMO_HOOKS_LEANING_PLUGIN, KYMO_HOOKS_ORPHAN_PLUGIN}) {
            ASSERT_EQ(dlopen(path, RTLD_NOW | RTLD_LOCAL), nullptr);
            ASSERT_NE(dlerror(), nullptr);
        }
    }
    void* plugin = dlopen(kPluginPath, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(plugin, nullptr) << dlerror();
    EXPECT_EQ(thread.entries(kImported), 1U);
    dlclose(plugin);
}

// The entry of the dynamic section that leads to the initializer is as the file has it.
TEST(Loading, PutsTheInitializerBack) {
    const HookedThread thread;
    for (const char* path : {kPluginPath, KYMO_HOOKS_BOUND_PLUGIN}) {
        void* plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(plugin, nullptr) << dlerror();
        link_map* map = nullptr;
        ASSERT_EQ(dlinfo(plugin, RTLD_DI_LINKMAP, &map), 0);
        const Elf64_Dyn* entry = map->l_ld;
        while (entry->d_tag != DT_INIT) {
            ASSERT_NE(entry->d_tag, DT_NULL);
            ++entry;
        }
        EXPECT_LT(entry->d_un.d_ptr, 1U << 20U) << "an offset in a small file";
        dlclose(plugin);
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
