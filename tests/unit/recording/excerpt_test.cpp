// Which rows an excerpt of a recording has.
#include "recording/excerpt.h"

#include "recording/file_writer.h"
#include "recording/reader.h"
#include "recording/tables.h"
#include "recording/writer.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>
#include <vector>

namespace kymo::recording {
namespace {

using testing::TemporaryFolder;

TEST(Excerpt, HasTheFirstSamplesOfASegmentAndAllOfAStreamsFirst) {
    Excerpt excerpt(2);
    excerpt.begin_segment(StreamId{7});
    for (int i = 0; i < 5; ++i) {
        EXPECT_TRUE(excerpt.has(Amount::kOfSample));
        EXPECT_FALSE(excerpt.is_behind_gap());
    }
    excerpt.begin_segment(StreamId{7});
    EXPECT_TRUE(excerpt.has(Amount::kOfSample));
    EXPECT_FALSE(excerpt.is_behind_gap()) << "nothing is left out yet";
    EXPECT_TRUE(excerpt.has(Amount::kOfSample));
    EXPECT_TRUE(excerpt.has(Amount::kBySample));
    EXPECT_FALSE(excerpt.has(Amount::kOfSample)) << "the third";
    EXPECT_FALSE(excerpt.has(Amount::kBySample)) << "a wait among those left out";
    EXPECT_TRUE(excerpt.has(Amount::kBounded)) << "a call path";
    EXPECT_FALSE(excerpt.has(Amount::kByTime)) << "a switch record";
    excerpt.begin_segment(StreamId{7});
    EXPECT_FALSE(excerpt.has(Amount::kBySample)) << "before the next sample that it has";
    EXPECT_TRUE(excerpt.has(Amount::kOfSample));
    EXPECT_TRUE(excerpt.is_behind_gap());
    EXPECT_TRUE(excerpt.has(Amount::kOfSample));
    EXPECT_FALSE(excerpt.is_behind_gap());
    EXPECT_FALSE(excerpt.has(Amount::kOfSample));
    excerpt.begin_segment(StreamId{8});
    EXPECT_TRUE(excerpt.has(Amount::kOfSample));
    EXPECT_FALSE(excerpt.is_behind_gap()) << "another stream's gap";
}

TEST(Excerpt, OfZeroSamplesIsEverything) {
    Excerpt all(0);
    all.begin_segment(StreamId{1});
    EXPECT_TRUE(all.is_all());
    EXPECT_TRUE(all.has(Amount::kOfSample));
    EXPECT_TRUE(all.has(Amount::kByTime));
}

TEST(Excerpt, AmountsOfTables) {
    EXPECT_EQ(amount_of(Sample::kTable), Amount::kOfSample);
    EXPECT_EQ(amount_of(Wait::kTable), Amount::kBySample);
    EXPECT_EQ(amount_of(Switch::kTable), Amount::kByTime);
    EXPECT_EQ(amount_of(Context::kTable), Amount::kBounded);
    EXPECT_EQ(amount_of("of another producer"), Amount::kBounded);
}

// A stream of 100,000 samples 1,000 ns apart, call paths between them.
void write_long(const std::filesystem::path& path) {
    FileWriter writer;
    ASSERT_EQ(writer.create(path.c_str(), {}), 0);
    StreamWriter stream;
    stream.open(writer, StreamId{1});
    ASSERT_TRUE(write_schema<Sample>(stream));
    ASSERT_TRUE(write_schema<Context>(stream));
    for (std::uint64_t i = 1; i <= 100'000; ++i) {
        if (i % 1000 == 0) {
            ASSERT_TRUE(stream.append(Context{.context = i / 1000, .image = 1, .offset = i}));
        }
        ASSERT_TRUE(stream.append(Sample{.time = 1000 * i, .context = i / 1000}));
    }
    ASSERT_EQ(writer.close(), 0);
}

struct Read {
    std::vector<std::uint64_t> times;
    std::vector<std::uint64_t> behind_gaps;
    std::size_t contexts = 0;
    std::uint64_t all = 0;
};

Read read(const File& file) {
    Read out;
    const auto report = file.scan(on<Sample>([&](StreamId, const Sample& row) {
                                      out.times.push_back(row.time);
                                      if ((row.flags & kAfterPause) != 0) {
                                          out.behind_gaps.push_back(row.time);
                                      }
                                  }),
                                  on<Context>([&](StreamId, const Context&) { ++out.contexts; }));
    EXPECT_TRUE(report && report->whole());
    out.all = report->rows(Sample::kTable);
    return out;
}

TEST(Excerpt, AFilesSamplesAreThinnedAndItsCallPathsAreNot) {
    const TemporaryFolder folder;
    write_long(folder / "a.krec");
    auto file = File::open(folder / "a.krec");
    ASSERT_TRUE(file);
    const Read whole = read(*file);
    ASSERT_EQ(whole.times.size(), 100'000U);
    EXPECT_TRUE(whole.behind_gaps.empty());
    file->set_excerpt(10);
    const Read part = read(*file);
    EXPECT_EQ(part.contexts, 100U);
    EXPECT_EQ(part.all, 100'000U) << "the report counts those left out";
    ASSERT_GT(part.behind_gaps.size(), 3U);
    // Ten of every chunk; each but the first of those chunks begins behind a gap, at the sample that follows in time
    // what is between.
    const std::size_t first = part.times.size() - 10 * (part.behind_gaps.size() + 1);
    for (std::size_t i = 0; i < part.times.size(); ++i) {
        const bool begins = i > first && (i - first) % 10 == 0;
        const std::uint64_t step = i == 0 ? 1000 : part.times[i] - part.times[i - 1];
        ASSERT_EQ(step > 1000, begins) << i;
    }
    // Where samples alone are asked for, only the chunks' first bytes are read: the same samples.
    std::vector<std::uint64_t> alone;
    const auto report = file->scan(on<Sample>([&](StreamId, const Sample& row) { alone.push_back(row.time); }));
    ASSERT_TRUE(report && report->whole());
    EXPECT_EQ(std::vector(alone.end() - 50, alone.end()), std::vector(part.times.end() - 50, part.times.end()));
    file->set_excerpt(0);
    EXPECT_EQ(read(*file).times, whole.times);
}

}  // namespace
}  // namespace kymo::recording
