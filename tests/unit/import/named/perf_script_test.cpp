// Whole texts of perf script.
#include "import/named/perf_script.h"

#include "collector.h"
#include "import/named/lines.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace kymo::import::named {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

Result<Facts> read_script(std::string_view text, Visitor& visitor) {
    const TestFile file(text);
    auto input = Input::open(file.path());
    EXPECT_TRUE(input.ok());
    return read_perf_script(*input, visitor);
}

Facts collect_script(std::string_view text, Collector& to) {
    auto facts = read_script(text, to);
    EXPECT_TRUE(facts.ok()) << (facts.ok() ? "" : facts.error().what);
    return facts.ok() ? std::move(*facts) : Facts();
}

// Of perf 6.1: perf record -e task-clock -c 2000000 -g, perf script. The program's directory is another one.
constexpr std::string_view kChains =
    "planted  9419   643.542068:    2000000 task-clock: \n"
    "\t            1160 inner+0x17 (/srv/app/planted)\n"
    "\t            11cb main+0x9 (/srv/app/planted)\n"
    "\t           2724a __libc_start_call_main+0x7a (/usr/lib/x86_64-linux-gnu/libc.so.6)\n"
    "\n"
    "planted  9419   643.544034:    2000000 task-clock: \n"
    "\t            11a6 outer+0x32 (/srv/app/planted)\n"
    "\t            11cb main+0x9 (/srv/app/planted)\n"
    "\t           2724a __libc_start_call_main+0x7a (/usr/lib/x86_64-linux-gnu/libc.so.6)\n"
    "\n";

// Likewise of perf record -e '{task-clock,page-faults}' -g sh -c …
constexpr std::string_view kKernel =
    "sh  9628   675.890973:          1 page-faults: \n"
    "\tffffffff817554ea elf_load+0x28a ([kernel.kallsyms])\n"
    "\tffffffff81755b8a load_elf_binary+0x66a ([kernel.kallsyms])\n"
    "\tffffffff821ef691 do_syscall_64+0x71 ([kernel.kallsyms])\n"
    "\tffffffff81000130 entry_SYSCALL_64_after_hwframe+0x76 ([kernel.kallsyms])\n"
    "\t    7fc01b0f2ad7 [unknown] ([unknown])\n"
    "\n"
    "sh  9628   675.891531:     250000  task-clock: \n"
    "\tffffffff8157bab0 perf_swevent_event+0x160 ([kernel.kallsyms])\n"
    "\tffffffff81000c82 asm_exc_page_fault+0x22 ([kernel.kallsyms])\n"
    "\t    7fc01b0f2ad7 [unknown] ([unknown])\n"
    "\n";

// Of perf record -e page-faults -c 1, with a program named "a b 12 3".
constexpr std::string_view kSingle =
    "        a b 12 3  9623   674.637564:          1 page-faults:  ffffffff817554ea elf_load+0x28a "
    "([kernel.kallsyms])\n"
    "        a b 12 3  9623   674.637610:          1 page-faults:      7f70dc338b70 _start+0x0 "
    "(/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2)\n";

// Of -F comm,pid,tid,cpu,time,period,event,ip,sym,symoff,dso,srcline.
constexpr std::string_view kPlaces =
    "         planted  9495/9495  [000]   668.858308:    2000000  task-clock:      56386b235160 inner+0x17 "
    "(/srv/app/planted)\n"
    "  planted.c:4\n"
    "         planted  9495/9495  [000]   668.860314:    2000000  task-clock:      56386b23516e inner+0x25 "
    "(/srv/app/planted)\n"
    "  planted.c:5\n";

TEST(PerfScript, ReadsCallChains) {
    Collector seen;
    const Facts facts = collect_script(kChains, seen);
    EXPECT_THAT(facts.notices, ElementsAre());
    EXPECT_EQ(facts.samples, 2U);
    EXPECT_EQ(facts.first_time, 643'542'068'000U);
    EXPECT_EQ(facts.last_time, 643'544'034'000U);
    EXPECT_FALSE(facts.is_summed);
    ASSERT_EQ(seen.samples.size(), 2U);
    EXPECT_EQ(seen.samples[0].path(), "inner < main < __libc_start_call_main");
    EXPECT_EQ(seen.samples[1].path(), "outer < main < __libc_start_call_main");
    EXPECT_EQ(seen.samples[0].comm, "planted");
    EXPECT_EQ(seen.samples[0].event, "task-clock");
    EXPECT_EQ(seen.samples[0].sample.tid, 9'419U);
    EXPECT_EQ(seen.samples[0].sample.period, 2'000'000U);
    EXPECT_EQ(seen.samples[0].frames[0].module, "/srv/app/planted");
    EXPECT_EQ(seen.samples[0].frames[2].address, 0x2724aU);
}

TEST(PerfScript, ReadsFramesOfTheKernelAndSeveralEvents) {
    Collector seen;
    const Facts facts = collect_script(kKernel, seen);
    EXPECT_THAT(facts.notices, ElementsAre());
    ASSERT_EQ(seen.samples.size(), 2U);
    EXPECT_EQ(seen.samples[0].path(),
              "elf_load < load_elf_binary < do_syscall_64 < entry_SYSCALL_64_after_hwframe < ?");
    EXPECT_TRUE(seen.samples[0].frames[3].is_kernel);
    EXPECT_FALSE(seen.samples[0].frames[4].is_kernel);
    EXPECT_EQ(seen.samples[0].event, "page-faults");
    EXPECT_EQ(seen.samples[1].event, "task-clock");
    EXPECT_EQ(seen.samples[1].sample.period, 250'000U);
    ASSERT_EQ(facts.events.size(), 2U);
    EXPECT_EQ(facts.events[1].name, "task-clock");
}

TEST(PerfScript, ReadsSamplesWithoutCallChains) {
    Collector seen;
    const Facts facts = collect_script(kSingle, seen);
    EXPECT_THAT(facts.notices, ElementsAre());
    ASSERT_EQ(seen.samples.size(), 2U);
    EXPECT_EQ(seen.samples[0].comm, "a b 12 3");
    EXPECT_EQ(seen.samples[0].path(), "elf_load");
    EXPECT_EQ(seen.samples[1].path(), "_start");
    EXPECT_EQ(seen.samples[1].frames[0].module, "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2");
}

TEST(PerfScript, ReadsPlacesInTheSource) {
    Collector seen;
    const Facts facts = collect_script(kPlaces, seen);
    EXPECT_THAT(facts.notices, ElementsAre());
    ASSERT_EQ(seen.samples.size(), 2U);
    EXPECT_EQ(seen.samples[0].frames[0].file, "planted.c");
    EXPECT_EQ(seen.samples[0].frames[0].line, 4U);
    EXPECT_EQ(seen.samples[1].frames[0].line, 5U);
    EXPECT_EQ(seen.samples[0].sample.cpu, 0U);
    EXPECT_EQ(seen.samples[0].sample.pid, 9'495U);

    Collector chain;
    collect_script(
        "x 1 1.5: cycles: \n"
        "\t            1160 inner (inlined)\n"
        "\t            1160 outer\n"
        "  a.c:4 (inlined)\n"
        "\t            11cb main (/srv/app)\n"
        "  ??:0\n"
        "|4        sink += i;\n",
        chain);
    ASSERT_EQ(chain.samples.size(), 1U);
    ASSERT_EQ(chain.samples[0].path(), "inner < outer < main");
    EXPECT_TRUE(chain.samples[0].frames[0].is_inlined);
    EXPECT_TRUE(chain.samples[0].frames[1].is_inlined);
    EXPECT_EQ(chain.samples[0].frames[1].file, "a.c");
    EXPECT_FALSE(chain.samples[0].frames[2].is_inlined);
    EXPECT_EQ(chain.samples[0].frames[2].file, "");
}

TEST(PerfScript, ReadsTheFewestFields) {
    for (const std::string_view text :
         {"     56386b235160 inner\n     56386b23516e outer\n",
          "\n\t            1160 inner\n\n\n\t            1170 outer\n",
          "task-clock: \n\t            1160 inner\n\ntask-clock: \n\t            1170 outer\n",
          "planted  9419 \n\t            1160 inner\n\nplanted  9419 \n\t            1170 outer\n",
          " 9419/9419  \n\t            1160 inner\n\n 9419/9419  \n\t            1170 outer\n"}) {
        Collector seen;
        const Facts facts = collect_script(text, seen);
        EXPECT_THAT(facts.notices, ElementsAre()) << text;
        ASSERT_EQ(seen.samples.size(), 2U) << text;
        EXPECT_EQ(seen.samples[0].path(), "inner") << text;
        EXPECT_EQ(seen.samples[1].path(), "outer") << text;
    }
    Collector seen;
    collect_script("     56386b235160\n     56386b23516e\n", seen);
    ASSERT_EQ(seen.samples.size(), 2U) << "addresses alone";
    EXPECT_EQ(seen.samples[1].frames[0].address, 0x56386b23516eU);
}

TEST(PerfScript, TakesAnAddressBeforeTheChainForAnotherField) {
    Collector seen;
    collect_script(
        "x     1     1.500000: page-faults:      7f74d8790000 \n"
        "\t            1160 inner (/srv/app)\n\n",
        seen);
    ASSERT_EQ(seen.samples.size(), 1U);
    EXPECT_EQ(seen.samples[0].path(), "inner");
}

TEST(PerfScript, ReadsFramesWhoseTabsBecameSpaces) {
    std::string text(kChains);
    for (std::size_t at = 0; (at = text.find('\t')) != std::string::npos;) {
        text.replace(at, 1, "        ");
    }
    Collector seen;
    const Facts facts = collect_script(text, seen);
    EXPECT_THAT(facts.notices, ElementsAre());
    ASSERT_EQ(seen.samples.size(), 2U);
    EXPECT_EQ(seen.samples[1].path(), "outer < main < __libc_start_call_main");
}

TEST(PerfScript, ReadsLinesOfOtherSystems) {
    std::string text;
    for (const char c : kChains) {
        text += c == '\n' ? "\r\n" : std::string(1, c);
    }
    Collector seen;
    const Facts facts = collect_script(text, seen);
    EXPECT_THAT(facts.notices, ElementsAre());
    ASSERT_EQ(seen.samples.size(), 2U);
    EXPECT_EQ(seen.samples[0].frames[0].module, "/srv/app/planted");
}

TEST(PerfScript, KeepsWhatTheHeadingSays) {
    Collector seen;
    const Facts facts = collect_script(std::string("# ========\n"
                                                   "# captured on    : Mon Nov 30 03:13:46 2026\n"
                                                   "# hostname : node7\n"
                                                   "# os release : 6.18.44\n"
                                                   "# perf version : 6.1.187\n"
                                                   "# arch : x86_64\n"
                                                   "# cpudesc : Some CPU @ 2.00GHz\n"
                                                   "# cmdline : /usr/bin/perf record -e task-clock -g ./planted \n"
                                                   "# ========\n"
                                                   "#\n") +
                                           std::string(kChains),
                                       seen);
    EXPECT_THAT(facts.notices, ElementsAre());
    EXPECT_EQ(seen.at_begin.hostname, "node7");
    EXPECT_EQ(facts.os_release, "6.18.44");
    EXPECT_EQ(facts.perf_version, "6.1.187");
    EXPECT_EQ(facts.arch, "x86_64");
    EXPECT_EQ(facts.cpu_description, "Some CPU @ 2.00GHz");
    EXPECT_EQ(facts.command_line, "/usr/bin/perf record -e task-clock -g ./planted");
    EXPECT_EQ(facts.samples, 2U);
}

TEST(PerfScript, CountsLostRecordsAmongOthers) {
    Collector seen;
    const Facts facts = collect_script(
        std::string(
            "         planted  9495 [000]   668.856299: PERF_RECORD_COMM exec: planted:9495/9495\n"
            "         planted  9495 [000]   668.856342: PERF_RECORD_MMAP2 9495/9495: [0x56386b234000(0x5000) @ 0 "
            "fe:00 10985984 1967371888]: r--p /srv/app/planted\n"
            "         planted  9495 [000]   668.856350: PERF_RECORD_LOST lost 17\n") +
            std::string(kChains),
        seen);
    EXPECT_THAT(facts.notices, ElementsAre());
    EXPECT_EQ(facts.samples, 2U);
    EXPECT_EQ(facts.lost, 17U);
}

TEST(PerfScript, CountsWhatItDoesNotUnderstand) {
    Collector seen;
    const Facts facts = collect_script(std::string("[ perf record: Woken up 1 times to write data ]\n") +
                                           std::string(kChains) + "hello\n\tworld\nWarning:\n" + std::string(kChains),
                                       seen);
    EXPECT_EQ(facts.samples, 4U);
    EXPECT_THAT(facts.notices,
                ElementsAre("left out: 4 lines that are not as perf script prints them, the first is line 1"));
}

TEST(PerfScript, RefusesTextWithoutSamples) {
    for (const std::string_view text : {"", "\n\n", "hello\nworld\n", "# hostname : node7\n", "\0\1\2\3"}) {
        Collector seen;
        const auto facts = read_script(text, seen);
        ASSERT_FALSE(facts.ok());
        EXPECT_EQ(facts.error().kind, ErrorKind::kMalformed);
        EXPECT_THAT(facts.error().what, HasSubstr("has no samples"));
    }
    Collector seen;
    EXPECT_THAT(read_script("\nhello\n", seen).error().what, HasSubstr("line 2"));
}

TEST(PerfScript, PassesOverLongLines) {
    const std::string longest(Lines::kMostBytes, 'x');
    Collector seen;
    const Facts facts = collect_script("x 1 1.5: cycles: \n\t 1 inner\n\t 2 " + longest + "\n\t 3 outer\n\t " +
                                           std::string(std::size_t{3} << 20, '4') + "\n\t 5 main\n",
                                       seen);
    ASSERT_EQ(seen.samples.size(), 1U);
    EXPECT_EQ(seen.samples[0].path(), "inner < outer < main");
    EXPECT_THAT(facts.notices, ElementsAre("left out: 2 lines of more than 64 KiB, the first is line 3"));
}

TEST(PerfScript, CutsLongCallChains) {
    std::string text = "x 1 1.5: cycles: \n";
    for (int i = 0; i < 5'000; ++i) {
        text += "\t 1 f" + std::to_string(i) + " (/srv/app)\n";
    }
    const std::string wide = std::string(60'000, 'w');
    text += "\nx 1 1.6: cycles: \n";
    for (int i = 0; i < 100; ++i) {
        text += "\t 1 " + wide + "\n";
    }
    Collector seen;
    const Facts facts = collect_script(text + "\n" + std::string(kChains), seen);
    ASSERT_EQ(seen.samples.size(), 4U);
    EXPECT_EQ(seen.samples[0].frames.size(), 4'096U);
    EXPECT_EQ(seen.samples[0].frames[4'095].function, "f4095");
    EXPECT_EQ(seen.samples[1].frames.size(), 69U) << "4 MiB of names";
    EXPECT_EQ(seen.samples[2].frames.size(), 3U);
    EXPECT_THAT(facts.notices,
                ElementsAre("left out: outer ends of 2 call paths, longer than 4,096 frames or 4 MiB"));
}

TEST(PerfScript, LimitsEvents) {
    std::string text;
    for (int i = 0; i < 1'100; ++i) {
        text += "x 1 1.5: event-" + std::to_string(i) + ":  \n\t 1 inner\n\n";
    }
    Collector seen;
    const Facts facts = collect_script(text, seen);
    EXPECT_EQ(facts.events.size(), 1'024U);
    EXPECT_EQ(facts.samples, 1'024U);
    EXPECT_THAT(facts.notices, ElementsAre("left out: 76 samples of further events than 1,024"));
}

TEST(PerfScript, ReadsWhatComesThroughAPipe) {
    std::string text;
    while (text.size() < (std::size_t{2} << 20)) {
        text += kChains;
    }
    const std::string pipe = testing::TempDir() + "/kymo-script-pipe-" + std::to_string(::getpid());
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << text; });
    auto input = Input::open(pipe);
    ASSERT_TRUE(input.ok());
    const auto beginning = input->peek(1'000);
    ASSERT_TRUE(beginning.ok());
    EXPECT_EQ(beginning->size(), 1'000U);
    EXPECT_TRUE(looks_like_perf_script({reinterpret_cast<const char*>(beginning->data()), beginning->size()}));
    Collector seen;
    const auto facts = read_perf_script(*input, seen);
    writer.join();
    fs::remove(pipe);
    ASSERT_TRUE(facts.ok());
    EXPECT_THAT(facts->notices, ElementsAre());
    ASSERT_EQ(facts->samples, text.size() / kChains.size() * 2);
    for (std::size_t i = 0; i < seen.samples.size(); ++i) {
        ASSERT_EQ(seen.samples[i].path(),
                  i % 2 == 0 ? "inner < main < __libc_start_call_main" : "outer < main < __libc_start_call_main");
    }
}

TEST(PerfScript, EndsWhenTheVisitorHasEnough) {
    std::string text;
    for (int i = 0; i < 10'000; ++i) {
        text += kChains;
    }
    Collector seen;
    seen.enough_after = 100;
    const Facts facts = collect_script(text, seen);
    EXPECT_GE(facts.samples, 100U);
    EXPECT_LT(facts.samples, 2'000U);
}

TEST(PerfScript, IsRecognized) {
    for (const std::string_view text : {kChains, kKernel, kSingle, kPlaces}) {
        EXPECT_TRUE(looks_like_perf_script(text));
    }
    EXPECT_FALSE(looks_like_perf_script(""));
    EXPECT_FALSE(looks_like_perf_script("hello\nworld 1:\n"));
    EXPECT_FALSE(looks_like_perf_script("{\"traceEvents\": [\n  {\"ts\": 1.5}\n]}\n"));
    EXPECT_FALSE(looks_like_perf_script("main;outer;inner 17\nmain 3\n"));
    EXPECT_FALSE(looks_like_perf_script(std::string(kChains) + '\0'));
}

TEST(Input, SaysWhyItCannotBeRead) {
    EXPECT_EQ(Input::open("/nowhere/profile").error().kind, ErrorKind::kNotFound);
    EXPECT_EQ(Input::open(testing::TempDir()).error().kind, ErrorKind::kPermission);
}

}  // namespace
}  // namespace kymo::import::named
