// Profiles of pprof.
#include "import/named/pprof_file.h"

#include "collector.h"
#include "import/named/pprof_tables.h"
#include "pprof_bytes.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <map>
#include <tuple>

namespace kymo::import::named {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Facts> read_profile(std::string_view bytes, Visitor& visitor) {
    const TestFile file(bytes);
    auto input = Input::open(file.path());
    EXPECT_TRUE(input.ok());
    return read_pprof(*input, visitor);
}

Facts collect_profile(std::string_view bytes, Collector& to) {
    auto facts = read_profile(bytes, to);
    EXPECT_TRUE(facts.ok()) << (facts.ok() ? "" : facts.error().what);
    return facts.ok() ? std::move(*facts) : Facts();
}

bool is_recognized(std::string_view bytes) {
    return looks_like_pprof({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

// As Go's programs write them: two kinds of values, and a function inlined into another.
MadeProfile go_profile() {
    MadeProfile to;
    to.type("samples", "count").type("cpu", "nanoseconds").period(10'000'000, "cpu", "nanoseconds");
    to.times(1'700'000'000'000'000'000, 2'000'000'000);
    to.mapping(1, "/srv/app/planted").mapping(2, "[kernel.kallsyms]");
    to.function(1, "main.inner", "/src/inner.go").function(2, "main.outer", "/src/outer.go");
    to.function(3, "main.main", "/src/main.go").function(4, "do_syscall_64");
    to.location(1, 1, 0x401000, {{1, 7}, {2, 17}}).location(2, 1, 0x402000, {{3, 27}});
    to.location(3, 2, 0xffffffff81000000, {{4, 0}}).location(4, 1, 0x403000, {});
    to.sample({1, 2}, {3, 30'000'000}).sample({3, 4, 2}, {1, 10'000'000}).sample({2}, {0, 0});
    return to;
}

TEST(PprofFile, DeliversEachKindOfValue) {
    const std::string plain = go_profile().bytes();
    for (const std::string& bytes : {plain, compressed(plain)}) {
        Collector seen;
        const Facts facts = collect_profile(bytes, seen);
        EXPECT_THAT(facts.notices, ElementsAre());
        EXPECT_EQ(facts.samples, 4U);
        ASSERT_EQ(seen.samples.size(), 4U);
        const SeenSample& first = seen.samples[0];
        EXPECT_EQ(first.event, "samples");
        EXPECT_EQ(first.unit, "count");
        EXPECT_EQ(first.sample.period, 3U);
        EXPECT_EQ(first.path(), "main.inner < main.outer < main.main");
        EXPECT_EQ(seen.samples[1].event, "cpu");
        EXPECT_EQ(seen.samples[1].unit, "nanoseconds");
        EXPECT_EQ(seen.samples[1].sample.period, 30'000'000U);
        EXPECT_EQ(seen.samples[1].path(), first.path());
        EXPECT_EQ(first.sample.time, 0U);
        EXPECT_EQ(first.sample.tid, kNotGiven);

        EXPECT_TRUE(first.frames[0].is_inlined);
        EXPECT_FALSE(first.frames[1].is_inlined);
        EXPECT_EQ(first.frames[0].file, "/src/inner.go");
        EXPECT_EQ(first.frames[0].line, 7U);
        EXPECT_EQ(first.frames[1].line, 17U);
        EXPECT_EQ(first.frames[0].address, 0x401000U);
        EXPECT_EQ(first.frames[0].module, "/srv/app/planted");

        EXPECT_EQ(seen.samples[3].path(), "do_syscall_64 < ? < main.main");
        EXPECT_TRUE(seen.samples[3].frames[0].is_kernel);
        EXPECT_EQ(seen.samples[3].frames[1].address, 0x403000U) << "a location without a function";
        EXPECT_FALSE(seen.samples[3].frames[1].is_kernel);
        EXPECT_TRUE(is_recognized(bytes));
    }
}

TEST(PprofFile, DescribesItself) {
    Collector seen;
    const Facts facts = collect_profile(go_profile().bytes(), seen);
    ASSERT_EQ(seen.at_begin.events.size(), 2U);
    EXPECT_EQ(seen.at_begin.default_event, 1U) << "the last one, where the profile names none";
    EXPECT_EQ(facts.period, 10'000'000U);
    EXPECT_EQ(facts.period_event.name, "cpu");
    EXPECT_EQ(facts.period_event.unit, "nanoseconds");
    EXPECT_EQ(facts.wall_ns, 1'700'000'000'000'000'000U);
    EXPECT_EQ(facts.duration_ns, 2'000'000'000U);
    EXPECT_TRUE(facts.is_summed);
    Collector again;
    EXPECT_EQ(collect_profile(go_profile().default_type("samples").bytes(), again).default_event, 0U);
}

TEST(PprofFile, ReadsLabels) {
    for (const auto& [pid, tid, name, cpu] :
         {std::tuple("pid", "tid", "comm", "cpu"), std::tuple("process_id", "thread_id", "thread_name", "cpu_id"),
          std::tuple("process id", "thread id", "thread name", "CPU"),
          std::tuple("ProcessID", "ThreadId", "thread", "cpu")}) {
        MadeProfile made = go_profile();
        made.sample({2}, {1, 0},
                    {{pid, "", 10}, {tid, "", 11}, {name, "worker", 0}, {cpu, "", 3}, {"bytes", "", 64}});
        made.sample({2}, {1, 0},
                    {{pid, "10", 0}, {tid, "11", 0}, {tid, "x11", 0}, {cpu, "", -1}, {"state", "user", 0}});
        Collector seen;
        collect_profile(made.bytes(), seen);
        ASSERT_EQ(seen.samples.size(), 6U);
        const SeenSample& first = seen.samples[4];
        EXPECT_EQ(first.sample.pid, 10U) << pid;
        EXPECT_EQ(first.sample.tid, 11U) << tid;
        EXPECT_EQ(first.comm, "worker") << name;
        EXPECT_EQ(first.sample.cpu, 3U) << cpu;
        EXPECT_EQ(seen.samples[5].sample.pid, 10U) << "a number as text";
        EXPECT_EQ(seen.samples[5].sample.tid, 11U);
        EXPECT_EQ(seen.samples[5].sample.cpu, kNotGiven);
    }
}

TEST(PprofFile, ReadsTimes) {
    MadeProfile made = go_profile();
    made.sample({2}, {1, 0}, {{"end_timestamp_ns", "", 2'000}})
        .sample({2}, {1, 0}, {{"end_timestamp_ns", "", 1'000}});
    Collector seen;
    const Facts facts = collect_profile(made.bytes(), seen);
    EXPECT_FALSE(seen.at_begin.is_summed);
    EXPECT_EQ(facts.first_time, 1'000U);
    EXPECT_EQ(facts.last_time, 2'000U);
    EXPECT_EQ(seen.samples[4].sample.time, 2'000U);
}

TEST(PprofFile, ReadsNumbersInFieldsOfTheirOwn) {
    MadeProfile made;
    made.type("samples", "count")
        .function(1, "f")
        .function(2, "g")
        .location(1, 0, 0, {{1, 0}})
        .location(2, 0, 0, {{2, 0}});
    made.sample({1, 2}, {7}, {}, false);
    Collector seen;
    collect_profile(made.bytes(), seen);
    ASSERT_EQ(seen.samples.size(), 1U);
    EXPECT_EQ(seen.samples[0].path(), "f < g");
    EXPECT_EQ(seen.samples[0].sample.period, 7U);
}

TEST(PprofFile, FindsEntriesByAnyNumbers) {
    MadeProfile made;
    made.type("samples", "count");
    made.function(0xffffffffffffffff, "f").function(3, "g").function(3, "later g").function(2, "", "", "_Z1hv");
    made.location(900, 0, 0, {{3, 0}}).location(7, 0, 0, {{0xffffffffffffffff, 0}}).location(1, 0, 0, {{2, 0}});
    made.sample({900, 7, 1, 5, 0}, {1});
    Collector seen;
    const Facts facts = collect_profile(made.bytes(), seen);
    ASSERT_EQ(seen.samples.size(), 1U);
    EXPECT_EQ(seen.samples[0].path(), "g < f < _Z1hv < ? < ?");
    EXPECT_THAT(facts.notices, ElementsAre());
}

TEST(PprofFile, LeavesOutWhatHasNoMeaning) {
    MadeProfile made = go_profile();
    made.sample({2}, {-5, 1});
    made.raw(2, "\x0a\x7f");   // a sample whose path is longer than it
    made.raw(5, "\x08");       // a function without a number
    made.raw(99, "whatever");  // a field of later versions
    Collector seen;
    const Facts facts = collect_profile(made.bytes(), seen);
    EXPECT_EQ(facts.samples, 5U);
    EXPECT_THAT(facts.notices,
                ElementsAre("left out: parts of 1 entries that are damaged", "left out: 1 samples that are damaged",
                            "left out: 1 values below 0, as differences between profiles have"));
}

TEST(PprofFile, ReadsWhatIsThereOfACutFile) {
    const std::string whole = go_profile().bytes();
    Collector seen;
    const Facts facts = collect_profile(std::string_view(whole).substr(0, whole.size() - 3), seen);
    EXPECT_EQ(facts.samples, 4U);
    EXPECT_THAT(facts.notices, ElementsAre(HasSubstr("cut off")));
    for (std::size_t size = 0; size < whole.size(); ++size) {
        Collector part;
        (void)read_profile(std::string_view(whole).substr(0, size), part);
    }
}

TEST(PprofFile, CutsLongCallPaths) {
    MadeProfile made = go_profile();
    made.sample(std::vector<std::uint64_t>(5'000, 2), {1, 0});
    std::vector<MadeLine> lines(3'000, MadeLine{1, 1});
    made.location(5, 1, 0, lines).sample({5, 5, 5, 5, 5}, {1, 0});
    Collector seen;
    const Facts facts = collect_profile(made.bytes(), seen);
    ASSERT_EQ(seen.samples.size(), 6U);
    EXPECT_EQ(seen.samples[4].frames.size(), 4'096U);
    EXPECT_EQ(seen.samples[5].frames.size(), 4'096U);
    EXPECT_THAT(facts.notices, ElementsAre(HasSubstr("larger tables"),
                                           "left out: outer ends of 2 call paths, longer than 4,096 frames"));
}

TEST(PprofFile, LimitsKindsOfValues) {
    MadeProfile made = go_profile();
    for (int i = 0; i < 100; ++i) {
        made.type("type " + std::to_string(i), "count");
    }
    made.sample({2}, std::vector<std::int64_t>(200, 1));
    Collector seen;
    const Facts facts = collect_profile(made.bytes(), seen);
    EXPECT_EQ(facts.events.size(), PprofTables::kMostTypes);
    EXPECT_EQ(seen.samples.size(), 4 + PprofTables::kMostTypes);
}

TEST(PprofFile, EndsWhereLittleBecomesTooMuch) {
    class Counter : public Visitor {
      public:
        void sample(const Sample& from) override { frames += from.frames.size(); }
        std::uint64_t frames = 0;
    };
    MadeProfile made = go_profile();
    made.location(5, 1, 0, std::vector<MadeLine>(1'024, MadeLine{1, 1}));
    std::string bytes = made.bytes();
    std::string sample;
    protozero::pbf_writer(sample).add_bytes(2, "\x0a\x04\x05\x05\x05\x05\x12\x01\x01", 9);
    for (int i = 0; i < 400'000; ++i) {
        bytes += sample;
    }
    Counter counter;
    const auto facts = read_profile(bytes, counter);
    ASSERT_TRUE(facts.ok());
    EXPECT_LE(counter.frames, std::uint64_t{1} << 30);
    EXPECT_THAT(facts->notices, ElementsAre(HasSubstr("after the first 2^30 frames")));
}

TEST(PprofFile, RefusesOtherFiles) {
    MadeProfile empty;
    empty.type("samples", "count");
    for (const std::string& bytes : {std::string(), std::string("hello\n"), std::string(100, '\xff'),
                                     compressed("hello"), MadeProfile().bytes(), empty.bytes()}) {
        Collector seen;
        const auto facts = read_profile(bytes, seen);
        ASSERT_FALSE(facts.ok());
        EXPECT_EQ(facts.error().kind, ErrorKind::kMalformed);
    }
    for (const std::string& bytes :
         {std::string(), std::string("hello\n"), std::string(100, '\xff'), compressed("hello"),
          std::string("planted  9419   643.542068:    2000000 task-clock: \n"), std::string("# hostname : node7\n"),
          std::string("PERFILE2"), std::string("\n\t            1160 inner\n"), std::string("{\"a\": 1}")}) {
        EXPECT_FALSE(is_recognized(bytes)) << bytes;
    }
}

// kymo record of a program whose main calls outer, which calls inner; a second thread does half of that.
TEST(PprofFile, ReadsWhatKymoExports) {
    auto input = Input::open(KYMO_TEST_EXPORT);
    ASSERT_TRUE(input.ok());
    const auto beginning = input->peek(4'096);
    ASSERT_TRUE(beginning.ok());
    EXPECT_TRUE(looks_like_pprof(*beginning));
    Collector seen;
    const auto facts = read_pprof(*input, seen);
    ASSERT_TRUE(facts.ok());
    EXPECT_THAT(facts->notices, ElementsAre());
    ASSERT_EQ(facts->events.size(), 3U);
    EXPECT_EQ(facts->events[0].name, "cpu");
    EXPECT_EQ(facts->events[2].name, "samples");
    EXPECT_EQ(facts->default_event, 0U);
    std::map<std::string, std::uint64_t> samples;
    std::map<std::uint32_t, std::uint64_t> threads;
    for (const SeenSample& sample : seen.samples) {
        EXPECT_EQ(sample.comm, "planted");
        if (sample.event == "samples") {
            samples[sample.path()] += sample.sample.period;
            threads[sample.sample.tid] += sample.sample.period;
        }
    }
    EXPECT_EQ(threads.size(), 2U);
    const auto path = std::find_if(samples.begin(), samples.end(),
                                   [](const auto& one) { return one.first.starts_with("inner < outer < main < "); });
    ASSERT_NE(path, samples.end());
    EXPECT_GT(path->second, 10U);
}

}  // namespace
}  // namespace kymo::import::named
