#include "import/recording_folder.h"

#include "launch/run_log.h"
#include "recording/bundle.h"
#include "recording/format.h"
#include "recording/pack.h"

#include <system_error>

namespace kymo::import {

namespace rec = recording;

void copy_images(const std::map<std::string, std::filesystem::path>& images, const rec::Folder& folder,
                 std::vector<std::string>* notices) {
    for (const auto& [path, file] : images) {
        const std::filesystem::path inside = std::filesystem::path(path).lexically_normal().relative_path();
        const std::filesystem::path to = folder.path() / rec::kImagesFolder / inside;
        std::error_code failed;
        std::filesystem::create_directories(to.parent_path(), failed);
        if (!failed) {
            std::filesystem::copy_file(file, to, failed);
        }
        if (failed) {
            notices->push_back("cannot copy " + file.string() + ": " + failed.message() +
                               ": its functions will not be named");
        }
    }
}

void pack_files(const rec::Folder& folder, std::vector<std::string> files, std::vector<std::string>* notices) {
    files.emplace_back(launch::kLaunchFile);
    for (const std::string& file : files) {
        if (const auto packed = rec::pack_file(folder, file); !packed) {
            notices->push_back("left unpacked: " + file + ": " + packed.error().what);
        }
    }
    if (files.size() > rec::kManyFiles) {
        // Otherwise they are as readable by themselves.
        static_cast<void>(rec::move_into_bundle(folder, files, folder, rec::kProcessBundle, rec::kMostBundledBytes));
    }
}

}  // namespace kymo::import
