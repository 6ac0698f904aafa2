// Several readers of rows share one scan of a file.
#include "recording/handlers.h"

#include "recording/row_types.h"
#include "recording/writer.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kymo::recording {
namespace {

struct Names {
    void read_from(const File& file, Handlers& handlers) {
        pid = file.header().pid;
        handlers.on<StreamName>([this](StreamId, const StreamName& row) { all.emplace_back(row.name); });
    }
    std::uint32_t pid = 0;
    std::vector<std::string> all;
};

struct NamesAndRanks {
    void read_from(const File& /*file*/, Handlers& handlers) {
        handlers.on<StreamName>([this](StreamId, const StreamName&) { order += 'n'; });
        handlers.on<Rank>([this](StreamId, const Rank&) { order += 'r'; });
    }
    void end(const ScanReport& report) { names = report.rows(StreamName::kTable); }
    std::string order;
    std::uint64_t names = 0;
};

class HandlersTest : public ::testing::Test {
  protected:
    Recording write(const std::vector<const char*>& names) {
        FileWriter file;
        FileOptions options;
        options.pid = 7;
        options.producer = "test";
        EXPECT_EQ(file.create((folder_ / "process-7-0.krec").c_str(), options), 0);
        StreamWriter stream;
        stream.open(file, StreamId{0});
        write_schemas(stream);
        for (const char* const name : names) {
            stream.append(StreamName{.stream = 1, .name = name});
            stream.append(Rank{.rank = 3, .size = 4});
        }
        EXPECT_EQ(file.close(), 0);
        return Recording::open(folder_.path()).value();
    }
    testing::TemporaryFolder folder_;
};

TEST_F(HandlersTest, EachReaderGetsItsRowsInTheirOrder) {
    const Recording recording = write({"first", "second"});
    Names names;
    NamesAndRanks both;
    ASSERT_TRUE(scan_for(recording.files()[0], names, both));
    EXPECT_EQ(names.pid, 7U);
    EXPECT_EQ(names.all, (std::vector<std::string>{"first", "second"}));
    EXPECT_EQ(both.order, "nrnr");
    EXPECT_EQ(both.names, 2U);
}

TEST_F(HandlersTest, AReaderAFile) {
    const Recording recording = write({"only"});
    const auto readers = read_each<NamesAndRanks>(recording.files());
    ASSERT_TRUE(readers);
    ASSERT_EQ(readers->size(), 1U);
    EXPECT_EQ(readers->front().order, "nr");
}

}  // namespace
}  // namespace kymo::recording
