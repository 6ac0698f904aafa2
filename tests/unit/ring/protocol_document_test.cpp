// The worked examples of docs/ring-protocol.md are frames, say what they are said to say, and are what we make.

#include "../hex_blocks.h"
#include "ring/protocol/detail_query.h"
#include "ring/protocol/metric_query.h"
#include "ring/protocol/order.h"
#include "ring/protocol/token.h"

#include <gtest/gtest.h>

namespace kymo::ring {
namespace {

constexpr std::uint64_t kJob = 0x1122334455667788;

std::vector<Bytes> examples() {
    return kymo::testing::hex_blocks(KYMO_RING_DOCUMENT);
}

constexpr Entry kUser{1, 2, 0, 1, kEvery};
constexpr Record kFigures{300, 0, 100, 200, 2, 3};

TokenHeader asked(Mode mode) {
    TokenHeader header{};
    header.sequence = 7;
    header.oldest = 6;
    header.sent = 1'000'000;
    header.clock = 9;
    header.mode = mode;
    return header;
}

Part part(Slot slot, PartState state) {
    return {state, {}, slot, 11, 100'000, 99'976, -900'040, 100};
}

TEST(RingDocument, ThereAreEightExamples) {
    ASSERT_EQ(examples().size(), 8U);
}

TEST(RingDocument, TheReducedTokenIsWhatWeMake) {
    TokenHeader header = asked(Mode::kReduce);
    header.returned = 5;
    header.returned_at = 834'032;
    header.announced = 8;
    header.announced_at = 2'000'000;
    header.end = 4;
    Token token = Token::make(4, kJob, 3, header, std::span(&kUser, 1));
    static_cast<void>(token.send());
    const Record first{100, 0, 100, 100, 1, 2};
    token.contribute(part(0, PartState::kOnTime), 999'984, std::span(&first, 1));
    token.note_work(1000);
    static_cast<void>(token.send());
    token.skip_to(2);
    const Record second{200, 0, 200, 200, 1, 1};
    token.contribute(part(2, PartState::kOffTime), 1'000'016, std::span(&second, 1));
    token.note_work(500);
    EXPECT_EQ(token.send(), examples()[0]);
}

TEST(RingDocument, TheReducedTokenReads) {
    Token token;
    ASSERT_EQ(Token::open(examples()[0], token), Refusal::kNone);
    EXPECT_EQ(token.prefix().job, kJob);
    EXPECT_EQ(token.prefix().epoch, 3U);
    EXPECT_EQ(token.header().returned_at, 834'032U);
    EXPECT_EQ(token.entries(), std::vector<Entry>{kUser});
    EXPECT_EQ(token.record(0), kFigures);
    EXPECT_EQ(token.holes(), 1U);
    EXPECT_EQ(token.header().holes[0], (HoleRange{1, 1}));
    EXPECT_DOUBLE_EQ(token.record(0).mean(), 150);
}

TEST(RingDocument, TheAppendedTokenIsWhatWeMakeAndReads) {
    TokenHeader header = asked(Mode::kAppend);
    header.first = 2;
    header.end = 4;
    Token token = Token::make(4, kJob, 3, header, std::span(&kUser, 1));
    static_cast<void>(token.send());
    token.skip_to(3);
    token.contribute(part(3, PartState::kOnTime), 1'000'016, std::span(&kFigures, 1));
    EXPECT_EQ(token.send(), examples()[1]);
    Token read;
    ASSERT_EQ(Token::open(examples()[1], read), Refusal::kNone);
    EXPECT_EQ(read.part(0).state, PartState::kHole);
    EXPECT_EQ(read.part(1), part(3, PartState::kOnTime));
    EXPECT_EQ(read.record(1, 0), kFigures);
}

TEST(RingDocument, TheHeartbeatIsWhatWeMakeAndReads) {
    const Heartbeat heartbeat{3, 0, 11, 100'000, 7, 0, 4};
    EXPECT_EQ(make_heartbeat(FrameKind::kHeartbeat, 4, kJob, 3, heartbeat), examples()[3]);
    Prefix prefix{};
    Heartbeat read{};
    ASSERT_EQ(open_heartbeat(examples()[3], prefix, read), Refusal::kNone);
    EXPECT_EQ(read.slot, 3U);
    EXPECT_EQ(read.incarnation, 11U);
    EXPECT_EQ(read.sequence, 7U);
    EXPECT_EQ(read.end, 4U);
    EXPECT_EQ(prefix.epoch, 3U);
}

TEST(RingDocument, TheOrderIsWhatWeMakeAndReads) {
    Order order{{3, 1, 0, 0, 2}, {{1, 0, 0, 0x92345678, 0, 0, 0}}};
    EXPECT_EQ(make_order(FrameKind::kOrder, 4, kJob, 3, order), examples()[2]);
    Prefix prefix{};
    Order read;
    ASSERT_EQ(open_order(examples()[2], prefix, read), Refusal::kNone);
    EXPECT_EQ(read.head.slot, 3U);
    EXPECT_EQ(read.head.number, 2U);
    EXPECT_EQ(read.switches, order.switches);
}

const AskedTable kAskedThreads{{1, 0, 2, 2, 4242, 3, 0}, {1, 2}};

TEST(RingDocument, TheDetailQueryIsWhatWeMakeAndReads) {
    const DetailQuery query{{3, 1, 0, 0, 5}, {kAskedThreads}};
    EXPECT_EQ(make_detail_query(4, kJob, 3, query), examples()[4]);
    Prefix prefix{};
    DetailQuery read;
    ASSERT_EQ(open_detail_query(examples()[4], prefix, read), Refusal::kNone);
    EXPECT_EQ(read.head.slot, 3U);
    EXPECT_EQ(read.head.number, 5U);
    EXPECT_EQ(read.tables, query.tables);
    EXPECT_GE(prefix.minor, kDetailsSince);
}

TEST(RingDocument, TheRowsAreWhatWeMakeAndRead) {
    const RowHead head{4243, 50'000, 0, 0, 4242, 1, 2, RowIs::kThere, 0, 0, row_name("worker")};
    const Rows rows{{3, 1, 0, 11, 5}, {100'000, 0, 1}, {{{1, 0, 2, 1, 4242, 3, 3}, {{head, {300, 0}}}}}};
    EXPECT_EQ(make_rows(4, kJob, 3, rows), examples()[5]);
    Prefix prefix{};
    Rows read;
    ASSERT_EQ(open_rows(examples()[5], prefix, read), Refusal::kNone);
    EXPECT_EQ(read.head.incarnation, 11U);
    EXPECT_EQ(read.facts.read, 100'000U);
    EXPECT_EQ(read.facts.refused, 1U);
    EXPECT_EQ(read.tables, rows.tables);
    EXPECT_EQ(read.tables[0].rows[0].name(), "worker");
    EXPECT_TRUE(read.tables[0].rows[0].knows(0));
    EXPECT_FALSE(read.tables[0].rows[0].knows(1));
}

TEST(RingDocument, TheMetricQueryAndItsDescriptionAreWhatWeMakeAndRead) {
    const MetricQuery query{{3, 1, 0, 0, 6}, {{1, {}, 0x92345678}}};
    EXPECT_EQ(make_metric_query(4, kJob, 3, query), examples()[6]);
    Prefix prefix{};
    MetricQuery asked;
    ASSERT_EQ(open_metric_query(examples()[6], prefix, asked), Refusal::kNone);
    EXPECT_EQ(asked.head.slot, 3U);
    EXPECT_EQ(asked.head.number, 6U);
    EXPECT_EQ(asked.metrics, query.metrics);
    EXPECT_EQ(prefix.minor, kMinorVersion);
    Descriptions told;
    ASSERT_EQ(open_descriptions(examples()[7], prefix, told), Refusal::kNone);
    ASSERT_EQ(told.metrics.size(), 1U);
    const MetricTold& metric = told.metrics[0];
    EXPECT_EQ(told.head.incarnation, 11U);
    EXPECT_EQ(metric.type, 2U);
    EXPECT_EQ(metric.total, MetricTotal::kMean);
    EXPECT_EQ(metric.per, 1U);
    EXPECT_EQ(text_of(metric.unit), "items");
    EXPECT_EQ(text_of(metric.name), "depth");
    EXPECT_EQ(text_of(metric.description), "waiting");
    EXPECT_EQ(make_descriptions(4, kJob, 3, told), examples()[7]);
    const auto refuses = [](std::size_t at, std::uint8_t value) {
        Bytes frame = examples()[7];
        frame[at] = value;
        Prefix head{};
        Descriptions read;
        return open_descriptions(frame, head, read) != Refusal::kNone;
    };
    EXPECT_TRUE(refuses(36, 0));   // no metric
    EXPECT_TRUE(refuses(36, 2));   // more than there are
    EXPECT_TRUE(refuses(36, 65));  // than there may be
    EXPECT_TRUE(refuses(48, 0));
    EXPECT_TRUE(refuses(56, 4));  // no such kind
    EXPECT_TRUE(refuses(57, 4));  // type
    EXPECT_TRUE(refuses(58, 5));  // total
    EXPECT_TRUE(refuses(59, 4));  // level
}

TEST(RingDocument, EveryLengthMayBeCut) {
    for (const Bytes& good : examples()) {
        for (std::size_t size = 0; size < good.size(); ++size) {
            const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
            Token token;
            Prefix prefix{};
            Heartbeat heartbeat{};
            EXPECT_EQ(Token::open(cut, token), Refusal::kTruncated) << size;
            EXPECT_EQ(open_heartbeat(cut, prefix, heartbeat), Refusal::kTruncated) << size;
            Order order;
            EXPECT_EQ(open_order(cut, prefix, order), Refusal::kTruncated) << size;
            DetailQuery query;
            EXPECT_EQ(open_detail_query(cut, prefix, query), Refusal::kTruncated) << size;
            Rows rows;
            EXPECT_EQ(open_rows(cut, prefix, rows), Refusal::kTruncated) << size;
            MetricQuery metrics;
            EXPECT_EQ(open_metric_query(cut, prefix, metrics), Refusal::kTruncated) << size;
            Descriptions descriptions;
            EXPECT_EQ(open_descriptions(cut, prefix, descriptions), Refusal::kTruncated) << size;
        }
        Bytes longer = good;
        longer.push_back(0);
        Token token;
        EXPECT_EQ(Token::open(longer, token), Refusal::kOversized);
    }
}

// Every byte changed: refused, or a token whose counts add up and whose sums can be.
TEST(RingDocument, EveryByteMayBeWrong) {
    std::size_t refused = 0;
    for (std::size_t which = 0; which < 2; ++which) {
        Bytes frame = examples()[which];
        for (std::size_t i = 0; i < frame.size(); ++i) {
            const std::uint8_t right = frame[i];
            for (const unsigned value : {0x00U, 0xFFU, 0x80U, 0x01U, 0x05U}) {
                frame[i] = static_cast<std::uint8_t>(value);
                Token token;
                if (Token::open(frame, token) != Refusal::kNone) {
                    ++refused;
                    continue;
                }
                EXPECT_EQ(token.header().contributed + token.holes(), token.header().next - token.header().first);
                EXPECT_EQ(token.entries().size(), 1U);
            }
            frame[i] = right;
        }
    }
    EXPECT_GT(refused, 300U);
}

}  // namespace
}  // namespace kymo::ring
