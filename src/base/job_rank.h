// A process's place in a parallel job, from the environment that the job's starter sets.
//
// Known: Open MPI and PRRTE (OMPI_COMM_WORLD_RANK, PMIX_RANK), MPICH's Hydra and compatible ones (PMI_RANK), and
// Slurm's job steps (SLURM_PROCID with SLURM_STEP_ID: a batch script by itself is not a rank). Header-only and
// without memory of its own: also used inside the measured program.
#pragma once

#include <cstdint>

namespace kymo {

struct JobRank {
    bool known = false;
    std::uint64_t rank = 0;
    std::uint64_t size = 0;      // 0: not known
    const char* job = nullptr;   // the starter's name of the job; null: none
    const char* step = nullptr;  // a second part of that name
};

// A whole number in decimal digits, and nothing else.
inline bool parse_count(const char* text, std::uint64_t& number) {
    if (text == nullptr || *text == 0) {
        return false;
    }
    std::uint64_t value = 0;
    for (int digits = 0; *text != 0; ++text, ++digits) {
        if (*text < '0' || *text > '9' || digits == 10) {
            return false;
        }
        value = value * 10 + static_cast<std::uint64_t>(*text - '0');
    }
    number = value;
    return true;
}

// `lookup(name)`: the variable's value, or null.
template <typename Lookup>
JobRank find_job_rank(const Lookup& lookup) {
    struct Source {
        const char* rank;
        const char* size;
        const char* job;
        const char* step;
        const char* needs;  // must be set, too
    };
    constexpr Source kSources[] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE", nullptr, nullptr},
        {"PMI_RANK", "PMI_SIZE", "PMI_JOBID", nullptr, nullptr},
        {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_STEP_ID"},
        {"PMIX_RANK", "PMIX_SIZE", "PMIX_NAMESPACE", nullptr, "PMIX_NAMESPACE"},
    };
    for (const Source& source : kSources) {
        JobRank found;
        if ((source.needs != nullptr && lookup(source.needs) == nullptr) ||
            !parse_count(lookup(source.rank), found.rank)) {
            continue;
        }
        found.known = true;
        parse_count(lookup(source.size), found.size);
        found.job = lookup(source.job);
        found.step = source.step == nullptr ? nullptr : lookup(source.step);
        return found;
    }
    return {};
}

}  // namespace kymo
