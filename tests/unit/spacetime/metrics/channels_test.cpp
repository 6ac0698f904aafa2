// Channels and their matrix, from metrics that are known.

#include "spacetime/metrics/channels.h"

#include "view/channels.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kNobody = ~std::uint64_t{0};

// One cell of a channel, in one thread's row.
void put(RunMetrics& run, const char* name, std::optional<std::uint64_t> rank, std::uint64_t peer,
         ChannelDirection direction, std::uint64_t value, std::uint64_t communicator = 0) {
    auto metric = std::find_if(run.metrics.begin(), run.metrics.end(),
                               [&](const RunMetric& each) { return each.name == name; });
    if (metric == run.metrics.end()) {
        RunMetric made;
        made.name = name;
        made.kind = Resource::kChannel;
        made.origin = MetricOrigin::kStandard;
        metric = run.metrics.insert(run.metrics.end(), made);
    }
    MetricOfObject object;
    object.rank = rank;
    object.key = {communicator, peer, static_cast<std::uint64_t>(direction)};
    object.value = value;
    metric->objects.push_back(object);
}

// Rank 0 sends 3 messages to 1, in two threads; 1 has them; 2, that was not measured, sent 1 five more.
RunMetrics three_ranks() {
    RunMetrics run;
    run.ranks = 2;
    for (const std::uint64_t messages : {1, 2}) {
        put(run, "messages", 0, 1, ChannelDirection::kSend, messages);
        put(run, "bytes", 0, 1, ChannelDirection::kSend, 100 * messages);
        put(run, "largest", 0, 1, ChannelDirection::kSend, 10 * messages);
        put(run, "blocked", 0, 1, ChannelDirection::kSend, 1000);
    }
    put(run, "outstanding", 0, 1, ChannelDirection::kSend, 5);
    put(run, "outstanding", 0, 1, ChannelDirection::kSend, static_cast<std::uint64_t>(-4));
    put(run, "messages", 1, 0, ChannelDirection::kReceive, 3);
    put(run, "bytes", 1, 0, ChannelDirection::kReceive, 300);
    put(run, "blocked", 1, 0, ChannelDirection::kReceive, 70'000);
    put(run, "messages", 1, 2, ChannelDirection::kReceive, 5, 9);
    put(run, "bytes", 1, 2, ChannelDirection::kReceive, 50, 9);
    put(run, "blocked", 1, kNobody, ChannelDirection::kReceive, 4'000'000);
    put(run, "messages", 0, kNobody, ChannelDirection::kCollective, 8);
    put(run, "messages", 0, 1, ChannelDirection::kCollective, 2);
    put(run, "blocked", 0, 1, ChannelDirection::kCollective, 6);
    return run;
}

TEST(Channels, AreSummedOverThreads) {
    const std::vector<Channel> channels = channels_of(three_ranks()).channels;
    ASSERT_EQ(channels.size(), 6U);
    const Channel& sent = channels.front();
    EXPECT_EQ(sent.rank, 0U);
    EXPECT_EQ(sent.peer_rank, 1U);
    EXPECT_EQ(sent.direction, ChannelDirection::kSend);
    EXPECT_EQ(sent.messages, 3U);
    EXPECT_EQ(sent.bytes, 300U);
    EXPECT_EQ(sent.largest, 20U);
    EXPECT_EQ(sent.blocked_ns, 2000U);
    EXPECT_EQ(sent.outstanding, 1);
    EXPECT_EQ(channels.back().peer, std::nullopt);
}

TEST(Channels, MakeAMatrixInWhichAMessageIsOnce) {
    const ChannelMatrix matrix = matrix_of(channels_of(three_ranks()), true);
    EXPECT_THAT(matrix.parties, testing::ElementsAre(0, 1, 2));
    ASSERT_EQ(matrix.sent.size(), 2U);
    EXPECT_EQ(matrix.sent.at({0, 1}).messages, 3U);
    EXPECT_EQ(matrix.sent.at({0, 1}).bytes, 300U);
    EXPECT_EQ(matrix.sent.at({2, 1}).messages, 5U);  // by the receiver's account
    EXPECT_EQ(matrix.blocked_ns.at({0, 1}), 2000U);
    EXPECT_EQ(matrix.blocked_ns.at({1, 0}), 70'000U);
    EXPECT_EQ(matrix.anyone_ns.at(1), 4'000'000U);
    EXPECT_EQ(matrix.collective.at(0).messages, 10U);
    EXPECT_EQ(matrix.collective.at(0).blocked_ns, 6U);
}

TEST(Channels, OfFilesAndOfOtherWorldsAreNobodys) {
    RunMetrics run = three_ranks();
    put(run, "messages", 1, kNobody, ChannelDirection::kRead, 4, 77);
    put(run, "bytes", 1, kNobody, ChannelDirection::kRead, 4000, 77);
    put(run, "messages", 1, kNobody, ChannelDirection::kWrite, 2, 77);
    put(run, "blocked", 1, kNobody, ChannelDirection::kWrite, 9, 77);
    put(run, "messages", 0, (std::uint64_t{1} << 32U) + 3, ChannelDirection::kSend, 6, 88);
    put(run, "messages", 0, (std::uint64_t{1} << 32U) + 3, ChannelDirection::kReceive, 7, 88);
    const ChannelMatrix matrix = matrix_of(channels_of(run), true);
    EXPECT_THAT(matrix.parties, testing::ElementsAre(0, 1, 2));
    EXPECT_EQ(matrix.sent.size(), 2U);
    EXPECT_EQ(matrix.files.at(1).messages, 6U);
    EXPECT_EQ(matrix.files.at(1).bytes, 4000U);
    EXPECT_EQ(matrix.files.at(1).blocked_ns, 9U);
    EXPECT_EQ(matrix.elsewhere.at(0).messages, 6U);  // sent
    EXPECT_EQ(matrix.anyone_ns.at(1), 4'000'000U);
    EXPECT_THAT(view::terminal_channels({}, run, 20),
                testing::ContainsRegex("messages from, to .* all +files +elsewhere"));
    EXPECT_EQ(view::json_channels(run)[1]["elsewhere"], 3);
    EXPECT_TRUE(view::json_channels(run)[1]["peer"].is_null());
}

TEST(Channels, OfDirectionsThatAreNotKnownAreLeftOut) {
    RunMetrics run;
    put(run, "messages", 0, 1, static_cast<ChannelDirection>(7), 1);
    EXPECT_TRUE(channels_of(run).channels.empty());
    EXPECT_EQ(view::terminal_channels({}, run, 10), "");
}

TEST(Channels, OfManyRanksAreAList) {
    RunMetrics run;
    for (std::uint64_t rank = 0; rank < 40; ++rank) {
        put(run, "messages", rank, (rank + 1) % 40, ChannelDirection::kSend, 1);
        put(run, "blocked", rank, (rank + 1) % 40, ChannelDirection::kSend, 1'000'000 * rank);
    }
    const std::string text = view::terminal_channels({}, run, 3);
    EXPECT_THAT(text, testing::HasSubstr("rank 39 send, rank 0"));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("rank 36 send")));
    EXPECT_THAT(text, testing::HasSubstr("37 more"));
}

TEST(Channels, ThatRanksDoNotHaveAreTold) {
    RunMetrics run;
    run.ranks = 4;
    EXPECT_THAT(view::terminal_channels({}, run, 3), testing::HasSubstr("no message was counted"));
    run.ranks = 1;
    EXPECT_EQ(view::terminal_channels({}, run, 3), "");
}

TEST(Channels, AreShownAsMatricesAndAsData) {
    const RunMetrics run = three_ranks();
    const std::string text = view::terminal_channels({}, run, 10);
    EXPECT_THAT(text, testing::ContainsRegex("rank 2 +· +5 +·"));
    EXPECT_THAT(text, testing::HasSubstr("4.00 ms"));
    const nlohmann::ordered_json json = view::json_channels(run);
    EXPECT_EQ(json[0]["messages"], 3);
    EXPECT_EQ(json[0]["peer"], 1);
    EXPECT_TRUE(json.back()["peer"].is_null());
    std::ifstream file(KYMO_TEST_DOCS "/json.md");
    std::stringstream page;
    page << file.rdbuf();
    for (const auto& [key, value] : json[0].items()) {
        EXPECT_THAT(page.str(), testing::HasSubstr("`" + key + "`"));
    }
}

}  // namespace
}  // namespace kymo::spacetime
