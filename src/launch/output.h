// The recording folder: naming it, making it, and finding out why that failed. Nothing is ever overwritten.
#pragma once

#include "base/result.h"
#include "launch/job.h"

#include <filesystem>
#include <optional>
#include <string>

namespace kymo::launch {

// Makes the folder, mode 0700, and returns its absolute path. With `asked`, exactly that one; otherwise PROGRAM.kymo
// in the current folder, or PROGRAM-2.kymo, PROGRAM-3.kymo, …: the first that is free. kOutputExists (a free name is
// offered), kNotFound (its parent folder), kPermission, kNoSpace.
// A rank of a job also takes the folder that another rank of it has made.
Result<std::filesystem::path> make_recording_folder(const std::optional<std::filesystem::path>& asked,
                                                    const std::string& program,
                                                    const std::optional<Job>& job = std::nullopt);

}  // namespace kymo::launch
