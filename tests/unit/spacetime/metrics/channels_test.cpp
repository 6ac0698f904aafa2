// Channels and their matrix, from metrics that are known.

#include "spacetime/metrics/channels.h"

#include "view/channels.h"
#include "view/metrics.h"

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
    EXPECT_EQ(matrix.blocked_ns(0, 1), 2000U);
    EXPECT_EQ(matrix.blocked_ns(1, 0), 70'000U);
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
                testing::ContainsRegex("messages from, to .* collective +files +elsewhere"));
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
    EXPECT_THAT(view::terminal_channels({}, run, 3), testing::HasSubstr("No message was counted"));
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

// ---- ends ---------------------------------------------------------------------------------------------------------

// One end's row: who, by which end, to which other one; messages of one byte that took 10 µs each.
struct EndRow {
    std::uint64_t pid;
    std::uint64_t thread;
    std::uint64_t own;
    std::uint64_t other;
    bool receives;
    std::uint64_t messages;
    ChannelKind kind = ChannelKind::kPipe;
    std::uint32_t host = 0;
    const char* name = "";
};

RunMetrics run_of(std::initializer_list<EndRow> rows) {
    RunMetrics run;
    run.end = 1'000'000'000;
    for (const char* name : {"messages", "bytes", "blocked"}) {
        RunMetric metric;
        metric.name = name;
        metric.kind = Resource::kChannel;
        metric.origin = MetricOrigin::kStandard;
        metric.of_ends = true;
        for (const EndRow& row : rows) {
            MetricOfObject object;
            object.pid = row.pid;
            object.thread = row.thread;
            object.host = row.host;
            object.program = "p" + std::to_string(row.pid);
            object.name = row.name;
            object.key = {row.own, row.other, end_direction(row.kind, row.receives)};
            object.value = row.messages * (metric.name == "blocked" ? 10'000 : 1);
            metric.objects.push_back(object);
        }
        run.metrics.push_back(std::move(metric));
    }
    return run;
}

// What went from whom to whom, by name.
std::map<std::string, std::uint64_t> sent_in(const RunMetrics& run) {
    const RunChannels channels = channels_of(run);
    const view::PartyNames names = view::party_names(channels);
    std::map<std::string, std::uint64_t> sent;
    for (const auto& [pair, exchanged] : matrix_of(channels, false).sent) {
        sent[names.name[pair.first] + " > " + names.name[pair.second]] = exchanged.messages;
    }
    return sent;
}

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr std::uint64_t kWrites = 100;
constexpr std::uint64_t kReads = 101;

TEST(Ends, OfOneSenderAndOneReceiverAreAPair) {
    const RunMetrics run = run_of({{1, 1, kWrites, kReads, false, 7}, {2, 2, kReads, kWrites, true, 9}});
    EXPECT_THAT(sent_in(run), UnorderedElementsAre(Pair("p1 > p2", 7)));  // as the sender counts
    const ChannelMatrix matrix = matrix_of(channels_of(run), false);
    EXPECT_EQ(matrix.blocked_ns(0, 1), 70'000U);
    EXPECT_EQ(matrix.blocked_ns(1, 0), 90'000U);
    EXPECT_EQ(matrix.times.at({0, 1}).sending_ns, 70'000U);
    EXPECT_EQ(matrix.times.at({0, 1}).receiving_ns, 90'000U);
}

TEST(Ends, OfSeveralReceiversAreToldApartByWhatTheyReceive) {
    EXPECT_THAT(sent_in(run_of({{1, 1, kWrites, kReads, false, 10},
                                {2, 2, kReads, kWrites, true, 4},
                                {3, 3, kReads, kWrites, true, 6}})),
                UnorderedElementsAre(Pair("p1 > p2", 4), Pair("p1 > p3", 6)));
}

TEST(Ends, OfSeveralSendersAreToldApartByWhatTheySend) {
    EXPECT_THAT(sent_in(run_of({{1, 1, kWrites, kReads, false, 4},
                                {2, 2, kWrites, kReads, false, 5},
                                {3, 3, kReads, kWrites, true, 9}})),
                UnorderedElementsAre(Pair("p1 > p3", 4), Pair("p2 > p3", 5)));
}

TEST(Ends, OfSeveralOnBothSidesAreNotToldApart) {
    const RunMetrics run = run_of({{1, 1, kWrites, kReads, false, 4},
                                   {2, 2, kWrites, kReads, false, 5},
                                   {3, 3, kReads, kWrites, true, 8},
                                   {4, 4, kReads, kWrites, true, 1}});
    EXPECT_THAT(sent_in(run), IsEmpty());
    const ChannelMatrix matrix = matrix_of(channels_of(run), false);
    EXPECT_EQ(matrix.several.at(0).messages + matrix.several.at(1).messages, 9U);
    EXPECT_EQ(matrix.anyone_ns.at(2), 80'000U);
    EXPECT_THAT(view::terminal_channels({}, run, 10), testing::HasSubstr("several"));
}

// Nobody counted what it sent (by streams of another C library, say): what was received is not lost.
TEST(Ends, OfSeveralSendersWhoCountNothingAreNotToldApart) {
    const RunMetrics run = run_of({{1, 1, 5, 6, true, 1, ChannelKind::kUnix},
                                   {2, 2, 5, 6, true, 1, ChannelKind::kUnix},
                                   {3, 3, 6, 5, true, 8, ChannelKind::kUnix}});
    const ChannelMatrix matrix = matrix_of(channels_of(run), false);
    EXPECT_EQ(matrix.several.at(2).messages, 8U);
    EXPECT_EQ(matrix.anyone_ns.at(2), 80'000U);
}

TEST(Ends, OfNobodyWhoCountsAreCalledAsWhatTheyLeadTo) {
    EXPECT_THAT(sent_in(run_of({{1, 1, 5, 6, false, 3, ChannelKind::kTcp, 0, "10.0.0.5:5432"},
                                {1, 1, 5, 6, true, 2, ChannelKind::kTcp, 0, "10.0.0.5:5432"},
                                {2, 2, kReads, kWrites, true, 4}})),
                UnorderedElementsAre(Pair("p1 > 10.0.0.5:5432", 3), Pair("10.0.0.5:5432 > p1", 2),
                                     Pair("not counted > p2", 4)));
}

// p2 answers with what the wrappers do not see: it is known by what it receives.
TEST(Ends, AreKnownByTheirOtherDirection) {
    EXPECT_THAT(sent_in(run_of({{1, 1, 5, 6, false, 3, ChannelKind::kUnix},
                                {1, 1, 5, 6, true, 8, ChannelKind::kUnix},
                                {2, 2, 6, 5, true, 3, ChannelKind::kUnix}})),
                UnorderedElementsAre(Pair("p1 > p2", 3), Pair("p2 > p1", 8)));
}

// Only one of a pair's ends knows the other one.
TEST(Ends, AreFoundFromTheOtherSide) {
    EXPECT_THAT(sent_in(run_of({{1, 1, 5, 6, false, 3, ChannelKind::kUnix},
                                {2, 2, 6, 0, true, 3, ChannelKind::kUnix},
                                {2, 2, 6, 0, false, 1, ChannelKind::kUnix}})),
                UnorderedElementsAre(Pair("p1 > p2", 3), Pair("p2 > p1", 1)));
}

TEST(Ends, OfTwoHostsMeetByTcpAlone) {
    const auto run = [](ChannelKind kind) {
        return run_of({{1, 1, 5, 6, false, 3, kind, 0, "there"}, {2, 2, 6, 5, true, 3, kind, 1, "here"}});
    };
    EXPECT_THAT(sent_in(run(ChannelKind::kTcp)), UnorderedElementsAre(Pair("p1 > p2", 3)));
    EXPECT_THAT(sent_in(run(ChannelKind::kTcpLoopback)),
                UnorderedElementsAre(Pair("p1 > there", 3), Pair("here > p2", 3)));
}

TEST(Ends, OfOneProcessAreItsThreads) {
    EXPECT_THAT(sent_in(run_of({{1, 11, kWrites, kReads, false, 7}, {1, 12, kReads, kWrites, true, 7}})),
                UnorderedElementsAre(Pair("p1 thread 11 > p1 thread 12", 7)));
}

// What a program writes to its output alone is no table.
TEST(Ends, ThatAllLeadOutsideAreShownWhereTheyTakeTime) {
    RunMetrics run = run_of({{1, 1, kWrites, kReads, false, 7}});
    EXPECT_EQ(view::terminal_channels({}, run, 10), "");
    EXPECT_EQ(view::json_channels(run)[0]["outside"], true);
    EXPECT_TRUE(view::json_metrics(run).empty()) << "a metric of MPI's channels may have the same name";
    run.end = 1'000'000;
    EXPECT_THAT(view::terminal_channels({}, run, 10), testing::HasSubstr("not counted"));
}

TEST(Ends, OfAThreadToItselfAreNoTable) {
    const RunMetrics run = run_of({{1, 1, kWrites, kReads, false, 7}, {1, 1, kReads, kWrites, true, 7}});
    EXPECT_EQ(sent_in(run).size(), 1U);
    EXPECT_EQ(view::terminal_channels({}, run, 10), "");
}

TEST(Ends, OfManyProcessesAreAListOfPairs) {
    RunMetrics run = run_of({});
    for (std::uint64_t pid = 1; pid < 20; ++pid) {
        const RunMetrics one = run_of(
            {{pid, pid, 2 * pid, 2 * pid + 1, false, pid}, {pid + 1, pid + 1, 2 * pid + 1, 2 * pid, true, pid}});
        for (std::size_t i = 0; i < run.metrics.size(); ++i) {
            auto& objects = run.metrics[i].objects;
            objects.insert(objects.end(), one.metrics[i].objects.begin(), one.metrics[i].objects.end());
        }
    }
    const std::string text = view::terminal_channels({}, run, 3);
    EXPECT_THAT(text, testing::ContainsRegex("19 +19 B +190 .s +190 .s +p19 .* p20"));
    EXPECT_THAT(text, testing::HasSubstr("16 more"));
}

}  // namespace
}  // namespace kymo::spacetime
