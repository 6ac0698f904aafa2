// The worked example of docs/recording-format.md is a file, and says what it is said to say.

#include "base/durations/duration_buckets.h"
#include "file_image.h"
#include "recording/bundle.h"
#include "recording/row_types.h"
#include "recording/tables/metrics.h"
#include "recording/tables/processor.h"
#include "rows.h"
#include "temporary_folder.h"

#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string_view>

namespace kymo::recording {
namespace {

// The bytes of all blocks that begin so, without comments.
testing::Bytes example(std::string_view begin = "```hex") {
    std::ifstream document(KYMO_FORMAT_DOCUMENT);
    testing::Bytes bytes;
    bool inside = false;
    for (std::string line; std::getline(document, line);) {
        if (line.starts_with("```")) {
            inside = line == begin;
            continue;
        }
        if (inside) {
            std::istringstream numbers(line.substr(0, line.find('#')));
            for (unsigned value = 0; numbers >> std::hex >> value;) {
                bytes.byte(value);
            }
        }
    }
    return bytes;
}

// The bytes of the block that begins so are the description of the row's table and the row; and both read.
template <typename Row>
void expect_example(std::string_view begin, const Row& row) {
    const testing::TemporaryFolder folder;
    const testing::Bytes expected = example(begin);
    FileWriter writer;
    ASSERT_EQ(writer.create((folder / "a.krec").c_str(), {.machine = 62, .pid = 1234, .producer = "kymo"}), 0);
    StreamWriter stream;
    stream.open(writer, StreamId{0});
    ASSERT_TRUE(write_schema<Row>(stream));
    ASSERT_TRUE(stream.append(row));
    ASSERT_EQ(writer.close(), 0);
    std::ifstream written(folder / "a.krec", std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(written)), std::istreambuf_iterator<char>());
    ASSERT_GT(expected.size(), 0U);
    EXPECT_EQ(bytes.substr(kHeaderBytes + sizeof(ChunkHeader), expected.size()),
              std::string(reinterpret_cast<const char*>(expected.data()), expected.size()));
    const auto file = File::open(folder / "a.krec");
    ASSERT_TRUE(file) << file.error().what;
    testing::RowsByStream rows;
    ASSERT_TRUE(testing::gather(*file, rows));
    EXPECT_EQ(rows, (testing::RowsByStream{{0, {testing::describe(row)}}}));
}

TEST(FormatDocument, TheBundleHoldsTheWorkedExample) {
    const testing::TemporaryFolder folder;
    testing::Bytes bundle = example("```hex bundle");
    ASSERT_EQ(bundle.size(), 104U);
    bundle.raw(example()).save(folder / "processes.krecs");
    const auto read = Recording::open(folder.path());
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_TRUE(read->warnings().empty());
    ASSERT_EQ(read->files().size(), 1U);
    EXPECT_EQ(read->files()[0].path(), folder / "launch.krec");
    EXPECT_EQ(read->files()[0].bytes(), 248U);
    testing::RowsByStream inside;
    ASSERT_TRUE(testing::gather(read->files()[0], inside));
    EXPECT_EQ(inside.size(), 2U);
    // Written by us, it is the same.
    const testing::TemporaryFolder made;
    example().save(made / "launch.krec");
    const auto from = Folder::open(made.path());
    const std::vector<std::string> names = {"launch.krec"};
    ASSERT_TRUE(move_into_bundle(*from, names, *from, "processes.krecs", 1000));
    std::ifstream file(made / "processes.krecs", std::ios::binary);
    const std::string written((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    EXPECT_EQ(written, std::string(reinterpret_cast<const char*>(bundle.data()), bundle.size()));
}

TEST(FormatDocument, TheWorkedExampleReads) {
    const testing::TemporaryFolder folder;
    const testing::Bytes bytes = example();
    ASSERT_EQ(bytes.size(), 248U);
    bytes.save(folder / "a.krec");
    const auto file = File::open(folder / "a.krec");
    ASSERT_TRUE(file) << file.error().what;
    EXPECT_EQ(file->header().pid, 1234U);
    EXPECT_EQ(file->header().machine, 62);
    EXPECT_EQ(file->header().producer, "kymo");
    EXPECT_TRUE(file->header().packed);
    testing::RowsByStream rows;
    const auto report = testing::gather(*file, rows);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    const testing::RowsByStream expected = {
        {2,
         {testing::describe(Mark{.time = 1'000'000, .kind = 0, .name = "start", .value = 1}),
          testing::describe(Mark{.time = 1'000'500, .kind = 2, .name = "", .value = -1})}},
        {300, {testing::describe(Mark{.time = 1'000'900, .kind = 0, .name = "start", .value = 2})}}};
    EXPECT_EQ(rows, expected);
    EXPECT_EQ(report->unknown, (std::vector<TableRows>{{"table 77", 1}}));
}

// The writer makes the same records, and packing the same chunk, up to the header's size.
TEST(FormatDocument, TheWriterMakesTheSameBytes) {
    const testing::TemporaryFolder folder;
    const testing::Bytes expected = example();
    testing::Bytes payload;
    payload.raw(std::string_view(reinterpret_cast<const char*>(expected.data()) + 160, 60));  // up to table 77
    FileWriter writer;
    ASSERT_EQ(writer.create((folder / "a.krec").c_str(), {.machine = 62, .pid = 1234, .producer = "kymo"}), 0);
    StreamWriter stream;
    stream.open(writer, StreamId{2});
    ASSERT_TRUE(write_schema<Mark>(stream));
    ASSERT_TRUE(stream.append(Mark{.time = 1'000'000, .kind = 0, .name = "start", .value = 1}));
    ASSERT_TRUE(stream.append(Mark{.time = 1'000'500, .kind = 2, .name = "", .value = -1}));
    ASSERT_EQ(writer.close(), 0);
    std::ifstream written(folder / "a.krec", std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(written)), std::istreambuf_iterator<char>());
    ASSERT_EQ(bytes.size(), kHeaderBytes + kGridBytes);
    EXPECT_EQ(bytes.substr(kHeaderBytes + sizeof(ChunkHeader), 60),
              std::string(reinterpret_cast<const char*>(payload.data()), payload.size()));
    EXPECT_EQ(bytes.substr(0, 12), std::string(reinterpret_cast<const char*>(expected.data()), 12));
}

TEST(FormatDocument, TheExactCallsAreThoseOfTheExample) {
    const std::array<std::uint64_t, 2> counts = {duration_bucket(20'000'000), 1};
    const std::array<std::uint64_t, kSlowColumns> slowest = {900'000, 20'000'000, 1, 3'000, 40'000, 1, 0, 2, 0};
    const ExactCalls row{.time = 1'000'000,
                         .stream = 2,
                         .function = 1,
                         .calls = 2,
                         .running = 1,
                         .sum_ns = 20'000'000,
                         .counts = counts,
                         .slowest = slowest};
    expect_example("```hex exact-calls", row);
}

TEST(FormatDocument, AnAreaIsThatOfTheExample) {
    expect_example("```hex area", Area{.time = 1'000'000,
                                       .area = 3,
                                       .begin = 0x7f0000000000,
                                       .end = 0x7f0000021000,
                                       .kind = static_cast<std::uint64_t>(AreaKind::kAnonymous),
                                       .protection = kAreaRead | kAreaWrite,
                                       .owner = 2});
}

TEST(FormatDocument, APageFaultIsThatOfTheExample) {
    expect_example("```hex page-fault",
                   PageFault{.time = 1'000'000, .pid = 100, .tid = 101, .address = 0x7f0000000000, .faults = 251});
}

TEST(FormatDocument, MemoryIsThatOfTheExample) {
    const Memory row{
        .time = 1'000'000, .pid = 1234, .resident_bytes = 64 * 1024 * 1024, .shared_bytes = 4 * 1024 * 1024};
    expect_example("```hex memory", row);
}

TEST(FormatDocument, ListsEveryTable) {
    std::ifstream document(KYMO_FORMAT_DOCUMENT);
    std::stringstream text;
    text << document.rdbuf();
    const auto check = [&]<typename Row>() {
        const std::string begin = "\n| " + std::to_string(Row::kTableId) + " | `" + Row::kTable + "` |";
        EXPECT_NE(text.str().find(begin), std::string::npos) << Row::kTable;
    };
    for_each_row_type(check);
    for_each_metric_row(check);
    for_each_processor_row(check);
}

}  // namespace
}  // namespace kymo::recording
