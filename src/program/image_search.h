// Where images and their debug information are looked for, beside the paths that a recording names (`--images DIR`).
//
// One for the whole process, since names are read in many places: set before anything is read, in one thread.
#pragma once

#include <string>
#include <vector>

namespace kymo::program {

struct ImageSearch {
    // In each, in order, by build id (.build-id/ab/cdef…, and .debug behind it for separate debug information, as
    // below /usr/lib/debug), or at its recorded path, as in a container's file system.
    std::vector<std::string> directories;
    bool only = false;  // and nowhere else
};

void set_image_search(ImageSearch search);
void add_image_directory(std::string directory);
const ImageSearch& image_search();

// For libdwfl, of the same life: the directories that it searches for separate debug information (except those
// with a colon in their path, which it would split in two).
char** debug_directories();

// DIR/.build-id/ab/cdef…; empty without a build id. `build_id`: raw bytes.
std::string by_build_id(const std::string& directory, const std::string& build_id);

}  // namespace kymo::program
