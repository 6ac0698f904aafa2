// Ranks of one parallel job that are recorded each by its own `kymo record`, all into one folder.
//
// A folder with a file `job` belongs to that job. It is made beside its place with that file in
// it and then moved there, so that it is never seen without: the rank that comes first makes it, the others find it
// and join. A folder of another job, or of none, is refused as it always is. Each rank has a session, a launch file
// and process files of its own, known by their names; nothing in the folder is written by two, and none opens what is
// another's: a thousand ranks would open millions of files, and locks across hosts are not to be relied on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace kymo::launch {

struct Job {
    std::uint64_t rank = 0;
    std::uint64_t size = 0;  // 0: not known
    std::string id;          // the same in every rank, different for every other job at the time
};

inline constexpr const char* kJobFile = "job";

// From this process's environment (base/job_rank.h). None: not in a job.
std::optional<Job> current_job();

// What the names of its processes' files end in: `.krec`, of a rank `-rank-N.krec`.
std::string process_file_ending(const std::optional<Job>& job);

// Makes the folder (mode 0700) or joins it. 0, or an errno; EEXIST: it exists, and is not this job's.
int make_job_folder(const std::filesystem::path& folder, const Job& job);

}  // namespace kymo::launch
