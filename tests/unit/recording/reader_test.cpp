// What the reader makes of other versions and of other producers' tables.

#include "file_image.h"
#include "rows.h"
#include "temporary_folder.h"

#include <array>
#include <gtest/gtest.h>
#include <limits>

namespace kymo::recording {
namespace {

using testing::Bytes;
using testing::describe;
using testing::gather;
using testing::RowsByStream;
using testing::TemporaryFolder;

Result<File> open_bytes(const TemporaryFolder& folder, const Bytes& bytes) {
    bytes.save(folder / "a.krec");
    return File::open(folder / "a.krec");
}

Bytes two_marks(bool packed) {
    const Bytes payload =
        Bytes().raw(testing::mark_schema()).raw(testing::mark(5, "one")).raw(testing::mark(5, "two"));
    return testing::chunk(3, payload, packed);
}

TEST(Reader, RefusesANewerMajorVersion) {
    const TemporaryFolder folder;
    FileHeader header = testing::small_header(true);
    header.major = 2;
    const auto file = open_bytes(folder, testing::file(header, two_marks(true)));
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().kind, ErrorKind::kNewerFormat);
    EXPECT_NE(file.error().what.find("a.krec"), std::string::npos);
    EXPECT_FALSE(file.error().next.empty());
}

TEST(Reader, ReadsOnAtANewerMinorVersionAndAnyMachine) {
    const TemporaryFolder folder;
    FileHeader header = testing::small_header(true);
    header.minor = 9;
    header.machine = 183;  // aarch64
    const auto file = open_bytes(folder, testing::file(header, two_marks(true)));
    ASSERT_TRUE(file) << file.error().what;
    EXPECT_EQ(file->header().minor, 9);
    EXPECT_EQ(file->header().machine, 183);
    RowsByStream rows;
    ASSERT_TRUE(gather(*file, rows));
    EXPECT_EQ(rows[3].size(), 2U);
}

// The reader takes pieces of 256 KiB. Wherever a piece ends, in a chunk's header, in its payload or just behind it,
// nothing is lost.
TEST(Reader, ReadsWhatCrossesTheEndOfAPieceOrEndsThere) {
    constexpr std::size_t kPiece = std::size_t{256} << 10U;
    constexpr std::size_t kAround = 96;  // more than the second chunk is long
    const TemporaryFolder folder;
    const FileHeader header = testing::small_header(true);
    for (std::size_t before = kPiece - 2 * kAround; before < kPiece + kAround; before += 8) {
        const Bytes front = Bytes().raw(testing::mark_schema()).raw(testing::mark(5, std::string(before - 72, 'x')));
        for (std::size_t length = 0; length < 8; ++length) {
            const Bytes back = testing::mark(5, std::string(length, 'y'));
            const Bytes chunks = testing::chunk(3, front, true).raw(testing::chunk(3, back, true));
            const auto file = open_bytes(folder, testing::file(header, chunks));
            ASSERT_TRUE(file) << file.error().what;
            RowsByStream rows;
            const auto report = gather(*file, rows);
            ASSERT_TRUE(report);
            ASSERT_TRUE(report->whole()) << before << " bytes before a row of " << length;
            ASSERT_EQ(rows[3].size(), 2U);
        }
    }
}

// ---- tables and columns of other producers -------------------------------------------------------

struct Weather {
    std::uint64_t time = 0;
    double celsius = 0;
    std::string_view words = {};
    std::span<const std::uint64_t> gusts = {};
    std::int64_t altitude = 0;
    static constexpr const char* kTable = "weather";
    static constexpr std::uint32_t kTableId = 900;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Weather::time);
        visit("celsius", ColumnType::kReal, "", &Weather::celsius);
        visit("words", ColumnType::kText, "", &Weather::words);
        visit("gusts", ColumnType::kUintList, "", &Weather::gusts);
        visit("altitude", ColumnType::kInt, "", &Weather::altitude);
    }
};

constexpr std::array<std::uint64_t, 3> kGusts = {7, 500, 1};

void write_weather(const std::filesystem::path& path) {
    FileWriter writer;
    ASSERT_EQ(writer.create(path.c_str(), {}), 0);
    StreamWriter stream;
    stream.open(writer, StreamId{4});
    ASSERT_TRUE(write_schema<Weather>(stream));
    ASSERT_TRUE(write_schema<Mark>(stream));
    for (std::uint64_t i = 1; i <= 3; ++i) {
        ASSERT_TRUE(stream.append(Weather{100 * i, -1.5, "windy", kGusts, -30}));
        ASSERT_TRUE(stream.append(Mark{.time = i}));
    }
    ASSERT_EQ(writer.close(), 0);
}

TEST(Reader, ATableNeverHeardOfIsSkippedAndListed) {
    const TemporaryFolder folder;
    write_weather(folder / "a.krec");
    const auto file = File::open(folder / "a.krec");
    ASSERT_TRUE(file);
    std::vector<std::uint64_t> times;
    const auto report = file->scan(on<Mark>([&](StreamId, const Mark& mark) { times.push_back(mark.time); }));
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    EXPECT_EQ(times, (std::vector<std::uint64_t>{1, 2, 3}));
    EXPECT_EQ(report->unknown, (std::vector<TableRows>{{"weather", 3}}));
    EXPECT_EQ(report->rows("weather"), 3U);
    EXPECT_EQ(report->rows("mark"), 3U);
    // With a handler it is not unknown.
    std::vector<std::string> rows;
    const auto known = file->scan(on<Weather>([&](StreamId, const Weather& row) { rows.push_back(describe(row)); }));
    ASSERT_TRUE(known);
    EXPECT_TRUE(known->unknown.empty());
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[2], describe(Weather{300, -1.5, "windy", kGusts, -30}));
}

TEST(Reader, TablesDescribeThemselves) {
    const TemporaryFolder folder;
    write_weather(folder / "a.krec");
    const auto file = File::open(folder / "a.krec");
    ASSERT_TRUE(file);
    const auto tables = file->tables();
    ASSERT_TRUE(tables);
    ASSERT_EQ(tables->size(), 2U);
    const TableInfo& weather = tables->front();
    EXPECT_EQ(weather.rows, 3U);
    EXPECT_EQ(weather.schema.name, "weather");
    EXPECT_EQ(weather.schema.number, 900U);
    EXPECT_EQ(weather.schema.columns, (std::vector<Column>{{"time", ColumnType::kDelta, "ns"},
                                                           {"celsius", ColumnType::kReal, ""},
                                                           {"words", ColumnType::kText, ""},
                                                           {"gusts", ColumnType::kUintList, ""},
                                                           {"altitude", ColumnType::kInt, ""}}));
}

// What an older Kymo knew of the table; and one that knows more, in another order, and one thing otherwise.
struct OldWeather {
    std::uint64_t time = 0;
    double celsius = 0;
    static constexpr const char* kTable = "weather";
    static constexpr std::uint32_t kTableId = 33;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &OldWeather::time);
        visit("celsius", ColumnType::kReal, "", &OldWeather::celsius);
    }
};

struct OtherWeather {
    std::uint64_t humidity = 5;  // the file has none
    std::int64_t altitude = 0;
    std::uint64_t words = 6;  // the file has text
    std::span<const std::uint64_t> gusts = {};
    std::uint64_t time = 0;
    static constexpr const char* kTable = "weather";
    static constexpr std::uint32_t kTableId = 34;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("humidity", ColumnType::kUint, "", &OtherWeather::humidity);
        visit("altitude", ColumnType::kInt, "", &OtherWeather::altitude);
        visit("words", ColumnType::kUint, "", &OtherWeather::words);
        visit("gusts", ColumnType::kUintList, "", &OtherWeather::gusts);
        visit("time", ColumnType::kUint, "ns", &OtherWeather::time);
    }
};

TEST(Reader, ColumnsAreMatchedByName) {
    const TemporaryFolder folder;
    write_weather(folder / "a.krec");
    const auto file = File::open(folder / "a.krec");
    ASSERT_TRUE(file);
    std::vector<std::uint64_t> times;
    unsigned others = 0;
    const auto report = file->scan(on<OldWeather>([&](StreamId, const OldWeather& row) {
                                       times.push_back(row.time);
                                       EXPECT_EQ(row.celsius, -1.5);
                                   }),
                                   on<OtherWeather>([&](StreamId, const OtherWeather& row) {
                                       EXPECT_EQ(row.time, 100 * ++others);
                                       EXPECT_EQ(row.altitude, -30);
                                       EXPECT_EQ(std::vector<std::uint64_t>(row.gusts.begin(), row.gusts.end()),
                                                 std::vector<std::uint64_t>(kGusts.begin(), kGusts.end()));
                                       EXPECT_EQ(row.humidity, 5U);  // stays as Row has it by default
                                       EXPECT_EQ(row.words, 6U);
                                   }));
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    EXPECT_EQ(times, (std::vector<std::uint64_t>{100, 200, 300}));
    EXPECT_EQ(others, 3U);
}

TEST(Reader, AShortBodyLeavesTheRestEmptyAndALongOneIsCut) {
    const TemporaryFolder folder;
    Bytes payload;
    payload.raw(testing::mark_schema());
    payload.raw(testing::record(26, Bytes()));
    payload.raw(testing::record(26, Bytes().varint(10).varint(2)));
    payload.raw(testing::record(26, Bytes().varint(10).varint(2).text("n").varint(1).raw("whatever comes later")));
    const auto file =
        open_bytes(folder, testing::file(testing::small_header(true), testing::chunk(3, payload, true)));
    ASSERT_TRUE(file);
    RowsByStream rows;
    const auto report = gather(*file, rows);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    EXPECT_EQ(rows[3], (std::vector<std::string>{describe(Mark{}), describe(Mark{.time = 5, .kind = 2}),
                                                 describe(Mark{.time = 10, .kind = 2, .name = "n", .value = -1})}));
}

TEST(Reader, RowsMayComeBeforeTheirDescription) {
    const TemporaryFolder folder;
    const Bytes row = testing::mark(5, "early");
    Bytes chunks;
    chunks.raw(testing::chunk(3, row, true));
    chunks.raw(testing::chunk(4, Bytes().raw(row).raw(testing::mark_schema()).raw(row), true));
    const auto file = open_bytes(folder, testing::file(testing::small_header(true), chunks));
    ASSERT_TRUE(file);
    RowsByStream rows;
    const auto report = gather(*file, rows);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    EXPECT_EQ(rows[3].size(), 1U);
    EXPECT_EQ(rows[4].size(), 2U);
}

TEST(Reader, AColumnOfUnknownTypeEndsWhatIsRead) {
    const TemporaryFolder folder;
    Bytes payload;
    payload.raw(testing::schema(26, "mark",
                                {{"time", ColumnType::kDelta, "ns"},
                                 {"colour", static_cast<ColumnType>(99), ""},
                                 {"kind", ColumnType::kUint, ""}}));
    payload.raw(testing::record(26, Bytes().varint(10).raw("????????")));
    const auto file =
        open_bytes(folder, testing::file(testing::small_header(true), testing::chunk(3, payload, true)));
    ASSERT_TRUE(file);
    RowsByStream rows;
    const auto report = gather(*file, rows);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    EXPECT_EQ(rows[3], (std::vector<std::string>{describe(Mark{.time = 5})}));
}

TEST(Reader, MoreTablesThanAreKeptAreCountedTogether) {
    const TemporaryFolder folder;
    Bytes payload;
    for (std::uint64_t number = 2; number < 5000; ++number) {
        payload.raw(testing::record(number * 1'000'003, Bytes()));
    }
    const auto file =
        open_bytes(folder, testing::file(testing::small_header(true), testing::chunk(3, payload, true)));
    ASSERT_TRUE(file);
    const auto report = file->scan();
    ASSERT_TRUE(report);
    EXPECT_EQ(report->unknown.size(), kMaxTables + 1);
    EXPECT_EQ(report->rows("further tables"), 4998 - kMaxTables);
}

TEST(Reader, ChunksClaimedAndNeverBegunAreNoDamage) {
    const TemporaryFolder folder;
    Bytes chunks;
    chunks.zeros(2 * kMinGridBytes).raw(two_marks(false)).zeros(kMinGridBytes);
    const auto file = open_bytes(folder, testing::file(testing::small_header(false), chunks));
    ASSERT_TRUE(file);
    RowsByStream rows;
    const auto report = gather(*file, rows);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    EXPECT_EQ(rows[3].size(), 2U);
}

}  // namespace
}  // namespace kymo::recording
