#include "gpu/fatbin/cubin.h"

#include "image/elf.h"

namespace kymo::gpu {

Result<std::map<std::string, unsigned, std::less<>>> cubin_registers(std::span<const std::uint8_t> cubin,
                                                                     const std::string& name) {
    constexpr std::string_view kPrefix = ".text.";
    constexpr unsigned kRegistersShift = 24;
    image::ElfFile file;
    if (const auto why = image::ElfFile::parse(cubin, &file); why != image::ElfError::kNone) {
        return Error{ErrorKind::kMalformed, name + ": its machine code " + image::describe(why),
                     "build the program again with nvcc"};
    }
    std::map<std::string, unsigned, std::less<>> registers;
    for (std::size_t i = 0; i < file.section_count(); ++i) {
        const Elf64_Shdr section = file.section(i);
        const std::string_view title = file.name(section);
        if (title.starts_with(kPrefix) && title.size() > kPrefix.size()) {
            registers.emplace(title.substr(kPrefix.size()), section.sh_info >> kRegistersShift);
        }
    }
    return registers;
}

}  // namespace kymo::gpu
