// Meeting in a folder that all hosts share: who may, and which slot is whose.

#include "ring/transport/rendezvous.h"

#include "../../recording/temporary_folder.h"

#include <array>
#include <atomic>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

namespace kymo::ring {
namespace {

namespace fs = std::filesystem;
using kymo::testing::TemporaryFolder;

Result<Keys> no_keys() {
    return Error{ErrorKind::kUnsupported, "none", ""};
}

JobFile plain_job() {
    JobFile job;
    job.plain = true;
    job.heartbeat_ms = 500;
    return job;
}

Result<Rendezvous> plain(const fs::path& folder) {
    return Rendezvous::open(folder, plain_job(), no_keys);
}

TEST(RingRendezvous, AFolderThatOthersMayEnterIsRefused) {
    const TemporaryFolder folder;
    fs::create_directory(folder / "ring");
    chmod((folder / "ring").c_str(), 0750);
    const auto opened = plain(folder / "ring");
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, ErrorKind::kPermission);
    fs::create_directory_symlink(folder / "ring", folder / "link");
    EXPECT_FALSE(plain(folder / "link"));
}

TEST(RingRendezvous, TheFirstMakesTheJobForAll) {
    const TemporaryFolder folder;
    const auto first = plain(folder / "ring");
    const auto second = plain(folder / "ring");
    ASSERT_TRUE(first);
    ASSERT_TRUE(second);
    EXPECT_EQ(first->job().job, second->job().job);
    EXPECT_EQ(second->job().settings().heartbeat, Time{500'000'000});
    struct stat facts{};
    ASSERT_EQ(stat((folder / "ring" / "job").c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0600U);
    JobFile encrypted;
    EXPECT_FALSE(Rendezvous::open(folder / "ring", encrypted, no_keys)) << "the job is plain";
    std::ofstream(folder / "ring" / "job") << "something else\n";
    const auto broken = plain(folder / "ring");
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().kind, ErrorKind::kMalformed);
}

TEST(RingRendezvous, ANameHasItsSlotAgainInTheNextIncarnation) {
    const TemporaryFolder folder;
    const auto place = plain(folder / "ring");
    ASSERT_TRUE(place);
    {
        const auto a = place->claim_slot("a");
        ASSERT_TRUE(a);
        ASSERT_TRUE(place->publish({a->slot, a->incarnation, "a", "tcp://127.0.0.1:1"}));
        const auto b = place->claim_slot("b");
        ASSERT_TRUE(b);
        EXPECT_EQ(b->slot, 1U);
        ASSERT_TRUE(place->publish({b->slot, b->incarnation, "b", "tcp://127.0.0.1:2"}));
        const auto again = place->claim_slot("a");
        ASSERT_FALSE(again) << "it lives";
        EXPECT_EQ(again.error().kind, ErrorKind::kOutputExists);
    }
    const auto a = place->claim_slot("a");
    ASSERT_TRUE(a);
    EXPECT_EQ(a->slot, 0U);
    EXPECT_EQ(a->incarnation, 2U);
    const auto manager = place->claim_manager();
    ASSERT_TRUE(manager);
    EXPECT_FALSE(place->claim_manager());
    std::ofstream(folder / "ring" / "slot-7") << "junk\n";
    const Rendezvous::Roster roster = place->roster();
    EXPECT_EQ(roster.slots, 2U);
    ASSERT_EQ(roster.agents.size(), 2U);
    EXPECT_EQ(roster.agents[1].name, "b");
    EXPECT_EQ(roster.unreadable, 1U);
}

TEST(RingRendezvous, ManyAtATimeGetSlotsOfTheirOwn) {
    const TemporaryFolder folder;
    std::vector<std::thread> threads;
    std::array<std::atomic<int>, 16> taken{};
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&, i] {
            const auto place = plain(folder / "ring");
            ASSERT_TRUE(place) << place.error().what;
            auto claim = place->claim_slot("n" + std::to_string(i));
            ASSERT_TRUE(claim) << claim.error().what;
            ++taken[claim->slot];
            EXPECT_TRUE(place->publish({claim->slot, 1, "n" + std::to_string(i), "tcp://127.0.0.1:9"}));
        });
    }
    for (std::thread& each : threads) {
        each.join();
    }
    for (std::size_t slot = 0; slot < 8; ++slot) {
        EXPECT_EQ(taken[slot], 1) << slot;
    }
}

}  // namespace
}  // namespace kymo::ring
