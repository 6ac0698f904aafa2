#include "view/page/findings.h"

#include "../made_collections.h"

#include <gtest/gtest.h>

namespace kymo::view {
namespace {

findings::Finding one() {
    findings::Finding finding;
    finding.kind = "periodic-pause";
    finding.title = "it stops";
    finding.place.function = "save";
    finding.place.file = "/src/a.cpp";
    finding.place.line_begin = 12;
    finding.node = findings::NodeIndex(1);
    finding.when = {{1100, 1200}, {1500, 1600}};
    finding.threads = {2};
    finding.seconds = 0.25;
    finding.share = 0.1;
    finding.tested = true;
    finding.confidence = 0.99;
    finding.evidence = {{.event = "waiting",
                         .bad = 0.5,
                         .good = 0.1,
                         .ratio = 5,
                         .effect = 1,
                         .quantity = findings::Quantity::kSecondsOf},
                        {.event = "page-faults", .bad = 30, .good = findings::kUnknown},
                        findings::share_of("system", 1)};
    finding.direction = "do less";
    return finding;
}

TEST(PageFindings, ACardLeadsToItsSpaceAndTime) {
    spacetime::Profile profile;
    profile.begin = 1000;
    findings::Judgement judgement;
    judgement.findings = {one()};
    judgement.control = {.rounds = 10, .findings = 0.5};
    const auto page = page_findings({}, judgement, profile, {0, 42});
    ASSERT_EQ(page["bad"].size(), 1U);
    EXPECT_TRUE(page["good"].empty());
    const auto& card = page["bad"][0];
    EXPECT_EQ(card["space"], "c42");
    EXPECT_EQ(card["when"], (nlohmann::json{{100, 200}, {500, 600}}));
    EXPECT_EQ(card["threads"], nlohmann::json{2});
    EXPECT_EQ(card["where"], "save");
    EXPECT_EQ(card["file"], "/src/a.cpp");
    EXPECT_EQ(card["line"], 12);
    EXPECT_EQ(page["control"]["rounds"], 10);
    // Rows of time are told in nanoseconds, others as they are; what is not known is null.
    EXPECT_EQ(card["evidence"][0]["event"], "waiting");
    EXPECT_EQ(card["evidence"][0]["unit"], "ns");
    EXPECT_DOUBLE_EQ(card["evidence"][0]["bad"].get<double>(), 0.5e9);
    EXPECT_EQ(card["evidence"][1]["unit"], "number");
    EXPECT_DOUBLE_EQ(card["evidence"][1]["bad"].get<double>(), 30);
    EXPECT_TRUE(card["evidence"][1]["good"].is_null());
    EXPECT_EQ(card["evidence"][2]["unit"], "share");
    EXPECT_DOUBLE_EQ(card["evidence"][2]["bad"].get<double>(), 1);
}

TEST(PageFindings, OneWithoutASpaceLeadsNowhere) {
    const spacetime::Profile profile;
    findings::Judgement judgement;
    judgement.advantages = {one()};
    judgement.advantages[0].node = kNone;
    judgement.advantages[0].place = {};
    judgement.advantages[0].place.module = "libm.so";
    const auto page = page_findings({}, judgement, profile, {0, 42});
    ASSERT_EQ(page["good"].size(), 1U);
    EXPECT_EQ(page["good"][0]["space"], "");
    EXPECT_EQ(page["good"][0]["where"], "libm.so");
    EXPECT_EQ(page["good"][0]["file"], "");
}

TEST(PageFindings, LeadToTheOccurrencesThatTheyCounted) {
    spacetime::Profile profile;
    profile.begin = made::kBegin;
    findings::Judgement judgement;
    judgement.findings = {made::made_slow_finding()};
    const auto page = page_findings(made::made_collections(), judgement, profile, {});
    const auto& counted = page["bad"][0]["occurrences"];
    EXPECT_EQ(counted["kind"], "occurrences");
    EXPECT_EQ(counted["of"], "step");
    EXPECT_EQ(counted["count"], 2);
    EXPECT_EQ(counted["list"], (nlohmann::json{{100 * made::kMilli, 50 * made::kMilli, 0, 2},
                                               {500 * made::kMilli, 60 * made::kMilli, 0, 4}}));
}

TEST(PageFindings, ManyMomentsAreCut) {
    const spacetime::Profile profile;
    findings::Judgement judgement;
    judgement.findings = {one()};
    judgement.findings[0].when.assign(5000, {1, 2});
    EXPECT_EQ(page_findings({}, judgement, profile, {})["bad"][0]["when"].size(), 1000U);
}

}  // namespace
}  // namespace kymo::view
