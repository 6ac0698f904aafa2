// --images and --only-images, of verbs that name functions.
#pragma once

#include "program/image_search.h"

#include <CLI/CLI.hpp>

namespace kymo::cli {

// They hold once the options are parsed.
void add_image_options(CLI::App& options);

}  // namespace kymo::cli
