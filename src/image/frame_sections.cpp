#include "image/frame_sections.h"

#include "image/elf.h"
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
    for (std::size_t i = 0; i < count; ++i) {
        const Elf64_Shdr candidate = section(i);
        if (is_named(names.bytes(), candidate, ".debug_frame")) {
            take_debug_frame(file, candidate, arena, image);
        } else if (image->eh_frame_header.empty() && (candidate.sh_flags & SHF_ALLOC) != 0 &&
                   candidate.sh_type != SHT_NOBITS && is_named(names.bytes(), candidate, ".eh_frame")) {
            const Range range{image->bias + candidate.sh_addr, image->bias + candidate.sh_addr + candidate.sh_size};
            const LoadedSegment* segment = image->segment_of(range.begin);
            if (segment != nullptr && range.end > range.begin && range.end <= segment->range.end) {
                image->eh_frame = range;
            }
        }
    }
}

}  // namespace kymo::image
