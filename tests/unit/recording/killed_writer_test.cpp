// SIGKILL at random moments: whatever append() said yes to is there, and every stream's rows are a prefix of what it
// wrote, in order.

#include "rows.h"
#include "temporary_folder.h"

#include <array>
#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kymo::recording {
namespace {

using testing::TemporaryFolder;

// A row whose every part follows from its stream and its number.
struct Step {
    std::uint64_t number = 0;
    std::uint64_t check = 0;
    std::string_view text = {};
    std::span<const std::uint64_t> list = {};

    static constexpr const char* kTable = "step";
    static constexpr std::uint32_t kTableId = 500;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("number", ColumnType::kDelta, "", &Step::number);
        visit("check", ColumnType::kUint, "", &Step::check);
        visit("text", ColumnType::kText, "", &Step::text);
        visit("list", ColumnType::kUintList, "", &Step::list);
    }
};

struct Contents {
    Contents(std::uint32_t stream, std::uint64_t number) {
        std::mt19937_64 random(stream * 1'000'003ULL + number);
        check = random();
        text.assign(random() % (random() % 500 == 0 ? 90'000 : 60), static_cast<char>('a' + random() % 26));
        list.resize(random() % 6);
        for (std::uint64_t& value : list) {
            value = random() >> (random() % 64);
        }
    }
    std::uint64_t check = 0;
    std::string text;
    std::vector<std::uint64_t> list;
};

constexpr std::uint32_t kThreads = 3;
constexpr std::uint32_t kStreams = 4096;

struct Progress {
    std::array<std::atomic<std::uint64_t>, kStreams> appended;  // rows append() said yes to, by stream
    std::atomic<std::uint32_t> next_stream;
};

[[noreturn]] void write_until_killed(const std::filesystem::path& path, Progress& progress) {
    static FileWriter writer;
    StreamWriter own;
    if (writer.create(path.c_str(), {}) != 0) {
        _exit(2);
    }
    own.open(writer, StreamId{0});
    write_schema<Step>(own);
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&] {
            for (;;) {
                const std::uint32_t id = progress.next_stream.fetch_add(1);
                if (id >= kStreams) {
                    pause();
                }
                StreamWriter stream;
                stream.open(writer, StreamId{id});
                const std::uint64_t rows = id % 16 == 0 ? 10'000 : id % 50;
                for (std::uint64_t number = 0; number < rows; ++number) {
                    const Contents contents(id, number);
                    if (!stream.append(Step{number, contents.check, contents.text, contents.list})) {
                        _exit(3);
                    }
                    progress.appended[id].store(number + 1);
                }
                stream.release();
            }
        });
    }
    for (;;) {
        pause();
    }
}

TEST(KilledWriter, EverythingCommittedIsThere) {
    void* const shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    std::mt19937 random(2026);
    std::uint64_t seen = 0;
    for (int round = 0; round < 20; ++round) {
        const TemporaryFolder folder;
        const auto path = folder / "a.krec";
        auto& progress = *new (shared) Progress{};
        progress.next_stream = 1;
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            write_until_killed(path, progress);
        }
        while (progress.appended[1].load() + progress.appended[2].load() == 0) {
            int status = 0;
            ASSERT_EQ(waitpid(child, &status, WNOHANG), 0) << "the writing process failed with status " << status;
            usleep(100);
        }
        usleep(static_cast<useconds_t>(random() % 20'000));
        kill(child, SIGKILL);
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << status;

        const auto file = File::open(path);
        ASSERT_TRUE(file) << file.error().what;
        EXPECT_FALSE(file->header().closed);
        std::vector<std::uint64_t> rows(kStreams);
        const auto report = file->scan(on<Step>([&](StreamId stream, const Step& step) {
            ASSERT_LT(raw(stream), kStreams);
            ASSERT_EQ(step.number, rows[raw(stream)]);
            const Contents expected(raw(stream), step.number);
            ASSERT_EQ(step.check, expected.check);
            ASSERT_EQ(step.text, expected.text);
            ASSERT_EQ(std::vector<std::uint64_t>(step.list.begin(), step.list.end()), expected.list);
            ++rows[raw(stream)];
        }));
        ASSERT_TRUE(report) << report.error().what;
        EXPECT_TRUE(report->whole()) << report->damaged.front().what << " at " << report->damaged.front().offset;
        for (std::uint32_t id = 0; id < kStreams; ++id) {
            // The kill may fall between the commit and the note of it.
            EXPECT_GE(rows[id], progress.appended[id].load()) << id;
            EXPECT_LE(rows[id], progress.appended[id].load() + 1) << id;
        }
        seen += report->rows("step");
    }
    EXPECT_GT(seen, 1000U);
    munmap(shared, sizeof(Progress));
}

}  // namespace
}  // namespace kymo::recording
