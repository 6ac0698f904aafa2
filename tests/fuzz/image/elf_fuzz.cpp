// Any bytes as an ELF file: everything that is read from it lies within it, or is refused.
#include "image/program_facts.h"
#include "image/sanitizer.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace {

void within(std::span<const std::uint8_t> part, std::span<const std::uint8_t> whole) {
    if (!part.empty() && (part.data() < whole.data() || part.data() + part.size() > whole.data() + whole.size())) {
        std::abort();
    }
}

// As pread(2) would.
std::size_t read_part(const void* file, void* to, std::size_t size, std::uint64_t at) {
    const auto& bytes = *static_cast<const std::span<const std::uint8_t>*>(file);
    if (at >= bytes.size()) {
        return 0;
    }
    const auto part = bytes.subspan(at, std::min<std::size_t>(size, bytes.size() - at));
    std::copy(part.begin(), part.end(), static_cast<std::uint8_t*>(to));
    return part.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::image;
    const std::span<const std::uint8_t> bytes(data, size);
    const ProgramFacts facts = describe_program(bytes);
    within({reinterpret_cast<const std::uint8_t*>(facts.interpreter.data()), facts.interpreter.size()}, bytes);
    const Sanitizer sanitizer = find_sanitizer({read_part, &bytes});
    if ((sanitizer.library[0] != 0) != (sanitizer.kind == SanitizerKind::kMustComeFirst) ||
        sanitizer.library[Sanitizer::kLibraryBytes - 1] != 0) {
        std::abort();
    }
    within(find_build_id(bytes, 4), bytes);
    within(find_build_id(bytes, 8), bytes);

    ElfFile file;
    if (ElfFile::parse(bytes, &file) != ElfError::kNone) {
        return 0;
    }
    within(file.build_id(), bytes);
    for (std::size_t i = 0; i < file.segment_count(); ++i) {
        within(file.contents(file.segment(i)), bytes);
    }
    Elf64_Shdr found;
    file.find_section(".debug_frame", &found);
    for (std::size_t i = 0; i < file.section_count(); ++i) {
        const Elf64_Shdr section = file.section(i);
        within(file.contents(section), bytes);
        const std::string_view name = file.name(section);
        within({reinterpret_cast<const std::uint8_t*>(name.data()), name.size()}, bytes);
    }
    return 0;
}
