#include "import/mapped_file.h"

#include "base/descriptor.h"
#include "image/describe.h"
#include "import/image_file.h"
#include "unwind/compile.h"
#include "unwind/image_set.h"

#include <algorithm>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>

namespace kymo::import {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 36U;  // of addresses that a file's segments span

}  // namespace

std::unique_ptr<MappedFile> MappedFile::open(const std::filesystem::path& path) {
    const auto file = read_image_file(path);
    if (!file || file->end() <= file->begin() || file->end() - file->begin() > kMostBytes) {
        return nullptr;
    }
    const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat facts{};
    if (!descriptor || ::fstat(descriptor.number(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return nullptr;
    }
    std::unique_ptr<MappedFile> mapped(new MappedFile);
    const std::uint64_t begin = file->begin();
    mapped->begin_ = begin;
    mapped->bytes_ = (file->end() - begin + kPage - 1) / kPage * kPage;
    // Zeros where no segment lies: whatever the headers say, every byte of the span can be read.
    void* const pages =
        ::mmap(nullptr, mapped->bytes_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) {
        return nullptr;
    }
    mapped->pages_ = pages;
    for (const LoadSegment& segment : file->segments) {
        const std::uint64_t inside = segment.address % kPage;
        if (segment.file_bytes == 0) {
            continue;
        }
        if (segment.file_offset % kPage != inside || segment.file_bytes > segment.bytes ||
            segment.file_offset + segment.file_bytes > static_cast<std::uint64_t>(facts.st_size) ||
            ::mmap(static_cast<char*>(pages) + (segment.address - inside - begin), segment.file_bytes + inside,
                   PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor.number(),
                   static_cast<off_t>(segment.file_offset - inside)) == MAP_FAILED) {
            return nullptr;
        }
    }
    const auto at = reinterpret_cast<std::uint64_t>(pages);
    const bool is_image =
        image::describe_mapped_image({at, at + mapped->bytes_}, path.native(), mapped->arena_, &mapped->image_);
    return is_image ? std::move(mapped) : nullptr;
}

const unwind::Table* MappedFile::table() const {
    if (!is_table_made_) {
        is_table_made_ = true;
        // At another place its pointers are as in the file, not relocated.
        has_table_ = unwind::compile_image(image_.moved(image_.bias + kPage), &table_);
    }
    return has_table_ ? &table_ : nullptr;
}

std::span<const std::uint8_t> MappedFile::bytes_before(std::uint64_t offset, std::size_t bytes) const {
    if (offset <= begin_ || offset - begin_ > bytes_) {
        return {};
    }
    const std::size_t end = offset - begin_;
    const std::size_t count = std::min(bytes, end);
    return {static_cast<const std::uint8_t*>(pages_) + (end - count), count};
}

MappedFile::~MappedFile() {
    if (pages_ != nullptr) {
        ::munmap(pages_, bytes_);
    }
    if (has_table_) {
        unwind::release(&table_);
    }
    arena_.release();
}

}  // namespace kymo::import
