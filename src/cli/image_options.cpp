#include "cli/image_options.h"

#include <memory>

namespace kymo::cli {
namespace {

// libdwfl has lists of directories with colons between them.
std::string refuse_colons(const std::string& directory) {
    return directory.find(':') == std::string::npos
               ? ""
               : directory + ": a directory of images cannot have a colon in its path";
}

}  // namespace

void add_image_options(CLI::App& options) {
    const auto search = std::make_shared<program::ImageSearch>();
    options
        .add_option("--images", search->directories,
                    "look for programs and libraries here first: by build id (as kymo export --to images writes "
                    "them), or at their own paths, as below a container's root; may be given several times")
        ->type_name("DIR")
        ->check(CLI::ExistingDirectory)
        ->check(refuse_colons)
        ->allow_extra_args(false);
    options
        .add_flag("--only-images", search->only,
                  "with --images: look nowhere else, so that names are the same on every machine")
        ->needs("--images");
    options.parse_complete_callback([search] { program::set_image_search(*search); });
}

}  // namespace kymo::cli
