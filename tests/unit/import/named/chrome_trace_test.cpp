#include "import/named/chrome_trace.h"

#include "collector.h"
#include "pprof_bytes.h"

#include <gmock/gmock.h>
#include <map>
#include <string>
#include <vector>

namespace kymo::import::named {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Each event as a line.
class TraceLines : public TraceVisitor {
  public:
    void event(const TraceEvent& event) override {
        constexpr const char* kKinds[] = {"B", "E", "X", "i", "b", "e", "C"};
        std::string line = kKinds[static_cast<int>(event.kind)];
        line += " " + std::to_string(event.time) + " " + std::to_string(event.pid) + "/" +
                (event.tid == kNotGiven ? "-" : std::to_string(event.tid));
        line += event.name.empty() ? "" : " " + std::string(event.name);
        line += event.duration == 0 ? "" : " +" + std::to_string(event.duration);
        line += event.category.empty() ? "" : " [" + std::string(event.category) + "]";
        line += event.detail.empty() ? "" : " (" + std::string(event.detail) + ")";
        line += event.thread_time ? " clock " + std::to_string(*event.thread_time) : "";
        line += event.thread_duration ? " +" + std::to_string(*event.thread_duration) : "";
        line += event.kind == TraceKind::kCounter ? " = " + std::to_string(static_cast<long long>(event.value)) : "";
        lines.push_back(line);
        ids.push_back(event.id);
    }
    void process_name(std::uint32_t pid, std::string_view name) override {
        lines.push_back("P " + std::to_string(pid) + " " + std::string(name));
    }
    void thread_name(std::uint32_t pid, std::uint32_t tid, std::string_view name) override {
        lines.push_back("T " + std::to_string(pid) + "/" + std::to_string(tid) + " " + std::string(name));
    }
    void flow(const TraceFlow& flow) override {
        const auto [known, is_new] = flow_numbers.try_emplace(flow.id, flow_numbers.size() + 1);
        lines.push_back("F" + std::to_string(known->second) + " " + "ste"[static_cast<int>(flow.part)] + " " +
                        std::to_string(flow.time) + " " + std::to_string(flow.pid) + "/" + std::to_string(flow.tid) +
                        " " + std::string(flow.name));
    }
    void stack_frame(const TraceFrame& frame) override {
        names[frame.number] = std::string(frame.function) + "@" + std::string(frame.module);
        parents[frame.number] = frame.parent;
    }
    void stack_sample(const TraceSample& sample) override {
        samples.push_back(sample);
        samples.back().name = {};
        sample_names.emplace_back(sample.name);
    }
    // Once all is read: with their stacks, outermost first.
    std::vector<std::string> sample_lines() {
        std::vector<std::string> all;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const TraceSample& sample = samples[i];
            std::string stack;
            for (std::uint64_t frame = sample.frame; names.contains(frame); frame = parents[frame]) {
                stack = " " + names[frame] + stack;
            }
            all.push_back(
                std::to_string(sample.time) +
                (sample.represents_time ? " since " + std::to_string(sample.since) : "") + " " +
                (sample.pid == kNotGiven ? "-" : std::to_string(sample.pid)) + "/" + std::to_string(sample.tid) +
                (sample.is_outside_slices ? " outside" : "") +
                (sample_names[i].empty() ? "" : " " + sample_names[i] + "*" + std::to_string(sample.weight)) + stack);
        }
        return all;
    }
    bool enough() const override { return is_enough; }

    std::map<std::uint64_t, std::size_t> flow_numbers;
    std::map<std::uint64_t, std::string> names;  // of frames
    std::map<std::uint64_t, std::uint64_t> parents;
    std::vector<TraceSample> samples;
    std::vector<std::string> sample_names;
    std::vector<std::string> lines;
    std::vector<std::uint64_t> ids;
    bool is_enough = false;
};

struct ReadTrace {
    Result<TraceFacts> facts;
    std::vector<std::string> lines;
    std::vector<std::uint64_t> ids;
    std::vector<std::string> samples;
};

ReadTrace read(std::string_view text) {
    const TestFile file(text);
    auto input = Input::open(file.path());
    EXPECT_TRUE(input.ok());
    TraceLines lines;
    auto facts = read_chrome_trace(*input, lines);
    return {std::move(facts), lines.lines, lines.ids, lines.sample_lines()};
}

TEST(ChromeTrace, IsAnArrayOfEvents) {
    const auto trace = read(R"([
        {"ph":"M","pid":7,"name":"process_name","args":{"name":"Browser"}},
        {"ph":"M","pid":7,"tid":8,"name":"thread_name","args":{"name":"CrMain"}},
        {"ph":"X","pid":7,"tid":8,"ts":10.5,"dur":2,"name":"RunTask","cat":"toplevel,v8","tts":100,"tdur":1.25},
        {"ph":"B","pid":7,"tid":8,"ts":20,"name":"layout"}, {"ph":"E","pid":7,"tid":8,"ts":21},
        {"ph":"i","s":"t","pid":7,"tid":8,"ts":22,"name":"click"}, {"ph":"I","s":"g","pid":7,"tid":8,"ts":23,"name":"vsync"},
        {"ph":"C","pid":7,"tid":8,"ts":24,"name":"heap","args":{"used":5,"free":-2}},
        {"ph":"C","pid":7,"ts":25,"name":"frames","args":{"value":3}}
    ])");
    ASSERT_TRUE(trace.facts);
    EXPECT_THAT(
        trace.lines,
        ElementsAre("P 7 Browser", "T 7/8 CrMain", "X 10500 7/8 RunTask +2000 [toplevel,v8] clock 100000 +1250",
                    "B 20000 7/8 layout", "E 21000 7/8", "i 22000 7/8 click", "i 23000 7/- vsync",
                    "C 24000 7/8 heap used = 5", "C 24000 7/8 heap free = -2", "C 25000 7/- frames = 3"));
    EXPECT_THAT(trace.facts->notices, IsEmpty());
    EXPECT_EQ(trace.facts->events, 8U);
}

TEST(ChromeTrace, IsAMemberOfAnObject) {
    const auto trace = read(R"({"otherData":{"traceEvents":[{"ph":"B"}],"x":[[{}]]},
        "traceEvents":[{"args":{"detail":"a.h","deep":{"name":"no","detail":"no"}},"dur":1,"name":"Source","ph":"X","pid":1,
        "tid":1,"ts":0},{"ph":"X","pid":1,"tid":2,"ts":0,"dur":9,"name":"Total Source","args":{"count":2,"avg ms":4}}],
        "displayTimeUnit":"ns","samples":[{"ph":"X"}]})");
    ASSERT_TRUE(trace.facts);
    EXPECT_THAT(trace.lines, ElementsAre("X 0 1/1 Source +1000 (a.h)"));
    EXPECT_THAT(trace.facts->notices, ElementsAre("left out: 1 samples without a stack, 1 sums by name"));
}

TEST(ChromeTrace, MayBeCutOffAnywhere) {
    const std::string whole =
        R"([{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"},{"ph":"X","pid":1,"tid":1,"ts":2,"dur":1,"name":"b"}])";
    for (std::size_t length = whole.find('}') + 1; length < whole.size(); ++length) {
        const auto trace = read(whole.substr(0, length));
        ASSERT_TRUE(trace.facts) << length;
        EXPECT_EQ(trace.lines.size(), length < whole.rfind('}') + 1 ? 1U : 2U) << length;
        EXPECT_THAT(trace.facts->notices, ElementsAre(HasSubstr("cut off"))) << length;
    }
    EXPECT_THAT(read(whole).facts->notices, IsEmpty());
    const auto damaged = read(whole.substr(0, whole.size() - 1) + ",?]");
    ASSERT_TRUE(damaged.facts);
    EXPECT_THAT(damaged.facts->notices, ElementsAre(HasSubstr("damaged")));
}

TEST(ChromeTrace, HasFlows) {
    const auto trace = read(R"([{"ph":"s","pid":1,"tid":2,"ts":1,"id":7,"name":"post","cat":"a"},
        {"ph":"t","pid":1,"tid":3,"ts":2,"id":7,"name":"post","cat":"a"},
        {"ph":"f","bp":"e","pid":1,"tid":4,"ts":3,"id":7,"name":"post","cat":"a"},
        {"ph":"f","pid":1,"tid":4,"ts":4,"id":7,"name":"other","cat":"a"},
        {"ph":"X","pid":1,"tid":2,"ts":5,"dur":1,"name":"sends","bind_id":"0x7","flow_out":true},
        {"ph":"X","pid":1,"tid":3,"ts":6,"dur":1,"name":"passes","bind_id":"0x7","flow_in":true,"flow_out":true},
        {"ph":"X","pid":1,"tid":4,"ts":7,"dur":1,"name":"has","bind_id":"0x7","flow_in":true,"flow_out":false},
        {"ph":"X","pid":1,"tid":4,"ts":8,"dur":1,"name":"none","bind_id":"0x7"}])");
    ASSERT_TRUE(trace.facts);
    EXPECT_THAT(trace.lines, ElementsAre("F1 s 1000 1/2 post", "F1 t 2000 1/3 post", "F1 e 3000 1/4 post",
                                         "F2 e 4000 1/4 other", "F3 s 5000 1/2 sends", "X 5000 1/2 sends +1000",
                                         "F3 t 6000 1/3 passes", "X 6000 1/3 passes +1000", "F3 e 7000 1/4 has",
                                         "X 7000 1/4 has +1000", "X 8000 1/4 none +1000"));
    EXPECT_EQ(trace.facts->events, 11U);
}

TEST(ChromeTrace, HasSamplesOfV8) {
    const auto trace = read(R"json([
        {"ph":"P","pid":7,"tid":8,"ts":1000,"id":"0x1","name":"Profile","cat":"v8","args":{"data":{"startTime":990.5}}},
        {"ph":"P","pid":7,"tid":9,"ts":1300,"id":"0x1","name":"ProfileChunk","cat":"v8","args":{"data":{
            "cpuProfile":{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","url":""}
},
                {"id":2,"parent":1,"callFrame":{"functionName":"(program)"}},
                {"id":3,"parent":1,"callFrame":{"functionName":"","url":"file:///srv/a.js","lineNumber":4}},
                {"id":4,"parent":3,"callFrame":{"functionName":"inner","url":"node:fs"}},
                {"id":5,"parent":1,"callFrame":{"functionName":"(idle)"}}],
              "samples":[2,3,4,5]
}
, "lines" : [ 1, 2, 3, 4 ], "timeDeltas" : [ 9.5, 100, 100, 50 ]
}
}
},
        {"ph":"P","pid":7,"tid":9,"ts":1400,"id":"0x1","name":"ProfileChunk","cat":"v8","args":{"data":{
            "cpuProfile":{"samples":[3,1]},"timeDeltas":[100,1]}}},
        {"ph":"P","pid":7,"tid":9,"ts":1400,"id":"0x2","name":"ProfileChunk","cat":"v8","args":{"data":{
            "cpuProfile":{"samples":[3]},"timeDeltas":[100]}}}])json");
    ASSERT_TRUE(trace.facts);
    EXPECT_THAT(trace.samples, ElementsAre("1000000 since 990500 7/8 outside (program)@[v8]",
                                           "1100000 since 1000000 7/8 (anonymous)@/srv/a.js",
                                           "1200000 since 1100000 7/8 (anonymous)@/srv/a.js inner@node:fs",
                                           "1350000 since 1250000 7/8 (anonymous)@/srv/a.js"));
    EXPECT_EQ(trace.facts->events, 4U);
    EXPECT_THAT(trace.facts->notices, ElementsAre(HasSubstr("1 samples have no time or stack")));
}

TEST(ChromeTrace, HasSamplesOfOtherProfilers) {
    const auto trace =
        read(R"({"samples":[{"cpu":0,"tid":8,"ts":30.0,"name":"cycles","sf":2,"weight":5},{"tid":8,"ts":-1,"sf":2}],
        "traceEvents":[{"ph":"P","pid":7,"tid":8,"ts":10,"name":"sample","sf":"3"},
            {"ph":"P","pid":7,"tid":8,"ts":20,"name":"misses","stack":["main","outer","inner"]}],
        "stackFrames":{"3":{"name":"leaf","category":"libc.so","parent":"2"},"2":{"name":"middle","parent":1},"1":{"name":"main","category":"app"}}})");
    ASSERT_TRUE(trace.facts);
    EXPECT_THAT(trace.samples,
                ElementsAre("30000 -/8 cycles*5 main@app middle@", "10000 7/8 main@app middle@ leaf@libc.so",
                            "20000 7/8 misses*1 main@ outer@ inner@"));
    EXPECT_THAT(trace.facts->notices, ElementsAre(HasSubstr("1 events have no time")));
}

TEST(ChromeTrace, SaysWhatIsLeftOut) {
    const auto trace = read(R"([{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"},
        {"ph":"P","pid":1,"tid":1,"ts":1,"name":"Profile"},{"ph":"z","pid":1,"tid":1,"ts":1},
        {"ph":"X","pid":1,"ts":1,"name":"no thread"},{"ph":"X","pid":1,"tid":1,"ts":-5,"name":"before time"},
        {"ph":"X","pid":1,"tid":1,"name":"no time"},{"name":"no phase"},{}])");
    ASSERT_TRUE(trace.facts);
    EXPECT_EQ(trace.lines.size(), 1U);
    EXPECT_THAT(trace.facts->notices, ElementsAre("left out: 1 events of unknown phases, 1 samples without a stack",
                                                  HasSubstr("4 events have no time")));
}

TEST(ChromeTrace, TellsAsynchronousSpansApart) {
    const auto trace = read(R"([{"ph":"b","pid":1,"tid":1,"ts":1,"id":"0x1","cat":"net","name":"load"},
        {"ph":"e","pid":1,"tid":2,"ts":2,"id":"0x1","cat":"net","name":"load"},
        {"ph":"b","pid":1,"tid":1,"ts":3,"id2":{"local":"0x2"},"cat":"net","name":"load"},
        {"ph":"S","pid":1,"tid":1,"ts":4,"id":17,"cat":"net","name":"load"},
        {"ph":"b","pid":1,"tid":1,"ts":5,"id":"0x1","cat":"gpu","name":"load"}])");
    ASSERT_TRUE(trace.facts);
    ASSERT_EQ(trace.ids.size(), 5U);
    EXPECT_EQ(trace.ids[0], trace.ids[1]);
    EXPECT_NE(trace.ids[0], trace.ids[2]);
    EXPECT_NE(trace.ids[0], trace.ids[3]);
    EXPECT_NE(trace.ids[0], trace.ids[4]);
}

TEST(ChromeTrace, GivesTextsNumbers) {
    const auto trace = read(R"([{"ph":"X","pid":"main","tid":"worker","ts":1,"dur":1,"name":"a"},
        {"ph":"X","pid":"main","tid":-1,"ts":1,"dur":1,"name":"b"},{"ph":"X","pid":"main","tid":"worker","ts":2,"dur":1,"name":"c"}])");
    ASSERT_TRUE(trace.facts);
    ASSERT_EQ(trace.lines.size(), 3U);
    EXPECT_THAT(trace.lines[0], HasSubstr("1073741824/1073741825"));
    EXPECT_THAT(trace.lines[1], HasSubstr("1073741824/1073741826"));
    EXPECT_THAT(trace.lines[2], HasSubstr("1073741824/1073741825"));
}

TEST(ChromeTrace, MayBeCompressed) {
    const auto trace = read(compressed(R"([{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"}])"));
    ASSERT_TRUE(trace.facts);
    EXPECT_THAT(trace.lines, ElementsAre("X 1000 1/1 a +1000"));
}

TEST(ChromeTrace, WithoutEventsIsAnError) {
    for (const char* text :
         {"", "[", "[]", "{}", "{\"traceEvents\":[]}", "null", "17", "[[[[", "{\"traceEvents\":{\"ph\":\"X\"}}"}) {
        const auto trace = read(text);
        ASSERT_FALSE(trace.facts) << text;
        EXPECT_EQ(trace.facts.error().kind, ErrorKind::kMalformed) << text;
    }
}

TEST(ChromeTrace, IsKnownByItsBeginning) {
    const auto looks = [](std::string_view text) {
        return looks_like_chrome_trace({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    };
    EXPECT_TRUE(looks(" [\n{\"pid\":1,\"ph\":\"X\"}"));
    EXPECT_TRUE(looks("\xef\xbb\xbf{\"displayTimeUnit\":\"ns\",\"traceEvents\":["));
    EXPECT_FALSE(looks("{\"a\":1}"));
    EXPECT_FALSE(looks("[1,2]"));
    EXPECT_FALSE(looks(""));
    EXPECT_FALSE(looks("perf 123 [001] \"ph\""));
}

}  // namespace
}  // namespace kymo::import::named
