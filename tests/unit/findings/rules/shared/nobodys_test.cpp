// What starts and ends a parallel job is nobody's to change: no finding is told of it.
#include "findings/rules/shared/nobodys.h"

#include "made_evidence.h"

#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

using namespace spacetime;

// mpirun (process 0), what it was before it became a rank (1), the rank (2), and what the rank starts (3): a thread
// each.
MadeEvidence job() {
    MadeEvidence made({}, 4);
    RunFacts& run = made.evidence.run;
    run.processes = {{.pid = 10, .name = "mpirun"},
                     {.pid = 11, .parent = 0, .name = "mpirun"},
                     {.pid = 11, .parent = 0, .name = "solver"},
                     {.pid = 12, .parent = 2, .name = "gzip"}};
    for (std::uint32_t i = 0; i < 4; ++i) {
        run.threads[i].process = i;
    }
    run.threads[2].rank = 0;
    return made;
}

Finding of_threads(std::vector<std::uint32_t> threads, NodeIndex node = {}) {
    Finding finding;
    finding.threads = std::move(threads);
    finding.node = node;
    return finding;
}

TEST(Nobodys, IsTheLauncher) {
    const MadeEvidence made = job();
    EXPECT_TRUE(is_nobodys(made.evidence, of_threads({0})));
    EXPECT_TRUE(is_nobodys(made.evidence, of_threads({0, 1})));
    EXPECT_FALSE(is_nobodys(made.evidence, of_threads({2})));
    EXPECT_FALSE(is_nobodys(made.evidence, of_threads({0, 2})));
    EXPECT_FALSE(is_nobodys(made.evidence, of_threads({3})));
    EXPECT_FALSE(is_nobodys(made.evidence, of_threads({})));
}

TEST(Nobodys, IsNoParentWithoutAJob) {
    MadeEvidence made = job();
    made.evidence.run.threads[2].rank.reset();
    EXPECT_FALSE(is_nobodys(made.evidence, of_threads({0})));
}

TEST(Nobodys, IsWhatBeginsAndEndsAJob) {
    for (const char* call : {"MPI_Init", "PMPI_Init_thread", "mpi_init_", "MPI_Finalize", "pmpi_finalize_"}) {
        MadeEvidence made = job();
        const std::uint32_t begin = made.add_node(call, made.add_node("main"));
        const std::uint32_t inside = made.add_node("open_devices", begin);
        EXPECT_TRUE(is_nobodys(made.evidence, of_threads({2}, NodeIndex(begin)))) << call;
        EXPECT_TRUE(is_nobodys(made.evidence, of_threads({2}, NodeIndex(inside)))) << call;
        EXPECT_FALSE(is_nobodys(made.evidence, of_threads({2}, NodeIndex(0)))) << call;
    }
    for (const char* call : {"MPI_Initialized", "MPI_Send", "initialise", "finalize"}) {
        MadeEvidence made = job();
        EXPECT_FALSE(is_nobodys(made.evidence, of_threads({2}, NodeIndex(made.add_node(call))))) << call;
    }
}

}  // namespace
}  // namespace kymo::findings
