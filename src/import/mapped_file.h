// The file of a load image mapped into our own memory as the dynamic linker would lay it out, without relocations:
// for unwinding the stacks of other processes that had it.
#pragma once

#include "image/arena.h"
#include "image/loaded_image.h"
#include "unwind/table.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace kymo::import {

class MappedFile {
  public:
    // Null: it cannot be read, or is no image of this machine's kind. Its segments lie in the file, which must not be
    // cut off while this lives (that raises SIGBUS). Cost: a few system calls; pages are read when they are used.
    static std::unique_ptr<MappedFile> open(const std::filesystem::path& path);
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    // As it lies here; moved() has it at another place.
    const image::LoadedImage& image() const { return image_; }

    // Its unwinding table, for all processes that had it; null: no memory. Not thread-safe. Cost: at the first call
    // some 20 ns a row, milliseconds for the largest images.
    const unwind::Table* table() const;

    // At most so many bytes that end before this offset of the image: as many as the image has there.
    std::span<const std::uint8_t> bytes_before(std::uint64_t offset, std::size_t bytes) const;

  private:
    MappedFile() = default;

    void* pages_ = nullptr;
    std::size_t bytes_ = 0;
    std::uint64_t begin_ = 0;  // the image offset that lies at the first page
    image::Arena arena_;
    image::LoadedImage image_;
    mutable unwind::Table table_;
    mutable bool is_table_made_ = false;
    mutable bool has_table_ = false;
};

}  // namespace kymo::import
