// A recording's folder, held by descriptor.
//
// A user who may write to the parent folder can put another folder or a symbolic link in a recording's place at
// any time. So a recording's files are reached from here and never by their whole name: opened, made, renamed and
// removed relative to the descriptor, no link is followed, and no operation blocks on a file that is not regular.
//
// Values; not for several threads at once.
#pragma once

#include "base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kymo::recording {

class Folder {
  public:
    // To read from; the name may be that of a link. kNotFound, kPermission, kMalformed (no folder).
    static Result<Folder> open(const std::filesystem::path& path);
    // To write to: this user's own and not a link; otherwise kPermission.
    static Result<Folder> open_own(const std::filesystem::path& path);

    Folder(Folder&& other) noexcept;
    Folder& operator=(Folder&& other) noexcept;
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder();

    // The path as opened: for messages, not for access.
    const std::filesystem::path& path() const { return path_; }
    int descriptor() const { return descriptor_; }

    // A path to a file in it that stays valid if its name changes; while this object lives, in this process only.
    std::string reach(const std::string& name) const;

    // Files that end in `suffix`, sorted. Error: it cannot be read.
    Result<std::vector<std::string>> names(const std::string& suffix) const;
    bool is_empty() const;

    // Only names in the folder itself. True: done.
    bool remove(const std::string& name) const;
    bool rename(const std::string& from, const std::string& to) const;

    // Its present path; none if it was removed.
    std::optional<std::filesystem::path> where_now() const;
    // Whether path() still leads here.
    bool is_in_place() const;

  private:
    Folder(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
    static Result<Folder> open_with(const std::filesystem::path& path, int flags);

    std::filesystem::path path_;
    int descriptor_ = -1;
};

}  // namespace kymo::recording
