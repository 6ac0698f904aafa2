// The look-up that glibc before 2.35 needs gives what _dl_find_object gives.
#include "image/linked_object.h"

#include <atomic>
#include <cerrno>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace kymo::image {
namespace {

std::uint64_t address_of(const void* object) {
    return reinterpret_cast<std::uint64_t>(object);
}

struct Probe {
    std::uint64_t address;
    std::string name;
};

// Of each loadable segment of each image: the first byte, one inside, the last.
std::vector<Probe> inside_every_segment() {
    std::vector<Probe> probes;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* list) {
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const auto& part = info->dlpi_phdr[i];
                if (part.p_type == PT_LOAD && part.p_memsz > 0) {
                    const std::uint64_t begin = info->dlpi_addr + part.p_vaddr;
                    for (const std::uint64_t at : {std::uint64_t{0}, part.p_memsz / 2, part.p_memsz - 1}) {
                        static_cast<std::vector<Probe>*>(list)->push_back({begin + at, info->dlpi_name});
                    }
                }
            }
            return 0;
        },
        &probes);
    return probes;
}

TEST(LinkedObject, TheListGivesWhatTheLinkerGives) {
    void* library = dlopen(KYMO_SUBJECT, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    void* roomy = dlopen(KYMO_ROOMY, RTLD_NOW);
    ASSERT_NE(roomy, nullptr) << dlerror();
    EXPECT_GT(address_of(dlsym(roomy, "roomy_data")) - address_of(dlsym(roomy, "roomy")), 1U << 20U)
        << "not linked as it should be";
    const auto probes = inside_every_segment();
    ASSERT_GT(probes.size(), 20U);
    for (const Probe& probe : probes) {
        LinkedObject expected;
        LinkedObject found;
        if (!find_linked_object(probe.address, &expected)) {
            continue;  // the vDSO, in some versions
        }
        ASSERT_TRUE(find_in_list(probe.address, &found)) << probe.name;
        EXPECT_EQ(found.begin, expected.begin) << probe.name;
        EXPECT_EQ(found.end, expected.end) << probe.name;
        EXPECT_EQ(found.map, expected.map) << probe.name;
    }
    dlclose(roomy);
    dlclose(library);
}

TEST(LinkedObject, WhatIsNoImageIsNotFound) {
    const auto on_heap = std::make_unique<int>(0);
    int on_stack = 0;
    LinkedObject found;
    errno = 77;
    for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{4096}, address_of(on_heap.get()),
                                        address_of(&on_stack), ~std::uint64_t{0}, std::uint64_t{1} << 63U}) {
        EXPECT_FALSE(find_in_list(address, &found)) << address;
    }
    EXPECT_TRUE(find_in_list(address_of(reinterpret_cast<const void*>(&address_of)), &found));
    EXPECT_EQ(errno, 77);
}

TEST(LinkedObject, WhatIsUnloadedIsNotFoundAnyMore) {
    void* library = dlopen(KYMO_SUBJECT, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    const std::uint64_t subject = address_of(dlsym(library, "subject"));
    LinkedObject found;
    EXPECT_TRUE(find_in_list(subject, &found));
    dlclose(library);
    EXPECT_FALSE(find_in_list(subject, &found));
}

// While another thread loads and unloads, what stays is found, and nothing faults.
TEST(LinkedObject, TheListMayChangeMeanwhile) {
    std::atomic<bool> is_over{false};
    std::thread other([&] {
        for (int i = 0; i < 300; ++i) {
            void* library = dlopen(KYMO_SUBJECT, RTLD_NOW);
            ASSERT_NE(library, nullptr);
            dlclose(library);
        }
        is_over = true;
    });
    const std::uint64_t own = address_of(reinterpret_cast<const void*>(&address_of));
    int rounds = 0;
    for (; !is_over || rounds == 0; ++rounds) {
        LinkedObject found;
        ASSERT_TRUE(find_in_list(own, &found)) << "after " << rounds << " rounds";
        find_in_list(address_of(dlsym(RTLD_DEFAULT, "malloc")), &found);
    }
    other.join();
}

}  // namespace
}  // namespace kymo::image
