#include "program/image_search.h"

#include "image/build_id_path.h"

#include <algorithm>
#include <utility>

namespace kymo::program {
namespace {

struct Chosen {
    ImageSearch search;
    std::string directories = ":.debug:/usr/lib/debug";  // libdwfl's own default
    char* text = directories.data();
};

Chosen& chosen() {
    static Chosen chosen;
    return chosen;
}

}  // namespace

void set_image_search(ImageSearch search) {
    Chosen& now = chosen();
    now.directories.clear();
    for (const std::string& directory : search.directories) {
        if (directory.find(':') == std::string::npos) {
            now.directories.append(":").append(directory).append(":").append(directory).append("/usr/lib/debug");
        }
    }
    now.directories += search.only ? ":" : ":.debug:/usr/lib/debug";
    now.text = now.directories.data();
    now.search = std::move(search);
}

void add_image_directory(std::string directory) {
    ImageSearch more = image_search();
    if (std::find(more.directories.begin(), more.directories.end(), directory) != more.directories.end()) {
        return;
    }
    more.directories.push_back(std::move(directory));
    set_image_search(std::move(more));
}

const ImageSearch& image_search() {
    return chosen().search;
}

char** debug_directories() {
    return &chosen().text;
}

std::string by_build_id(const std::string& directory, const std::string& build_id) {
    const std::string path = build_id_path(build_id);
    return path.empty() ? path : directory + "/" + path;
}

}  // namespace kymo::program
