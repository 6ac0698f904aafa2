// From a finding to the occurrences that it counted.
#include "made_collections.h"
#include "view/counted_occurrences.h"
#include "view/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::view {
namespace {

using namespace spacetime;
using made::kBegin;
using made::kMilli;
using made::made_collections;
using made::made_slow_finding;
using ::testing::HasSubstr;
using Rows = std::vector<std::size_t>;

TEST(Counted, OccurrencesAreFoundByTheirTimes) {
    const Evidence evidence = made_collections();
    const CountedOccurrences found = counted_occurrences(evidence, made_slow_finding());
    EXPECT_EQ(found.kind, CountedKind::kOccurrences);
    EXPECT_EQ(found.counted, (Rows{1, 3}));
    EXPECT_EQ(found.others, (Rows{0, 2, 4}));
}

TEST(Counted, ThoseOfOtherThreadsAreNot) {
    Evidence evidence = made_collections();
    // Another thread's occurrence at the very same time.
    made::add_occurrence(evidence.nodes[0], 1, 100, 50, 0, 0, kOutside, kOutside);
    const CountedOccurrences found = counted_occurrences(evidence, made_slow_finding());
    EXPECT_EQ(found.counted, (Rows{1, 3}));
    EXPECT_EQ(found.others, (Rows{0, 2, 4}));
}

TEST(Counted, GapsAreFoundByTheirTimes) {
    const Evidence evidence = made_collections();
    findings::Finding finding = made_slow_finding();
    finding.when = {{kBegin + 210 * kMilli, kBegin + 500 * kMilli}};
    const CountedOccurrences found = counted_occurrences(evidence, finding);
    EXPECT_EQ(found.kind, CountedKind::kGaps);
    EXPECT_EQ(found.counted, (Rows{3}));
    EXPECT_EQ(found.others, (Rows{1, 2, 4}));
    const CountedRow gap = counted_row(evidence, found, 3);
    EXPECT_EQ(gap.begin, kBegin + 210 * kMilli);
    EXPECT_EQ(gap.end, kBegin + 500 * kMilli);
    EXPECT_EQ(gap.terms.waiting, static_cast<std::int64_t>(290 * kMilli));
    ASSERT_EQ(gap.deltas.size(), 1U);
    EXPECT_EQ(gap.deltas[0], 7);
    EXPECT_EQ(gap.after, 1U) << "what comes before the occurrence behind it";
}

TEST(Counted, TheyMayBeOfAnotherSpaceThanTheFindingNames) {
    const Evidence evidence = made_collections();
    findings::Finding finding = made_slow_finding();
    finding.node = findings::NodeIndex(1);
    const CountedOccurrences found = counted_occurrences(evidence, finding);
    EXPECT_EQ(found.node, NodeIndex(0));
    EXPECT_EQ(found.counted, (Rows{1, 3}));
    finding.node = kNone;
    EXPECT_EQ(counted_occurrences(evidence, finding).kind, CountedKind::kNone) << "it is about the whole run";
}

TEST(Counted, TimesWithinOrBehindAnOccurrenceLeadToIt) {
    Evidence evidence = made_collections();
    findings::Finding finding = made_slow_finding();
    finding.when = {{kBegin + 105 * kMilli, kBegin + 110 * kMilli}, {kBegin + 230 * kMilli, kBegin + 240 * kMilli}};
    const CountedOccurrences found = counted_occurrences(evidence, finding);
    EXPECT_EQ(found.kind, CountedKind::kAround);
    EXPECT_EQ(found.counted, (Rows{1, 2}));
    // A recorded wait tells which of two threads it was.
    made::add_occurrence(evidence.nodes[0], 1, 100, 500, 0, 0, kOutside, kOutside);
    finding.threads = {0, 1};
    for (const std::uint64_t at : {105, 230}) {
        evidence.timed_waits.push_back({.thread = 0, .target = 0, .begin = kBegin + at * kMilli, .end = 0, .ns = 1});
    }
    EXPECT_EQ(counted_occurrences(evidence, finding).counted, (Rows{1, 2}));
}

TEST(Counted, AStretchOfTimeHoldsThoseWithinIt) {
    const Evidence evidence = made_collections();
    findings::Finding finding = made_slow_finding();
    finding.when = {{kBegin + 90 * kMilli, kBegin + 570 * kMilli}};
    const CountedOccurrences found = counted_occurrences(evidence, finding);
    EXPECT_EQ(found.kind, CountedKind::kOccurrences);
    EXPECT_EQ(found.counted, (Rows{1, 2, 3}));
}

TEST(Counted, WithoutTimesAllAre) {
    const Evidence evidence = made_collections();
    findings::Finding finding = made_slow_finding();
    finding.when.clear();
    const CountedOccurrences found = counted_occurrences(evidence, finding);
    EXPECT_EQ(found.kind, CountedKind::kAll);
    EXPECT_EQ(found.counted.size(), 5U);
    EXPECT_EQ(longest_counted(evidence, found, 2), (Rows{1, 3}));
    finding.node = kNone;
    EXPECT_EQ(counted_occurrences(evidence, finding).kind, CountedKind::kNone);
}

TEST(Counted, AreShownBehindTheFinding) {
    findings::Judgement judgement;
    judgement.findings = {made_slow_finding()};
    const std::string text = terminal_finding({}, made_collections(), judgement, 1, 20);
    EXPECT_EQ(text.substr(std::min(text.find("\nWhat it counted"), text.size())), R"(
What it counted  2 occurrences of step
  number       at    takes     user  thread
       2  0.100 s  50.0 ms  50.0 ms  worker
      after rest, before (end); page-faults 40
       4  0.500 s  60.0 ms  60.0 ms  worker
      after rest, before (end); page-faults 50

For comparison  2 of the 3 other occurrences of step
  number       at    takes     user  thread
       1  0.000 s  10.0 ms  10.0 ms  worker
      after (elsewhere), before (end); page-faults 1
       3  0.200 s  10.0 ms  10.0 ms  worker
      after (elsewhere), before (end); page-faults 2
)");
    EXPECT_THAT(terminal_finding({}, made_collections(), judgement, 1, 1), HasSubstr("1 more (--top 2)"));
}

TEST(Counted, AreData) {
    const auto json = json_findings(made_collections(), {made_slow_finding()})[0]["occurrences"];
    EXPECT_EQ(json["kind"], "occurrences");
    EXPECT_EQ(json["space"], 0);
    EXPECT_EQ(json["count"], 2);
    EXPECT_EQ(json["others"], 3);
    EXPECT_EQ(json["list"][0]["number"], 2);
    EXPECT_EQ(json["list"][0]["begin_s"], 0.1);
    EXPECT_EQ(json["list"][0]["end_s"], 0.15);
    EXPECT_EQ(json["list"][0]["terms"]["user_s"], 0.05);
    EXPECT_EQ(json["list"][0]["before"]["name"], "rest");
    EXPECT_EQ(json["list"][1]["events"]["page-faults"], 50);
}

}  // namespace
}  // namespace kymo::view
