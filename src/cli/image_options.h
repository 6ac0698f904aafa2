// --images and --only-images, of verbs that name functions.
#pragma once

#include "base/result.h"
#include "program/image_search.h"
#include "recording/reader.h"

#include <CLI/CLI.hpp>
#include <string>

namespace kymo::cli {

// They hold once the options are parsed.
void add_image_options(CLI::App& options);

// A recording whose functions are to be named: the images that it has copies of are looked for there as well, after
// the directories of --images.
Result<recording::Recording> open_with_images(const std::string& folder);

}  // namespace kymo::cli
