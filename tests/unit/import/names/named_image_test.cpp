// Files of names: what Kymo's own readers of ELF files and of symbols say about them.
#include "import/names/named_image.h"

#include "image/elf.h"
#include "import/image_file.h"
#include "program/symbolize.h"

#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <unistd.h>

namespace kymo::import {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr std::uint16_t kMachine = EM_X86_64;

class NamedImageTest : public testing::Test {
  protected:
    NamedImageTest() { fs::remove(path_); }
    ~NamedImageTest() override { fs::remove(path_); }

    std::string write(const NamedImage& image) {
        fs::remove(path_);
        const auto id = image.write(path_);
        EXPECT_TRUE(id.ok()) << (id.ok() ? "" : id.error().what);
        return id.ok() ? *id : "";
    }

    // What the symbols of the written file call these offsets; "" for those without a symbol.
    std::vector<std::string> names(const std::string& build_id, const std::vector<std::uint64_t>& offsets) {
        program::Request request{.image = {.path = path_, .build_id = build_id, .machine = kMachine}, .offsets = {}};
        for (const std::uint64_t offset : offsets) {
            request.offsets.push_back(ImageOffset{offset});
        }
        const program::Symbols symbols = program::symbolize(std::span(&request, 1), program::NameCache());
        EXPECT_THAT(symbols.warnings, ElementsAre());
        std::vector<std::string> to;
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            const auto frames = symbols.images[0].at(i);
            EXPECT_EQ(frames.size(), 1U);
            const program::Function& function = symbols.functions[frames[0].function];
            to.push_back(function.source == program::NameSource::kSymbol ? function.name : "");
        }
        return to;
    }

    fs::path path_ = fs::path(testing::TempDir()) / ("kymo-named-image-" + std::to_string(::getpid()));
};

TEST_F(NamedImageTest, GivesEachNameAnOffsetOfItsOwn) {
    NamedImage image(kMachine);
    EXPECT_TRUE(image.empty());
    EXPECT_EQ(image.range().end, 0U);
    EXPECT_EQ(image.offset_of("main"), 4'096U);
    EXPECT_EQ(image.offset_of("std::vector<int, std::allocator<int> >::push_back(int&&)"), 4'112U);
    EXPECT_EQ(image.offset_of("main"), 4'096U);
    EXPECT_EQ(image.offset_of("java.lang.Thread.run"), 4'128U);
    EXPECT_EQ(image.offset_of("_ZN4kymo4mainEv"), 4'144U) << "is read as any mangled name";
    EXPECT_EQ(image.offset_of(""), std::nullopt);
    EXPECT_EQ(image.size(), 4U);
    EXPECT_EQ(image.range().begin, 4'096U);
    EXPECT_EQ(image.range().end, 8'192U);
    EXPECT_FALSE(image.add("other", 9'000, 10)) << "one of both ways to fill it";
    const std::string id = write(image);
    EXPECT_EQ(id.size(), 20U);
    EXPECT_THAT(names(id, {100, 4'096, 4'111, 4'112, 4'128, 4'143, 4'144, 4'160}),
                ElementsAre("", "main", "main", "std::vector<int, std::allocator<int> >::push_back(int&&)",
                            "java.lang.Thread.run", "java.lang.Thread.run", "kymo::main()", ""));
}

TEST_F(NamedImageTest, IsAFileThatTheImporterReads) {
    NamedImage image(kMachine);
    for (int i = 0; i < 1'000; ++i) {
        ASSERT_TRUE(image.offset_of("function " + std::to_string(i)));
    }
    const std::string id = write(image);
    const auto read = read_image_file(path_);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->machine, kMachine);
    EXPECT_EQ(read->build_id, id);
    EXPECT_EQ(read->begin(), 0U);
    EXPECT_EQ(read->end(), 20'480U) << "a page of headers, and four pages of 1,000 times 16 bytes";
    ASSERT_EQ(read->segments.size(), 1U);
    EXPECT_EQ(read->moved_by(0), 0U);

    std::ifstream file(path_, std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
    image::ElfFile elf;
    ASSERT_EQ(image::ElfFile::parse({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, &elf),
              image::ElfError::kNone);
    EXPECT_EQ(elf.type(), ET_DYN);
    std::vector<std::string> sections;
    for (std::size_t i = 0; i < elf.section_count(); ++i) {
        sections.emplace_back(elf.name(elf.section(i)));
    }
    EXPECT_THAT(sections, ElementsAre("", ".note.gnu.build-id", ".text", ".symtab", ".strtab", ".shstrtab"));
    Elf64_Shdr text{};
    ASSERT_TRUE(elf.find_section(".text", &text));
    EXPECT_EQ(text.sh_addr, 4'096U);
    EXPECT_EQ(text.sh_size, 16'384U);
    EXPECT_LT(bytes.size(), 60'000U) << "without any code";
}

TEST_F(NamedImageTest, HasFilesAndLines) {
    NamedImage image(kMachine);
    for (const auto& [name, at, file, line, count] :
         {std::tuple("Worker.heavy", 4'096, "/home/me/jobs.py", 12, 3),
          std::tuple("<module>", 8'192, "/home/me/jobs.py", 1, 1),
          std::tuple("größe", 12'288, "<frozen importlib._bootstrap>", 70'000, 4'096)}) {
        const auto address = static_cast<std::uint64_t>(at);
        ASSERT_TRUE(image.add(name, address, 4'096));
        image.add_lines(name, address, 4'096, file, static_cast<std::uint64_t>(line),
                        static_cast<std::uint64_t>(count));
    }
    const std::string id = write(image);
    program::Request request{.image = {.path = path_, .build_id = id, .machine = kMachine}, .offsets = {}};
    for (const std::uint64_t offset : {4'096, 4'098, 4'099, 8'191, 8'192, 12'288, 16'383}) {
        request.offsets.push_back(ImageOffset{offset});
    }
    const program::Symbols symbols = program::symbolize(std::span(&request, 1), program::NameCache());
    EXPECT_THAT(symbols.warnings, ElementsAre());
    std::vector<std::string> places;
    for (std::size_t i = 0; i < request.offsets.size(); ++i) {
        const auto frames = symbols.images[0].at(i);
        ASSERT_EQ(frames.size(), 1U);
        const program::SourcePlace place = symbols.place_of(frames[0]);
        places.push_back(place.function + " " + place.file + ":" + std::to_string(place.line));
    }
    EXPECT_THAT(places, ElementsAre("Worker.heavy /home/me/jobs.py:12", "Worker.heavy /home/me/jobs.py:14",
                                    "Worker.heavy /home/me/jobs.py:14", "Worker.heavy /home/me/jobs.py:14",
                                    "<module> /home/me/jobs.py:1", "größe <frozen importlib._bootstrap>:70000",
                                    "größe <frozen importlib._bootstrap>:74095"));
}

TEST_F(NamedImageTest, IsTheSameForTheSameNames) {
    const auto id_of = [this](std::initializer_list<const char*> all, std::uint16_t machine) {
        NamedImage image(machine);
        for (const char* const name : all) {
            image.offset_of(name);
        }
        return write(image);
    };
    const std::string one = id_of({"a", "b"}, kMachine);
    EXPECT_EQ(id_of({"a", "b"}, kMachine), one);
    EXPECT_NE(id_of({"b", "a"}, kMachine), one);
    EXPECT_NE(id_of({"a"}, kMachine), one);
    EXPECT_NE(id_of({"a", "b", "c"}, kMachine), one);
    EXPECT_NE(id_of({"a", "b"}, EM_AARCH64), one);
}

TEST_F(NamedImageTest, KeepsGivenAddresses) {
    NamedImage kernel(kMachine);
    EXPECT_TRUE(kernel.add("entry_SYSCALL_64", 0xffffffff81000040, 0));
    EXPECT_TRUE(kernel.add("do_syscall_64", 0xffffffff81000400, 0x200));
    EXPECT_TRUE(kernel.add("startup_64", 0xffffffff81000000, 0));
    EXPECT_TRUE(kernel.add("module_init", 0xffffffffc0001008, 0));
    EXPECT_EQ(kernel.offset_of("any"), std::nullopt);
    EXPECT_EQ(kernel.range().begin, 0xffffffff81000000U);
    EXPECT_EQ(kernel.range().end, 0xffffffffc0102000U) << "a MiB for one of unknown size";
    const std::string id = write(kernel);
    EXPECT_THAT(names(id, {0xffffffff80ffffff, 0xffffffff81000000, 0xffffffff8100003f, 0xffffffff81000040,
                           0xffffffff810003ff, 0xffffffff81000400, 0xffffffff810005ff, 0xffffffff81000600,
                           0xffffffffc0001007, 0xffffffffc0001008}),
                ElementsAre("", "startup_64", "startup_64", "entry_SYSCALL_64", "entry_SYSCALL_64", "do_syscall_64",
                            "do_syscall_64", "", "", "module_init"));
}

TEST_F(NamedImageTest, NamesGeneratedCodeByItsLastFunction) {
    NamedImage image(kMachine);
    EXPECT_TRUE(image.add("LazyCompile:~first /app/a.js:1", 0x7f0000001000, 64));
    EXPECT_TRUE(image.add("LazyCompile:*second /app/a.js:2", 0x7f0000001000, 32));
    EXPECT_TRUE(image.add("stub", 0x7f0000001040, 16));
    const std::string id = write(image);
    EXPECT_THAT(names(id, {0x7f0000001000, 0x7f000000101f, 0x7f0000001020, 0x7f0000001040}),
                ElementsAre("LazyCompile:*second /app/a.js:2", "LazyCompile:*second /app/a.js:2", "", "stub"));
}

TEST_F(NamedImageTest, RefusesWhatNoImageHas) {
    NamedImage image(kMachine);
    EXPECT_FALSE(image.add("low", 4'095, 1)) << "there the file's headers are";
    EXPECT_FALSE(image.add("high", ~std::uint64_t{0}, 0));
    EXPECT_FALSE(image.add("too long", 0xffffffffffff0000, 0x10000));
    EXPECT_FALSE(image.add("huge", 4'096, ~std::uint64_t{0}));
    EXPECT_FALSE(image.add("", 4'096, 1));
    EXPECT_FALSE(image.add(std::string_view("\0x", 2), 4'096, 1));
    EXPECT_TRUE(image.empty());
    EXPECT_TRUE(image.add("highest", 0xffffffffffffeff0, 0));
    EXPECT_TRUE(image.add("lowest", 4'096, 0));
    EXPECT_EQ(image.range().begin, 4'096U);
    EXPECT_EQ(image.range().end, 0xfffffffffffff000U);
    const std::string id = write(image);
    EXPECT_THAT(names(id, {4'096, 0xffffffffffffeff0}), ElementsAre("lowest", "highest"));
}

TEST_F(NamedImageTest, CutsLongNames) {
    NamedImage image(kMachine);
    const std::string longest(4'096, 'x');
    const auto offset = image.offset_of(longest + "first");
    ASSERT_TRUE(offset);
    EXPECT_EQ(image.offset_of(longest + "second"), offset);
    EXPECT_EQ(image.offset_of(std::string_view("a\0b", 3)), image.offset_of("a"));
    const std::string id = write(image);
    EXPECT_THAT(names(id, {*offset}), ElementsAre(longest));
}

TEST_F(NamedImageTest, OverwritesNothing) {
    NamedImage image(kMachine);
    image.offset_of("main");
    write(image);
    const auto again = image.write(path_);
    ASSERT_FALSE(again.ok());
    EXPECT_EQ(again.error().kind, ErrorKind::kOutputExists);
    EXPECT_EQ(image.write(path_ / "below").error().kind, ErrorKind::kPermission);
}

}  // namespace
}  // namespace kymo::import
