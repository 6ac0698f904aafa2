// What a writer does where there is no space, little space, or an odd file system.

#include "rows.h"
#include "temporary_folder.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kymo::recording {
namespace {

using testing::describe;
using testing::gather;
using testing::RowsByStream;
using testing::TemporaryFolder;

// Appends samples until one is refused; gives what was taken.
std::vector<std::string> fill(FileWriter& writer, StreamWriter& stream, std::size_t at_most = 1'000'000) {
    const std::array<std::uint64_t, 4> deltas = {1'000'000, 3, 0, 12};
    std::vector<std::string> written;
    for (std::uint64_t i = 0; i < at_most; ++i) {
        const Sample sample{.time = i * 1'000'000, .event = 1, .context = i % 300, .deltas = deltas};
        if (!stream.append(sample)) {
            EXPECT_TRUE(writer.full());
            break;
        }
        written.push_back(describe(sample));
    }
    return written;
}

void expect_rows(const std::filesystem::path& path, std::uint32_t stream, const std::vector<std::string>& written) {
    const auto file = File::open(path);
    ASSERT_TRUE(file) << file.error().what;
    RowsByStream read;
    const auto report = gather(*file, read);
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_TRUE(report->whole());
    EXPECT_EQ(read[stream], written);
}

void begin(FileWriter& writer, StreamWriter& stream, const std::filesystem::path& path, const FileOptions& options) {
    ASSERT_EQ(writer.create(path.c_str(), options), 0);
    stream.open(writer, StreamId{1});
    ASSERT_TRUE(write_schemas(stream));
}

TEST(WriterSpace, MaxBytesIsKept) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    constexpr std::uint64_t kMost = 300'000;
    FileWriter writer;
    StreamWriter stream;
    begin(writer, stream, path, {.max_bytes = kMost});
    const auto written = fill(writer, stream);
    EXPECT_EQ(writer.last_error(), EFBIG);
    EXPECT_EQ(stream.unwritten(), 1U);
    EXPECT_GT(written.size(), 10'000U);  // four chunks of 64 KiB
    EXPECT_LE(writer.bytes_used(), kMost);
    ASSERT_EQ(writer.close(), 0);
    EXPECT_LE(std::filesystem::file_size(path), kMost);
    expect_rows(path, 1, written);
}

TEST(WriterSpace, TooLittleForOneChunkIsRefused) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    FileWriter writer;
    EXPECT_EQ(writer.create(path.c_str(), {.max_bytes = 60'000}), EFBIG);
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_EQ(writer.create("/nonexistent-folder/a.krec", {}), ENOENT);
}

// SIGXFSZ is at its default here: going past the limit would end this test.
TEST(WriterSpace, FileSizeLimitIsNotRunInto) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit little = before;
    little.rlim_cur = 200'000;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
    FileWriter writer;
    StreamWriter stream;
    begin(writer, stream, path, {});
    const auto written = fill(writer, stream);
    EXPECT_EQ(writer.last_error(), EFBIG);
    EXPECT_EQ(writer.close(), 0);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_GT(written.size(), 5'000U);
    expect_rows(path, 1, written);
}

TEST(WriterSpace, LittleAddressSpaceIsEnough) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers need their address space";
#endif
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
    rlimit little = before;
    little.rlim_cur = 1ULL << 30U;
    ASSERT_EQ(setrlimit(RLIMIT_AS, &little), 0);
    FileWriter writer;
    StreamWriter stream;
    begin(writer, stream, path, {});
    const auto written = fill(writer, stream, 100);
    ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
    EXPECT_EQ(writer.close(), 0);
    expect_rows(path, 1, written);
}

// Bytes of this process's address space that a file is mapped to.
std::uint64_t mapped_of(const std::filesystem::path& path) {
    std::ifstream maps("/proc/self/maps");
    std::uint64_t bytes = 0;
    for (std::string line; std::getline(maps, line);) {
        if (line.ends_with(path.filename().string())) {
            const std::size_t dash = line.find('-');
            bytes += std::stoull(line.substr(dash + 1), nullptr, 16) - std::stoull(line.substr(0, dash), nullptr, 16);
        }
    }
    return bytes;
}

// However large the file is and may become: a program under a limit of address space has what it has without Kymo.
TEST(WriterSpace, MappedIsTheHeaderAndOneChunkAStream) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    FileWriter writer;
    StreamWriter first;
    begin(writer, first, path, {});
    StreamWriter second;
    second.open(writer, StreamId{2});
    const auto one = fill(writer, first, 200'000);
    const auto two = fill(writer, second, 200'000);
    EXPECT_GT(writer.bytes_used(), 30 * kChunkBytes);
    EXPECT_LE(mapped_of(path), kHeaderBytes + 4 * kChunkBytes);  // and what the two have left over
    const pid_t child = fork();
    if (child == 0) {
        const std::uint64_t inherited = mapped_of(path);
        writer.abandon();
        _exit(inherited == kHeaderBytes && mapped_of(path) == 0 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "the chunks are the parent's";
    first.release();
    second.release();
    ASSERT_EQ(writer.close(), 0);
    EXPECT_EQ(mapped_of(path), 0U);
    expect_rows(path, 1, one);
    expect_rows(path, 2, two);
}

// What streams leave over is for later ones, however many end; what finds no place is unmapped.
TEST(WriterSpace, RemainsOfManyStreamsAreUsedAgain) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    FileWriter writer;
    StreamWriter own;
    begin(writer, own, path, {});
    std::vector<StreamWriter> streams(1500);
    for (std::uint32_t round = 0; round < 3; ++round) {
        std::uint32_t number = 10 + round * 1500;
        for (StreamWriter& stream : streams) {
            stream.open(writer, StreamId{number++});
            ASSERT_TRUE(stream.append(Mark{.time = number}));
        }
        for (StreamWriter& stream : streams) {
            stream.release();
        }
        EXPECT_LE(mapped_of(path), kHeaderBytes + kChunkBytes + 1024 * kGridBytes + kGridBytes);
    }
    EXPECT_LT(writer.bytes_used(), 3 * 1500 * kGridBytes);
    own.release();
    ASSERT_EQ(writer.close(), 0);
    EXPECT_EQ(mapped_of(path), 0U);
    const auto file = File::open(path);
    ASSERT_TRUE(file);
    RowsByStream read;
    const auto report = gather(*file, read);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    for (std::uint32_t number = 10; number < 10 + 3 * 1500; ++number) {
        ASSERT_EQ(read[number].size(), 1U) << number;
    }
}

TEST(WriterSpace, FullDisk) {
    // A private mount name space, so that nothing is left however the test ends.
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
        GTEST_SKIP() << "a small file system can only be mounted as root";
    }
    const TemporaryFolder folder;
    if (mount("kymo-test", folder.path().c_str(), "tmpfs", 0, "size=1m") != 0) {
        GTEST_SKIP() << "no tmpfs can be mounted";
    }
    const auto path = folder / "a.krec";
    FileWriter writer;
    StreamWriter stream;
    begin(writer, stream, path, {});
    auto written = fill(writer, stream);
    EXPECT_EQ(writer.last_error(), ENOSPC);
    EXPECT_GT(written.size(), 30'000U);
    // Others are refused too, at once; nothing is a SIGBUS.
    StreamWriter late;
    late.open(writer, StreamId{2});
    EXPECT_FALSE(late.append(Mark{.time = 1}));
    EXPECT_EQ(late.unwritten(), 1U);
    ASSERT_EQ(writer.close(), 0);
    expect_rows(path, 1, written);
    // A second file finds no space for its first chunk.
    std::ofstream(folder / "filler") << std::string(1 << 20, 'x');
    FileWriter second;
    EXPECT_EQ(second.create((folder / "b.krec").c_str(), {}), ENOSPC);
    EXPECT_FALSE(std::filesystem::exists(folder / "b.krec"));
    umount2(folder.path().c_str(), MNT_DETACH);
}

int not_supported(int, std::uint64_t, std::uint64_t) {
    return EOPNOTSUPP;
}

TEST(WriterSpace, FileSystemWithoutFallocate) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    FileWriter writer;
    StreamWriter own;
    begin(writer, own, path, {.allocate = not_supported});
    // Several threads at once: zeros that one of them writes must not fall on another's rows.
    std::array<std::vector<std::string>, 4> written;
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < written.size(); ++t) {
        threads.emplace_back([&, t] {
            StreamWriter stream;
            stream.open(writer, StreamId{10 + t});
            written[t] = fill(writer, stream, 20'000);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    ASSERT_EQ(writer.close(), 0);
    struct stat status{};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_GE(status.st_blocks * 512, status.st_size);  // no holes
    for (std::uint32_t t = 0; t < written.size(); ++t) {
        EXPECT_EQ(written[t].size(), 20'000U);
        expect_rows(path, 10 + t, written[t]);
    }
}

std::atomic<int> allowance{0};

int allow_some(int file, std::uint64_t offset, std::uint64_t bytes) {
    if (allowance.fetch_sub(1) <= 0) {
        return ENOSPC;
    }
    return posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(bytes));
}

// Threads run into the end together: claims without space are undone or stepped over.
TEST(WriterSpace, ThreadsMeetAFullDiskTogether) {
    for (int round = 0; round < 6; ++round) {
        const TemporaryFolder folder;
        const auto path = folder / "a.krec";
        allowance = 10;
        FileWriter writer;
        StreamWriter own;
        begin(writer, own, path, {.allocate = allow_some});
        std::array<std::vector<std::string>, 4> written;
        std::vector<std::thread> threads;
        for (std::uint32_t t = 0; t < written.size(); ++t) {
            threads.emplace_back([&, t] {
                StreamWriter stream;
                stream.open(writer, StreamId{10 + t});
                written[t] = fill(writer, stream);
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        ASSERT_EQ(writer.close(), 0);
        for (std::uint32_t t = 0; t < written.size(); ++t) {
            expect_rows(path, 10 + t, written[t]);
        }
    }
}

TEST(WriterSpace, LongRowsGetTheirOwnChunk) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    FileWriter writer;
    StreamWriter stream;
    begin(writer, stream, path, {});
    std::vector<std::string> written;
    // Around one and two chunks, and near what is refused.
    for (const std::size_t size :
         {65'400U, 65'480U, 65'490U, 65'500U, 65'504U, 65'536U, 131'000U, 131'072U, 2'000'000U}) {
        const std::string command(size, 'c');
        const Process process{.time = size, .pid = size, .command = command};
        ASSERT_TRUE(stream.append(process)) << size;
        written.push_back(describe(process));
        const Mark mark{.time = size, .name = "between"};
        ASSERT_TRUE(stream.append(mark));
        written.push_back(describe(mark));
    }
    const std::string enormous(kMaxChunkBytes, 'c');
    EXPECT_FALSE(stream.append(Process{.command = enormous}));
    EXPECT_EQ(stream.unwritten(), 1U);
    EXPECT_FALSE(writer.full());
    const Mark last{.time = 1, .name = "still writing"};
    ASSERT_TRUE(stream.append(last));
    written.push_back(describe(last));
    ASSERT_EQ(writer.close(), 0);
    expect_rows(path, 1, written);
}

// Every size of a row against every room left: lengths of one, two and three bytes at the chunk's end.
TEST(WriterSpace, RowsFitExactlyAtTheEnd) {
    const TemporaryFolder folder;
    for (std::size_t left = 0; left < 300; left += 7) {
        const auto path = folder / ("a" + std::to_string(left) + ".krec").c_str();
        FileWriter writer;
        StreamWriter stream;
        begin(writer, stream, path, {});
        std::vector<std::string> written;
        const auto mark = [&](std::size_t size) {
            const std::string name(size, 'n');
            const Mark row{.time = 1'000, .name = name};
            ASSERT_TRUE(stream.append(row));
            written.push_back(describe(row));
        };
        mark(60'000);
        mark(3'000 - left);
        for (std::size_t size = 0; size < 150; ++size) {
            mark(size);
        }
        ASSERT_EQ(writer.close(), 0);
        expect_rows(path, 1, written);
    }
}

}  // namespace
}  // namespace kymo::recording
