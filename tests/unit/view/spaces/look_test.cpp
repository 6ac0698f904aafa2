#include "view/spaces/look.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace kymo::view {
namespace {

using namespace spacetime;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

Evidence earlier() {
    Evidence evidence;
    for (const char* name : {"work", "rest"}) {
        SpaceNode node;
        node.place.function = name;
        node.place.file = "app.cpp";
        node.place.line_begin = 7;
        node.place.line_end = 9;
        evidence.nodes.push_back(node);
    }
    HeavySpace heavy;
    heavy.place.function = "inner";
    evidence.spaces.push_back(heavy);
    return evidence;
}

SecondLook look() {
    SecondLook look;
    look.asked = {.is_look = true,
                  .recording = "/tmp/first.kymo",
                  .begin = 0,
                  .events = {"page-faults:period=1", "task-clock:freq=100"},
                  .left_out = 1234};
    look.first_counters = {"task-clock"};
    look.second_counters = {"task-clock", "page-faults"};
    const Seen first{.is_seen = true, .count = 10, .ns = 2'000'000'000, .longest_ns = 300'000'000, .deltas = {1}};
    const Seen second{
        .is_seen = true, .count = 8, .ns = 1'000'000'000, .longest_ns = 200'000'000, .deltas = {1, 4242}};
    look.spaces = {{.node = NodeIndex(0), .first = first, .second = second},
                   {.node = NodeIndex(1), .first = first, .second = {}},
                   {.space = 0, .first = first, .second = second}};
    look.intervals = {{.node = NodeIndex(1), .first = first, .second = second}};
    look.patterns = {{.node = NodeIndex(0), .before = 1, .after = kStreamEdge, .first = first, .second = second}};
    return look;
}

void collect_but_events(const Json& json, std::vector<std::string>* names) {
    for (const auto& [key, value] : json.items()) {
        if (json.is_object()) {
            names->push_back(key);
        }
        if (value.is_structured() && key != "events") {
            collect_but_events(value, names);
        }
    }
}

TEST(SecondLook, AsDataHasTheDocumentedKeys) {
    const Evidence evidence = earlier();
    const Json json = json_second_look(look(), &evidence);
    EXPECT_EQ(json["recording"], "/tmp/first.kymo");
    EXPECT_TRUE(json["problem"].is_null());
    EXPECT_EQ(json["left_out_samples"], 1234);
    EXPECT_EQ(json["spaces"][0]["name"], "work");
    EXPECT_EQ(json["spaces"][0]["second"]["events"]["page-faults"], 4242);
    EXPECT_EQ(json["spaces"][0]["first"]["count"], 10);
    EXPECT_TRUE(json["spaces"][1]["second"].is_null());
    EXPECT_EQ(json["spaces"][2]["kind"], "pairs");
    EXPECT_TRUE(json["spaces"][2]["first"]["count"].is_null());
    EXPECT_EQ(json["intervals"][0]["space"], 1);
    EXPECT_EQ(json["patterns"][0]["before"]["name"], "rest");
    EXPECT_EQ(json["patterns"][0]["after"]["name"], "(end)");
    std::ifstream file(KYMO_TEST_DOCS "/json.md");
    std::stringstream text;
    text << file.rdbuf();
    std::vector<std::string> names;
    collect_but_events(json, &names);
    for (const std::string& name : names) {
        EXPECT_THAT(text.str(), HasSubstr("`" + name + "`"));
    }
    EXPECT_TRUE(json_second_look({}, nullptr).is_null());
}

TEST(SecondLook, ForPeopleBothRunsStandSideBySide) {
    const Evidence evidence = earlier();
    const std::string text = terminal_second_look({}, look(), &evidence);
    EXPECT_THAT(text, HasSubstr("/tmp/first.kymo"));
    EXPECT_THAT(text, HasSubstr("page-faults"));
    EXPECT_THAT(text, HasSubstr("2.00 s → 1.00 s"));
    EXPECT_THAT(text, HasSubstr("· → 4,242"));
    EXPECT_THAT(text, HasSubstr("not run"));
    EXPECT_THAT(text, HasSubstr("rest → work → (end)"));
    EXPECT_THAT(text, HasSubstr("1,234 samples"));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("task-clock")));
    EXPECT_EQ(terminal_second_look({}, {}, nullptr), "");
    SecondLook alone = look();
    alone.problem = "no recording there";
    EXPECT_THAT(terminal_second_look({}, alone, nullptr), HasSubstr("no recording there"));
}

}  // namespace
}  // namespace kymo::view
