#include "program/copy_images.h"

#include "program/image_search.h"
#include "program/module_file.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>

namespace kymo::program {
namespace {

namespace fs = std::filesystem;

// False: it was there, or is `from` itself.
Result<bool> copy(const std::string& from, const std::string& to) {
    std::error_code error;
    fs::create_directories(fs::path(to).parent_path(), error);
    if (!error && fs::exists(to, error)) {
        return false;
    }
    if (!error) {
        // Under its name when it is whole: an image that is cut off would be taken for what it is called.
        const std::string part = to + ".part-" + std::to_string(getpid());
        fs::copy_file(from, part, fs::copy_options::overwrite_existing, error);
        if (!error) {
            fs::rename(part, to, error);
        }
        if (error) {
            std::error_code ignored;
            fs::remove(part, ignored);
        }
    }
    if (error) {
        return Error{ErrorKind::kPermission, to + ": " + error.message(), "name another directory with -o"};
    }
    return true;
}

}  // namespace

Result<CopiedImages> copy_images(std::span<const ImageName> images, const std::string& directory) {
    CopiedImages copied;
    for (const ImageName& image : images) {
        if (image.path.empty() || image.path.front() != '/' || image.path.ends_with("/libkymo-monitor.so")) {
            continue;  // generated code, the kernel's own, and Kymo's
        }
        const ModuleFile file = ModuleFile::open(image);
        if (file.module() == nullptr) {
            copied.problems.push_back(file.problem());
            continue;
        }
        std::string to = by_build_id(directory, image.build_id);
        const bool is_debug_file = file.path().ends_with(".debug");
        if (to.empty()) {
            to = directory + fs::path(image.path).lexically_normal().string();  // not out of it
        } else if (is_debug_file) {
            to += ".debug";
        }
        const auto is_new = copy(file.path(), to);
        if (!is_new) {
            return is_new.error();
        }
        (is_debug_file ? copied.debug_files : copied.images) += *is_new ? 1 : 0;
        const std::string debug_file = file.debug_path();
        if (debug_file.empty() || image.build_id.empty() || is_debug_file) {
            continue;
        }
        const auto is_debug_new = copy(debug_file, to + ".debug");
        if (!is_debug_new) {
            return is_debug_new.error();
        }
        copied.debug_files += *is_debug_new ? 1 : 0;
    }
    return copied;
}

}  // namespace kymo::program
