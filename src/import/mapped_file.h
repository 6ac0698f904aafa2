// The file of a load image mapped into our own memory as the dynamic linker would lay it out, without relocations:
// for unwinding the stacks of other processes that had it.
#pragma once

#include "image/arena.h"
#include "image/loaded_image.h"

#include <filesystem>
#include <memory>

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

  private:
    MappedFile() = default;

    void* pages_ = nullptr;
    std::size_t bytes_ = 0;
    image::Arena arena_;
    image::LoadedImage image_;
};

}  // namespace kymo::import
