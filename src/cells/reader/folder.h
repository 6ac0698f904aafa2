// The folders of segments: one that a launcher makes for its program's processes, and those of other launchers.
#pragma once

#include "base/result.h"

#include <filesystem>
#include <vector>

namespace kymo::cells {

// A folder of mode 0700, removed with its contents by the destructor.
class Folder {
  public:
    // Also removes what a killed launcher of this user has left behind. kPermission, kNoSpace: no place to make
    // it.
    static Result<Folder> make();

    Folder(Folder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
    Folder& operator=(Folder&&) = delete;
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    explicit Folder(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;
};

// This user's folders on this host whose launchers are alive.
std::vector<std::filesystem::path> find_folders();

// The segments in a folder, by name.
std::vector<std::filesystem::path> segments_in(const std::filesystem::path& folder);

}  // namespace kymo::cells
