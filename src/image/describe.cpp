#include "image/describe.h"

#include "base/native.h"
#include "image/elf.h"
#include "image/frame_sections.h"
#include "image/linked_object.h"
#include "image/program_facts.h"
#include "image/raw_file.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

namespace kymo::image {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::string_view kVdso = "[vdso]";

constexpr std::uint64_t page_of(std::uint64_t address) {
    return address & ~(kPage - 1);
}
constexpr std::uint64_t page_behind(std::uint64_t address) {
    return (address + kPage - 1) & ~(kPage - 1);
}

std::span<const std::uint8_t> bytes_of(Range range) {
    return {reinterpret_cast<const std::uint8_t*>(range.begin), range.end - range.begin};
}

bool overlaps_or_overflows(std::uint64_t begin, std::uint64_t size, Range bounds) {
    return begin < bounds.begin || begin > bounds.end || size > bounds.end - begin;
}

// The file mapped at `address` according to /proc/self/maps, in `line` (NUL-terminated) or empty. Only for a
// program that the loader was started with, and for names that the dynamic linker keeps relative to a directory
// which the program may have left since.
std::string_view mapped_file(std::uint64_t address, std::span<char> line) {
    const RawFile maps("/proc/self/maps");
    std::uint8_t block[512];
    std::size_t used = 0;
    for (std::uint64_t offset = 0; maps.is_open();) {
        // The kernel returns whole lines at a time but accepts any offset.
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

}  // namespace

std::string_view own_program_path(std::span<char> buffer) {
    // No loader's base address: the loader was called as a program, and is the target of /proc/self/exe. It has
    // put the program's headers into the auxiliary vector.
    if (const std::uint64_t headers = getauxval(AT_PHDR); getauxval(AT_BASE) == 0 && headers != 0) {
        if (const std::string_view path = mapped_file(page_of(headers), buffer); !path.empty()) {
            return path;
        }
    }
    const int saved = errno;
    const ssize_t size = readlink("/proc/self/exe", buffer.data(), buffer.size() - 1);
    errno = saved;
    if (size <= 0) {
        return {};
    }
    buffer[static_cast<std::size_t>(size)] = '\0';
    return {buffer.data(), static_cast<std::size_t>(size)};
}

namespace {

// The path to keep for an image, NUL-terminated in `buffer`.
std::string_view absolute_path(std::string_view name, std::uint64_t begin, std::span<char> buffer) {
    if (name.empty()) {
        return own_program_path(buffer);
    }
    if (name.front() == '/' && name.size() < buffer.size()) {
        std::memcpy(buffer.data(), name.data(), name.size());
        buffer[name.size()] = '\0';
        return {buffer.data(), name.size()};
    }
    return mapped_file(begin, buffer);
}

// Program headers in memory.
class ProgramHeaders {
  public:
    ProgramHeaders(const std::uint8_t* at, std::size_t count) : at_(at), count_(count) {}
    std::size_t size() const { return count_; }
    Elf64_Phdr operator[](std::size_t index) const {
        Elf64_Phdr value;
        std::memcpy(&value, at_ + index * sizeof(value), sizeof(value));
        return value;
    }

  private:
    const std::uint8_t* at_;
    std::size_t count_;
};

// The loadable segments; false: one of them lies outside `bounds`.
bool take_segments(const ProgramHeaders& parts, Range bounds, LoadedImage* image) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Elf64_Phdr load = parts[i];
        if (load.p_type != PT_LOAD) {
            continue;
        }
        const std::uint64_t begin = image->bias + load.p_vaddr;
        if (overlaps_or_overflows(begin, load.p_memsz, bounds) || load.p_filesz > load.p_memsz) {
            return false;
        }
        if (image->segment_count < image->segments.size()) {
            image->segments[image->segment_count++] = {
                {begin, begin + load.p_filesz}, load.p_flags, begin + load.p_memsz};
        }
    }
    return true;
}

void take_notes_and_frames(const ProgramHeaders& parts, Arena& arena, LoadedImage* image) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Elf64_Phdr part = parts[i];
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
}

// `headers`: the ELF header and the program headers, to identify the file by.
void take_file(std::string_view name, std::span<const std::uint8_t> headers, Arena& arena, LoadedImage* image) {
    // Not on the stack: an alternate signal stack may be as small as 8 KiB.
    constexpr std::size_t kMaxPath = 4096;
    auto* buffer = static_cast<char*>(map_pages(kMaxPath));
    if (buffer != nullptr) {
        const std::string_view full = absolute_path(name, image->range.begin, {buffer, kMaxPath});
        if (!full.empty()) {
            add_frame_sections_from_file(full.data(), headers, arena, image);
            image->path = arena.copy(full);
        }
        unmap_pages(buffer, kMaxPath);
    }
}

// The program's headers, from the kernel (or the dynamic linker, if it was called as a program).
ProgramHeaders own_headers() {
    const std::uint64_t count = getauxval(AT_PHENT) == sizeof(Elf64_Phdr) ? getauxval(AT_PHNUM) : 0;
    const std::uint64_t at = getauxval(AT_PHDR);
    return {reinterpret_cast<const std::uint8_t*>(at),
            at == 0 || count > kPage / sizeof(Elf64_Phdr) ? 0 : static_cast<std::size_t>(count)};
}

// By its place in the dynamic linker's list. That its dynamic section is where the headers place it does not
// distinguish it from a library: those of small programs and small plugins may be equally far from their
// beginnings by chance.
bool is_own_program(const link_map& map, const ProgramHeaders& parts) {
    if (&map != _r_debug.r_map) {
        return false;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (const Elf64_Phdr part = parts[i]; part.p_type == PT_DYNAMIC) {
            return reinterpret_cast<std::uint64_t>(map.l_ld) == map.l_addr + part.p_vaddr;
        }
    }
    return false;
}

// From the lowest to behind the highest page of the loadable segments. *whole: no page between them belongs to
// another mapping.
Range span_of(const ProgramHeaders& parts, std::uint64_t bias, bool* whole) {
    Range span{~std::uint64_t{0}, 0};
    *whole = true;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Elf64_Phdr load = parts[i];
        if (load.p_type != PT_LOAD) {
            continue;
        }
        const std::uint64_t begin = page_of(bias + load.p_vaddr);
        const std::uint64_t end = page_behind(bias + load.p_vaddr + load.p_memsz);
        *whole = *whole && (span.end == 0 || begin <= span.end);  // they ascend (System V ABI, chapter 5)
        span = {begin < span.begin ? begin : span.begin, end > span.end ? end : span.end};
    }
    return span.begin < span.end ? span : Range{};
}

// The program itself. If it is not position-independent, other mappings may be in the room between its segments,
// and the dynamic linker's look-up returns them one by one.
bool describe_program(const link_map& map, const ProgramHeaders& parts, Arena& arena, LoadedImage* image) {
    *image = LoadedImage{};
    image->bias = map.l_addr;
    image->machine = processor::kMachine;
    image->range = span_of(parts, image->bias, &image->is_whole);
    if (image->range.empty() || !take_segments(parts, image->range, image)) {
        return false;
    }
    take_notes_and_frames(parts, arena, image);
    std::span<const std::uint8_t> headers;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Elf64_Phdr load = parts[i];
        Elf64_Ehdr header;
        if (load.p_type != PT_LOAD || load.p_offset != 0 || (load.p_flags & PF_R) == 0) {
            continue;
        }
        const auto bytes = bytes_of({image->bias + load.p_vaddr, image->bias + load.p_vaddr + load.p_filesz});
        if (read_header(bytes, &header) == ElfError::kNone && header.e_phoff <= bytes.size() &&
            header.e_phnum <= (bytes.size() - header.e_phoff) / sizeof(Elf64_Phdr)) {
            headers = bytes.first(header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr));
        }
    }
    take_file({}, headers, arena, image);
    return true;
}

}  // namespace

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
    const ProgramHeaders parts(headers.data() + header.e_phoff, header.e_phnum);

    // The mapping begins where the first loadable segment's page does.
    std::size_t first = 0;
    while (first < parts.size() && parts[first].p_type != PT_LOAD) {
        ++first;
    }
    if (first == parts.size() || parts[first].p_offset >= kPage) {
        return false;  // the ELF header is outside it, so this is something else
    }
    image->machine = header.e_machine;
    image->bias = mapping.begin - page_of(parts[first].p_vaddr);
    image->range = mapping;
    if (!take_segments(parts, mapping, image)) {
        return false;
    }
    take_notes_and_frames(parts, arena, image);
    if (path == kVdso) {
        image->path = kVdso;
        return true;
    }
    take_file(path, headers, arena, image);
    return true;
}

bool find_image(std::uint64_t address, ImagePlace* place) {
    if (LinkedObject found; find_linked_object(address, &found)) {
        // The end of the last segment in bytes; the page it lies in belongs to the image.
        *place = {{found.begin, page_behind(found.end)}, found.map};
        return true;
    }
    const std::uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
    if (vdso == 0 || address < vdso || address - vdso >= 4 * kPage) {
        return false;
    }
    // The kernel maps it as one piece; its only loadable segment has the size.
    Elf64_Ehdr header;
    std::memcpy(&header, reinterpret_cast<const void*>(vdso), sizeof(header));
    *place = {{vdso, vdso + kPage}, nullptr};
    const ProgramHeaders parts(reinterpret_cast<const std::uint8_t*>(vdso + header.e_phoff),
                               header.e_phoff < kPage / 2 ? header.e_phnum : std::size_t{0});
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].p_type == PT_LOAD && page_behind(vdso + parts[i].p_memsz) > place->range.end) {
            place->range.end = page_behind(vdso + parts[i].p_memsz);
        }
    }
    return place->range.holds(address);
}

bool describe_image_at(std::uint64_t address, Arena& arena, LoadedImage* image) {
    ImagePlace place;
    if (!find_image(address, &place)) {
        return false;
    }
    if (place.map == nullptr || place.range.begin == getauxval(AT_SYSINFO_EHDR)) {
        return describe_mapped_image(place.range, kVdso, arena, image);
    }
    const auto& map = *static_cast<const link_map*>(place.map);
    if (const ProgramHeaders parts = own_headers(); is_own_program(map, parts)) {
        return describe_program(map, parts, arena, image);
    }
    const std::string_view name = map.l_name == nullptr ? std::string_view{} : std::string_view(map.l_name);
    return describe_mapped_image(place.range, name, arena, image);
}

bool is_still_loaded(const LoadedImage& image) {
    if (image.path == kVdso || !image.is_whole) {  // the program's segments; it stays
        return true;
    }
    LinkedObject found;
    if (!find_linked_object(image.range.begin, &found) || found.begin != image.range.begin) {
        return false;
    }
    const char* name = found.map != nullptr ? found.map->l_name : nullptr;
    const std::string_view text = name == nullptr ? std::string_view{} : std::string_view(name);
    const std::uint64_t end = page_behind(found.end);
    // A program's own name is empty, a relative one was made absolute: then the place must suffice.
    return end == image.range.end && (text.empty() || text.front() != '/' || text == image.path);
}

}  // namespace kymo::image
