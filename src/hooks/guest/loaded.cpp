#include "hooks/guest/loaded.h"

#include "image/describe.h"

#include <cstring>
#include <elf.h>

namespace kymo::hooks {

namespace {

constexpr std::uint64_t kPage = 4096;

// The program headers behind an ELF header in memory; false where they are not in its page.
template <typename Visit>
bool for_each_header(std::uint64_t header_at, const Visit& visit) {
    Elf64_Ehdr header;
    std::memcpy(&header, reinterpret_cast<const void*>(header_at), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(Elf64_Phdr) ||
        header.e_phoff > kPage || header.e_phnum > (kPage - header.e_phoff) / sizeof(Elf64_Phdr)) {
        return false;
    }
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr part;
        std::memcpy(&part, reinterpret_cast<const void*>(header_at + header.e_phoff + i * sizeof part), sizeof part);
        visit(part);
    }
    return true;
}

}  // namespace

const link_map* first_loaded() {
    return _r_debug.r_map;
}

bool loaded_is_consistent() {
    return _r_debug.r_state == r_debug::RT_CONSISTENT;
}

std::uint64_t debugger_function() {
    return _r_debug.r_brk;
}

bool describe_loaded(const link_map& map, image::Arena& arena, image::LoadedImage* image) {
    // The loader's look-up does not find an image that is still being loaded.
    if (image::describe_image_at(reinterpret_cast<std::uint64_t>(map.l_ld), arena, image)) {
        return image->bias == map.l_addr;
    }
    if (map.l_addr == 0 || map.l_addr % kPage != 0 || map.l_name == nullptr || *map.l_name == 0) {
        return false;
    }
    std::uint64_t end = 0;
    std::uint64_t begin = ~std::uint64_t{0};
    const bool read = for_each_header(map.l_addr, [&](const Elf64_Phdr& part) {
        if (part.p_type == PT_LOAD) {
            begin = part.p_vaddr < begin ? part.p_vaddr : begin;
            end = part.p_vaddr + part.p_memsz > end ? part.p_vaddr + part.p_memsz : end;
        }
    });
    if (!read || begin >= kPage || end == 0) {
        return false;
    }
    return image::describe_mapped_image({map.l_addr, map.l_addr + ((end + kPage - 1) & ~(kPage - 1))}, map.l_name,
                                        arena, image);
}

image::Range relocated_read_only(const image::LoadedImage& image) {
    image::Range range;
    for_each_header(image.range.begin, [&](const Elf64_Phdr& part) {
        if (part.p_type == PT_GNU_RELRO) {
            const std::uint64_t begin = image.bias + part.p_vaddr;
            range = {begin & ~(kPage - 1), (begin + part.p_memsz) & ~(kPage - 1)};
        }
    });
    return range;
}

}  // namespace kymo::hooks
