// Recordings whose functions are to be named, and the images that they name.
#pragma once

#include "program/image_name.h"
#include "recording/reader.h"

#include <string>
#include <vector>

namespace kymo::analysis {

// Opens a recording, a directory or packed (archive/pack.h); the images that it has copies of are looked for there as
// well, after the directories of program::set_image_search(), by everything that names functions from then on.
// Errors: as archive::unpack() and Recording::open().
Result<recording::Recording> open_with_images(const std::string& folder);

// Each image once, by path and build id. Error: a file of the recording that cannot be read.
Result<std::vector<program::ImageName>> recorded_images(const recording::Recording& recording);

}  // namespace kymo::analysis
