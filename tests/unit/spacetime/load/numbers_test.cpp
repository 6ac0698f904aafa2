// Which of the kernel's tasks a process is that only knows its number in its own pid namespace.
#include "spacetime/load/numbers.h"

#include <gtest/gtest.h>
#include <vector>

namespace kymo::spacetime {
namespace {
namespace numbers {

constexpr std::uint64_t kUnknown = recording::kUnknownNumber;

FileData::TaskLife life(std::uint64_t pid, std::uint64_t tid, std::uint64_t begin, std::uint64_t end,
                        const char* executable) {
    FileData::TaskLife life;
    life.pid = pid;
    life.tid = tid;
    life.begin = begin;
    life.end = end;
    life.executable = executable;
    life.has_begun = true;
    return life;
}

FileData process(std::uint64_t own, std::uint64_t kernels, std::uint64_t begin, const char* executable) {
    FileData file;
    file.has_process = true;
    set_pid(&file, own, kernels);
    file.begin = begin;
    file.executable = executable;
    return file;
}

void add_thread(FileData* file, std::uint32_t id, std::uint64_t own, std::uint64_t begin) {
    StreamData stream;
    stream.id = id;
    stream.tid = stream.own_tid = own;
    stream.begin = begin;
    file->streams.emplace(id, std::move(stream));
}

TEST(Numbers, TheKernelsIsTheOneToGoByWhereItIsKnown) {
    EXPECT_EQ(recording::number_of(7, 0), 7U);
    EXPECT_EQ(recording::number_of(7, 900), 900U);
    EXPECT_EQ(recording::number_of(7, kUnknown), 7U);
    const FileData nested = process(1, 900, 0, "/bin/app");
    EXPECT_EQ(nested.pid, 900U);
    EXPECT_EQ(nested.own_pid, 1U);
    EXPECT_TRUE(nested.is_pid_known);
    EXPECT_FALSE(process(1, kUnknown, 0, "/bin/app").is_pid_known);
}

TEST(Numbers, AreFoundByProgramAndTime) {
    FileData run;
    run.tasks = {
        life(900, 900, 100, 0, "/bin/app"),   life(901, 901, 110, 0, "/bin/app"),
        life(902, 902, 115, 0, "/bin/other"), life(800, 800, 90, 0, "/bin/app"),  // known: no namespace
        life(700, 700, 50, 105, "/bin/app"),                                      // had ended
        life(900, 903, 130, 0, "/bin/app"),                                       // threads
        life(900, 904, 140, 150, "/bin/app"),                                     //
        life(900, 904, 160, 0, "/bin/app"),                                       // a number that came back
        life(901, 905, 135, 0, "/bin/app"),
    };
    FileData first = process(1, kUnknown, 108, "/inside/bin/app");
    add_thread(&first, 1, 1, 108);
    add_thread(&first, 2, 2, 132);
    add_thread(&first, 3, 3, 141);
    add_thread(&first, 4, 4, 161);
    FileData second = process(1, kUnknown, 120, "/inside/bin/app");
    add_thread(&second, 1, 1, 120);
    add_thread(&second, 2, 2, 137);
    FileData known = process(800, 0, 95, "/bin/app");
    std::vector<FileData*> files = {&second, &run, &known, &first};
    find_kernel_numbers(files);
    EXPECT_EQ(first.pid, 900U);
    EXPECT_EQ(first.streams.at(1).tid, 900U);
    EXPECT_EQ(first.streams.at(2).tid, 903U);
    EXPECT_EQ(first.streams.at(3).tid, 904U);
    EXPECT_EQ(first.streams.at(4).tid, 904U);
    EXPECT_EQ(first.streams.at(2).own_tid, 2U);
    EXPECT_EQ(second.pid, 901U);
    EXPECT_EQ(second.streams.at(2).tid, 905U);
    EXPECT_EQ(known.pid, 800U);
}

TEST(Numbers, AreFoundByThePlaceOfTheCodeWhereThatTells) {
    FileData run;
    run.tasks = {life(900, 900, 100, 0, "/bin/app"), life(901, 901, 101, 0, "/bin/app")};
    run.tasks[0].code_begin = 0x5000;
    run.tasks[0].code_end = 0x6000;
    run.tasks[1].code_begin = 0x9000;
    run.tasks[1].code_end = 0xA000;
    FileData first = process(1, kUnknown, 108, "/bin/app");
    FileData second = process(1, kUnknown, 109, "/bin/app");
    first.entry = 0x9100;
    second.entry = 0x5100;
    std::vector<FileData*> files = {&run, &first, &second};
    find_kernel_numbers(files);
    EXPECT_EQ(first.pid, 901U);
    EXPECT_EQ(second.pid, 900U);
}

TEST(Numbers, AreFoundAfterAnExecOfAProcessThatWasKnownBefore) {
    FileData run;
    run.tasks = {life(900, 900, 100, 120, "/bin/unshare"), life(900, 900, 120, 0, "/bin/app")};
    FileData known = process(1, 900, 110, "/bin/unshare");
    FileData file = process(1, kUnknown, 125, "/bin/app");
    std::vector<FileData*> files = {&run, &known, &file};
    find_kernel_numbers(files);
    EXPECT_EQ(file.pid, 900U);
}

TEST(Numbers, StayAsTheyAreWhereTheKernelTellsNothing) {
    FileData run;
    run.tasks = {life(900, 900, 100, 0, "/bin/other"), life(901, 901, 130, 0, "/bin/app")};
    FileData file = process(1, kUnknown, 120, "/bin/app");
    add_thread(&file, 1, 1, 120);
    std::vector<FileData*> files = {&run, &file};
    find_kernel_numbers(files);
    EXPECT_EQ(file.pid, 1U) << "another program; or one that began later";
    EXPECT_EQ(file.streams.at(1).tid, 1U);
}

}  // namespace numbers
}  // namespace
}  // namespace kymo::spacetime
