// Fat binaries, made here byte by byte, and made by nvcc 13 of one small kernel in each of its compressions
// (tests/fuzz/gpu/inputs/fat/good-*.fatbin).
#include "gpu/fatbin/fat_binary.h"

#include "gpu/fatbin/cubin.h"
#include "gpu/fatbin/program_file.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <lz4.h>
#include <zstd.h>

// As in a program: the containers of two source files, one after another.
asm(".pushsection .nv_fatbin, \"a\"\n"
    ".balign 8\n"
    ".incbin \"" KYMO_FAT_INPUTS
    "/good-zstd.fatbin\"\n"
    ".balign 8\n"
    ".quad 0\n"
    ".incbin \"" KYMO_FAT_INPUTS
    "/good-plain.fatbin\"\n"
    ".popsection\n"
    ".pushsection __nv_relfatbin, \"a\"\n"  // as nvcc -rdc=true leaves one
    ".quad 0\n"
    ".popsection\n");

namespace kymo::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Bytes = std::vector<std::uint8_t>;

Bytes file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Bytes input(const std::string& name) {
    return file(std::string(KYMO_FAT_INPUTS "/") + name);
}

template <typename Number>
void put(Bytes& out, std::size_t at, Number value) {
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
        out.at(at + i) = static_cast<std::uint8_t>(std::uint64_t{value} >> (8 * i));
    }
}

constexpr std::uint16_t kPtx = 1;
constexpr std::uint16_t kCubin = 2;
constexpr std::size_t kEntryHeader = 64;

// One entry as nvcc lays it out; `packed` 0: plain.
Bytes entry(std::uint16_t kind, std::uint32_t capability, const std::string& payload, std::uint64_t flags = 0,
            std::uint64_t unpacked = 0) {
    Bytes out(kEntryHeader, 0);
    put(out, 0, kind);
    put(out, 4, std::uint32_t{kEntryHeader});
    put(out, 8, std::uint64_t{(payload.size() + 7) / 8 * 8});
    put(out, 16, static_cast<std::uint32_t>(unpacked != 0 ? payload.size() : 0));
    put(out, 28, capability);
    put(out, 40, flags);
    put(out, 56, unpacked);
    out.insert(out.end(), payload.begin(), payload.end());
    out.resize(kEntryHeader + (payload.size() + 7) / 8 * 8, 0);
    return out;
}

Bytes container(const std::vector<Bytes>& entries) {
    Bytes out(kFatHeaderBytes, 0);
    for (const Bytes& one : entries) {
        out.insert(out.end(), one.begin(), one.end());
    }
    put(out, 0, kFatMagic);
    put(out, 4, std::uint16_t{1});
    put(out, 6, std::uint16_t{kFatHeaderBytes});
    put(out, 8, std::uint64_t{out.size() - kFatHeaderBytes});
    return out;
}

std::string why(const Bytes& bytes) {
    const auto entries = fat_entries(bytes, "prog");
    if (!entries) {
        return entries.error().what;
    }
    for (const FatEntry& one : *entries) {
        if (const auto text = contents(one, "prog"); !text) {
            return text.error().what;
        }
    }
    return "";
}

constexpr const char* kText =
    ".version 9.0\n.target sm_75\n.address_size 64\n// one two one two one two one two one two";

TEST(FatBinary, EntriesKeepTheirOrderAndArchitecture) {
    const Bytes bytes = container({entry(kCubin, 90, "machine code"), entry(kPtx, 75, kText), entry(7, 80, "?")});
    const auto entries = fat_entries(bytes, "prog");
    ASSERT_TRUE(entries) << entries.error().what;
    ASSERT_THAT(*entries, SizeIs(3));
    EXPECT_EQ((*entries)[0].kind, FatEntry::Kind::kCubin);
    EXPECT_EQ((*entries)[0].capability, 90U);
    EXPECT_EQ((*entries)[2].kind, FatEntry::Kind::kOther);
    const auto text = contents((*entries)[1], "prog");
    ASSERT_TRUE(text);
    EXPECT_EQ(*text, kText);  // without the zeros that fill its last eight bytes
}

TEST(FatBinary, UnpacksLz4AndZstd) {
    const std::string text = kText;
    std::string lz4(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
    lz4.resize(static_cast<std::size_t>(
        LZ4_compress_default(text.data(), lz4.data(), static_cast<int>(text.size()), static_cast<int>(lz4.size()))));
    std::string zstd(ZSTD_compressBound(text.size()), '\0');
    zstd.resize(ZSTD_compress(zstd.data(), zstd.size(), text.data(), text.size(), 3));
    const Bytes bytes =
        container({entry(kPtx, 75, lz4, 0x2011, text.size()), entry(kPtx, 80, zstd, 0x8011, text.size())});
    const auto entries = fat_entries(bytes, "prog");
    ASSERT_TRUE(entries) << entries.error().what;
    EXPECT_EQ((*entries)[0].compression, Compression::kLz4);
    EXPECT_EQ((*entries)[1].compression, Compression::kZstd);
    for (const FatEntry& one : *entries) {
        const auto unpacked = contents(one, "prog");
        ASSERT_TRUE(unpacked) << unpacked.error().what;
        EXPECT_EQ(*unpacked, text);
    }
}

TEST(FatBinary, NamesWhatIsDamaged) {
    const Bytes good = container({entry(kPtx, 75, kText)});
    EXPECT_EQ(why(good), "");
    Bytes bad = good;
    bad[0] = 0;
    EXPECT_THAT(why(bad), HasSubstr("prog: damaged fat binary: expected the bytes 50 ed 55 ba"));
    bad = good;
    put(bad, 4, std::uint16_t{2});
    EXPECT_EQ(why(bad), "prog: a fat binary of version 2");
    bad = good;
    bad.pop_back();
    EXPECT_THAT(why(bad), HasSubstr("expected " + std::to_string(good.size()) + " bytes, found"));
    bad = good;
    put(bad, kFatHeaderBytes + 8, std::uint64_t{1} << 63U);
    EXPECT_THAT(why(bad), HasSubstr("an entry that lies in the container"));
    bad = good;
    put(bad, kFatHeaderBytes + 4, std::uint32_t{0});  // a header of nothing would never end
    EXPECT_THAT(why(bad), HasSubstr("an entry that lies in the container"));
    bad = good;
    put(bad, kFatHeaderBytes + 32, 0xFFFF'FFFFU);
    put(bad, kFatHeaderBytes + 36, 8U);
    EXPECT_THAT(why(bad), HasSubstr("identifier in its header"));
}

TEST(FatBinary, AStatedSizeCostsNoMemoryUnlessTheBytesAreThere) {
    EXPECT_THAT(why(container({entry(kPtx, 75, "abcdefgh", 0x2000, 1U << 29U)})), HasSubstr("of the stated size"));
    EXPECT_THAT(why(container({entry(kPtx, 75, "abcdefgh", 0x8000, 1U << 29U)})), HasSubstr("of the stated size"));
    EXPECT_THAT(why(container({entry(kPtx, 75, "abcdefgh", 0x2000, std::uint64_t{1} << 40U)})),
                HasSubstr("at most 1 GiB"));
    EXPECT_THAT(why(container({entry(kPtx, 75, "abcdefgh", 0x2000, 100)})), HasSubstr("whole compressed bytes"));
}

TEST(FatBinary, ChoosesTheNewestPtxThatTheGpuKnows) {
    const Bytes bytes = container({entry(kPtx, 80, kText), entry(kPtx, 75, kText), entry(kCubin, 89, "x"),
                                   entry(kPtx, 90, kText), entry(kCubin, 75, "x")});
    const auto entries = fat_entries(bytes, "prog");
    ASSERT_TRUE(entries);
    EXPECT_EQ(choose_ptx(*entries, 86), 0U);
    EXPECT_EQ(choose_ptx(*entries, 90), 3U);
    EXPECT_EQ(choose_ptx(*entries, 120), 3U);
    EXPECT_EQ(choose_ptx(*entries, 75), 1U);
    EXPECT_EQ(choose_ptx(*entries, 70), 1U);  // all are newer: the oldest
    EXPECT_EQ(choose_cubin(*entries, 90), 2U);
    EXPECT_EQ(choose_cubin(*entries, 70), 4U);
    EXPECT_EQ(choose_ptx({}, 80), std::nullopt);
}

TEST(FatBinary, ReadsWhatNvccWrites) {
    for (const char* name : {"good-plain.fatbin", "good-lz4.fatbin", "good-zstd.fatbin"}) {
        const Bytes bytes = input(name);
        const auto entries = fat_entries(bytes, name);
        ASSERT_TRUE(entries) << entries.error().what;
        const auto ptx = choose_ptx(*entries, 90);
        const auto cubin = choose_cubin(*entries, 90);
        ASSERT_TRUE(ptx && cubin) << name;
        const auto text = contents((*entries)[*ptx], name);
        ASSERT_TRUE(text) << text.error().what;
        EXPECT_THAT(*text, HasSubstr(".entry scale("));
        EXPECT_TRUE(text->ends_with("}\n") || text->ends_with("}\n\n")) << *text;
        const auto code = contents((*entries)[*cubin], name);
        ASSERT_TRUE(code) << code.error().what;
        const Bytes elf(code->begin(), code->end());
        const auto registers = cubin_registers(elf, name);
        ASSERT_TRUE(registers) << registers.error().what;
        // As ptxas -v tells: "Used N registers".
        EXPECT_THAT(*registers, ElementsAre(std::pair<const std::string, unsigned>("scale", 8U)));
    }
}

TEST(FatBinary, ReadsTheContainersOfAProgramFile) {
    const Bytes self = file("/proc/self/exe");
    const auto program = read_program(self, "self");
    ASSERT_TRUE(program) << program.error().what;
    ASSERT_THAT(program->fat_binaries, SizeIs(2));
    EXPECT_EQ(program->fat_binaries[0].size(), input("good-zstd.fatbin").size());
    EXPECT_EQ(program->fat_binaries[1].size(), input("good-plain.fatbin").size());
    EXPECT_THAT(program->runtime, IsEmpty());
    EXPECT_TRUE(program->is_relocatable);
}

}  // namespace
}  // namespace kymo::gpu
