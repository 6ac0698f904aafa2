// --images and --only-images, of verbs that name functions.
#pragma once

#include "analysis/images.h"
#include "program/image_search.h"

#include <CLI/CLI.hpp>
#include <string>

namespace kymo::cli {

// They are effective once the options are parsed.
void add_image_options(CLI::App& options);

using analysis::open_with_images;

}  // namespace kymo::cli
