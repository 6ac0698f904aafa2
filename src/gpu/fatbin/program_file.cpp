#include "gpu/fatbin/program_file.h"

#include "image/elf.h"

#include <algorithm>
#include <cstring>

namespace kymo::gpu {
namespace {

constexpr std::size_t kContainerAlignment = 8;

// The text at `offset` of a string table, up to its zero.
std::string_view text_at(std::span<const std::uint8_t> strings, std::uint64_t offset) {
    if (offset >= strings.size()) {
        return {};
    }
    const auto* from = reinterpret_cast<const char*>(strings.data()) + offset;
    const std::size_t room = strings.size() - offset;
    const void* end = std::memchr(from, 0, room);
    return {from, end != nullptr ? static_cast<std::size_t>(static_cast<const char*>(end) - from) : 0};
}

void read_dynamic(const image::ElfFile& file, GpuProgram& program) {
    Elf64_Shdr section;
    if (!file.find_section(".dynamic", &section) || section.sh_link >= file.section_count()) {
        return;
    }
    const auto strings = file.contents(file.section(section.sh_link));
    const auto entries = file.contents(section);
    for (std::size_t at = 0; at + sizeof(Elf64_Dyn) <= entries.size(); at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        std::memcpy(&entry, entries.data() + at, sizeof(entry));
        program.has_run_path = program.has_run_path || entry.d_tag == DT_RPATH;
        if (entry.d_tag == DT_NEEDED) {
            if (const auto library = text_at(strings, entry.d_un.d_val); library.starts_with("libcudart.so")) {
                program.runtime = library;
            }
        }
    }
}

}  // namespace

Result<GpuProgram> read_program(std::span<const std::uint8_t> elf, const std::string& name) {
    image::ElfFile file;
    if (const auto why = image::ElfFile::parse(elf, &file); why != image::ElfError::kNone) {
        return Error{ErrorKind::kMalformed, name + " " + image::describe(why), "name a program that nvcc has built"};
    }
    GpuProgram program;
    read_dynamic(file, program);
    Elf64_Shdr section;
    program.is_relocatable = file.find_section("__nv_relfatbin", &section);
    if (!file.find_section(".nv_fatbin", &section)) {
        return program;
    }
    auto bytes = file.contents(section);
    while (bytes.size() >= kFatHeaderBytes) {
        // Between two containers are zeros, up to the next one's alignment.
        if (std::all_of(bytes.begin(), bytes.begin() + kContainerAlignment, [](std::uint8_t b) { return b == 0; })) {
            bytes = bytes.subspan(kContainerAlignment);
            continue;
        }
        const auto size = fat_binary_bytes(bytes, name);
        if (!size) {
            return size.error();
        }
        if (*size > bytes.size()) {
            return Error{ErrorKind::kMalformed, name + ": damaged fat binary: it goes on beyond its section's end",
                         "build the program again with nvcc"};
        }
        program.fat_binaries.push_back(bytes.first(*size));
        const std::uint64_t aligned = (*size + kContainerAlignment - 1) / kContainerAlignment * kContainerAlignment;
        bytes = bytes.subspan(std::min<std::uint64_t>(aligned, bytes.size()));
    }
    return program;
}

}  // namespace kymo::gpu
