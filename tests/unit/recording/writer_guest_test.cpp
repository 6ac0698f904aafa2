// The writer as a guest in somebody else's program: descriptors, forks, signals, errno, short threads.

#include "rows.h"
#include "temporary_folder.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kymo::recording {
namespace {

using testing::describe;
using testing::gather;
using testing::RowsByStream;
using testing::TemporaryFolder;

int descriptor_of(const std::filesystem::path& path) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        if (std::filesystem::read_symlink(entry.path(), gone) == path) {
            return std::stoi(entry.path().filename());
        }
    }
    return -1;
}

TEST(WriterGuest, ShortStreamsShareChunks) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    FileWriter writer;
    ASSERT_EQ(writer.create(path.c_str(), {}), 0);
    StreamWriter own;
    own.open(writer, StreamId{0});
    ASSERT_TRUE(write_schemas(own));
    constexpr std::uint32_t kStreams = 5000;
    RowsByStream written;
    for (std::uint32_t id = 1; id <= kStreams; ++id) {
        StreamWriter stream;
        stream.open(writer, StreamId{id});
        for (std::uint64_t i = 0; i < 3; ++i) {
            const Mark mark{.time = id * 1'000'000 + i, .value = 1};
            ASSERT_TRUE(stream.append(mark));
            written[id].push_back(describe(mark));
        }
        stream.release();
        EXPECT_FALSE(stream.append(Mark{}));  // released
    }
    ASSERT_EQ(writer.close(), 0);
    // Three rows and a marker take about 40 bytes.
    EXPECT_LT(std::filesystem::file_size(path), kStreams * 60 + 3 * kChunkBytes);
    RowsByStream read;
    const auto file = File::open(path);
    ASSERT_TRUE(file);
    ASSERT_TRUE(gather(*file, read));
    EXPECT_EQ(read, written);
}

TEST(WriterGuest, ARunningStreamNeverTakesRemains) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    FileWriter writer;
    ASSERT_EQ(writer.create(path.c_str(), {}), 0);
    StreamWriter early;
    StreamWriter running;
    early.open(writer, StreamId{1});
    running.open(writer, StreamId{2});
    write_schemas(early);
    std::vector<std::string> written;
    const std::string name(1'000, 'n');
    const auto append = [&](std::uint64_t time) {
        const Mark mark{.time = time, .name = name};
        ASSERT_TRUE(running.append(mark));
        written.push_back(describe(mark));
    };
    append(1);
    early.release();  // nearly a whole chunk, before the running stream's first one
    for (std::uint64_t time = 2; time < 200; ++time) {
        append(time);
    }
    ASSERT_EQ(writer.close(), 0);
    RowsByStream read;
    const auto file = File::open(path);
    ASSERT_TRUE(file);
    ASSERT_TRUE(gather(*file, read));
    EXPECT_EQ(read[2], written);
}

TEST(WriterGuest, ErrnoIsKept) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    FileWriter writer;
    ASSERT_EQ(writer.create(path.c_str(), {.max_bytes = 200'000}), 0);
    StreamWriter stream;
    stream.open(writer, StreamId{1});
    const std::string name(1'000, 'n');
    errno = ELOOP;
    while (stream.append(Mark{.name = name})) {
        ASSERT_EQ(errno, ELOOP);
    }
    EXPECT_EQ(errno, ELOOP);
    writer.abandon();
    EXPECT_EQ(errno, ELOOP);
}

TEST(WriterGuest, DescriptorIsOutOfTheProgramsWay) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    const int next_before = dup(0);
    close(next_before);
    FileWriter writer;
    ASSERT_EQ(writer.create(path.c_str(), {.descriptor_floor = 200}), 0);
    const int ours = descriptor_of(path);
    EXPECT_GE(ours, 200);
    EXPECT_NE(fcntl(ours, F_GETFD) & FD_CLOEXEC, 0);
    const int next = dup(0);
    EXPECT_EQ(next, next_before);
    close(next);
    EXPECT_EQ(writer.close(), 0);
    EXPECT_EQ(descriptor_of(path), -1);
}

// A daemon closes all it does not know, and gets our number for a file of its own.
TEST(WriterGuest, AStolenDescriptorIsLeftAlone) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    FileWriter writer;
    ASSERT_EQ(writer.create(path.c_str(), {}), 0);
    StreamWriter stream;
    stream.open(writer, StreamId{1});
    ASSERT_TRUE(write_schemas(stream));
    const int stolen = descriptor_of(path);
    const int theirs = open((folder / "theirs").c_str(), O_RDWR | O_CREAT, 0600);
    ASSERT_GE(stolen, 0);
    ASSERT_EQ(dup2(theirs, stolen), stolen);
    std::vector<std::string> written;
    const std::string name(1'000, 'n');
    for (std::uint64_t time = 0; time < 300; ++time) {
        const Mark mark{.time = time, .name = name};
        ASSERT_TRUE(stream.append(mark));
        written.push_back(describe(mark));
    }
    EXPECT_EQ(writer.close(), 0);
    struct stat status{};
    ASSERT_EQ(fstat(stolen, &status), 0);  // not closed
    EXPECT_EQ(status.st_size, 0);
    close(stolen);
    close(theirs);
    RowsByStream read;
    const auto file = File::open(path);
    ASSERT_TRUE(file);
    ASSERT_TRUE(gather(*file, read));
    EXPECT_EQ(read[1], written);
}

TEST(WriterGuest, AForkedChildLetsGo) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    const auto own_path = folder / "b.krec";
    FileWriter writer;
    ASSERT_EQ(writer.create(path.c_str(), {}), 0);
    StreamWriter stream;
    stream.open(writer, StreamId{1});
    ASSERT_TRUE(write_schemas(stream));
    ASSERT_TRUE(stream.append(Mark{.time = 1}));
    const std::uint64_t used = writer.bytes_used();
    const pid_t child = fork();
    if (child == 0) {
        writer.abandon();
        bool good = !writer.is_open() && !stream.append(Mark{.time = 2});
        // The same objects may be used for the child's own recording.
        good = good && writer.create(own_path.c_str(), {}) == 0;
        good = good && !stream.append(Mark{.time = 3});  // not opened again yet
        stream.open(writer, StreamId{1});
        good = good && write_schemas(stream) && stream.append(Mark{.time = 4}) && writer.close() == 0;
        _exit(good ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(writer.bytes_used(), used);
    ASSERT_TRUE(stream.append(Mark{.time = 5}));
    ASSERT_EQ(writer.close(), 0);
    const auto times = [](const std::filesystem::path& of) {
        std::vector<std::uint64_t> all;
        const auto file = File::open(of);
        EXPECT_TRUE(file);
        const auto report = file->scan(on<Mark>([&](StreamId, const Mark& mark) { all.push_back(mark.time); }));
        EXPECT_TRUE(report->whole());
        return all;
    };
    EXPECT_EQ(times(path), (std::vector<std::uint64_t>{1, 5}));
    EXPECT_EQ(times(own_path), (std::vector<std::uint64_t>{4}));
}

TEST(WriterGuest, AfterCloseNothingIsWritten) {
    const TemporaryFolder folder;
    FileWriter writer;
    ASSERT_EQ(writer.create((folder / "a.krec").c_str(), {}), 0);
    StreamWriter stream;
    stream.open(writer, StreamId{1});
    ASSERT_TRUE(stream.append(Mark{}));
    ASSERT_EQ(writer.close(), 0);
    EXPECT_FALSE(stream.append(Mark{}));
    EXPECT_EQ(stream.unwritten(), 1U);
    stream.release();
    EXPECT_EQ(writer.close(), 0);
    EXPECT_EQ(writer.bytes_used(), 0U);
}

// A handler that takes and gives back chunks, on threads that do the same all the time.
FileWriter handled_file;
std::atomic<std::uint32_t> next_stream{1};
std::atomic<std::uint64_t> handled{0};
std::atomic<std::uint64_t> refused{0};

void write_one_stream() {
    StreamWriter stream;
    stream.open(handled_file, StreamId{next_stream.fetch_add(1)});
    for (std::uint64_t time = 1; time <= 4; ++time) {
        if (!stream.append(Mark{.time = time})) {
            refused.fetch_add(1);
        }
    }
    stream.release();
}

void on_alarm(int) {
    write_one_stream();
    handled.fetch_add(1);
}

TEST(WriterGuest, HandlersInterruptTakingAndGivingBack) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    ASSERT_EQ(handled_file.create(path.c_str(), {}), 0);
    struct sigaction action{};
    struct sigaction before{};
    action.sa_handler = on_alarm;
    action.sa_flags = SA_RESTART;
    ASSERT_EQ(sigaction(SIGALRM, &action, &before), 0);
    const itimerval often{.it_interval = {0, 50}, .it_value = {0, 50}};
    ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([] {
            for (int i = 0; i < 20'000; ++i) {
                write_one_stream();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    sigaction(SIGALRM, &before, nullptr);
    const std::uint32_t streams = next_stream.load() - 1;
    EXPECT_GT(handled.load(), 10U);
    EXPECT_EQ(refused.load(), 0U);
    StreamWriter own;
    own.open(handled_file, StreamId{0});
    write_schemas(own);
    ASSERT_EQ(handled_file.close(), 0);

    const auto file = File::open(path);
    ASSERT_TRUE(file);
    std::vector<std::uint8_t> rows(streams + 1);
    const auto report = file->scan(on<Mark>([&](StreamId stream, const Mark& mark) {
        ASSERT_LE(raw(stream), streams);
        ASSERT_EQ(mark.time, ++rows[raw(stream)]);  // 1, 2, 3, 4
    }));
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    EXPECT_EQ(report->rows("mark"), 4ULL * streams);
    EXPECT_LT(std::filesystem::file_size(path), 60ULL * streams + 20 * kChunkBytes);
}

}  // namespace
}  // namespace kymo::recording
