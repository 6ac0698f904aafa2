// The load images of processes whose recording is made from records of mappings: which file each is, and where its
// code lies.
//
// Not thread-safe. Files are looked for once. Cost: a mapping one look-up, a new image its file's headers.
#pragma once

#include "import/address_space.h"
#include "import/image_file.h"
#include "import/mapped_file.h"
#include "import/perf/facts.h"
#include "import/perf/records.h"
#include "recording/tables.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kymo::import {

// An image as it is mapped in a process.
struct LoadedImage {
    std::uint64_t image = 0;
    std::uint64_t bias = 0;
    recording::Image row;
    std::string path;
    std::string build_id;
    std::filesystem::path file;  // empty: not found
};

// Those of one process, in the order of their numbers, and its program.
class ProcessImages {
  public:
    std::vector<LoadedImage> images;
    std::string executable;
    std::uint64_t entry = 0;  // address of the program's first instruction; 0: not known

    // The number of the kernel's image (kernel_code.h), which is added with the first call.
    std::uint64_t kernel(const std::string& build_id);

  private:
    std::uint64_t kernel_ = 0;
};

class ImageFiles {
  public:
    // Where the file of a mapping of a process that runs can be opened now; empty: nowhere.
    using Locate = std::function<std::filesystem::path(const perf::Mapping&)>;

    // `symfs`: programs and libraries are looked for below it; empty: at their own paths. `locate`: instead of that.
    ImageFiles(std::filesystem::path symfs, Locate locate) : finder_(std::move(symfs)), locate_(std::move(locate)) {}

    // Where mappings have none themselves.
    void know(std::span<const perf::BuildId> build_ids);

    // The image of a mapping of code; of code without a file number 0. `begin`: of the process.
    MappedImage load(ProcessImages& process, std::uint64_t begin, const perf::Mapping& row);

    // Null: it cannot be read. Valid as long as this lives.
    const MappedFile* mapped(const std::filesystem::path& file);

    // Paths whose files were not found or are other ones: the first thousand.
    const std::set<std::string>& missing() const { return missing_; }
    // Images that were found elsewhere than at their own paths: these, and where.
    const std::map<std::string, std::filesystem::path>& elsewhere() const { return elsewhere_; }

  private:
    const std::optional<ImageFile>& file_of(const perf::Mapping& row, const std::string& path,
                                            const std::string& build_id);
    void note_missing(const std::string& path);

    ImageFinder finder_;
    Locate locate_;
    std::unordered_map<std::string, std::string> build_ids_;  // by path
    std::map<std::pair<std::string, std::string>, std::optional<ImageFile>> image_files_;
    std::map<std::string, std::filesystem::path> elsewhere_;
    std::map<std::filesystem::path, std::unique_ptr<MappedFile>> mapped_files_;
    std::set<std::string> missing_;
};

}  // namespace kymo::import
