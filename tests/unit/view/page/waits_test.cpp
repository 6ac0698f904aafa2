#include "view/page/waits.h"

#include "unpack.h"

#include <gtest/gtest.h>

namespace kymo::view {
namespace {

using testing::unpack;
using Numbers = std::vector<std::int64_t>;

spacetime::ThreadWait wait(std::uint64_t begin, std::uint64_t end, std::uint64_t object, std::uint64_t holder) {
    return {.begin = begin,
            .end = end,
            .kind = recording::WaitKind::kMutex,
            .object = object,
            .holder_tid = holder,
            .context = 1};
}

// Two threads of one process, and one of another that had the same number; the run begins at 1000.
spacetime::Profile two_processes() {
    spacetime::Profile profile;
    profile.begin = 1000;
    profile.end = 2000;
    for (const auto& [process, tid] : {std::pair{0U, 7U}, std::pair{0U, 8U}, std::pair{1U, 8U}}) {
        spacetime::ProfileThread thread;
        thread.process = process;
        thread.tid = tid;
        thread.begin = 1000;
        thread.end = 2000;
        profile.threads.push_back(thread);
    }
    profile.threads[0].waits = {wait(1100, 1200, 0xa0, 8), wait(1300, 1310, 0xa0, 0), wait(1400, 1800, 0xb0, 99)};
    profile.threads[2].waits = {wait(1050, 1150, 0xa0, 8)};
    return profile;
}

Leaves one_leaf() {
    Leaves leaves;
    leaves.leaf_of = {0, 5};
    return leaves;
}

TEST(PageWaits, HoldersAreThreadsOfTheSameProcess) {
    Blob blob;
    write_waits(two_processes(), one_leaf(), {0, 1000}, 100, blob);
    const auto page = unpack(blob.deflated());
    EXPECT_EQ(page.numbers("wait.thread"), (Numbers{0, 0, 0, 2}));
    EXPECT_EQ(page.numbers("wait.begin"), (Numbers{100, 300, 400, 50}));
    EXPECT_EQ(page.numbers("wait.length"), (Numbers{100, 10, 400, 100}));
    // Thread 8 of process 0 is row 1; nobody; one that is not known; thread 8 of process 1 is row 2.
    EXPECT_EQ(page.numbers("wait.holder"), (Numbers{2, 0, 0, 3}));
    EXPECT_EQ(page.numbers("wait.number"), (Numbers{1, 2, 3, 1}));
    EXPECT_EQ(page.numbers("wait.leaf"), (Numbers{5, 5, 5, 5}));
    // The same address in two processes is two objects.
    EXPECT_EQ(page.numbers("wait.object"), (Numbers{0, 0, 1, 2}));
    EXPECT_EQ(page.json["waits"]["objects"].size(), 3U);
    EXPECT_EQ(page.json["waits"]["all"], 4);
}

TEST(PageWaits, TheLongestStayWhereThereAreTooMany) {
    Blob blob;
    write_waits(two_processes(), one_leaf(), {0, 1000}, 2, blob);
    const auto page = unpack(blob.deflated());
    EXPECT_EQ(page.json["waits"]["all"], 4);
    EXPECT_EQ(page.json["waits"]["kept"], 2);
    const Numbers lengths = page.numbers("wait.length");
    ASSERT_EQ(lengths.size(), 2U);
    EXPECT_TRUE(lengths[0] == 400 || lengths[1] == 400);
    EXPECT_EQ(std::count(lengths.begin(), lengths.end(), 10), 0);
}

TEST(PageWaits, ARangeCutsThem) {
    Blob blob;
    write_waits(two_processes(), one_leaf(), {150, 450}, 100, blob);
    const auto page = unpack(blob.deflated());
    EXPECT_EQ(page.numbers("wait.begin"), (Numbers{150, 300, 400}));
    EXPECT_EQ(page.numbers("wait.length"), (Numbers{50, 10, 50}));
}

}  // namespace
}  // namespace kymo::view
