#include "image/frame_sections.h"

#include "image/elf.h"
#include "image/go_table.h"
#include "image/inflate.h"
#include "image/raw_file.h"
#include "image/record_locks.h"
#include "image/scratch.h"

#include <cstring>

namespace kymo::image {

namespace {

constexpr std::size_t kMaxSections = 65536;
constexpr std::size_t kMaxNames = std::size_t{16} << 20U;
constexpr std::size_t kMaxFrames = std::size_t{1} << 30U;

bool same_in_file(const RawFile& file, std::span<const std::uint8_t> headers) {
    std::uint8_t piece[256];
    for (std::size_t done = 0; done < headers.size();) {
        const std::size_t size = headers.size() - done < sizeof(piece) ? headers.size() - done : sizeof(piece);
        if (file.read_at(done, {piece, size}) != size || std::memcmp(piece, headers.data() + done, size) != 0) {
            return false;
        }
        done += size;
    }
    return true;
}

bool is_named(std::span<const std::uint8_t> names, const Elf64_Shdr& section, std::string_view wanted) {
    return section.sh_name < names.size() && names.size() - section.sh_name > wanted.size() &&
           std::memcmp(names.data() + section.sh_name, wanted.data(), wanted.size()) == 0 &&
           names[section.sh_name + wanted.size()] == 0;
}

// Of a section that compilers have compressed. zlib expands a byte to at most 1,032.
std::span<const std::uint8_t> inflated(const RawFile& file, const Elf64_Shdr& section, Arena& arena) {
    constexpr std::uint64_t kMostOfOne = 1032;
    Elf64_Chdr header;
    std::uint8_t bytes[sizeof(header)];
    if (section.sh_size < sizeof(header) || file.read_at(section.sh_offset, bytes) != sizeof(header)) {
        return {};
    }
    std::memcpy(&header, bytes, sizeof(header));
    const std::uint64_t size = section.sh_size - sizeof(header);
    if (header.ch_type != ELFCOMPRESS_ZLIB || header.ch_size > kMaxFrames || header.ch_size / kMostOfOne > size) {
        return {};
    }
    const std::span out{arena.allocate_array<std::uint8_t>(header.ch_size), header.ch_size};
    if (out.data() == nullptr || !inflate_from_file(file, section.sh_offset + sizeof(header), size, out)) {
        return {};
    }
    return out;
}

void take_debug_frame(const RawFile& file, const Elf64_Shdr& section, Arena& arena, LoadedImage* image) {
    if (section.sh_type == SHT_NOBITS || section.sh_size > kMaxFrames) {
        return;
    }
    if ((section.sh_flags & SHF_COMPRESSED) != 0) {
        image->debug_frame = inflated(file, section, arena);
        return;
    }
    auto* bytes = arena.allocate_array<std::uint8_t>(section.sh_size);
    if (bytes != nullptr && file.read_at(section.sh_offset, {bytes, section.sh_size}) == section.sh_size) {
        image->debug_frame = {bytes, section.sh_size};
    }
}

// Where a section lies, if a segment has all of its bytes; else empty.
Range loaded_range(const LoadedImage& image, const Elf64_Shdr& section) {
    const Range range{image.bias + section.sh_addr, image.bias + section.sh_addr + section.sh_size};
    const LoadedSegment* segment = image.segment_of(range.begin);
    const bool is_there = (section.sh_flags & SHF_ALLOC) != 0 && section.sh_type != SHT_NOBITS &&
                          segment != nullptr && range.end > range.begin && range.end <= segment->range.end;
    return is_there ? range : Range{};
}

// What is known of a Go program's table until all sections have been seen.
struct GoSections {
    Range table;
    Range among;  // where it may be, among other data
    Range relocations;
    bool is_go = false;
};

Range readable_range(const LoadedImage& image, const Elf64_Shdr& section) {
    const Range range = loaded_range(image, section);
    return !range.empty() && (image.segment_of(range.begin)->flags & PF_R) != 0 ? range : Range{};
}

void note_go_section(std::span<const std::uint8_t> names, const Elf64_Shdr& section, const LoadedImage& image,
                     GoSections* found) {
    if (is_named(names, section, ".gopclntab") || is_named(names, section, ".data.rel.ro.gopclntab")) {
        found->table = readable_range(image, section);
    } else if (is_named(names, section, ".data.rel.ro")) {
        found->among = readable_range(image, section);
    } else if (is_named(names, section, ".go.buildinfo")) {
        found->is_go = true;
    } else if (section.sh_type == SHT_RELA) {
        const Range range = readable_range(image, section);
        const bool is_longer = range.end - range.begin > found->relocations.end - found->relocations.begin;
        found->relocations = is_longer ? range : found->relocations;
    }
}

void take_go_table(const GoSections& found, LoadedImage* image) {
    image->go_table = found.table;
    if (found.table.empty() && found.is_go && !found.among.empty()) {
        const std::uint64_t at = GoTable::find(
            {reinterpret_cast<const std::uint8_t*>(found.among.begin), found.among.end - found.among.begin});
        image->go_table = at == GoTable::kNowhere ? Range{} : Range{found.among.begin + at, found.among.end};
    }
    image->relocations = image->go_table.empty() ? Range{} : found.relocations;
}

}  // namespace

void add_frame_sections_from_file(const char* path, std::span<const std::uint8_t> headers, Arena& arena,
                                  LoadedImage* image) {
    if (holds_record_lock(AT_FDCWD, path)) {
        return;
    }
    const RawFile file(path);
    Elf64_Ehdr header;
    if (!file.is_open() || read_header(headers, &header) != ElfError::kNone || !same_in_file(file, headers)) {
        return;
    }
    const std::size_t count = header.e_shnum;
    if (header.e_shoff == 0 || count == 0 || count > kMaxSections || header.e_shentsize != sizeof(Elf64_Shdr) ||
        header.e_shstrndx >= count) {
        return;
    }
    const Scratch table(count * sizeof(Elf64_Shdr));
    if (table.bytes().empty() || file.read_at(header.e_shoff, table.bytes()) != table.bytes().size()) {
        return;
    }
    const auto section = [&table](std::size_t index) {
        Elf64_Shdr value;
        std::memcpy(&value, table.bytes().data() + index * sizeof(value), sizeof(value));
        return value;
    };
    const Elf64_Shdr names_section = section(header.e_shstrndx);
    if (names_section.sh_size == 0 || names_section.sh_size > kMaxNames) {
        return;
    }
    const Scratch names(names_section.sh_size);
    if (names.bytes().empty() || file.read_at(names_section.sh_offset, names.bytes()) != names.bytes().size()) {
        return;
    }
    GoSections go;
    for (std::size_t i = 0; i < count; ++i) {
        const Elf64_Shdr candidate = section(i);
        note_go_section(names.bytes(), candidate, *image, &go);
        if (is_named(names.bytes(), candidate, ".debug_frame")) {
            take_debug_frame(file, candidate, arena, image);
        } else if (image->eh_frame_header.empty() && is_named(names.bytes(), candidate, ".eh_frame")) {
            const Range range = loaded_range(*image, candidate);
            image->eh_frame = range.empty() ? image->eh_frame : range;
        }
    }
    take_go_table(go, image);
}

}  // namespace kymo::image
