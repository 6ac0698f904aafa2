#include "view/json.h"

#include "made_recording.h"
#include "recording/reader.h"
#include "spacetime/profile/make_profile.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;

class JsonReport : public ::testing::Test {
  protected:
    JsonReport() {
        testing::write_two_threads(folder_.path());
        const auto recording = recording::Recording::open(folder_.path());
        const auto profile = load_profile(*recording);
        report_ = json_report(*profile, make_call_tree(*profile));
    }

    testing::TemporaryFolder folder_;
    Json report_;
};

std::vector<std::string> keys(const Json& object) {
    std::vector<std::string> names;
    for (const auto& [key, value] : object.items()) {
        names.push_back(key);
    }
    return names;
}

// Every key of every object, at any depth; keys that are data (event names, causes) are left out.
void collect(const Json& json, std::vector<std::string>& names) {
    if (json.is_array()) {
        for (const Json& element : json) {
            collect(element, names);
        }
    } else if (json.is_object()) {
        for (const auto& [key, value] : json.items()) {
            names.push_back(key);
            if (!(key == "events" && value.is_object()) && key != "by_cause") {
                collect(value, names);
            }
        }
    }
}

TEST_F(JsonReport, TopLevelKeysAreTheContract) {
    EXPECT_THAT(keys(report_), ::testing::ElementsAre("recording", "findings", "advantages", "spaces", "same_spaces",
                                                      "intervals", "patterns", "threads", "waits", "finds", "metrics",
                                                      "processes", "ranks", "rank_spread", "functions", "lines",
                                                      "call_tree", "alarms", "summary", "notes"));
    EXPECT_THAT(keys(report_["recording"]),
                ::testing::IsSupersetOf({"program", "command", "host", "duration_s", "exit_status", "processes",
                                         "threads", "ranks", "samples", "lost", "rate_asked_hz", "rate_delivered_hz",
                                         "call_paths", "events", "unavailable"}));
}

TEST_F(JsonReport, EveryKeyIsDocumented) {
    std::ifstream file(KYMO_TEST_DOCS "/json.md");
    std::stringstream text;
    text << file.rdbuf();
    std::vector<std::string> names;
    collect(report_, names);
    for (const std::string& name : names) {
        EXPECT_THAT(text.str(), ::testing::HasSubstr("`" + name + "`"));
    }
}

TEST_F(JsonReport, FiguresAreThoseOfTheRecording) {
    const Json& recording = report_["recording"];
    EXPECT_EQ(recording["command"], Json({"./app", "--size", "10 20"}));
    EXPECT_DOUBLE_EQ(recording["duration_s"], 0.021);
    EXPECT_EQ(recording["exit_status"], 3);
    EXPECT_EQ(recording["samples"], 7);
    EXPECT_EQ(recording["call_paths"]["complete"], 5);
    EXPECT_EQ(recording["call_paths"]["partial"], 2);
    EXPECT_EQ(recording["call_paths"]["by_cause"], Json({{"not_walked", 1}, {"no_rule", 1}}));
    EXPECT_DOUBLE_EQ(recording["user_s"], 0.0085);
    EXPECT_DOUBLE_EQ(recording["system_s"], 0.006);
    EXPECT_DOUBLE_EQ(recording["off_cpu_s"], 0.0155);
    EXPECT_EQ(recording["events"][1]["name"], "page-faults");
    EXPECT_EQ(recording["events"][1]["mode"], "count");
    EXPECT_EQ(recording["events"][1]["count"], 8);
    EXPECT_EQ(recording["events"][1]["process_count"], 9);
    EXPECT_EQ(recording["unavailable"][0]["what"], "cycles");
}

TEST_F(JsonReport, ThreadsTellWhoCreatedThem) {
    const Json& worker = report_["threads"][1];
    EXPECT_EQ(worker["tid"], 101);
    EXPECT_EQ(worker["created_by"], Json({"app+0x10", "app+0x25", "app+0x28"}));
    EXPECT_EQ(worker["creator_tid"], 100);
    EXPECT_DOUBLE_EQ(worker["on_cpu_s"], 0.008);
    EXPECT_DOUBLE_EQ(worker["system_s"], 0.004);
    EXPECT_DOUBLE_EQ(worker["off_cpu_s"], 0.002);
    EXPECT_DOUBLE_EQ(worker["begin_s"], 0.004);
    const Json& helper = report_["threads"][2];
    EXPECT_EQ(helper["sampled"], false);
    EXPECT_TRUE(helper["system_s"].is_null());
    EXPECT_DOUBLE_EQ(helper["run_queue_s"], 0.001);
}

TEST_F(JsonReport, TheTreeAddsUp) {
    const Json& tree = report_["call_tree"];
    double self = 0;
    for (const Json& node : tree) {
        self += node["self"]["user_s"].get<double>();
        if (!node["parent"].is_null()) {
            EXPECT_LT(node["parent"].get<std::size_t>(), node["id"].get<std::size_t>());
        }
    }
    EXPECT_NEAR(self, tree[0]["total"]["user_s"].get<double>(), 1e-12);
    EXPECT_EQ(report_["functions"][0]["function"], "app+0x30");
}

TEST_F(JsonReport, OddBytesDoNotStopIt) {
    report_["recording"]["host"] = "\xff\xfe";
    EXPECT_NO_THROW(std::ignore = report_.dump(1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace
}  // namespace kymo::view
