// Images copied to where another machine finds them (image_search.h).
#pragma once

#include "base/result.h"
#include "program/image_name.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace kymo::program {

struct CopiedImages {
    std::size_t images = 0;
    std::size_t debug_files = 0;        // separate ones, beside them
    std::vector<std::string> problems;  // of images that are not there, a line each
};

// Copies each image and its separate debug information into `directory`, which is made: by build id, or, where an
// image has none, by its recorded path. What is there already stays. Error: the directory cannot be written.
Result<CopiedImages> copy_images(std::span<const ImageName> images, const std::string& directory);

}  // namespace kymo::program
