// Where a recording is written while its program runs (kymo record --stage DIR): on a disk of the host's own, so that
// a file system that many hosts share is not asked for each file and each chunk. At the end everything moves into the
// recording's folder: of a job, into one bundle a host.
#pragma once

#include "base/result.h"
#include "launch/job.h"
#include "recording/folder.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kymo::launch {

class Stage {
  public:
    // A new folder (mode 0700) below `directory`, named after the recording; ranks of a job on one host share it.
    // Errors: kNotFound, kPermission, kNoSpace, kOutputExists.
    static Result<Stage> make(const std::filesystem::path& directory, const std::filesystem::path& recording,
                              const std::optional<Job>& job);

    // Whether `directory` can be written to: the errors of make(), before anything is made.
    static Result<void> check(const std::filesystem::path& directory);

    const recording::Folder& folder() const { return folder_; }

    // Moves the named files and the copies of images into the recording's folder. Returns what went wrong, one line
    // each: then what is not moved stays where it is, readable. Cost: copies all bytes once, and waits for the disk.
    std::vector<std::string> move_to(const recording::Folder& recording, const std::vector<std::string>& files) const;

    // Removes the folder, if nothing is left in it.
    void remove_if_empty() const;

  private:
    Stage(recording::Folder folder, bool is_of_job) : folder_(std::move(folder)), is_of_job_(is_of_job) {}

    recording::Folder folder_;
    bool is_of_job_;
};

}  // namespace kymo::launch
