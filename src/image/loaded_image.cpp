#include "image/loaded_image.h"

#include "image/elf.h"
#include "image/frame_sections.h"
#include "image/raw_file.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

namespace kymo::image {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::string_view kVdso = "[vdso]";

std::span<const std::uint8_t> bytes_of(Range range) {
    return {reinterpret_cast<const std::uint8_t*>(range.begin), range.end - range.begin};
}

bool overlaps_or_overflows(std::uint64_t begin, std::uint64_t size, Range bounds) {
    return begin < bounds.begin || begin > bounds.end || size > bounds.end - begin;
}

// The file mapped at `address` according to /proc/self/maps, in `line` (NUL-terminated) or empty. Only for names that
// the dynamic linker keeps relative to a directory which the program may have left since.
std::string_view mapped_file(std::uint64_t address, std::span<char> line) {
    const RawFile maps("/proc/self/maps");
    std::uint8_t block[512];
    std::size_t used = 0;
    for (std::uint64_t offset = 0; maps.is_open();) {
        // The kernel gives whole lines at a time but any offset may be asked for.
        const std::size_t got = maps.read_at(offset, block);
        for (std::size_t i = 0; i < got; ++i) {
            if (block[i] != '\n') {
                if (used + 1 < line.size()) {
                    line[used++] = static_cast<char>(block[i]);
                }
                continue;
            }
            const std::string_view text(line.data(), used);
            used = 0;
            std::uint64_t begin = 0;
            for (std::size_t d = 0; d < text.size() && text[d] != '-'; ++d) {
                begin = begin << 4U | static_cast<std::uint64_t>(text[d] <= '9' ? text[d] - '0' : text[d] - 'a' + 10);
            }
            const std::size_t slash = text.find('/');
            if (begin == address && slash != std::string_view::npos) {
                line[text.size()] = '\0';
                return {line.data() + slash, text.size() - slash};
            }
            if (begin > address) {
                return {};
            }
        }
        if (got < sizeof(block)) {
            return {};
        }
        offset += got;
    }
    return {};
}

// The path to keep for an image, NUL-terminated in `buffer`.
std::string_view absolute_path(std::string_view name, std::uint64_t begin, std::span<char> buffer) {
    if (name.empty()) {  // the program itself
        const int saved = errno;
        const ssize_t size = readlink("/proc/self/exe", buffer.data(), buffer.size() - 1);
        errno = saved;
        if (size <= 0) {
            return {};
        }
        buffer[static_cast<std::size_t>(size)] = '\0';
        return {buffer.data(), static_cast<std::size_t>(size)};
    }
    if (name.front() == '/' && name.size() < buffer.size()) {
        std::memcpy(buffer.data(), name.data(), name.size());
        buffer[name.size()] = '\0';
        return {buffer.data(), name.size()};
    }
    return mapped_file(begin, buffer);
}

}  // namespace

Range LoadedImage::code() const {
    Range code{};
    for (std::uint32_t i = 0; i < segment_count; ++i) {
        if ((segments[i].flags & PF_X) != 0) {
            code.begin = code.empty() || segments[i].range.begin < code.begin ? segments[i].range.begin : code.begin;
            code.end = segments[i].range.end > code.end ? segments[i].range.end : code.end;
        }
    }
    return code;
}

bool describe_mapped_image(Range mapping, std::string_view path, Arena& arena, LoadedImage* image) {
    *image = LoadedImage{};
    Elf64_Ehdr header;
    const auto memory = bytes_of(mapping);
    if (memory.size() < kPage || read_header(memory.first(kPage), &header) != ElfError::kNone ||
        header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > kPage ||
        header.e_phnum > (kPage - header.e_phoff) / sizeof(Elf64_Phdr)) {
        return false;
    }
    const auto headers = memory.first(header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr));
    const auto program_header = [&](std::size_t index) {
        Elf64_Phdr value;
        std::memcpy(&value, headers.data() + header.e_phoff + index * sizeof(value), sizeof(value));
        return value;
    };

    // The mapping begins where the first loadable segment's page does.
    bool first = true;
    image->machine = header.e_machine;
    for (std::size_t i = 0; i < header.e_phnum; ++i) {
        const Elf64_Phdr load = program_header(i);
        if (load.p_type != PT_LOAD) {
            continue;
        }
        if (first) {
            if (load.p_offset >= kPage) {
                return false;  // the ELF header is not part of it, so this is something else
            }
            image->bias = mapping.begin - (load.p_vaddr & ~(kPage - 1));
            first = false;
        }
        const std::uint64_t begin = image->bias + load.p_vaddr;
        if (overlaps_or_overflows(begin, load.p_memsz, mapping) || load.p_filesz > load.p_memsz) {
            return false;
        }
        if (image->segment_count < image->segments.size()) {
            image->segments[image->segment_count++] = {{begin, begin + load.p_filesz}, load.p_flags};
        }
    }
    if (first) {
        return false;
    }
    image->range = mapping;

    for (std::size_t i = 0; i < header.e_phnum; ++i) {
        const Elf64_Phdr part = program_header(i);
        const std::uint64_t begin = image->bias + part.p_vaddr;
        const LoadedSegment* segment = image->segment_of(begin);
        if (segment == nullptr || (segment->flags & PF_R) == 0) {
            continue;
        }
        if (part.p_type == PT_GNU_EH_FRAME) {
            image->eh_frame_header = {begin, segment->range.end};
        } else if (part.p_type == PT_NOTE && image->build_id.empty() && part.p_filesz <= segment->range.end - begin) {
            image->build_id = arena.copy(find_build_id(bytes_of({begin, begin + part.p_filesz}), part.p_align));
        }
    }

    if (path == kVdso) {
        image->path = kVdso;
        return true;
    }
    // From the arena and not from the stack: an alternate signal stack may be as small as 8 KiB.
    constexpr std::size_t kMaxPath = 4096;
    auto* buffer = static_cast<char*>(map_pages(kMaxPath));
    if (buffer != nullptr) {
        const std::string_view full = absolute_path(path, mapping.begin, {buffer, kMaxPath});
        if (!full.empty()) {
            add_frame_sections_from_file(full.data(), headers, arena, image);
            image->path = arena.copy(full);
        }
        unmap_pages(buffer, kMaxPath);
    }
    return true;
}

bool describe_image_at(std::uint64_t address, Arena& arena, LoadedImage* image) {
    const std::uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
    dl_find_object found{};
    Range mapping;
    std::string_view name = kVdso;
    if (_dl_find_object(reinterpret_cast<void*>(address), &found) == 0) {
        mapping = {reinterpret_cast<std::uint64_t>(found.dlfo_map_start),
                   reinterpret_cast<std::uint64_t>(found.dlfo_map_end)};
        if (mapping.begin != vdso) {
            const char* text = found.dlfo_link_map != nullptr ? found.dlfo_link_map->l_name : nullptr;
            name = text == nullptr ? std::string_view{} : std::string_view(text);
        }
    } else if (vdso != 0 && address >= vdso && address - vdso < 4 * kPage) {
        // The kernel maps it as one piece; its only loadable segment tells the size.
        Elf64_Ehdr header;
        std::memcpy(&header, reinterpret_cast<const void*>(vdso), sizeof(header));
        mapping = {vdso, vdso + kPage};
        for (std::size_t i = 0; i < header.e_phnum && header.e_phoff < kPage / 2; ++i) {
            Elf64_Phdr part;
            std::memcpy(&part, reinterpret_cast<const void*>(vdso + header.e_phoff + i * sizeof(part)), sizeof(part));
            if (part.p_type == PT_LOAD) {
                const std::uint64_t end = vdso + ((part.p_memsz + kPage - 1) & ~(kPage - 1));
                mapping.end = end > mapping.end ? end : mapping.end;
            }
        }
    } else {
        return false;
    }
    // dlfo_map_end is the end of the last segment in bytes; the page it lies in belongs to the image.
    mapping.end = (mapping.end + kPage - 1) & ~(kPage - 1);
    return mapping.holds(address) && describe_mapped_image(mapping, name, arena, image);
}

bool is_still_loaded(const LoadedImage& image) {
    if (image.path == kVdso) {
        return true;
    }
    dl_find_object found{};
    if (_dl_find_object(reinterpret_cast<void*>(image.range.begin), &found) != 0 ||
        reinterpret_cast<std::uint64_t>(found.dlfo_map_start) != image.range.begin) {
        return false;
    }
    const char* name = found.dlfo_link_map != nullptr ? found.dlfo_link_map->l_name : nullptr;
    const std::string_view text = name == nullptr ? std::string_view{} : std::string_view(name);
    const std::uint64_t end = (reinterpret_cast<std::uint64_t>(found.dlfo_map_end) + kPage - 1) & ~(kPage - 1);
    // A program's own name is empty, a relative one was made absolute: then the place must do.
    return end == image.range.end && (text.empty() || text.front() != '/' || text == image.path);
}

}  // namespace kymo::image
