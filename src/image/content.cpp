#include "image/content.h"

#include "base/own_memory.h"
#include "image/elf.h"

#include <algorithm>

namespace kymo::image {
std::uint64_t content_of(const LoadedImage& image) {
    Content content;
    std::uint8_t piece[1024];
    for (std::uint32_t i = 0; i < image.segment_count; ++i) {
        const LoadedSegment& segment = image.segments[i];
        if (!counts_for_content(segment.flags)) {
            continue;
        }
        const std::uint64_t size =
            std::min<std::uint64_t>(segment.range.end - segment.range.begin, kContentOfSegment);
        for (std::uint64_t at = 0; at < size; at += sizeof piece) {
            const std::span<std::uint8_t> bytes(piece, std::min<std::uint64_t>(sizeof piece, size - at));
            if (!copy_own_memory(segment.range.begin + at, bytes.data(), bytes.size())) {
                return 0;
            }
            content.add(bytes);
        }
    }
    return content.value();
}

std::uint64_t content_of(std::span<const std::uint8_t> file) {
    ElfFile elf;
    if (ElfFile::parse(file, &elf) != ElfError::kNone) {
        return 0;
    }
    Content content;
    for (std::size_t i = 0; i < elf.segment_count(); ++i) {
        const Elf64_Phdr segment = elf.segment(i);
        if (segment.p_type == PT_LOAD && counts_for_content(segment.p_flags)) {
            const auto bytes = elf.contents(segment);
            content.add(bytes.first(std::min(bytes.size(), kContentOfSegment)));
        }
    }
    return content.value();
}

}  // namespace kymo::image
