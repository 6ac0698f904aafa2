// The files of code of processes that run: where they can be opened, whatever the process's root directory and
// mounts, and copies of those that no reader of the recording would find.
#pragma once

#include "import/perf/records.h"
#include "launch/image_copies.h"
#include "recording/folder.h"

#include <filesystem>

namespace kymo::attach {

class LiveFiles {
  public:
    // The folder gets the copies (launch/image_copies.h), and outlives this.
    explicit LiveFiles(const recording::Folder& folder) : copies_(folder) {}

    // Of a mapping of code. Empty: what is at that path is another file, or none.
    std::filesystem::path locate(const import::perf::Mapping& row);

  private:
    launch::ImageCopies copies_;
};

}  // namespace kymo::attach
