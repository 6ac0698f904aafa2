// A packed file says the same in less space, and the original stays where packing cannot be done.

#include "recording/pack.h"

#include "file_image.h"
#include "recording/encode.h"
#include "rows.h"
#include "temporary_folder.h"

#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kymo::recording {
namespace {

using testing::describe;
using testing::gather;
using testing::RowsByStream;
using testing::TemporaryFolder;

RowsByStream write_file(const std::filesystem::path& path, FileWriter& writer) {
    const std::array<std::uint64_t, 4> deltas = {1'000'000, 0, 2, 0};
    RowsByStream written;
    EXPECT_EQ(writer.create(path.c_str(), {}), 0);
    StreamWriter own;
    own.open(writer, StreamId{0});
    EXPECT_TRUE(write_schemas(own));
    const std::string command(100'000, 'c');
    EXPECT_TRUE(own.append(Process{.pid = 1, .command = command}));
    written[0].push_back(describe(Process{.pid = 1, .command = command}));
    std::array<StreamWriter, 6> streams;
    for (std::uint32_t id = 1; id <= streams.size(); ++id) {
        streams[id - 1].open(writer, StreamId{id});
    }
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        const std::uint32_t id = 1 + static_cast<std::uint32_t>(i * i % streams.size());
        const Sample sample{.time = i * 1'000'000, .context = i % 40, .deltas = deltas};
        EXPECT_TRUE(streams[id - 1].append(sample));
        written[id].push_back(describe(sample));
    }
    return written;
}

std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Pack, SaysTheSameInLessSpace) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    FileWriter writer;
    const RowsByStream written = write_file(path, writer);
    ASSERT_EQ(writer.close(), 0);
    const auto before = std::filesystem::file_size(path);
    const auto packed = pack_file(path);
    ASSERT_TRUE(packed) << packed.error().what;
    EXPECT_EQ(packed->bytes_before, before);
    EXPECT_EQ(packed->bytes_after, std::filesystem::file_size(path));
    EXPECT_LT(packed->bytes_after, before);
    struct stat status{};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0600U);
    const auto file = File::open(path);
    ASSERT_TRUE(file);
    EXPECT_TRUE(file->header().packed);
    EXPECT_TRUE(file->header().closed);
    RowsByStream read;
    const auto report = gather(*file, read);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    EXPECT_LT(report->uncommitted_bytes, 8 * report->chunks);
    EXPECT_EQ(read, written);
    // Once more changes nothing, and nothing is left beside it.
    const std::string bytes = contents(path);
    ASSERT_TRUE(pack_file(path));
    EXPECT_EQ(contents(path), bytes);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Pack, TakesRecordsThatComeLater) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    FileWriter writer;
    RowsByStream written = write_file(path, writer);
    ASSERT_EQ(writer.close(), 0);
    const auto reach = Folder::open(path.parent_path());
    ASSERT_TRUE(reach);
    const Mark later{.time = 77, .name = "later"};
    const RowRecord<Mark> record{later};
    std::vector<std::uint8_t> more(256);
    std::uint64_t bases[RowRecord<Mark>::kDeltas] = {};
    std::uint8_t* at = encode_varint(more.data(), Mark::kTableId);
    at = encode_varint(at, record.body(bases));
    at = record.write(at, bases);
    more.resize(static_cast<std::size_t>(at - more.data()));
    ASSERT_TRUE(pack_file(*reach, "a.krec", more));
    written[0].push_back(describe(later));
    const auto file = File::open(path);
    ASSERT_TRUE(file);
    RowsByStream read;
    ASSERT_TRUE(gather(*file, read));
    EXPECT_EQ(read, written);
    // A file that is packed takes them as well, and stays as it is without any.
    ASSERT_TRUE(pack_file(*reach, "a.krec", more));
    written[0].push_back(describe(later));
    const auto again = File::open(path);
    ASSERT_TRUE(again);
    read.clear();
    ASSERT_TRUE(gather(*again, read));
    EXPECT_EQ(read, written);
    const std::string before = contents(path);
    ASSERT_TRUE(pack_file(*reach, "a.krec"));
    EXPECT_EQ(contents(path), before);
}

TEST(Pack, ALiveFileIsRefusedAndAKilledOnesIsNot) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    FileWriter writer;
    const RowsByStream written = write_file(path, writer);
    const auto refused = pack_file(path);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kUnsupported);
    ASSERT_EQ(writer.close(), 0);
    const auto orphan = folder / "b.krec";
    const pid_t child = fork();
    if (child == 0) {  // neither cut nor marked as closed
        FileWriter killed;
        write_file(orphan, killed);
        _exit(0);
    }
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    ASSERT_TRUE(pack_file(orphan));
    const auto file = File::open(orphan);
    ASSERT_TRUE(file);
    EXPECT_FALSE(file->header().closed);
    RowsByStream read;
    ASSERT_TRUE(gather(*file, read));
    EXPECT_EQ(read, written);
}

// SIGXFSZ is at its default here.
TEST(Pack, WithoutSpaceTheOriginalStays) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    FileWriter writer;
    write_file(path, writer);
    ASSERT_EQ(writer.close(), 0);
    const std::string before = contents(path);
    rlimit unlimited{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
    rlimit little = unlimited;
    little.rlim_cur = 50'000;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
    const auto packed = pack_file(path);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    ASSERT_FALSE(packed);
    EXPECT_EQ(packed.error().kind, ErrorKind::kNoSpace);
    EXPECT_EQ(contents(path), before);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Pack, ADamagedFileIsNotTouched) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    FileWriter writer;
    write_file(path, writer);
    ASSERT_EQ(writer.close(), 0);
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(kHeaderBytes + 4).put('\x01');
    const std::string before = contents(path);
    const auto packed = pack_file(path);
    ASSERT_FALSE(packed);
    EXPECT_EQ(packed.error().kind, ErrorKind::kMalformed);
    EXPECT_EQ(contents(path), before);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

// Any byte of a packed file overwritten: every row that is delivered is one that was written.
TEST(Pack, ChecksumsCatchOverwrittenBytes) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    const auto damaged = folder / "b.krec";
    FileWriter writer;
    const RowsByStream written = write_file(path, writer);
    ASSERT_EQ(writer.close(), 0);
    ASSERT_TRUE(pack_file(path));
    const std::string bytes = contents(path);
    std::mt19937_64 random(5);
    unsigned caught = 0;
    constexpr unsigned kRounds = 30;
    for (unsigned round = 0; round < kRounds; ++round) {
        std::string changed = bytes;
        const std::size_t at = kHeaderBytes + random() % (bytes.size() - kHeaderBytes);
        changed[at] = static_cast<char>(changed[at] ^ (1 << random() % 8));
        std::ofstream(damaged, std::ios::binary) << changed;
        const auto file = File::open(damaged);
        ASSERT_TRUE(file);
        RowsByStream read;
        const auto report = gather(*file, read);
        ASSERT_TRUE(report);
        caught += report->whole() ? 0 : 1;
        std::size_t delivered = 0;
        for (const auto& [stream, rows] : read) {
            delivered += rows.size();
            const auto& all = written.at(stream);
            // A stream may lack a chunk's rows; what is there is in order.
            auto from = all.begin();
            for (const std::string& row : rows) {
                from = std::find(from, all.end(), row);
                ASSERT_NE(from, all.end()) << "byte " << at;
                ++from;
            }
        }
        EXPECT_GT(delivered, 10'000U);
    }
    EXPECT_GE(caught, kRounds - 1);  // the few bytes of padding are not covered
}

TEST(PackCopy, HasWhatIsCommittedWhileTheFileIsWritten) {
    const TemporaryFolder folder;
    const TemporaryFolder copies;
    const auto path = folder / "a.krec";
    FileWriter writer;
    ASSERT_EQ(writer.create(path.c_str(), {}), 0);
    StreamWriter rows;
    rows.open(writer, StreamId{0});
    ASSERT_TRUE(write_schemas(rows));
    ASSERT_TRUE(rows.append(Process{.pid = 1}));
    const auto to = Folder::open(copies.path());
    const auto file = File::open(path);
    ASSERT_TRUE(file && to);
    EXPECT_TRUE(file->header().has_writer);
    ASSERT_TRUE(pack_copy(*file, *to, "early.krec"));
    ASSERT_TRUE(rows.append(Process{.pid = 2}));
    ASSERT_TRUE(pack_copy(*file, *to, "later.krec"));
    rows.release();
    ASSERT_EQ(writer.close(), 0);
    const auto ended = File::open(path);
    ASSERT_TRUE(ended);
    EXPECT_FALSE(ended->header().has_writer);
    ASSERT_TRUE(pack_copy(*ended, *to, "ended.krec"));
    const auto pids = [&](const char* name) {
        const auto copy = File::open(copies / name);
        EXPECT_TRUE(copy) << copy.error().what;
        EXPECT_TRUE(copy->header().packed);
        EXPECT_EQ(copy->header().has_writer, std::string_view(name) != "ended.krec");
        std::vector<std::uint64_t> found;
        const auto report = copy->scan(on<Process>([&](StreamId, const Process& row) { found.push_back(row.pid); }));
        EXPECT_TRUE(report && report->whole());
        return found;
    };
    EXPECT_EQ(pids("early.krec"), (std::vector<std::uint64_t>{1}));
    EXPECT_EQ(pids("later.krec"), (std::vector<std::uint64_t>{1, 2}));
    EXPECT_EQ(pids("ended.krec"), (std::vector<std::uint64_t>{1, 2}));
}

}  // namespace
}  // namespace kymo::recording
