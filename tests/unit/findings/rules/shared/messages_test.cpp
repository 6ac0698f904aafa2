// What counts as a call of the message passing interface, on spaces made by hand.
#include "findings/rules/shared/messages.h"

#include "made_evidence.h"

#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

using namespace spacetime;

TEST(Messages, AreCallsByNameOrByTheirLibraryAndAllInside) {
    MadeEvidence made;
    const std::uint32_t main = made.add_node("main");
    const std::uint32_t send = made.add_node("PMPI_Send", main);
    const std::uint32_t poll = made.add_node("opal_progress", send);
    const std::uint32_t fortran = made.add_node("mpi_send_", main);
    const std::uint32_t finalize = made.add_node("ompi_mpi_finalize", main);  // reached by a tail call
    made.evidence.nodes[finalize].place.module = "libmpi.so.40";
    const std::uint32_t compute = made.add_node("compute", main);
    const std::uint32_t imports = made.add_node("import_mpi_data", main);
    const Evidence& evidence = made.finish();
    for (const std::uint32_t node : {send, poll, fortran, finalize}) {
        EXPECT_TRUE(is_in_messages(evidence, NodeIndex(node))) << node;
    }
    for (const std::uint32_t node : {main, compute, imports}) {
        EXPECT_FALSE(is_in_messages(evidence, NodeIndex(node))) << node;
    }
    EXPECT_FALSE(is_in_messages(evidence, kNone));
}

// A function all of whose time is in another is no node: the call is on the path of what it calls.
TEST(Messages, AreKnownByACallOnTheirPath) {
    MadeEvidence made;
    const std::uint32_t transport = made.add_node("transport_receive");
    made.evidence.nodes[transport].path = {"main", "MPI_Recv", "transport_receive"};
    const std::uint32_t fortran = made.add_node("transport_send");
    made.evidence.nodes[fortran].path = {"main", "mpi_send_", "transport_send"};
    const std::uint32_t own = made.add_node("compute");
    made.evidence.nodes[own].path = {"mpi_program", "compute"};
    const Evidence& evidence = made.finish();
    EXPECT_EQ(message_calls(evidence), (std::vector{NodeIndex(transport), NodeIndex(fortran)}));
}

// 30 ms of a send and 10 ms of polling in it are 40 ms once, by thread.
TEST(Messages, ACallInsideACallIsCountedOnce) {
    MadeEvidence made;
    const std::uint32_t send = made.add_node("MPI_Send");
    const std::uint32_t inner = made.add_node("PMPI_Send", send);
    made.add_occurrence(send, {.thread = 0, .begin = 0, .terms = {.user = 40 * kMs}});
    made.add_occurrence(inner, {.thread = 0, .begin = 0, .terms = {.user = 10 * kMs}});
    const ByThread times = in_messages(made.finish());
    ASSERT_EQ(times.size(), 1U);
    EXPECT_EQ(times.at(0), 40 * kMs);
}

}  // namespace
}  // namespace kymo::findings
