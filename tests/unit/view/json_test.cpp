#include "view/json.h"

#include "made_recording.h"
#include "recording/reader.h"
#include "spacetime/profile/make_profile.h"
#include "view/json/bounded.h"

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
    EXPECT_THAT(
        keys(report_),
        ::testing::ElementsAre("recording", "left_out", "findings", "advantages", "spaces", "same_spaces",
                               "intervals", "patterns", "threads", "waits", "finds", "metrics", "processes", "ranks",
                               "rank_spread", "functions", "lines", "call_tree", "alarms", "summary", "notes"));
    EXPECT_THAT(keys(report_["recording"]),
                ::testing::IsSupersetOf({"program", "command", "host", "duration_s", "exit_status", "processes",
                                         "threads", "ranks", "samples", "lost_samples", "rate_asked_hz",
                                         "rate_delivered_hz", "call_paths", "events", "unavailable"}));
}

TEST_F(JsonReport, EveryKeyIsDocumented) {
    const std::ifstream file(KYMO_TEST_DOCS "/json.md");
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

// A root with 1,000 processes, of which the number i took i ms, and one that took nothing and was off for 1 s.
Json wide_report() {
    constexpr int kProcesses = 1'000;
    const auto costs = [](double user, double off, int samples) {
        return Json{{"user_s", user}, {"system_s", 0.0}, {"off_cpu_s", off}, {"samples", samples}};
    };
    const auto node = [](int id, const Json& parent, const char* kind, const Json& self, const Json& total) {
        return Json{{"id", id},        {"parent", parent}, {"kind", kind}, {"function", "f"}, {"module", "m"},
                    {"inlined", true}, {"file", "f.c"},    {"line", 3},    {"self", self},    {"total", total}};
    };
    Json report{{"intervals", Json::array()}, {"spaces", Json::array()}, {"call_tree", Json::array()}};
    report["call_tree"].push_back(node(0, nullptr, "root", costs(0, 0, 0), costs(499.5, 1, 1001)));
    for (int i = 0; i < kProcesses; ++i) {
        report["call_tree"].push_back(node(i + 1, 0, "process", costs(i / 1e3, 0, 1), costs(i / 1e3, 0, 1)));
    }
    report["call_tree"].push_back(node(kProcesses + 1, 0, "process", costs(0, 1, 1), costs(0, 1, 1)));
    return report;
}

TEST(BoundedReport, TheTreeKeepsTheHeaviestNodesAndItsSums) {
    const Json report = bounded(wide_report());
    const Json& tree = report["call_tree"];
    ASSERT_EQ(tree.size(), 301);  // the root, 299 processes, and what the others come to
    EXPECT_EQ(report["left_out"], Json({{"call_tree", 702}}));
    EXPECT_EQ(tree[1]["id"], 703);     // of 702 ms: the process off the processor and the last 298 are kept
    EXPECT_EQ(tree[299]["id"], 1001);  // for the time that it waited
    const Json& rest = tree[300];
    EXPECT_TRUE(rest["id"].is_null());
    EXPECT_EQ(rest["parent"], 0);
    EXPECT_EQ(rest["kind"], "left_out");
    EXPECT_TRUE(rest["line"].is_null());
    EXPECT_DOUBLE_EQ(rest["total"]["user_s"], 246.051);  // 0 + 1 + … + 701 ms
    EXPECT_EQ(rest["self"], rest["total"]);
    EXPECT_EQ(rest["self"]["samples"], 702);
}

TEST(BoundedReport, ListsKeepWhatMattersMostInTheirOrder) {
    Json report = wide_report();
    report["call_tree"] = Json::array();
    report["threads"] = Json::array();
    report["notes"] = Json::array();
    for (int i = 0; i < 61; ++i) {
        report["threads"].push_back({{"id", i}, {"on_cpu_s", i == 7 ? 0.0 : 1.0}});
    }
    for (int i = 0; i < 250; ++i) {
        report["notes"].push_back(std::to_string(i));
    }
    // A finding in a finding has the same bounds; both count together.
    const Json when = Json(std::vector<Json>(21, Json::array({1.0, 2.0})));
    report["findings"] = Json::array({{{"when_s", when}, {"also", Json::array({{{"when_s", when}}})}}});
    report["findings"][0]["when_s"][20] = {1.0, 9.0};
    report = bounded(std::move(report));
    EXPECT_EQ(report["left_out"], Json({{"threads", 1}, {"notes", 150}, {"findings.when_s", 2}}));
    EXPECT_EQ(report["threads"].size(), 60);
    EXPECT_EQ(report["threads"][7]["id"], 8);
    EXPECT_EQ(report["notes"].back(), "99");
    EXPECT_EQ(report["findings"][0]["when_s"].back(), Json::array({1.0, 9.0}));
    EXPECT_EQ(report["findings"][0]["also"][0]["when_s"].size(), 20);
    EXPECT_EQ(bounded(report)["threads"], report["threads"]);
}

TEST_F(JsonReport, OddBytesDoNotStopIt) {
    report_["recording"]["host"] = "\xff\xfe";
    EXPECT_NO_THROW(std::ignore = report_.dump(1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace
}  // namespace kymo::view
