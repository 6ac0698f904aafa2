// What one process writes, read from outside.

#include "cells/segment.h"

#include "cells/primitives.h"
#include "cells/reader/snapshot.h"
#include "cells/standard.h"
#include "example.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kymo::cells {
namespace {

using testing::TemporaryFolder;

SegmentOptions options(std::uint32_t tasks = 8, std::uint32_t channels = 0) {
    return {.pid = static_cast<std::uint32_t>(getpid()), .program = "test", .tasks = tasks, .channels = channels};
}

Object thread(std::uint64_t number, std::uint64_t begin = 1) {
    Object object;
    object.number = number;
    object.writer = static_cast<std::uint32_t>(number);
    object.begin = begin;
    object.name = "a thread";
    return object;
}

std::uint64_t sum_of(const Snapshot& snapshot, std::uint32_t cell) {
    std::uint64_t sum = 0;
    for (const RowValues& row : snapshot.table(ResourceKind::kTask)->rows) {
        sum += row.cells[cell];
    }
    return sum;
}

TEST(Segment, IsPrivateAndNeverOverwritten) {
    const TemporaryFolder folder;
    Segment segment;
    ASSERT_EQ(segment.create((folder / "a.cells").c_str(), options()), 0);
    struct stat facts{};
    ASSERT_EQ(stat((folder / "a.cells").c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0600U);
    Segment other;
    EXPECT_EQ(other.create((folder / "a.cells").c_str(), options()), EEXIST);
    EXPECT_EQ(other.create((folder / "none/a.cells").c_str(), options()), ENOENT);
    EXPECT_FALSE(other.is_open());
}

// The program would be killed by SIGXFSZ.
TEST(Segment, AFileSizeLimitIsARefusal) {
    const TemporaryFolder folder;
    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit{4096, 4096};
        setrlimit(RLIMIT_FSIZE, &limit);
        Segment segment;
        _exit(segment.create((folder / "a.cells").c_str(), options()));
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), EFBIG);
    EXPECT_FALSE(std::filesystem::exists(folder / "a.cells"));
}

TEST(Segment, HoldsWhatItsThreadsAdd) {
    const TemporaryFolder folder;
    Segment segment;
    ASSERT_EQ(segment.create((folder / "a.cells").c_str(), options()), 0);
    Row* one = segment.take(thread(11));
    Row* two = segment.take(thread(12));
    ASSERT_TRUE(one != nullptr && two != nullptr);
    Segment::cells_of(*one)[kFirstIndexed] = 5;
    Segment::cells_of(*two)[kFirstIndexed] = 6;
    const std::uint32_t named = segment.named_cell({.unit = "bytes", .name = "sent", .description = "what was sent"});
    EXPECT_EQ(named, kFirstNamed);
    EXPECT_EQ(segment.named_cell({.name = "sent"}), named);
    Segment::cells_of(*two)[named] = 70;
    segment.end(*one, 99);
    segment.finish(100);
    const auto read = read_segment(folder / "a.cells");
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->ended, 100U);
    EXPECT_EQ(read->program, "test");
    const TableValues& tasks = *read->table(ResourceKind::kTask);
    ASSERT_EQ(tasks.rows.size(), 3U);
    EXPECT_EQ(tasks.rows[1].number, 11U);
    EXPECT_EQ(tasks.rows[1].state, RowState::kEnded);
    EXPECT_EQ(tasks.rows[1].end, 99U);
    EXPECT_EQ(tasks.rows[1].cells[kFirstIndexed], 5U);
    EXPECT_EQ(tasks.rows[2].name, "a thread");
    EXPECT_EQ(tasks.rows[2].cells[read->metric(ResourceKind::kTask, "sent")->cell], 70U);
    EXPECT_EQ(read->metric(ResourceKind::kTask, "sent")->unit, "bytes");
    for (const StandardMetric& metric : kStandardMetrics) {
        if (metric.kind == ResourceKind::kTask) {
            ASSERT_NE(read->metric(metric.kind, metric.name), nullptr) << metric.name;
            EXPECT_EQ(read->metric(metric.kind, metric.name)->cell, metric.cell);
        }
    }
}

TEST(Segment, NamesAreBounded) {
    const TemporaryFolder folder;
    Segment segment;
    ASSERT_EQ(segment.create((folder / "a.cells").c_str(), options()), 0);
    for (std::uint32_t i = 0; i < kNamedCells; ++i) {
        EXPECT_EQ(segment.named_cell({.name = "cell" + std::to_string(i)}), kFirstNamed + i);
    }
    EXPECT_EQ(segment.named_cell({.name = "one more"}), kNoCell);
    EXPECT_EQ(segment.named_cell({.name = ""}), kNoCell);
    EXPECT_EQ(segment.named_cell({.name = "cell7"}), kFirstNamed + 7);
    EXPECT_EQ(segment.named_cell({.kind = ResourceKind::kChannel, .name = "no such table"}), kNoCell);
}

// Ten times as many threads as rows: the sums hold, and the table says what happened.
TEST(Segment, EndedThreadsAreAddedUpWhenRowsAreNeeded) {
    const TemporaryFolder folder;
    Segment segment;
    ASSERT_EQ(segment.create((folder / "a.cells").c_str(), options(8)), 0);
    const std::uint32_t most = segment.named_cell({.type = MetricType::kMaximum, .name = "most"});
    const std::uint32_t state = segment.named_cell({.type = MetricType::kGauge, .name = "state"});
    for (std::uint64_t i = 1; i <= 80; ++i) {
        Row* row = segment.take(thread(i));
        ASSERT_NE(row, nullptr);
        Segment::cells_of(*row)[kFirstIndexed] = i;
        Segment::cells_of(*row)[most] = i % 64;
        Segment::cells_of(*row)[state] = 1;
        segment.end(*row, i);
    }
    const auto read = read_segment(folder / "a.cells");
    ASSERT_TRUE(read);
    const TableValues& tasks = *read->table(ResourceKind::kTask);
    EXPECT_EQ(tasks.rows.size(), 9U);
    EXPECT_EQ(tasks.rows[0].state, RowState::kSum);
    EXPECT_EQ(sum_of(*read, kFirstIndexed), 80U * 81U / 2U);
    EXPECT_EQ(tasks.rows[0].cells[most], 63U);
    EXPECT_EQ(tasks.rows[0].cells[state], 0U);
    EXPECT_FALSE(tasks.folding);
    EXPECT_EQ(tasks.refused, 0U);
}

TEST(Segment, MoreLiveThreadsThanRowsAreCounted) {
    const TemporaryFolder folder;
    Segment segment;
    ASSERT_EQ(segment.create((folder / "a.cells").c_str(), options(3)), 0);
    for (std::uint64_t i = 1; i <= 5; ++i) {
        EXPECT_EQ(segment.take(thread(i)) != nullptr, i <= 3);
    }
    EXPECT_EQ(read_segment(folder / "a.cells")->table(ResourceKind::kTask)->refused, 2U);
}

// A thread's timer 5, bound to cell 40, that was started between `before` and `started` and has run for 2 ms or more.
class RunningTimer : public ::testing::Test {
  protected:
    void SetUp() override {
        counted_.rate = measure_ticks(1'000'000);
        ASSERT_EQ(segment_.create((folder_ / "a.cells").c_str(), counted_), 0);
        row_ = segment_.take(thread(1));
        const Task task{Segment::cells_of(*row_), Segment::timers_of(*row_, kTaskCells), &counted_.rate, nullptr};
        bind(task, 5, 40);
        before_ = monotonic_now().ns;
        start(task, 5);
        started_ = monotonic_now().ns;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }

    const TemporaryFolder folder_;
    SegmentOptions counted_ = options();
    Segment segment_;
    Row* row_ = nullptr;
    std::uint64_t before_ = 0;
    std::uint64_t started_ = 0;
};

TEST_F(RunningTimer, RunsNoLongerThanItsProcess) {
    const std::uint64_t end = monotonic_now().ns;
    segment_.finish(end);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto ended = read_segment(folder_ / "a.cells");
    ASSERT_TRUE(ended);
    const RowValues& then = ended->table(ResourceKind::kTask)->rows[1];
    ASSERT_EQ(then.running.size(), 1U);
    // The counter and the clock are read one after the other.
    constexpr std::uint64_t kBetween = 1'000'000;
    EXPECT_GE(then.running[0].so_far + kBetween, (end - started_) * 999 / 1000);
    EXPECT_LE(then.running[0].so_far, (end - before_) * 1001 / 1000 + 1000);
}

TEST_F(RunningTimer, ShowsAndStopsWithItsThread) {
    const std::uint64_t slept = monotonic_now().ns;
    const auto running = read_segment(folder_ / "a.cells");
    const std::uint64_t after = monotonic_now().ns;
    ASSERT_TRUE(running);
    const RowValues& now = running->table(ResourceKind::kTask)->rows[1];
    ASSERT_EQ(now.running.size(), 1U);
    EXPECT_EQ(now.running[0].number, 5U);
    EXPECT_EQ(now.running[0].cell, 40U);
    // Between an inner and an outer pair of readings; the counter's rate is known to better than one in a thousand.
    EXPECT_GE(now.running[0].so_far, (slept - started_) * 999 / 1000);
    EXPECT_LE(now.running[0].so_far, (after - before_) * 1001 / 1000);
    segment_.end(*row_, 1);
    const auto ended = read_segment(folder_ / "a.cells");
    EXPECT_TRUE(ended->table(ResourceKind::kTask)->rows[1].running.empty());
    EXPECT_GE(ended->table(ResourceKind::kTask)->rows[1].cells[40], now.running[0].so_far);
}

// Rows change hands as fast as one thread can, and a reader never sees a row of two objects: every cell of a row
// tells its number.
TEST(Segment, AReaderNeverSeesARowOfTwoThreads) {
    const TemporaryFolder folder;
    Segment segment;
    ASSERT_EQ(segment.create((folder / "a.cells").c_str(), options(4)), 0);
    std::atomic<bool> done{false};
    std::thread writer([&] {
        for (std::uint64_t number = 1; !done; ++number) {
            Row* row = segment.take(thread(number));
            for (int i = 1; i < 200; ++i) {
                store(Segment::cells_of(*row)[kFirstNamed + 1 + i % 60], number);
            }
            segment.end(*row, number);
        }
    });
    std::uint64_t seen = 0;
    while (seen < 20'000) {  // however seldom the writer gets a processor
        const auto read = read_segment(folder / "a.cells");
        ASSERT_TRUE(read);
        for (const RowValues& row : read->table(ResourceKind::kTask)->rows) {
            if (row.state == RowState::kSum || row.torn) {
                continue;
            }
            for (std::uint32_t cell = kFirstNamed; cell < kTaskCells; ++cell) {
                ASSERT_TRUE(row.cells[cell] == 0 || row.cells[cell] == row.number) << row.number;
                seen += row.cells[cell] != 0 ? 1 : 0;
            }
        }
    }
    done = true;
    writer.join();
}

// Both halves of a cell are always the same number: no reading may tear them apart.
TEST(Segment, ACellIsReadWhole) {
    const TemporaryFolder folder;
    Segment segment;
    ASSERT_EQ(segment.create((folder / "a.cells").c_str(), options(1)), 0);
    Row* row = segment.take(thread(1));
    std::atomic<bool> done{false};
    std::thread writer([&] {
        for (std::uint64_t i = 0; !done; ++i) {
            store(Segment::cells_of(*row)[50], (i & 0xFFFF'FFFFU) << 32U | (i & 0xFFFF'FFFFU));
        }
    });
    std::uint64_t last = 0;
    for (int changes = 0; changes < 300;) {
        const auto read = read_segment(folder / "a.cells");
        ASSERT_TRUE(read);
        const std::uint64_t value = read->table(ResourceKind::kTask)->rows[1].cells[50];
        ASSERT_EQ(value >> 32U, value & 0xFFFF'FFFFU);
        changes += value != last ? 1 : 0;
        last = value;
    }
    done = true;
    writer.join();
}

// A program that is killed, or stopped, at any moment: what it has added is there, exactly.
TEST(Segment, ACrashLeavesEveryAddition) {
    const TemporaryFolder folder;
    auto* told = static_cast<std::atomic<std::uint64_t>*>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(static_cast<void*>(told), MAP_FAILED);
    const pid_t child = fork();
    if (child == 0) {
        Segment segment;
        if (segment.create((folder / "a.cells").c_str(), options()) != 0) {
            _exit(1);
        }
        Row* row = segment.take(thread(7));
        const TickRate rate;
        const Task task{Segment::cells_of(*row), Segment::timers_of(*row, kTaskCells), &rate, nullptr};
        for (std::uint64_t i = 1;; ++i) {
            add(task, 40, 3);
            told->store(i, std::memory_order_relaxed);
        }
    }
    while (told->load() < 1000) {
        usleep(100);
    }
    kill(child, SIGSTOP);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
    ASSERT_TRUE(WIFSTOPPED(status));
    const auto check = [&] {
        const auto read = read_segment(folder / "a.cells");
        ASSERT_TRUE(read) << read.error().what;
        EXPECT_EQ(read->ended, 0U);
        const std::uint64_t value = read->table(ResourceKind::kTask)->rows[1].cells[40];
        EXPECT_EQ(value % 3, 0U);
        EXPECT_GE(value / 3, told->load());
        EXPECT_LE(value / 3, told->load() + 1);
    };
    check();
    kill(child, SIGCONT);
    usleep(2000);
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, &status, 0), child);
    check();
    munmap(told, 4096);
}

// The child's counters begin at 0 in a file of its own; its state and its running timers go on; the parent's stay.
TEST(Segment, AForkedChildGoesOnInASegmentOfItsOwn) {
    const TemporaryFolder folder;
    SegmentOptions mine = options();
    Segment segment;
    ASSERT_EQ(segment.create((folder / "parent.cells").c_str(), mine), 0);
    const std::uint32_t flag = segment.named_cell({.type = MetricType::kGauge, .name = "in_foo"});
    segment.take(thread(1));
    Row* row = segment.take(thread(2));
    const Task task{Segment::cells_of(*row), Segment::timers_of(*row, kTaskCells), &mine.rate, nullptr};
    add(task, flag, 1);
    add(task, kFirstIndexed, 10);
    bind(task, 1, kFirstIndexed + 1);
    start(task, 1);
    const pid_t child = fork();
    if (child == 0) {
        const int error = segment.renew((folder / "child.cells").c_str(), mine, row, thread(3));
        add(task, kFirstIndexed, 2);
        subtract(task, flag, 1);
        stop(task, 1);
        _exit(error);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    const auto parent = read_segment(folder / "parent.cells");
    const auto forked = read_segment(folder / "child.cells");
    ASSERT_TRUE(parent && forked);
    EXPECT_EQ(sum_of(*parent, kFirstIndexed), 10U);
    EXPECT_EQ(sum_of(*parent, flag), 1U);
    EXPECT_EQ(sum_of(*forked, kFirstIndexed), 2U);
    EXPECT_EQ(sum_of(*forked, flag), 0U);
    EXPECT_EQ(forked->metric(ResourceKind::kTask, "in_foo")->cell, flag);
    const TableValues& tasks = *forked->table(ResourceKind::kTask);
    ASSERT_EQ(tasks.rows.size(), 2U);
    EXPECT_EQ(tasks.rows[1].number, 3U);
    EXPECT_TRUE(tasks.rows[1].running.empty());
    EXPECT_LT(tasks.rows[1].cells[kFirstIndexed + 1], 10'000'000'000U);
}

// A child that still counts in its parent's channels meets no channel of its own.
TEST(Segment, AForkedChildsChannelsAreOthersThanItsParents) {
    const TemporaryFolder folder;
    SegmentOptions mine = options();
    mine.channels = 8;
    Segment segment;
    ASSERT_EQ(segment.create((folder / "parent.cells").c_str(), mine), 0);
    Object channel;
    channel.kind = ResourceKind::kChannel;
    channel.key[0] = 5;
    std::uint64_t* const parents = Segment::cells_of(*segment.take(channel));
    const pid_t child = fork();
    if (child == 0) {
        const int error = segment.renew((folder / "child.cells").c_str(), mine, nullptr, thread(3));
        channel.key[0] = 6;
        Row* const own = segment.take(channel);
        increase(parents[1], 100);
        increase(Segment::cells_of(*own)[1], 1);
        _exit(error);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    std::uint64_t messages = 0;
    const auto forked = read_segment(folder / "child.cells");
    for (const RowValues& row : forked->table(ResourceKind::kChannel)->rows) {
        messages += row.state == RowState::kLive ? row.cells[1] : 0;
    }
    EXPECT_EQ(messages, 1U);
}

// No room for the child's file: it goes on, and the parent's cells are its own no more.
TEST(Segment, AForkedChildWithoutAFileLeavesTheParentAlone) {
    const TemporaryFolder folder;
    Segment segment;
    ASSERT_EQ(segment.create((folder / "parent.cells").c_str(), options()), 0);
    Row* row = segment.take(thread(2));
    const TickRate rate;
    const Task task{Segment::cells_of(*row), Segment::timers_of(*row, kTaskCells), &rate, nullptr};
    const pid_t child = fork();
    if (child == 0) {
        const int error = segment.renew((folder / "none/child.cells").c_str(), options(), row, thread(3));
        add(task, kFirstIndexed, 2);
        _exit(error == ENOENT ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(sum_of(*read_segment(folder / "parent.cells"), kFirstIndexed), 0U);
}

}  // namespace
}  // namespace kymo::cells
