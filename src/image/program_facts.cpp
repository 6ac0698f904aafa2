#include "image/program_facts.h"

#include "base/machine.h"

#include <cstring>

namespace kymo::image {

namespace {

// "#! /usr/bin/env -S x" → "/usr/bin/env".
std::string_view script_interpreter(std::span<const std::uint8_t> bytes) {
    const auto is_blank = [&bytes](std::size_t at) { return bytes[at] == ' ' || bytes[at] == '\t'; };
    std::size_t begin = 2;
    while (begin < bytes.size() && is_blank(begin)) {
        ++begin;
    }
    std::size_t end = begin;
    while (end < bytes.size() && !is_blank(end) && bytes[end] != '\n' && bytes[end] != '\r') {
        ++end;
    }
    return {reinterpret_cast<const char*>(bytes.data()) + begin, end - begin};
}

// A position-independent program without a linker to load it is DF_1_PIE-marked; a shared library is not.
bool is_static_pie(const ElfFile& file) {
    for (std::size_t i = 0; i < file.segment_count(); ++i) {
        const Elf64_Phdr segment = file.segment(i);
        if (segment.p_type != PT_DYNAMIC) {
            continue;
        }
        const auto entries = file.contents(segment);
        for (std::size_t at = 0; at + sizeof(Elf64_Dyn) <= entries.size(); at += sizeof(Elf64_Dyn)) {
            Elf64_Dyn entry;
            std::memcpy(&entry, entries.data() + at, sizeof(entry));
            if (entry.d_tag == DT_NULL) {
                return false;
            }
            if (entry.d_tag == DT_FLAGS_1) {
                return (entry.d_un.d_val & DF_1_PIE) != 0;
            }
        }
    }
    return false;
}

}  // namespace

ProgramFacts describe_program(std::span<const std::uint8_t> bytes) {
    ProgramFacts facts;
    if (bytes.size() >= 2 && bytes[0] == '#' && bytes[1] == '!') {
        facts.kind = ProgramKind::kScript;
        facts.error = ElfError::kNotElf;
        facts.interpreter = script_interpreter(bytes);
        return facts;
    }
    ElfFile file;
    facts.error = ElfFile::parse(bytes, &file);
    if (bytes.size() >= 20 && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0) {
        // e_machine has the same place in 32-bit files; big-endian ones have its bytes swapped.
        facts.machine = bytes[EI_DATA] == ELFDATA2MSB ? static_cast<std::uint16_t>(bytes[18] << 8U | bytes[19])
                                                      : static_cast<std::uint16_t>(bytes[19] << 8U | bytes[18]);
    }
    if (facts.error != ElfError::kNone) {
        return facts;
    }
    facts.interpreter = file.interpreter();
    const bool asks_for_linker = !facts.interpreter.empty();
    if (file.type() == ET_EXEC) {
        facts.kind = asks_for_linker ? ProgramKind::kDynamic : ProgramKind::kStatic;
    } else if (file.type() == ET_DYN) {
        facts.kind = asks_for_linker       ? ProgramKind::kDynamic
                     : is_static_pie(file) ? ProgramKind::kStatic
                                           : ProgramKind::kLibrary;
    }
    return facts;
}

const char* machine_name(std::uint16_t machine) {
    switch (machine) {
        case EM_X86_64:
            return "x86-64";
        case EM_386:
            return "x86 (32 bits)";
        case EM_AARCH64:
            return "aarch64";
        case EM_ARM:
            return "arm";
        case EM_RISCV:
            return "risc-v";
        case kMachineLoongArch:
            return "loongarch";
        case EM_PPC64:
            return "powerpc64";
        case EM_S390:
            return "s390";
        case kMachineSunway:
        case kMachineSunwayRegistered:
            return "sw_64";
        default:
            return "unknown";
    }
}

}  // namespace kymo::image
