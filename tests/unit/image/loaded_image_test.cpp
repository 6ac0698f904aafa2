#include "image/loaded_image.h"

#include "elf_bytes.h"
#include "image/describe.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/auxv.h>
#include <unistd.h>

namespace kymo::image {
namespace {

std::uint64_t here() {
    return reinterpret_cast<std::uint64_t>(&here);
}

TEST(LoadedImage, TheProgram) {
    Arena arena;
    LoadedImage image;
    errno = 77;
    ASSERT_TRUE(describe_image_at(here(), arena, &image));
    EXPECT_EQ(errno, 77);
    char own[PATH_MAX] = {};
    ASSERT_GT(readlink("/proc/self/exe", own, sizeof(own) - 1), 0);
    EXPECT_EQ(image.path, own);
    EXPECT_TRUE(image.range.holds(here()));
    EXPECT_TRUE(image.is_code(here()));
    EXPECT_TRUE(image.code().holds(here()));
    static int data = 1;
    EXPECT_FALSE(image.is_code(reinterpret_cast<std::uint64_t>(&data)));
    EXPECT_FALSE(image.eh_frame_header.empty());
    EXPECT_TRUE(is_still_loaded(image));
    arena.release();
}

TEST(LoadedImage, ALibraryWithItsBuildId) {
    void* library = dlopen(KYMO_SUBJECT, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    Arena arena;
    LoadedImage image;
    ASSERT_TRUE(describe_image_at(reinterpret_cast<std::uint64_t>(dlsym(library, "subject")), arena, &image));
    EXPECT_EQ(image.path, KYMO_SUBJECT);
    ASSERT_EQ(image.build_id.size(), 20U);
    EXPECT_EQ(image.build_id[3], 0x67);
    EXPECT_TRUE(is_still_loaded(image));
    dlclose(library);
    EXPECT_FALSE(is_still_loaded(image));
    EXPECT_EQ(image.path, KYMO_SUBJECT) << "strings outlive the image";
    arena.release();
}

TEST(LoadedImage, LoadedByARelativeName) {
    char before[PATH_MAX];
    ASSERT_NE(getcwd(before, sizeof(before)), nullptr);
    ASSERT_EQ(chdir(KYMO_SUBJECT_FOLDER), 0);
    void* library = dlopen("./" KYMO_SUBJECT_NAME, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    ASSERT_EQ(chdir("/"), 0);  // the name leads nowhere from here
    Arena arena;
    LoadedImage image;
    ASSERT_TRUE(describe_image_at(reinterpret_cast<std::uint64_t>(dlsym(library, "subject")), arena, &image));
    char real[PATH_MAX];
    ASSERT_NE(realpath(KYMO_SUBJECT, real), nullptr);
    EXPECT_EQ(image.path, real);
    EXPECT_TRUE(is_still_loaded(image));
    dlclose(library);
    ASSERT_EQ(chdir(before), 0);
    arena.release();
}

TEST(LoadedImage, TheVdso) {
    const std::uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
    if (vdso == 0) {
        GTEST_SKIP() << "this kernel maps no vDSO";
    }
    Arena arena;
    LoadedImage image;
    ASSERT_TRUE(describe_image_at(vdso + 100, arena, &image));
    EXPECT_EQ(image.path, "[vdso]");
    EXPECT_EQ(image.range.begin, vdso);
    EXPECT_FALSE(image.eh_frame_header.empty());
    arena.release();
}

TEST(LoadedImage, NothingThere) {
    Arena arena;
    LoadedImage image;
    int on_stack = 0;
    EXPECT_FALSE(describe_image_at(0, arena, &image));
    EXPECT_FALSE(describe_image_at(reinterpret_cast<std::uint64_t>(&on_stack), arena, &image));
    EXPECT_FALSE(describe_image_at(~std::uint64_t{0}, arena, &image));
    arena.release();
}

// Program headers that lie: nothing outside the mapping may be read or claimed.
TEST(LoadedImage, MappingsWithWrongHeaders) {
    Arena arena;
    LoadedImage image;
    const auto describe = [&](const std::vector<Elf64_Phdr>& segments) {
        auto* pages = static_cast<std::uint8_t*>(map_pages(8192));
        const auto bytes = test::elf_with(ET_DYN, EM_X86_64, segments);
        std::memcpy(pages, bytes.data(), bytes.size());
        const auto begin = reinterpret_cast<std::uint64_t>(pages);
        const bool good = describe_mapped_image({begin, begin + 8192}, "[vdso]", arena, &image);
        unmap_pages(pages, 8192);
        return good;
    };
    Elf64_Phdr load = test::segment(PT_LOAD, 0, 4096);
    EXPECT_TRUE(describe({load}));
    EXPECT_FALSE(describe({})) << "no segment";
    load.p_filesz = load.p_memsz = 8193;
    EXPECT_FALSE(describe({load})) << "longer than the mapping";
    load.p_filesz = load.p_memsz = ~std::uint64_t{0} - 10;
    EXPECT_FALSE(describe({load})) << "wraps around";
    load = test::segment(PT_LOAD, 0, 4096);
    load.p_filesz = 5000;
    EXPECT_FALSE(describe({load})) << "more in the file than in memory";
    load = test::segment(PT_LOAD, 8192, 4096);
    EXPECT_FALSE(describe({load})) << "the header is not part of it";
    Elf64_Phdr frames = test::segment(PT_GNU_EH_FRAME, 0, 64);
    frames.p_vaddr = 0x100000;
    EXPECT_TRUE(describe({test::segment(PT_LOAD, 0, 4096), frames}));
    EXPECT_TRUE(image.eh_frame_header.empty()) << "call-frame header outside every segment";
    arena.release();
}

// A file with one segment of 4,096 bytes and .eh_frame of `size` bytes at `offset` in it, without a header for it.
test::Bytes elf_with_eh_frame(std::uint64_t offset, std::uint64_t size) {
    auto bytes = test::elf_with(ET_DYN, EM_X86_64, {test::segment(PT_LOAD, 0, 4096)});
    constexpr std::string_view kNames("\0.eh_frame", 11);
    constexpr std::uint64_t kNamesAt = 4096;
    constexpr std::uint64_t kSectionsAt = 4112;
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    header.e_shoff = kSectionsAt;
    header.e_shnum = 3;
    header.e_shstrndx = 1;
    test::put(bytes, 0, header);
    bytes.resize(kSectionsAt);
    std::memcpy(bytes.data() + kNamesAt, kNames.data(), kNames.size());
    Elf64_Shdr names{};
    names.sh_offset = kNamesAt;
    names.sh_size = kNames.size();
    Elf64_Shdr frames{};
    frames.sh_name = 1;
    frames.sh_type = SHT_PROGBITS;
    frames.sh_flags = SHF_ALLOC;
    frames.sh_addr = frames.sh_offset = offset;
    frames.sh_size = size;
    test::put(bytes, kSectionsAt, Elf64_Shdr{});
    test::put(bytes, kSectionsAt + sizeof(Elf64_Shdr), names);
    test::put(bytes, kSectionsAt + 2 * sizeof(Elf64_Shdr), frames);
    return bytes;
}

// Linkers put .eh_frame last in its segment as often as not.
TEST(LoadedImage, FramesThatOnlyTheSectionTableTells) {
    std::string path = ::testing::TempDir() + "kymo_frames_XXXXXX";
    const int file = mkstemp(path.data());
    ASSERT_GE(file, 0);
    Arena arena;
    LoadedImage image;
    auto* pages = static_cast<std::uint8_t*>(map_pages(4096));
    const auto begin = reinterpret_cast<std::uint64_t>(pages);
    const auto frames_of = [&](std::uint64_t offset, std::uint64_t size) {
        const auto bytes = elf_with_eh_frame(offset, size);
        EXPECT_EQ(pwrite(file, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
        std::memcpy(pages, bytes.data(), 4096);
        EXPECT_TRUE(describe_mapped_image({begin, begin + 4096}, path, arena, &image));
        return image.eh_frame;
    };
    const Range inside = frames_of(1024, 512);
    EXPECT_EQ(inside.begin, begin + 1024);
    EXPECT_EQ(inside.end, begin + 1536);
    const Range last = frames_of(1024, 3072);
    EXPECT_EQ(last.begin, begin + 1024);
    EXPECT_EQ(last.end, begin + 4096);
    EXPECT_TRUE(frames_of(1024, 3073).empty()) << "one byte behind the segment";
    EXPECT_TRUE(frames_of(4096, 8).empty()) << "behind it";
    EXPECT_TRUE(frames_of(1024, 0).empty());
    EXPECT_TRUE(frames_of(1024, ~std::uint64_t{0} - 500).empty()) << "wraps around";
    unmap_pages(pages, 4096);
    close(file);
    unlink(path.c_str());
    arena.release();
}

TEST(Arena, PiecesAreZeroedAlignedAndKept) {
    Arena arena;
    std::vector<std::uint8_t*> pieces;
    for (std::size_t size = 1; size < 100000; size = size * 3 + 1) {
        auto* piece = arena.allocate_array<std::uint8_t>(size);
        ASSERT_NE(piece, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece) % 16, 0U);
        for (std::size_t i = 0; i < size; ++i) {
            ASSERT_EQ(piece[i], 0);
        }
        std::memset(piece, static_cast<int>(pieces.size() + 1), size);
        pieces.push_back(piece);
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        EXPECT_EQ(*pieces[i], i + 1);
    }
    EXPECT_EQ(arena.copy("text"), "text");
    EXPECT_EQ(arena.allocate_array<std::uint64_t>(SIZE_MAX / 4), nullptr);
    arena.release();
}

}  // namespace
}  // namespace kymo::image
