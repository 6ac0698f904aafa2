// From a recording to its profile.
#pragma once

#include "base/result.h"
#include "recording/reader.h"
#include "spacetime/load/file_data.h"
#include "spacetime/profile/profile.h"
#include "team/team.h"

#include <span>
#include <vector>

namespace kymo::spacetime {

struct ProfileOptions {
    bool below_creators = true;
    team::Team* team = nullptr;  // as LoadOptions
    std::span<const std::uint32_t> owner = {};
};

// Merges what files hold. Pure: the same files in the same order give the same profile.
Profile make_profile(std::vector<FileData> files, const ProfileOptions& options);

// Loads all files of a recording (in parallel) and merges them. Error: none of its files could be read, or
// there is nothing in it.
Result<Profile> load_profile(const recording::Recording& recording, const ProfileOptions& options = {});
// The same after the first pass over the files (describe_files()).
Result<Profile> load_described(const recording::Recording& recording, std::vector<Result<FileData>> described,
                               const ProfileOptions& options);

}  // namespace kymo::spacetime
