// What the folder of an imported recording has beside its rows.
#pragma once

#include "recording/folder.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kymo::import {

// Copies files of images to where reports look for them first, each at its own path. What cannot be copied is a
// notice.
void copy_images(const std::map<std::string, std::filesystem::path>& images, const recording::Folder& folder,
                 std::vector<std::string>* notices);

// Packs the files, and that of the run, as `kymo record` leaves them.
void pack_files(const recording::Folder& folder, std::vector<std::string> files, std::vector<std::string>* notices);

}  // namespace kymo::import
