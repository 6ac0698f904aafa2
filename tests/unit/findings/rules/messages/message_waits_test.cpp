// Ranks that wait in MPI, made by hand: a send that comes late, ranks in turn, and a rank that comes last to
// collective operations are each the first finding; where the cause is away they are not told.
#include "made_evidence.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr std::uint64_t kRounds = 10;
constexpr std::uint64_t kRound = 100;  // ms

MadeEvidence job(std::size_t ranks) {
    MadeEvidence made({}, ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        ThreadFacts& thread = made.evidence.run.threads[rank];
        thread.rank = rank;
        thread.process = rank;
        thread.creator = kNone;
    }
    return made;
}

// In each round from one of its ms to another.
void occurrence_rounds(MadeEvidence& made, std::uint32_t node, std::uint32_t rank, std::uint64_t from,
                       std::uint64_t to) {
    for (std::uint64_t round = 0; round < kRounds; ++round) {
        made.add_occurrence(node, {.thread = rank,
                                   .begin = (round * kRound + from) * kMs,
                                   .terms = {.user = static_cast<std::int64_t>(to - from) * kMs}});
    }
}

Channel channel(std::uint64_t rank, std::optional<std::uint64_t> peer, ChannelDirection direction,
                std::uint64_t blocked_ms) {
    Channel made;
    made.rank = rank;
    made.peer_rank = peer;
    made.direction = direction;
    made.messages = kRounds;
    made.calls = kRounds;
    made.blocked_ns = blocked_ms * kMs;
    made.begin = 1;
    return made;
}

// Rank 1 is in receives for 90 of 100 ms. Rank 0 works for so long before it sends, or waits in a receive itself.
std::vector<Finding> told_of_sender(bool sender_works, std::uint64_t blocked_ms) {
    MadeEvidence made = job(2);
    const std::uint32_t log = made.add_node("write_log");
    const std::uint32_t use = made.add_node("use_data");
    const std::uint32_t exchange = made.add_node("exchange_halo");
    const std::uint32_t receive = made.add_node("PMPI_Recv", exchange);
    occurrence_rounds(made, exchange, 1, 0, 90);
    occurrence_rounds(made, sender_works ? log : receive, 0, 0, 95);
    occurrence_rounds(made, receive, 1, 0, 90);
    occurrence_rounds(made, use, 1, 90, 100);
    made.evidence.run.channels = {channel(0, 1, ChannelDirection::kSend, 1),
                                  channel(0, 1, ChannelDirection::kReceive, sender_works ? 0 : 930),
                                  channel(1, 0, ChannelDirection::kReceive, blocked_ms)};
    return judge(made.finish()).findings;
}

TEST(LateSender, IsTheFirstFindingWithTheSenderAndWhatItDoes) {
    const std::vector<Finding> findings = told_of_sender(true, 900);
    ASSERT_FALSE(findings.empty());
    EXPECT_EQ(findings[0].kind, "late-sender") << findings[0].title;
    EXPECT_EQ(findings[0].threads, std::vector<std::uint32_t>{0});
    EXPECT_EQ(findings[0].place.function, "exchange_halo") << "whose the call is";
    EXPECT_NE(findings[0].title.find("`PMPI_Recv`"), std::string::npos) << findings[0].title;
    EXPECT_NEAR(findings[0].seconds, 0.9, 0.01);
    EXPECT_NE(findings[0].title.find("`write_log`"), std::string::npos) << findings[0].title;
    EXPECT_NE(findings[0].title.find("rank 0 sends late"), std::string::npos) << findings[0].title;
}

TEST(LateSender, IsNotOneThatWaitsItselfNorAShortWait) {
    EXPECT_EQ(find(told_of_sender(false, 900), "late-sender"), nullptr);
    EXPECT_EQ(find(told_of_sender(true, 1), "late-sender"), nullptr);
}

// The sender's processor took 1.9 times as long for the same arithmetic: at the other's pace it would be there in
// time.
TEST(LateSender, IsNotOneWhoseProcessorIsSlower) {
    const auto told = [](double pace) {
        MadeEvidence made = job(2);
        occurrence_rounds(made, made.add_node("write_log"), 0, 0, 95);
        occurrence_rounds(made, made.add_node("PMPI_Recv"), 1, 0, 45);
        occurrence_rounds(made, made.add_node("use_data"), 1, 45, 100);
        made.evidence.run.threads[0].pace = pace;
        made.evidence.run.threads[1].pace = 100;
        made.evidence.run.channels = {channel(0, 1, ChannelDirection::kSend, 1),
                                      channel(1, 0, ChannelDirection::kReceive, 450)};
        return find(judge(made.finish()).findings, "late-sender") != nullptr;
    };
    EXPECT_TRUE(told(100));
    EXPECT_TRUE(told(0)) << "not measured";
    EXPECT_FALSE(told(190));
}

// Who waits without a processor has no samples: the sender's own calls, shorter than the waiting, tell that it works.
TEST(LateSender, NeedsNoSamplesOfTheOneThatWaits) {
    const auto told = [](std::uint64_t inside_ms) {
        MadeEvidence made = job(2);
        occurrence_rounds(made, made.add_node("write_log"), 0, 0, 95);
        occurrence_rounds(made, made.add_node("use_data"), 1, 0, 100);
        made.evidence.run.channels = {channel(0, 1, ChannelDirection::kSend, inside_ms),
                                      channel(1, 0, ChannelDirection::kReceive, 900)};
        return find(judge(made.finish()).findings, "late-sender") != nullptr;
    };
    EXPECT_TRUE(told(10));
    EXPECT_FALSE(told(600));
}

// Four ranks on two processors: what rank 0 sends is late since it waits for a processor, on which others poll. Where
// the processors suffice (and rank 0 waits for another program), it is late.
TEST(LateSender, IsNotOneOfMoreRanksThanProcessors) {
    const auto told = [](bool is_crowded) {
        MadeEvidence made = job(4);
        const std::uint32_t log = made.add_node("write_log");
        const std::uint32_t receive = made.add_node("PMPI_Recv");
        for (std::uint32_t rank = 0; rank < 4; ++rank) {
            for (std::uint64_t round = 0; round < kRounds; ++round) {
                made.add_occurrence(rank == 0 ? log : receive, {.thread = rank,
                                                                .begin = round * kRound * kMs,
                                                                .terms = {.user = 40 * kMs, .run_queue = 55 * kMs}});
            }
            made.evidence.run.channels.push_back(rank == 0 ? channel(0, 1, ChannelDirection::kSend, 1)
                                                           : channel(rank, 0, ChannelDirection::kReceive, 900));
        }
        made.evidence.run.ready_ns = is_crowded ? std::vector<std::int64_t>{0, 0, 0, 0, 1'000 * kMs}
                                                : std::vector<std::int64_t>{0, 0, 1'000 * kMs};
        return judge(made.finish()).findings;
    };
    const std::vector<Finding> findings = told(true);
    ASSERT_FALSE(findings.empty());
    EXPECT_EQ(findings[0].kind, "oversubscription");
    EXPECT_EQ(findings[0].threads.size(), 4U);
    EXPECT_EQ(findings[0].title,
              "4 ranks share 2 processors: they were ready without one for 2.2 s, and polled in MPI for 1.2 s, added "
              "up.");
    EXPECT_EQ(find(findings, "late-sender"), nullptr);
    EXPECT_NE(find(told(false), "late-sender"), nullptr);
}

// What nobody in particular was waited for belongs to those who sent.
TEST(LateSender, IsFoundBehindReceivesFromAnyone) {
    MadeEvidence made = job(2);
    occurrence_rounds(made, made.add_node("write_log"), 0, 0, 95);
    occurrence_rounds(made, made.add_node("PMPI_Recv"), 1, 0, 90);
    made.evidence.run.channels = {channel(0, 1, ChannelDirection::kSend, 1),
                                  channel(1, 0, ChannelDirection::kReceive, 0),
                                  channel(1, std::nullopt, ChannelDirection::kReceive, 900)};
    EXPECT_NE(find(judge(made.finish()).findings, "late-sender"), nullptr);
}

// Rank 0 is in sends for 90 of 100 ms, while rank 1 works, or is in a receive itself (and the data on its way).
std::vector<Finding> told_of_receiver(bool receiver_works, std::uint64_t blocked_ms) {
    MadeEvidence made = job(2);
    const std::uint32_t produce = made.add_node("produce");
    const std::uint32_t send = made.add_node("PMPI_Ssend", produce);
    const std::uint32_t receive = made.add_node("PMPI_Recv");
    occurrence_rounds(made, produce, 0, 0, 100);
    occurrence_rounds(made, send, 0, 0, 90);
    occurrence_rounds(made, receiver_works ? made.add_node("consume") : receive, 1, 0, 95);
    made.evidence.run.channels = {channel(0, 1, ChannelDirection::kSend, blocked_ms),
                                  channel(1, 0, ChannelDirection::kReceive, receiver_works ? 20 : 930)};
    return judge(made.finish()).findings;
}

TEST(LateReceiver, IsTheFirstFindingWithWhatTheReceiverDoes) {
    const std::vector<Finding> findings = told_of_receiver(true, 900);
    ASSERT_FALSE(findings.empty());
    EXPECT_EQ(findings[0].kind, "late-receiver") << findings[0].title;
    EXPECT_EQ(findings[0].threads, std::vector<std::uint32_t>{1});
    EXPECT_EQ(findings[0].place.function, "produce") << "whose the call is";
    EXPECT_NE(findings[0].title.find("in `PMPI_Ssend` for 10 messages to rank 1, 90 ms each, while that is in "
                                     "`consume`"),
              std::string::npos)
        << findings[0].title;
    EXPECT_NE(findings[0].title.find("rank 1 receives late"), std::string::npos) << findings[0].title;
}

TEST(LateReceiver, IsNotOneThatWaitsForTheDataNorAShortWait) {
    EXPECT_EQ(find(told_of_receiver(false, 900), "late-receiver"), nullptr);
    EXPECT_EQ(find(told_of_receiver(true, 1), "late-receiver"), nullptr);
}

// Three ranks; each works for 30 of 100 ms: in turn, or all at once.
std::vector<Finding> told_of_chain(bool in_turn) {
    MadeEvidence made = job(3);
    const std::uint32_t sweep = made.add_node("sweep");
    const std::uint32_t receive = made.add_node("PMPI_Recv");
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
        const std::uint64_t from = in_turn ? 33 * rank : 0;
        occurrence_rounds(made, sweep, rank, from, from + (in_turn ? 30 : 95));
        if (in_turn) {
            for (std::uint64_t round = 0; round < kRounds; ++round) {
                const auto wait = [&](std::uint64_t begin, std::uint64_t end) {
                    if (begin < end) {
                        made.add_occurrence(receive,
                                            {.thread = rank,
                                             .begin = (round * kRound + begin) * kMs,
                                             .terms = {.user = static_cast<std::int64_t>(end - begin) * kMs}});
                    }
                };
                wait(0, from);
                wait(from + 30, kRound);
            }
        } else {
            occurrence_rounds(made, receive, rank, 95, 100);
        }
        made.evidence.run.channels.push_back(
            channel(rank, (rank + 2) % 3, ChannelDirection::kReceive, in_turn ? 700 : 50));
    }
    return judge(made.finish()).findings;
}

TEST(SerialChain, IsTheFirstFindingWithItsRanks) {
    const std::vector<Finding> findings = told_of_chain(true);
    ASSERT_FALSE(findings.empty());
    EXPECT_EQ(findings[0].kind, "serial-chain") << findings[0].title;
    EXPECT_EQ(findings[0].threads, (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_EQ(find(findings, "late-sender"), nullptr);  // each sends when it has received
}

// Each round the ranks work one after another, and all meet behind the last one's work.
TEST(SerialChain, MayEndInACollectiveOperation) {
    const auto told = [](bool is_chain) {
        MadeEvidence made = job(3);
        const std::uint32_t sweep = made.add_node("sweep");
        const std::uint32_t receive = made.add_node("PMPI_Recv");
        const std::uint32_t meet = made.add_node("PMPI_Bcast");
        for (std::uint32_t rank = 0; rank < 3; ++rank) {
            const std::uint64_t from = 33 * rank;
            occurrence_rounds(made, sweep, rank, from, from + 33);
            if (rank > 0) {
                occurrence_rounds(made, is_chain ? receive : meet, rank, 0, from);
            }
            if (rank < 2) {
                occurrence_rounds(made, meet, rank, from + 33, 99);
            }
            if (is_chain && rank > 0) {
                made.evidence.run.channels.push_back(
                    channel(rank, rank - 1, ChannelDirection::kReceive, kRounds * from));
            }
            made.evidence.run.channels.push_back(
                channel(rank, std::nullopt, ChannelDirection::kCollective, kRounds * (66 - (is_chain ? from : 0))));
        }
        return judge(made.finish()).findings;
    };
    const std::vector<Finding> findings = told(true);
    ASSERT_FALSE(findings.empty());
    EXPECT_EQ(findings[0].kind, "serial-chain") << findings[0].title;
    EXPECT_EQ(find(findings, "collective-imbalance"), nullptr);
    EXPECT_EQ(find(findings, "late-sender"), nullptr);
    // Without a message from one to the next it is none.
    EXPECT_EQ(find(told(false), "serial-chain"), nullptr);
}

TEST(SerialChain, IsNotRanksThatWorkAtOnce) {
    const std::vector<Finding> findings = told_of_chain(false);
    EXPECT_EQ(find(findings, "serial-chain"), nullptr);
    EXPECT_EQ(find(findings, "late-sender"), nullptr);
}

// Two ranks meet every 100 ms: one works for 95 of them, the other for 5; or both for 50.
std::vector<Finding> told_of_collective(bool is_uneven) {
    MadeEvidence made = job(2);
    const std::uint32_t log = made.add_node("write_log");
    const std::uint32_t compute = made.add_node("compute");
    const std::uint32_t reduce = made.add_node("PMPI_Allreduce");
    occurrence_rounds(made, compute, 0, 0, is_uneven ? 5 : 50);
    occurrence_rounds(made, log, 1, 0, is_uneven ? 95 : 50);
    occurrence_rounds(made, reduce, 0, is_uneven ? 5 : 50, 100);
    occurrence_rounds(made, reduce, 1, is_uneven ? 95 : 50, 100);
    made.evidence.run.channels = {channel(0, std::nullopt, ChannelDirection::kCollective, is_uneven ? 950 : 500),
                                  channel(1, std::nullopt, ChannelDirection::kCollective, is_uneven ? 50 : 500)};
    return judge(made.finish()).findings;
}

TEST(CollectiveImbalance, IsTheFirstFindingWithTheLastRankAndWhatItDoes) {
    const std::vector<Finding> findings = told_of_collective(true);
    ASSERT_FALSE(findings.empty());
    EXPECT_EQ(findings[0].kind, "collective-imbalance") << findings[0].title;
    EXPECT_EQ(findings[0].threads, std::vector<std::uint32_t>{1});
    EXPECT_EQ(findings[0].place.function, "PMPI_Allreduce");
    EXPECT_NEAR(findings[0].seconds, 0.9, 0.01);
    EXPECT_NE(findings[0].title.find("`write_log`"), std::string::npos) << findings[0].title;
}

// The last one comes late for it waited for a message, as long as the other one waits in the end for it.
TEST(CollectiveImbalance, IsNotAWaitForALateSender) {
    const auto told = [](std::uint64_t received_ms) {
        MadeEvidence made = job(2);
        const std::uint32_t compute = made.add_node("compute");
        const std::uint32_t reduce = made.add_node("PMPI_Allreduce");
        const std::uint32_t receive = made.add_node("PMPI_Recv");
        occurrence_rounds(made, compute, 0, 0, 50);
        occurrence_rounds(made, receive, 1, 0, 50);
        occurrence_rounds(made, compute, 1, 50, 98);
        occurrence_rounds(made, reduce, 0, 50, 100);
        occurrence_rounds(made, reduce, 1, 98, 100);
        made.evidence.run.channels = {channel(0, std::nullopt, ChannelDirection::kCollective, 500),
                                      channel(1, std::nullopt, ChannelDirection::kCollective, 20),
                                      channel(1, 0, ChannelDirection::kReceive, received_ms)};
        return find(judge(made.finish()).findings, "collective-imbalance") != nullptr;
    };
    EXPECT_TRUE(told(10));
    EXPECT_FALSE(told(480));
}

TEST(CollectiveImbalance, IsNotRanksThatComeTogether) {
    EXPECT_EQ(find(told_of_collective(false), "collective-imbalance"), nullptr);
}

// Half of each rank's time is in calls; what they wait for is not another's work.
std::vector<Finding> told_of_messages(std::uint64_t messages, std::uint64_t bytes) {
    MadeEvidence made = job(2);
    const std::uint32_t update = made.add_node("update");
    const std::uint32_t reduce = made.add_node("PMPI_Allreduce", update);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        occurrence_rounds(made, update, rank, 0, 100);
        occurrence_rounds(made, reduce, rank, 50, 100);
        Channel own = channel(rank, std::nullopt, ChannelDirection::kCollective, 500);
        own.messages = messages;
        own.bytes = messages * bytes;
        made.evidence.run.channels.push_back(own);
    }
    return judge(made.finish()).findings;
}

TEST(MessageOverhead, IsOfManySmallMessages) {
    const std::vector<Finding> findings = told_of_messages(20'000, 8);
    const Finding* finding = find(findings, "message-overhead");
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->place.function, "update");
    EXPECT_NEAR(finding->share, 0.5, 0.01);
    EXPECT_NE(finding->title.find("2 ranks make 40,000 calls for messages of 8 bytes on average, most of the time in "
                                  "`PMPI_Allreduce`: 25 µs each, 1.0 s in all."),
              std::string::npos)
        << finding->title;
    EXPECT_EQ(find(told_of_messages(20'000, 2'000), "message-overhead"), nullptr) << "large ones";
    EXPECT_EQ(find(told_of_messages(4'000, 8), "message-overhead"), nullptr) << "125 µs each: they wait for a rank";
}

TEST(MessageVolume, IsOfWhatIsTransferredAllTheTime) {
    const std::vector<Finding> findings = told_of_messages(500, 1'000'000);
    const Finding* finding = find(findings, "message-volume");
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->place.function, "update");
    EXPECT_NEAR(finding->share, 0.5, 0.01);
    EXPECT_NE(finding->title.find("2 ranks exchange 1,000 MB in 1,000 calls, most of the time in `PMPI_Allreduce`: "
                                  "1.0 ms each, 1.0 s in all."),
              std::string::npos)
        << finding->title;
    EXPECT_EQ(find(told_of_messages(200, 1'000'000), "message-volume"), nullptr)
        << "5 ns a byte: they wait for a rank";
    EXPECT_EQ(find(told_of_messages(500'000, 1'000), "message-volume"), nullptr) << "small ones";
}

// Without counted messages nothing is said of them, whatever the samples show.
TEST(MessageWaits, AreNotToldWithoutChannels) {
    MadeEvidence made = job(2);
    occurrence_rounds(made, made.add_node("write_log"), 0, 0, 95);
    occurrence_rounds(made, made.add_node("PMPI_Recv"), 1, 0, 90);
    const std::vector<Finding> findings = judge(made.finish()).findings;
    for (const char* kind : {"late-sender", "serial-chain", "collective-imbalance"}) {
        EXPECT_EQ(find(findings, kind), nullptr) << kind;
    }
}

}  // namespace
}  // namespace kymo::findings
