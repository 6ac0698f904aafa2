// Names, lines and inlined calls of a stripped Go program: an ELF file made by hand that has Go's function table and
// nothing else to name code by.
#include "program/go_names.h"

#include "../go_bytes.h"
#include "program/symbolize.h"

#include <elf.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace kymo::program::test {
namespace {

namespace fs = std::filesystem;
using go_test::append;
using go_test::Bytes;
using go_test::GoBytes;
using Layout = image::GoTable::Layout;

constexpr std::uint64_t kBase = 0x400000;
constexpr std::uint64_t kText = kBase + 0x1000;
constexpr std::uint64_t kCalls = 0x3000;
constexpr std::uint64_t kTable = 0x2000;
constexpr std::uint64_t kModule = 0x4000;

// main.work has main.middle inlined, and that main.inner.
GoBytes program_of(Layout layout) {
    GoBytes made;
    made.layout = layout;
    made.text = kText;
    made.end = kText + 0x200;
    made.has_text = false;
    made.files = {"/src/main.go", "/src/inner.go"};
    made.functions = {{.name = "main.work",
                       .begin = kText,
                       .depths = {{0x80, 16}},
                       .lines = {{0x10, 12}, {0x20, 21}, {0x30, 31}, {0x80, 13}},
                       .files = {{0x20, 0}, {0x30, 1}, {0x80, 0}},
                       .inlined = {{0x10, -1}, {0x20, 0}, {0x30, 1}, {0x80, -1}},
                       .inlined_at = 0x40,
                       .line = 11},
                      {.name = "main.main", .begin = kText + 0x100, .depths = {{0x80, 8}}, .lines = {{0x80, 40}}}};
    return made;
}

Bytes inlined_call(Layout layout, std::uint32_t name, std::uint32_t call, std::uint32_t line) {
    Bytes bytes;
    if (layout == Layout::k118) {
        for (const std::uint32_t field : {0U, 0U, 0U, name, call}) {
            append(bytes, field);
        }
    } else {
        for (const std::uint32_t field : {0U, name, call, line}) {
            append(bytes, field);
        }
    }
    return bytes;
}

class GoNames : public ::testing::TestWithParam<Layout> {
  protected:
    void SetUp() override { file_ = fs::temp_directory_path() / ("kymo-go-names-" + std::to_string(::getpid())); }
    void TearDown() override { fs::remove(file_); }

    void write(Layout layout) {
        GoBytes made = program_of(layout);
        const std::uint32_t middle = made.add_name("main.middle");
        const std::uint32_t inner = made.add_name("main.inner");
        const Bytes table = made.made();
        Bytes calls(0x40);
        for (const Bytes& call : {inlined_call(layout, middle, 0x08, 20), inlined_call(layout, inner, 0x18, 30)}) {
            calls.insert(calls.end(), call.begin(), call.end());
        }
        const Bytes module = go_test::go_module_data(table, kBase + kTable, kText, kBase + kCalls);
        Bytes file(0x5000);
        const auto put = [&](std::uint64_t at, const Bytes& bytes) {
            std::copy(bytes.begin(), bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(at));
        };
        put(kTable, table);
        put(kCalls, calls);
        put(kModule, module);

        Bytes names = {0};
        Bytes headers;
        append(headers, Elf64_Shdr{});
        std::uint16_t count = 1;
        const auto section = [&](const char* name, std::uint32_t type, std::uint64_t flags, std::uint64_t at,
                                 std::uint64_t size) {
            Elf64_Shdr header{};
            header.sh_name = static_cast<std::uint32_t>(names.size());
            header.sh_type = type;
            header.sh_flags = flags;
            header.sh_addr = (flags & SHF_ALLOC) != 0 ? kBase + at : 0;
            header.sh_offset = at;
            header.sh_size = size;
            header.sh_addralign = 1;
            go_test::append_text(names, name);
            append(headers, header);
            ++count;
        };
        section(".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, 0x200);
        section(".rodata", SHT_PROGBITS, SHF_ALLOC, kCalls, calls.size());
        section(".gopclntab", SHT_PROGBITS, SHF_ALLOC, kTable, table.size());
        section(".noptrdata", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, kModule, module.size());
        section(".shstrtab", SHT_STRTAB, 0, file.size(), 64);
        names.resize(64);
        file.insert(file.end(), names.begin(), names.end());

        Elf64_Ehdr header{};
        std::memcpy(header.e_ident, ELFMAG, SELFMAG);
        header.e_ident[EI_CLASS] = ELFCLASS64;
        header.e_ident[EI_DATA] = ELFDATA2LSB;
        header.e_ident[EI_VERSION] = EV_CURRENT;
        header.e_type = ET_EXEC;
        header.e_machine = EM_X86_64;
        header.e_version = EV_CURRENT;
        header.e_ehsize = sizeof(Elf64_Ehdr);
        header.e_phoff = sizeof(Elf64_Ehdr);
        header.e_phentsize = sizeof(Elf64_Phdr);
        header.e_phnum = 1;
        header.e_shoff = file.size();
        header.e_shentsize = sizeof(Elf64_Shdr);
        header.e_shnum = count;
        header.e_shstrndx = static_cast<std::uint16_t>(count - 1);
        Elf64_Phdr load{};
        load.p_type = PT_LOAD;
        load.p_flags = PF_R | PF_W | PF_X;
        load.p_vaddr = kBase;
        load.p_filesz = load.p_memsz = 0x5000;
        load.p_align = 0x1000;
        std::memcpy(file.data(), &header, sizeof header);
        std::memcpy(file.data() + sizeof header, &load, sizeof load);
        file.insert(file.end(), headers.begin(), headers.end());
        std::ofstream(file_, std::ios::binary)
            .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
    }

    // "main.work /src/main.go:12", from the outermost in.
    static std::string text_of(const Symbols& symbols, std::size_t index) {
        std::string text;
        for (const Frame& frame : symbols.images[0].at(index)) {
            const SourcePlace place = symbols.place_of(frame);
            text += text.empty() ? "" : frame.inlined ? " < " : " / ";
            text += place.function + " " + place.file + ":" + std::to_string(place.line);
        }
        return text;
    }

    fs::path file_;
};

TEST_P(GoNames, AreFoundInAStrippedProgram) {
    write(GetParam());
    Request request{.image = {.path = file_.string(), .build_id = {}}, .offsets = {}};
    for (const std::uint64_t at : {0x00U, 0x10U, 0x20U, 0x30U, 0x100U, 0x1F0U}) {
        request.offsets.push_back(ImageOffset{kText + at});
    }
    const Symbols symbols = symbolize(std::span(&request, 1), NameCache());
    EXPECT_TRUE(symbols.warnings.empty());
    EXPECT_EQ(text_of(symbols, 0), "main.work /src/main.go:12");
    EXPECT_EQ(text_of(symbols, 1), "main.work /src/main.go:12 < main.middle /src/main.go:21");
    EXPECT_EQ(text_of(symbols, 2),
              "main.work /src/main.go:12 < main.middle /src/main.go:21 < main.inner /src/inner.go:31");
    EXPECT_EQ(text_of(symbols, 3), "main.work /src/main.go:13");
    EXPECT_EQ(text_of(symbols, 4), "main.main :40");
    EXPECT_EQ(text_of(symbols, 5), "main.main :0");  // behind its last instruction
    const std::uint32_t declared = GetParam() == Layout::k120 ? 30 : 0;
    EXPECT_EQ(symbols.functions[symbols.images[0].at(2)[2].function].line, declared);
}

INSTANTIATE_TEST_SUITE_P(Layouts, GoNames, ::testing::Values(Layout::k118, Layout::k120));

}  // namespace
}  // namespace kymo::program::test
