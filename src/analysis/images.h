// Recordings whose functions are to be named.
#pragma once

#include "recording/reader.h"

#include <string>

namespace kymo::analysis {

// Opens a recording; the images that it has copies of are looked for there as well, after the directories of
// program::set_image_search(), by everything that names functions from then on. Errors: as Recording::open().
Result<recording::Recording> open_with_images(const std::string& folder);

}  // namespace kymo::analysis
