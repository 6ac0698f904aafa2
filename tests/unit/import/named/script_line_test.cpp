// Single lines of perf script, in the forms that perf 3.16 to 6.12 give them.
#include "import/named/script_line.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace kymo::import::named {
namespace {

ScriptHeader header_of(std::string_view line) {
    const auto header = read_script_header(line);
    EXPECT_TRUE(header) << line;
    return header.value_or(ScriptHeader());
}

Frame script_frame(std::string_view line) {
    const auto frame = read_script_frame(line);
    EXPECT_TRUE(frame) << line;
    return frame.value_or(Frame());
}

TEST(ScriptLine, ReadsTheDefaultFields) {
    const ScriptHeader header = header_of("planted  9419   643.542068:    2000000 task-clock: ");
    EXPECT_EQ(header.comm, "planted");
    EXPECT_EQ(header.pid, kNotGiven);
    EXPECT_EQ(header.tid, 9'419U);
    EXPECT_EQ(header.cpu, kNotGiven);
    EXPECT_TRUE(header.has_time);
    EXPECT_EQ(header.time, 643'542'068'000U);
    EXPECT_EQ(header.period, 2'000'000U);
    EXPECT_EQ(header.event, "task-clock");
    EXPECT_FALSE(header.has_frame);
}

TEST(ScriptLine, ReadsASampleWithoutACallChain) {
    const ScriptHeader header = header_of(
        "         planted  9495/9496  [003]   668.858308123:    2000000  cycles:u:      56386b235160 "
        "inner+0x17 (/srv/app/planted)");
    EXPECT_EQ(header.comm, "planted");
    EXPECT_EQ(header.pid, 9'495U);
    EXPECT_EQ(header.tid, 9'496U);
    EXPECT_EQ(header.cpu, 3U);
    EXPECT_EQ(header.time, 668'858'308'123U);
    EXPECT_EQ(header.event, "cycles:u");
    ASSERT_TRUE(header.has_frame);
    EXPECT_FALSE(header.is_bare_address);
    EXPECT_EQ(header.frame.address, 0x56386b235160U);
    EXPECT_EQ(header.frame.function, "inner");
    EXPECT_EQ(header.frame.module, "/srv/app/planted");
}

TEST(ScriptLine, ReadsNamesWithSpaces) {
    for (const std::string& comm : std::vector<std::string>{"a b 12 3", "kworker/0:1", "Web Content", "12", ":9419",
                                                            "x [001] 7", "1/2 3/4", "-"}) {
        for (const std::string& task : std::vector<std::string>{" 9623", " 9623/9623 "}) {
            for (const std::string& cpu : std::vector<std::string>{"", " [001]"}) {
                const std::string line = comm + " " + task + cpu + "   674.637564:          1 page-faults: ";
                const ScriptHeader header = header_of(line);
                EXPECT_EQ(header.comm, comm) << line;
                EXPECT_EQ(header.tid, 9'623U) << line;
                EXPECT_EQ(header.cpu, cpu.empty() ? kNotGiven : 1U) << line;
                EXPECT_EQ(header.period, 1U) << line;
            }
        }
    }
}

TEST(ScriptLine, FindsFieldsWithoutATime) {
    ScriptHeader header = header_of("        a b 12 3  9623  ffffffff817554ea elf_load ([kernel.kallsyms])");
    EXPECT_EQ(header.comm, "a b 12 3");
    EXPECT_EQ(header.tid, 9'623U);
    EXPECT_EQ(header.frame.function, "elf_load");
    EXPECT_TRUE(header.frame.is_kernel);
    header = header_of("planted  9419    2000000 task-clock: ");
    EXPECT_EQ(header.tid, 9'419U);
    EXPECT_EQ(header.period, 2'000'000U);
    EXPECT_EQ(header.event, "task-clock");
    header = header_of("planted    2000000 task-clock: ");
    EXPECT_EQ(header.comm, "planted");
    EXPECT_EQ(header.tid, kNotGiven);
    EXPECT_EQ(header.period, 2'000'000U);
    header = header_of("        a b 12 3          1      56386b235160 inner");
    EXPECT_EQ(header.comm, "a b 12 3");
    EXPECT_EQ(header.period, 1U);
    EXPECT_EQ(header.frame.function, "inner");
    header = header_of(" 9419/9419  ");
    EXPECT_EQ(header.pid, 9'419U);
    EXPECT_EQ(header.comm, "");
    header = header_of("         planted [001]      56386b235160 inner (/srv/app/planted)");
    EXPECT_EQ(header.cpu, 1U);
    EXPECT_EQ(header.frame.function, "inner");
    header = header_of("     56386b235160 inner");
    EXPECT_EQ(header.frame.address, 0x56386b235160U);
    EXPECT_EQ(header.frame.function, "inner");
}

TEST(ScriptLine, PassesOverOtherFields) {
    ScriptHeader header = header_of("planted  9419 U       643.542068: task-clock: ");
    EXPECT_EQ(header.comm, "planted");
    EXPECT_EQ(header.tid, 9'419U);
    header = header_of(
        "planted  9495   668.858308: task-clock:      7f74d8790000      56386b235160 inner+0x17 (/srv/a b)");
    EXPECT_EQ(header.frame.address, 0x56386b235160U) << "behind the address of data";
    EXPECT_EQ(header.frame.module, "/srv/a b");
    header = header_of(
        "planted  9495   668.858308: cpu/mem-loads,ldlat=30/P:      7f74d8790000          5080021 |OP LOAD|LVL "
        "L1 hit|SNP None               32      56386b235160 inner+0x17 (/srv/app)       1234567890");
    EXPECT_EQ(header.event, "cpu/mem-loads,ldlat=30/P");
    EXPECT_EQ(header.frame.address, 0x56386b235160U);
    EXPECT_EQ(header.frame.module, "/srv/app");
    header = header_of(
        "sh  9628 [000]   675.9: sched:sched_switch: prev_comm=sh prev_pid=9628 ==> next_comm=ls next_pid=1");
    EXPECT_EQ(header.event, "sched:sched_switch");
    EXPECT_EQ(header.time, 675'900'000'000U);
    EXPECT_FALSE(header.has_frame);
}

TEST(ScriptLine, IsNotMadeOfOtherText) {
    for (const char* const line :
         {"", "   ", "hello", "  planted.c:4", "# hostname : node7", "# total memory : 4025180 kB",
          "[ 643.542068] usb 1-1", "643.5420681234:", "99999999999.0:", "x 643.:", "x .5:", "[003", "12345 67890"}) {
        const auto header = read_script_header(line);
        EXPECT_FALSE(header && (header->has_time || header->has_frame)) << line;
    }
}

TEST(ScriptLine, ReadsFrames) {
    Frame frame = script_frame("\t            1160 inner+0x17 (/srv/app/planted)");
    EXPECT_EQ(frame.address, 0x1160U);
    EXPECT_EQ(frame.function, "inner");
    EXPECT_EQ(frame.module, "/srv/app/planted");
    EXPECT_FALSE(frame.is_kernel);
    EXPECT_FALSE(frame.is_inlined);
    frame = script_frame("\tffffffff8157bab0 perf_swevent_event+0x160 ([kernel.kallsyms])");
    EXPECT_EQ(frame.address, 0xffffffff8157bab0U);
    EXPECT_TRUE(frame.is_kernel);
    frame = script_frame("\t    7fc01b0f2ad7 [unknown] ([unknown])");
    EXPECT_EQ(frame.function, "");
    EXPECT_EQ(frame.module, "");
    EXPECT_FALSE(frame.is_kernel);
    EXPECT_TRUE(script_frame("\tffffffffc0001008 [unknown] ([unknown])").is_kernel);
    EXPECT_TRUE(script_frame("\tffffffffc0001008 tcp_probe+0x8 ([tcp_probe])").is_kernel);
    EXPECT_FALSE(script_frame("\tffffffffff600000 vgettimeofday+0x8 ([vsyscall])").is_kernel);
    EXPECT_FALSE(script_frame("\t    7ffc01b0f2a0 clock_gettime+0x8 ([vdso])").is_kernel);
    frame = script_frame("\t            1160");
    EXPECT_EQ(frame.function, "");
    frame = script_frame("\t            1160 inner");
    EXPECT_EQ(frame.function, "inner");
    EXPECT_FALSE(read_script_frame("\t inner (/srv/app)"));
    EXPECT_FALSE(read_script_frame("\t 11223344556677889900 inner"));
    EXPECT_FALSE(read_script_frame("\t"));
}

TEST(ScriptLine, ReadsInlinedFrames) {
    Frame frame = script_frame("\t            1160 inner+0x17 (inlined)");
    EXPECT_TRUE(frame.is_inlined);
    EXPECT_EQ(frame.function, "inner");
    EXPECT_EQ(frame.module, "");
    frame = script_frame("\t            1160 std::operator()(int, char) (inlined)");
    EXPECT_TRUE(frame.is_inlined);
    EXPECT_EQ(frame.function, "std::operator()(int, char)");
    frame = script_frame("\t            1160 inner (/srv/app) (inlined)");
    EXPECT_TRUE(frame.is_inlined);
    EXPECT_EQ(frame.module, "/srv/app");
}

TEST(ScriptLine, DividesFunctionsFromModules) {
    const std::string function = "void work<int>(std::map<int, char> const&, int (*)(int, char)) [clone .isra.0]";
    for (const std::string& module :
         std::vector<std::string>{"/srv/in lined", "/srv/a (deleted)", "//anon", "/tmp/perf-12.map",
                                  "memfd:x (deleted)", "/srv/b(1)", "inlined.so"}) {
        for (const std::string& offset : std::vector<std::string>{"+0x3f", ""}) {
            for (const std::string& name :
                 {function, std::string("main"), std::string("operator()(int) const"), std::string("f(void (*)())"),
                  std::string("A::B()::{lambda()#1}::operator()()")}) {
                std::string line = "\t            137f ";
                line += name + offset;
                line += " (" + module + ")";
                const Frame frame = script_frame(line);
                EXPECT_EQ(frame.function, name) << line;
                EXPECT_EQ(frame.module, module) << line;
            }
        }
    }
    EXPECT_EQ(script_frame("\t 1 f(void (*)())").function, "f(void (*)())") << "without a module";
    EXPECT_EQ(script_frame("\t 1 a+0x1 (b)+0x2 (/srv/c)").function, "a+0x1 (b)");
    EXPECT_EQ(script_frame("\t 1 main+0x1 (/srv/c+0x1160)").module, "/srv/c") << "of the field dsoff";
    EXPECT_EQ(script_frame("\t 1 operator+ (/srv/c)").function, "operator+");
    EXPECT_EQ(script_frame("\t 1 )))(((").function, ")))(((");
    EXPECT_EQ(script_frame("\t 1 ())").function, "())");
}

TEST(ScriptLine, ReadsPlacesInTheSource) {
    auto place = read_script_place("  planted.c:4");
    ASSERT_TRUE(place);
    EXPECT_EQ(place->file, "planted.c");
    EXPECT_EQ(place->line, 4U);
    EXPECT_FALSE(place->is_inlined);
    place = read_script_place("  a b.c:17 (discriminator 3) (inlined)");
    ASSERT_TRUE(place);
    EXPECT_EQ(place->file, "a b.c");
    EXPECT_EQ(place->line, 17U);
    EXPECT_TRUE(place->is_inlined);
    for (const char* const unknown : {"  ??:0", "  libc.so.6[2724a]", "  planted+0x1160", "  x:99999999999"}) {
        place = read_script_place(unknown);
        ASSERT_TRUE(place) << unknown;
        EXPECT_EQ(place->file, "");
        EXPECT_EQ(place->line, 0U);
    }
    EXPECT_FALSE(read_script_place("planted.c:4"));
    EXPECT_FALSE(read_script_place("   "));
}

TEST(ScriptLine, CountsLostRecords) {
    EXPECT_FALSE(read_script_record("planted  9419   643.542068: task-clock: "));
    auto record = read_script_record("planted  9495 [000]   668.856299: PERF_RECORD_COMM exec: planted:9495/9495");
    ASSERT_TRUE(record);
    EXPECT_EQ(record->lost, 0U);
    record = read_script_record("planted  9495 [000]   668.856299: PERF_RECORD_LOST lost 17");
    ASSERT_TRUE(record);
    EXPECT_EQ(record->lost, 17U);
    record = read_script_record("x 0 1.0: PERF_RECORD_LOST_SAMPLES lost 5 (BPF)");
    ASSERT_TRUE(record);
    EXPECT_EQ(record->lost, 5U);
}

}  // namespace
}  // namespace kymo::import::named
