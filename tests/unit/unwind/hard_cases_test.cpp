// Code whose rules are unusual: the procedure linkage table, the vDSO, images with .debug_frame only, unloaded and
// reloaded ones.
#include "image/elf.h"
#include "paths.h"

#include <atomic>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kymo::unwind::test {
namespace {

using Call = int (*)(void (*)(void*), void*);
using DeepCall = int (*)(void (*)(void*), void*, int);

void walk_here_into(void* context) {
    *static_cast<Path*>(context) = walk_live(capture_here());
}

std::vector<std::uint8_t> bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Every instruction of every entry: CFA = rsp + 8 up to the push, + 16 behind it. Nothing but the registers is needed
// for it, so we stand there by saying so.
TEST(HardCases, ProcedureLinkageTable) {
    const auto bytes = bytes_of("/proc/self/exe");
    image::ElfFile file;
    Elf64_Shdr plt;
    ASSERT_EQ(image::ElfFile::parse(bytes, &file), image::ElfError::kNone);
    ASSERT_TRUE(file.find_section(".plt", &plt)) << "built with -z lazy";
    const ImageId id = images().add_at(reinterpret_cast<std::uint64_t>(&walk_here_into));
    const std::uint64_t bias = images().entry(id).bias;
    const Registers here = capture_here();
    const Path from_here = walk_live(here);
    ASSERT_EQ(from_here.result.end, PathEnd::kComplete);

    std::size_t checked = 0;
    for (std::uint64_t entry = plt.sh_addr + 16; entry + 16 <= plt.sh_addr + plt.sh_size && checked < 50;
         entry += 16) {
        for (std::uint64_t in_entry : {0, 6, 11}) {  // jmp *GOT; push index; jmp first entry
            std::vector<std::uint64_t> stack(4, 0);
            const std::size_t top = in_entry == 11 ? 0 : 1;
            stack[1] = here.pc;  // the return address
            Registers start = here;
            start.pc = bias + entry + in_entry;
            start.set_sp(0x10000 + 8 * top);
            const MemoryView view = MemoryView::copied(
                0x10000, std::span(reinterpret_cast<const std::uint8_t*>(stack.data()), stack.size() * 8));
            const Path path = walk_from(start, view);
            ASSERT_GE(path.frames.size(), 2U) << std::hex << entry << "+" << in_entry;
            EXPECT_EQ(path.frames[1].address, here.pc - 1) << std::hex << entry << "+" << in_entry;
            EXPECT_FALSE(path.result.recovered);
            ++checked;
        }
    }
    EXPECT_GT(checked, 30U);
}

TEST(HardCases, VdsoHasRules) {
    const std::uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
    if (vdso == 0) {
        GTEST_SKIP() << "this kernel maps no vDSO";
    }
    const ImageId id = images().add_at(vdso);
    ASSERT_NE(id, ImageId{0});
    const auto& entry = images().entry(id);
    EXPECT_EQ(entry.image->path, "[vdso]");
    EXPECT_FALSE(entry.image->build_id.empty());
    EXPECT_GT(entry.kept_table->rows, 10U);
    EXPECT_EQ(entry.kept_table->bad_functions, 0U);
}

TEST(HardCases, DebugFrameIsTakenFromTheFile) {
    for (const char* file : {KYMO_DEBUG_FRAME_ONLY, KYMO_DEBUG_FRAME_COMPRESSED}) {
        SCOPED_TRACE(file);
        void* library = dlopen(file, RTLD_NOW);
        ASSERT_NE(library, nullptr) << dlerror();
        const auto call = reinterpret_cast<DeepCall>(dlsym(library, "call_back_from_below"));
        Path path;
        call(walk_here_into, &path, 25);
        EXPECT_EQ(path.result.end, PathEnd::kComplete);
        EXPECT_FALSE(path.result.recovered);
        EXPECT_GT(path.frames.size(), 26U);
        const auto* entry = images().find(reinterpret_cast<std::uint64_t>(call));
        ASSERT_NE(entry, nullptr);
        EXPECT_TRUE(entry->image->eh_frame_header.empty());
        EXPECT_GT(entry->kept_table->functions, 0U);
        dlclose(library);
        images().remove_unloaded();
    }
}

TEST(HardCases, UnloadedAndReloadedGetsAnotherIdButTheSameTable) {
    std::vector<std::uint32_t> ids;
    const Table* table = nullptr;
    for (int round = 0; round < 50; ++round) {
        void* library = dlopen(KYMO_PLUGIN, RTLD_NOW);
        ASSERT_NE(library, nullptr) << dlerror();
        const auto call = reinterpret_cast<Call>(dlsym(library, "plugin_call"));
        Path path;
        call(walk_here_into, &path);
        EXPECT_EQ(path.result.end, PathEnd::kComplete);
        const auto* entry = images().find(reinterpret_cast<std::uint64_t>(call));
        ASSERT_NE(entry, nullptr);
        EXPECT_EQ(entry->image->path, KYMO_PLUGIN);
        for (const Frame& frame : path.frames) {
            if (frame.address - reinterpret_cast<std::uint64_t>(call) < 64) {
                ids.push_back(raw(frame.image));
            }
        }
        EXPECT_TRUE(table == nullptr || table == entry->kept_table);
        table = entry->kept_table;
        dlclose(library);
        EXPECT_EQ(images().remove_unloaded(), 1U);
        EXPECT_EQ(images().find(reinterpret_cast<std::uint64_t>(call)), nullptr);
    }
    ASSERT_EQ(ids.size(), 50U);
    EXPECT_EQ(std::set<std::uint32_t>(ids.begin(), ids.end()).size(), 50U);
}

TEST(HardCases, AnImageInAnothersPlaceRetiresIt) {
    // What a program does that unloads behind our back: the new image's registration ends the old one.
    void* library = dlopen(KYMO_PLUGIN, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto address = reinterpret_cast<std::uint64_t>(dlsym(library, "plugin_call"));
    const ImageId first = images().add_at(address);
    const image::LoadedImage copy = *images().entry(first).image;
    const ImageId second = images().add(copy);
    EXPECT_NE(raw(first), raw(second));
    EXPECT_FALSE(images().entry(first).is_alive());
    EXPECT_EQ(images().rule_at(address).id, second) << "also where the cache knew the first";
    dlclose(library);
    images().remove_unloaded();
}

// Walks go on in several threads while another loads and unloads what they walk through.
TEST(HardCases, WalksWhileImagesComeAndGo) {
    std::atomic<bool> stop{false};
    std::atomic<int> walks{0};
    std::vector<std::thread> walkers;
    for (int i = 0; i < 3; ++i) {
        walkers.emplace_back([&] {
            while (!stop.load()) {
                Path path;
                walk_here_into(&path);
                EXPECT_EQ(path.result.end, PathEnd::kComplete);
                ++walks;
            }
        });
    }
    for (int round = 0; round < 200 || walks < 300; ++round) {
        void* library = dlopen(KYMO_PLUGIN, RTLD_NOW);
        Path path;
        reinterpret_cast<Call>(dlsym(library, "plugin_call"))(walk_here_into, &path);
        EXPECT_EQ(path.result.end, PathEnd::kComplete);
        dlclose(library);
        images().remove_unloaded();
    }
    stop = true;
    for (std::thread& walker : walkers) {
        walker.join();
    }
}

}  // namespace
}  // namespace kymo::unwind::test
