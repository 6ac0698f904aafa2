#include "base/job_rank.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

namespace kymo {
namespace {

// What is found points into the values, as it does into an environment: they are literals.
JobRank find(const std::map<std::string, const char*>& variables) {
    return find_job_rank([&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second;
    });
}

TEST(JobRank, EachStartersVariables) {
    const JobRank open_mpi = find(
        {{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "8"}, {"PMIX_RANK", "3"}, {"PMIX_NAMESPACE", "j"}});
    EXPECT_TRUE(open_mpi.known);
    EXPECT_EQ(open_mpi.rank, 3U);
    EXPECT_EQ(open_mpi.size, 8U);
    EXPECT_STREQ(open_mpi.job, "j");
    const JobRank hydra = find({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}});
    EXPECT_TRUE(hydra.known);
    EXPECT_EQ(hydra.job, nullptr);
    const JobRank slurm =
        find({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_JOB_ID", "12"}, {"SLURM_STEP_ID", "1"}});
    EXPECT_TRUE(slurm.known);
    EXPECT_STREQ(slurm.step, "1");
}

TEST(JobRank, ABatchScriptIsNoRank) {
    EXPECT_FALSE(find({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_JOB_ID", "12"}}).known);
    EXPECT_FALSE(find({}).known);
}

TEST(JobRank, WhatIsNoNumberIsNoRank) {
    for (const char* word : {"", "x", "-1", "1x", " 1", "99999999999"}) {
        EXPECT_FALSE(find({{"PMI_RANK", word}}).known) << word;
    }
}

}  // namespace
}  // namespace kymo
