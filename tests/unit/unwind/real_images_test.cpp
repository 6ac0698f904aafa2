// Every row of the tables of real images, held against elfutils: at its first address and in its middle.
#include "paths.h"
#include "rule_text.h"
#include "unwind/compile.h"

#include <cstdlib>
#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/auxv.h>
#include <unistd.h>

namespace kymo::unwind::test {
namespace {

constexpr unsigned kBregx = 0x92;
constexpr unsigned kCallFrameCfa = 0x9C;
constexpr unsigned kPlusUconst = 0x23;
constexpr unsigned kStackValue = 0x9F;

// elfutils' rules at one address, in the words of rule_text.h.
std::string elfutils_text(Dwarf_CFI* frames, std::uint64_t address) {
    Dwarf_Frame* frame = nullptr;
    if (dwarf_cfi_addrframe(frames, address, &frame) != 0) {
        return "none";
    }
    std::string text;
    Dwarf_Op memory[3];
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    bool signal = false;
    dwarf_frame_info(frame, nullptr, nullptr, &signal);

    std::string registers;
    bool plain = !signal;
    for (unsigned number = 0; number <= 16; ++number) {
        dwarf_frame_register(frame, static_cast<int>(number), memory, &operations, &count);
        if (number == 16 && count == 0 && operations == memory) {
            free(frame);
            return "bottom";
        }
        const bool preserved = number == 3 || number == 6 || number >= 12;
        if (!preserved && number != 7) {
            continue;  // no compact rule keeps them; elfutils calls them undefined by the ABI
        }
        if (count == 0) {
            continue;  // unchanged; elfutils 0.188 takes rax for rbx there and says undefined
        }
        if (number == 7 && count == 2 && operations[0].atom == kCallFrameCfa && operations[1].atom == kStackValue) {
            continue;  // the stack pointer is the CFA: what the ABI says
        }
        long long offset = 0;
        if (count == 2 && operations[0].atom == kCallFrameCfa && operations[1].atom == kPlusUconst) {
            offset = static_cast<long long>(operations[1].number);
        } else if (!(count == 1 && operations[0].atom == kCallFrameCfa)) {
            plain = false;
            continue;
        }
        if (number == 16) {
            plain = plain && offset == -8;
        } else if (number == 7 || offset > -8 || offset < -248) {
            plain = false;
        } else {
            registers += std::string(" ") + register_name(number) + "=c" + std::to_string(offset);
        }
    }
    dwarf_frame_cfa(frame, &operations, &count);
    const bool by_register = count == 1 && operations[0].atom == kBregx;
    if (by_register) {
        text = register_name(static_cast<unsigned>(operations[0].number)) +
               signed_text(static_cast<long long>(operations[0].number2));
    }
    // rbp comes first in a rule word.
    const std::size_t rbx = registers.find(" rbx=");
    const std::size_t rbp = registers.find(" rbp=");
    if (rbx != std::string::npos && rbp != std::string::npos) {
        const std::size_t rbp_end = registers.find(' ', rbp + 1);
        const std::string piece = registers.substr(rbp, rbp_end == std::string::npos ? rbp_end : rbp_end - rbp);
        registers.erase(rbp, piece.size());
        registers.insert(0, piece);
    }
    free(frame);
    return by_register && plain ? text + registers : "extended";
}

class RealImage : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(RealImage, EveryRowIsAsElfutilsHasIt) {
    const auto [library, symbol] = GetParam();
    void* handle = dlopen(library, RTLD_NOW);
    if (handle == nullptr) {
        GTEST_SKIP() << library << " is not installed";
    }
    // The dynamic linker is not searched by dlsym; the kernel tells where it is.
    const auto address = symbol == nullptr ? static_cast<std::uint64_t>(getauxval(AT_BASE))
                                           : reinterpret_cast<std::uint64_t>(dlsym(handle, symbol));
    ASSERT_NE(address, 0U);
    const ImageId id = images().add_at(address);
    ASSERT_NE(id, ImageId{0});
    const auto& entry = images().entry(id);
    const Table& table = *entry.kept_table;
    EXPECT_EQ(table.bad_functions, 0U);
    ASSERT_GT(table.rows, 100U);

    elf_version(EV_CURRENT);
    const int file = open(std::string(entry.image->path).c_str(), O_RDONLY | O_CLOEXEC);
    Elf* elf = elf_begin(file, ELF_C_READ_MMAP, nullptr);
    Dwarf_CFI* frames = dwarf_getcfi_elf(elf);
    ASSERT_NE(frames, nullptr);

    std::uint32_t extended = 0;
    std::uint32_t wrong = 0;
    for (std::uint32_t row = 0; row + 1 < table.rows && wrong < 10; ++row) {
        const std::uint64_t begin = table.base + table.starts[row];
        const std::uint64_t middle = begin + (table.starts[row + 1] - table.starts[row]) / 2;
        const bool is_extended = kind_of(table.rules[row]) == RuleKind::kExtended;
        extended += is_extended ? 1 : 0;
        const std::string ours = is_extended ? "extended" : text_of(table, table.rules[row]);
        for (const std::uint64_t at : {begin, middle}) {
            ASSERT_EQ(table.find(at), table.rules[row]);
            const std::string theirs = elfutils_text(frames, at);
            if (ours != theirs) {
                ++wrong;
                ADD_FAILURE() << std::hex << at << ": " << text_of(table, table.rules[row]) << " against " << theirs;
            }
        }
    }
    RecordProperty("rows", static_cast<int>(table.rows));
    RecordProperty("extended", static_cast<int>(extended));
    dwarf_cfi_end(frames);
    elf_end(elf);
    close(file);
}

INSTANTIATE_TEST_SUITE_P(Libraries, RealImage,
                         testing::Values(std::pair{"libc.so.6", "printf"},
                                         std::pair{"libstdc++.so.6", "_ZNSo5flushEv"},
                                         std::pair{"ld-linux-x86-64.so.2", static_cast<const char*>(nullptr)},
                                         std::pair{"libm.so.6", "sin"}, std::pair{"libcrypto.so.3", "EVP_sha256"}),
                         [](const auto& info) {
                             std::string name = info.param.first;
                             for (char& letter : name) {
                                 letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
                             }
                             return name;
                         });

}  // namespace
}  // namespace kymo::unwind::test
