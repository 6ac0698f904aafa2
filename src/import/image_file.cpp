#include "import/image_file.h"

#include "base/descriptor.h"
#include "image/build_id_path.h"
#include "image/elf.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <span>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace kymo::import {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNoteBytes = 64U << 10U;

// As many bytes as there are of the asked; none where there is no such place.
std::vector<std::uint8_t> read_at(int descriptor, std::uint64_t offset, std::uint64_t bytes, std::size_t most) {
    std::vector<std::uint8_t> data(std::min<std::uint64_t>(bytes, most));
    if (offset > static_cast<std::uint64_t>(INT64_MAX)) {
        return {};
    }
    std::size_t got = 0;
    while (got < data.size()) {
        const ssize_t now =
            ::pread(descriptor, data.data() + got, data.size() - got, static_cast<off_t>(offset + got));
        if (now <= 0) {
            break;
        }
        got += static_cast<std::size_t>(now);
    }
    data.resize(got);
    return data;
}

}  // namespace

std::optional<std::uint64_t> ImageFile::moved_by(std::uint64_t file_offset) const {
    // A mapping begins on a page: it may begin before the segment that it is for.
    const auto found = std::find_if(segments.begin(), segments.end(), [&](const LoadSegment& segment) {
        const std::uint64_t begin = segment.file_offset / kPage * kPage;
        return file_offset >= begin && file_offset - begin < segment.file_bytes + (segment.file_offset - begin);
    });
    return found == segments.end() ? std::nullopt : std::optional(found->address - found->file_offset);
}

std::uint64_t ImageFile::begin() const {
    std::uint64_t least = segments.front().address;
    for (const LoadSegment& segment : segments) {
        least = std::min(least, segment.address);
    }
    return least / kPage * kPage;
}

std::uint64_t ImageFile::end() const {
    std::uint64_t most = 0;
    for (const LoadSegment& segment : segments) {
        most = std::max(most, segment.address + segment.bytes);
    }
    return most;
}

std::optional<ImageFile> read_image_file(const fs::path& path) {
    // A name in a recording may be that of a pipe, which must not be waited for, or of a device.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat facts{};
    if (file.number() < 0 || ::fstat(file.number(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return std::nullopt;
    }
    const std::vector<std::uint8_t> start = read_at(file.number(), 0, kMostHeaderBytes, kMostHeaderBytes);
    Elf64_Ehdr header{};
    if (image::read_header(start, &header) != image::ElfError::kNone || header.e_phentsize != sizeof(Elf64_Phdr)) {
        return std::nullopt;
    }
    const std::vector<std::uint8_t> table =
        read_at(file.number(), header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr), kMostHeaderBytes);
    ImageFile image;
    image.path = path;
    image.machine = header.e_machine;
    image.entry = header.e_entry;
    for (std::size_t i = 0; (i + 1) * sizeof(Elf64_Phdr) <= table.size(); ++i) {
        Elf64_Phdr segment{};
        std::copy_n(table.data() + i * sizeof(segment), sizeof(segment), reinterpret_cast<std::uint8_t*>(&segment));
        const bool overflows = segment.p_vaddr + segment.p_memsz < segment.p_vaddr ||
                               segment.p_offset + segment.p_filesz < segment.p_offset;
        if (segment.p_type == PT_LOAD && !overflows) {
            image.segments.push_back({segment.p_offset, segment.p_filesz, segment.p_vaddr, segment.p_memsz});
        } else if (segment.p_type == PT_NOTE && image.build_id.empty()) {
            const auto notes = read_at(file.number(), segment.p_offset, segment.p_filesz, kMostNoteBytes);
            const auto id = image::find_build_id(notes, segment.p_align);
            image.build_id.assign(id.begin(), id.end());
        }
    }
    return image.segments.empty() ? std::nullopt : std::optional(std::move(image));
}

fs::path ImageFinder::below_symfs(const std::string& path) const {
    std::error_code refused;
    const fs::path top = fs::canonical(symfs_, refused);
    if (refused) {
        return {};
    }
    fs::path whole = fs::canonical(top / fs::path(path).relative_path(), refused);
    const bool is_below =
        !refused && std::mismatch(top.begin(), top.end(), whole.begin(), whole.end()).first == top.end();
    return is_below ? whole : fs::path();
}

std::optional<ImageFile> ImageFinder::find(const std::string& path, const std::string& build_id) const {
    const auto fits = [&](const std::optional<ImageFile>& image) {
        return image && (build_id.empty() || image->build_id == build_id);
    };
    if (path.starts_with('/')) {
        const fs::path place = symfs_.empty() ? fs::path(path) : below_symfs(path);
        if (auto image = place.empty() ? std::nullopt : read_image_file(place); fits(image)) {
            return image;
        }
    }
    const char* home = std::getenv("HOME");
    if (build_id.empty() || home == nullptr || !symfs_.empty()) {
        return std::nullopt;
    }
    // perf's cache has a directory of that name, and in it the file.
    const fs::path cached = fs::path(home) / ".debug" / build_id_path(build_id);
    if (auto image = read_image_file(cached / "elf"); fits(image)) {
        return image;
    }
    return std::nullopt;
}

}  // namespace kymo::import
