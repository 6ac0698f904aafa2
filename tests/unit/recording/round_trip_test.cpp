// What is written is what is read.

#include "rows.h"
#include "temporary_folder.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <sys/stat.h>
#include <thread>

namespace kymo::recording {
namespace {

using testing::describe;
using testing::gather;
using testing::RowMaker;
using testing::RowsByStream;
using testing::TemporaryFolder;

template <typename Row>
bool append_random(StreamWriter& stream, RowMaker& maker, std::vector<std::string>& written) {
    const Row row = maker.make<Row>();
    if (!stream.append(row)) {
        return false;
    }
    written.push_back(describe(row));
    return true;
}

using Appender = bool (*)(StreamWriter&, RowMaker&, std::vector<std::string>&);

std::vector<Appender> appenders() {
    std::vector<Appender> all;
    for_each_row_type([&]<typename Row>() { all.push_back(append_random<Row>); });
    return all;
}

TEST(RoundTrip, EveryRowType) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    RowsByStream written;
    FileWriter writer;
    ASSERT_EQ(writer.create(path.c_str(), {.machine = 62, .pid = 4711, .producer = "kymo test"}), 0);
    StreamWriter stream;
    stream.open(writer, StreamId{7});
    ASSERT_TRUE(write_schemas(stream));
    RowMaker maker(11);
    for (const Appender append : appenders()) {
        for (int i = 0; i < 50; ++i) {
            ASSERT_TRUE(append(stream, maker, written[7]));
        }
    }
    EXPECT_EQ(stream.unwritten(), 0U);
    ASSERT_EQ(writer.close(), 0);

    const auto file = File::open(path);
    ASSERT_TRUE(file) << file.error().what;
    EXPECT_EQ(file->header().machine, 62);
    EXPECT_EQ(file->header().pid, 4711U);
    EXPECT_EQ(file->header().producer, "kymo test");
    EXPECT_EQ(file->header().clock, ClockDomain::kMonotonic);
    EXPECT_TRUE(file->header().closed);
    RowsByStream read;
    const auto report = gather(*file, read);
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_TRUE(report->whole());
    EXPECT_TRUE(report->unknown.empty());
    EXPECT_EQ(report->rows("sample"), 50U);
    EXPECT_EQ(report->tables.size(), appenders().size());
    EXPECT_EQ(read, written);
}

TEST(RoundTrip, FileAndModesArePrivate) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    const mode_t mask = umask(0);
    FileWriter writer;
    EXPECT_EQ(writer.create(path.c_str(), {}), 0);
    umask(mask);
    struct stat status{};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0600U);
    EXPECT_EQ(writer.close(), 0);
    FileWriter second;
    EXPECT_EQ(second.create(path.c_str(), {}), EEXIST);  // nothing is overwritten
    EXPECT_FALSE(second.is_open());
}

TEST(RoundTrip, ExtremeValues) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    FileWriter writer;
    ASSERT_EQ(writer.create(path.c_str(), {.clock = ClockDomain::kModelled}), 0);
    StreamWriter stream;
    stream.open(writer, StreamId{0xFFFFFFFF});
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    const std::array<std::uint64_t, 3> list = {0, kMost, 1};
    std::vector<std::string> written;
    write_schema<Sample>(stream);
    write_schema<Mark>(stream);
    for (const std::uint64_t time : {kMost, std::uint64_t{0}, std::uint64_t{1} << 63U, std::uint64_t{1}}) {
        const Sample sample{.time = time, .processor = kMost, .context = kMost, .flags = kMost, .deltas = list};
        const Mark mark{.time = time, .name = {}, .value = std::numeric_limits<std::int64_t>::min()};
        ASSERT_TRUE(stream.append(sample));
        ASSERT_TRUE(stream.append(mark));
        written.push_back(describe(sample));
        written.push_back(describe(mark));
    }
    ASSERT_EQ(writer.close(), 0);
    const auto file = File::open(path);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->header().clock, ClockDomain::kModelled);
    RowsByStream read;
    ASSERT_TRUE(gather(*file, read));
    EXPECT_EQ(read[0xFFFFFFFF], written);
}

// Threads come and go, each with a stream of its own; the file is read while it is written, and after.
TEST(RoundTrip, ManyThreadsAtOnce) {
    constexpr unsigned kThreads = 4;
    constexpr unsigned kStreamsEach = 40;
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    FileWriter writer;
    ASSERT_EQ(writer.create(path.c_str(), {}), 0);
    StreamWriter own;
    own.open(writer, StreamId{0});
    ASSERT_TRUE(write_schemas(own));
    std::array<RowsByStream, kThreads> written;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            const auto all = appenders();
            for (unsigned s = 0; s < kStreamsEach; ++s) {
                const std::uint32_t id = 1 + s * kThreads + t;
                RowMaker maker(id);
                StreamWriter stream;
                stream.open(writer, StreamId{id});
                for (std::uint64_t rows = maker.below(s % 8 == 0 ? 2000 : 40); rows != 0; --rows) {
                    ASSERT_TRUE(all[maker.below(all.size())](stream, maker, written[t][id]));
                }
                stream.release();
            }
        });
    }
    for (int i = 0; i < 5; ++i) {
        const auto file = File::open(path);
        ASSERT_TRUE(file) << file.error().what;
        RowsByStream ignored;
        const auto report = gather(*file, ignored);
        ASSERT_TRUE(report);
        EXPECT_TRUE(report->whole()) << report->damaged.front().what;
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    ASSERT_EQ(writer.close(), 0);
    RowsByStream expected;
    for (RowsByStream& part : written) {
        std::erase_if(part, [](const auto& entry) { return entry.second.empty(); });
        expected.merge(part);
    }
    const auto file = File::open(path);
    ASSERT_TRUE(file);
    RowsByStream read;
    const auto report = gather(*file, read);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    EXPECT_EQ(read, expected);
}

// More tables with deltas than a writer keeps bases for: segments restart, nothing is lost.
template <std::uint32_t Number>
struct Numbered {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    static constexpr const char* kTable = "numbered";
    static constexpr std::uint32_t kTableId = 100 + Number;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("a", ColumnType::kDelta, "", &Numbered::a);
        visit("b", ColumnType::kDelta, "", &Numbered::b);
    }
};

TEST(RoundTrip, MoreDeltaTablesThanBases) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    FileWriter writer;
    ASSERT_EQ(writer.create(path.c_str(), {}), 0);
    StreamWriter stream;
    stream.open(writer, StreamId{300});
    std::vector<std::uint64_t> written;
    const auto append = [&]<std::uint32_t... Numbers>(std::integer_sequence<std::uint32_t, Numbers...>) {
        (write_schema<Numbered<Numbers>>(stream), ...);
        for (std::uint64_t i = 0; i < 5000; ++i) {
            (stream.append(Numbered<Numbers>{.a = 1000 * i + Numbers, .b = i}), ...);
            (written.push_back(1000 * i + Numbers), ...);
        }
    };
    append(std::make_integer_sequence<std::uint32_t, 20>());
    ASSERT_EQ(writer.close(), 0);
    const auto file = File::open(path);
    ASSERT_TRUE(file);
    std::vector<std::uint64_t> read;
    const auto report = file->scan(on<Numbered<0>>([&](StreamId stream_id, const Numbered<0>& row) {
        ASSERT_EQ(raw(stream_id), 300U);
        ASSERT_EQ(row.b, read.size() / 20);
        read.push_back(row.a);
    }));
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    EXPECT_EQ(read, written);
}

}  // namespace
}  // namespace kymo::recording
