// Findings in words and as data.
#include "view/findings.h"

#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace kymo::view {
namespace {

using findings::Finding;
using testing::HasSubstr;
using testing::Not;

spacetime::Evidence evidence() {
    spacetime::Evidence made;
    made.run.begin = 1'000'000'000;
    made.run.end = 11'000'000'000;
    made.run.threads.resize(1);
    made.run.threads[0].tid = 77;
    made.run.threads[0].name = "worker";
    made.nodes.resize(1);
    made.nodes[0].path = {"main", "assemble"};
    return made;
}

findings::Judgement judgement() {
    Finding finding;
    finding.kind = "page-faults";
    finding.title = "6 of the 120 occurrences of `assemble` (fem.cpp:88–131) take 9.0× longer.";
    finding.place.function = "assemble";
    finding.place.ranges = {{16, 32}};
    finding.node = findings::NodeIndex(0);
    finding.when = {{3'000'000'000, 3'500'000'000}};
    finding.threads = {0};
    finding.seconds = 2.1;
    finding.share = 0.21;
    finding.share_low = 0.2;
    finding.confidence = 0.99;
    finding.tested = true;
    finding.evidence = {{"page-faults", 4100, 10, 410, 1, 0.001}, findings::seconds("", 0.09, 0.01, 9)};
    finding.direction = "keep the memory";
    finding.confirm = "record again";
    findings::Judgement made;
    made.findings = {finding};
    made.findings[0].also = {finding};
    made.findings[0].also[0].kind = "slow-instance";
    made.advantages = {finding};
    made.advantages[0].title = "The work is even.";
    made.advantages[0].direction = "keep this division of work";
    made.control = {10, 0.1, 4};
    return made;
}

TEST(Findings, AreToldInWords) {
    const std::string text = terminal_findings({}, evidence(), judgement(), 10);
    EXPECT_THAT(text, HasSubstr("1. page-faults 21.0 % of the run (tested: 1 in 100 by chance)"));
    EXPECT_THAT(text, HasSubstr("page-faults 4,100 against 10"));
    EXPECT_THAT(text, HasSubstr("At 2.00 s."));
    EXPECT_THAT(text, HasSubstr("Direction: keep the memory."));
    EXPECT_THAT(text, HasSubstr("Also slow-instance"));
    EXPECT_THAT(text, HasSubstr("The work is even.\n    Direction: keep this division of work."));
    EXPECT_THAT(text, HasSubstr("and 0.1 on average"));
    EXPECT_LT(text.find("Direction"), text.find("The work is even."));
    EXPECT_LT(text.find("The work is even."), text.find("Control"));
}

TEST(Findings, SayHowSureTheyAre) {
    findings::Judgement made = judgement();
    made.findings[0].tested = false;
    EXPECT_THAT(terminal_findings({}, evidence(), made, 10),
                HasSubstr("21.0 % of the run (measured directly: 20.0 % at least)"));
    made.findings[0].share_low = made.findings[0].share;
    EXPECT_THAT(terminal_findings({}, evidence(), made, 10), HasSubstr("21.0 % of the run (measured directly)"));
}

TEST(Findings, AreToldInAFewLines) {
    findings::Judgement made = judgement();
    made.findings.resize(8, made.findings[0]);
    made.findings[0].title = std::string(1'000, 'x');
    for (std::size_t at = 9; at < 1'000; at += 10) {
        made.findings[0].title[at] = ' ';
    }
    const std::string text = terminal_short_findings({.width = 80}, made, 3);
    std::istringstream lines(text);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        EXPECT_LE(columns(line), 80U) << line;
    }
    EXPECT_EQ(count, 1U + 3 * 3 + 1);
    EXPECT_THAT(text, HasSubstr("   → keep the memory\n2. page-faults 21.0 % of the run"));
    EXPECT_THAT(text, HasSubstr("… 5 more: page-faults 21.0 %, page-faults 21.0 %"));
    EXPECT_THAT(text, Not(HasSubstr("record again")));
    EXPECT_THAT(terminal_finding({}, evidence(), made, 2, 5), HasSubstr("To confirm: record again."));
    EXPECT_THAT(terminal_short_findings({}, {}, 3), HasSubstr("Nothing stands out."));
}

TEST(Findings, AreAsciiWhereTheTerminalIs) {
    const std::string text = terminal_findings({.unicode = false}, evidence(), judgement(), 10);
    EXPECT_THAT(text, HasSubstr("(fem.cpp:88-131) take 9.0x longer"));
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 128; }));
}

TEST(Findings, SayThatNothingStandsOut) {
    findings::Judgement nothing;
    nothing.control = {10, 0, 3};
    const std::string text = terminal_findings({}, evidence(), nothing, 10);
    EXPECT_THAT(text, HasSubstr("Nothing stands out."));
    EXPECT_THAT(text, HasSubstr("and none on average"));
    EXPECT_THAT(text, Not(HasSubstr("What is good")));
}

void collect_keys(const nlohmann::ordered_json& json, std::vector<std::string>* names) {
    for (const auto& [key, value] : json.items()) {
        if (json.is_object()) {
            names->push_back(key);
        }
        if (value.is_structured()) {
            collect_keys(value, names);
        }
    }
}

TEST(Findings, AsDataHaveTheDocumentedKeys) {
    const nlohmann::ordered_json json = json_findings(evidence(), judgement().findings);
    ASSERT_EQ(json.size(), 1U);
    EXPECT_EQ(json[0]["kind"], "page-faults");
    EXPECT_EQ(json[0]["threads"][0]["name"], "worker");
    EXPECT_DOUBLE_EQ(json[0]["when_s"][0][0].get<double>(), 2.0);
    EXPECT_DOUBLE_EQ(json[0]["evidence"][0]["ratio"].get<double>(), 410);
    EXPECT_TRUE(json[0]["evidence"][1]["q"].is_null());
    EXPECT_EQ(json[0]["also"][0]["kind"], "slow-instance");

    std::ifstream file(KYMO_TEST_DOCS "/json.md");
    std::stringstream text;
    text << file.rdbuf();
    std::vector<std::string> names;
    collect_keys(json, &names);
    collect_keys(json_control(judgement().control), &names);
    for (const std::string& name : names) {
        EXPECT_THAT(text.str(), HasSubstr("`" + name + "`"));
    }
}

}  // namespace
}  // namespace kymo::view
