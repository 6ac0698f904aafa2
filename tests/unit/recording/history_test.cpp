// Old rows condensed while a file is written: what stays, what adds up, and how much space it takes.
#include "recording/history/condense.h"
#include "recording/history/condense_file.h"
#include "recording/history/history_lock.h"
#include "recording/pack.h"
#include "recording/reader.h"
#include "recording/tables.h"
#include "recording/writer.h"
#include "temporary_folder.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace kymo::recording {
namespace {

using testing::TemporaryFolder;

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kHour = 3600 * kSecond;
constexpr std::uint64_t kMib = std::uint64_t{1} << 20U;

// What the rows of a file add up to.
struct Sums {
    std::uint64_t rows = 0;
    std::uint64_t samples = 0;
    std::array<std::uint64_t, 2> deltas{};
    std::map<std::uint64_t, std::uint64_t> clock_of;  // by context
    std::map<std::uint64_t, std::uint64_t> slow;      // waits of 10 ms and more: begin, duration
    std::uint64_t waits = 0;
    std::uint64_t waited = 0;
    std::uint64_t last_time = 0;
    bool is_in_order = true;
    std::uint64_t full_since = 0;  // from there on each row is one sample

    void add(const Sample& row) {
        ++rows;
        samples += samples_of(row);
        is_in_order = is_in_order && row.time > last_time;
        full_since = row.samples > 1 ? row.time : full_since;
        last_time = row.time;
        for (std::size_t i = 0; i < deltas.size(); ++i) {
            deltas[i] += row.deltas[i];
        }
        clock_of[row.context] += row.deltas[0];
    }
    void add(const Wait& row) {
        ++waits;
        waited += row.duration;
        if (row.duration >= 10 * kMillisecond) {
            slow[row.time] = row.duration;
        }
    }
    void add(const WaitBrief& row) {
        waits += row.count;
        waited += row.duration;
    }
};

Sums sums_of(const std::filesystem::path& path, std::uint32_t stream) {
    Sums sums;
    const auto file = File::open(path);
    EXPECT_TRUE(file);
    const auto report = file->scan(on<Sample>([&](StreamId id, const Sample& row) {
                                       if (raw(id) == stream) {
                                           sums.add(row);
                                       }
                                   }),
                                   on<Wait>([&](StreamId id, const Wait& row) {
                                       if (raw(id) == stream) {
                                           sums.add(row);
                                       }
                                   }),
                                   on<WaitBrief>([&](StreamId, const WaitBrief& row) {
                                       if (row.stream == stream) {
                                           sums.add(row);
                                       }
                                   }));
    EXPECT_TRUE(report);
    EXPECT_TRUE(report->whole()) << report->damaged.front().what;
    return sums;
}

// A thread sampled a thousand times a second of its time: one context through the even hours, another through the odd
// ones, and a third for a hundredth of all time; now and then a context that never comes again; waits of 50 µs ten
// times a second, and one of 30 ms or more every 17 minutes.
class SimulatedThread {
  public:
    static constexpr std::uint64_t kEven = 1;
    static constexpr std::uint64_t kOdd = 2;
    static constexpr std::uint64_t kSeldom = 3;
    static constexpr std::uint64_t kFirstRare = 1000;
    static constexpr std::uint64_t kRareEvery = 600 * kSecond;
    static constexpr std::uint64_t kSlowEvery = 1020 * kSecond;

    explicit SimulatedThread(StreamWriter& stream) : stream_(stream) {}

    void run_a_millisecond() {
        time_ += kMillisecond;
        std::uint64_t context = time_ / kHour % 2 == 0 ? kEven : kOdd;
        if (random_() % 100 == 0) {
            context = kSeldom;
        }
        if (time_ % kRareEvery == 0) {
            context = kFirstRare + time_ / kRareEvery;
            ++rare_;
        }
        if (time_ % (kSecond / 10) == kMillisecond) {
            const bool is_slow = time_ % kSlowEvery == kMillisecond;
            const std::uint64_t duration = is_slow ? 30 * kMillisecond + time_ % 1000 : 50'000;
            add(Wait{.time = time_, .duration = duration, .kind = 1, .object = 7, .context = 1});
            time_ += is_slow ? 40 * kMillisecond : 0;
        }
        const std::array<std::uint64_t, 2> deltas = {kMillisecond, random_() % 5};
        add(Sample{.time = time_, .event = 1, .context = context, .deltas = deltas});
    }
    std::uint64_t time() const { return time_; }
    std::uint64_t rare() const { return rare_; }
    const Sums& expected() const { return expected_; }

  private:
    template <typename Row>
    void add(const Row& row) {
        ASSERT_TRUE(stream_.append(row));
        expected_.add(row);
    }

    StreamWriter& stream_;
    std::minstd_rand random_{1};
    std::uint64_t time_ = 0;
    std::uint64_t rare_ = 0;
    Sums expected_;
};

// A day if asked for (nightly).
std::uint64_t simulated_hours() {
    const char* const hours = std::getenv("KYMO_HISTORY_HOURS");
    return hours != nullptr ? std::strtoull(hours, nullptr, 10) : 4;
}

TEST(History, ARunAtOneKilohertzKeepsItsSize) {
    const std::uint64_t hours = simulated_hours();
    const TemporaryFolder directory;
    const Folder folder = std::move(Folder::open(directory.path())).value();
    const auto path = directory / "a.krec";
    constexpr std::uint64_t kMost = 8 * kMib;
    FileWriter writer;
    StreamWriter stream;
    ASSERT_EQ(writer.create(path.c_str(), {.max_bytes = kMost}), 0);
    stream.open(writer, StreamId{1});
    ASSERT_TRUE(write_schemas(stream));
    SimulatedThread thread(stream);
    std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> by_hour;
    while (thread.time() < hours * kHour) {
        for (unsigned i = 0; i < 10'000; ++i) {
            thread.run_a_millisecond();
        }
        ASSERT_FALSE(HasFatalFailure());
        if (bytes_taken(folder, "a.krec") > kMost / 4 * 3) {
            const auto done = condense_file(folder, "a.krec", {kMost / 2, thread.time()});
            ASSERT_TRUE(done) << done.error().what;
            EXPECT_LT(done->bytes, kMost / 4 * 3);
        }
    }
    const Sums& expected = thread.expected();
    ASSERT_GT(expected.samples, hours * 3'590'000U);
    EXPECT_LE(bytes_taken(folder, "a.krec"), kMost);

    const Sums kept = sums_of(path, 1);
    std::cout << kept.rows << " rows of " << kept.samples << " samples\n";
    EXPECT_LT(kept.rows, kMost / 4);
    EXPECT_TRUE(kept.is_in_order);
    EXPECT_EQ(kept.samples, expected.samples);
    EXPECT_EQ(kept.deltas, expected.deltas);
    EXPECT_EQ(kept.last_time, expected.last_time);
    // Recent detail: a quarter of the space.
    EXPECT_LT(kept.full_since, thread.time() - 60 * kSecond);
    // Slow occurrences: each, as it was. The others: all of their time.
    EXPECT_EQ(kept.slow, expected.slow);
    EXPECT_EQ(kept.waits, expected.waits);
    EXPECT_EQ(kept.waited, expected.waited);
    // Rare contexts: each, with its own millisecond.
    ASSERT_GT(thread.rare(), 5 * hours);
    for (const auto& [context, ns] : expected.clock_of) {
        if (context >= SimulatedThread::kFirstRare) {
            EXPECT_EQ(kept.clock_of.contains(context) ? kept.clock_of.at(context) : 0, ns) << context;
        }
    }
    // The rest on average. A row's weight is at most a hundredth of its age or so; ten deviations are left.
    const auto share = [](const Sums& sums, std::uint64_t context) {
        return static_cast<double>(sums.clock_of.at(context)) / static_cast<double>(sums.deltas[0]);
    };
    EXPECT_NEAR(share(kept, SimulatedThread::kSeldom), 0.01, 0.005);
    EXPECT_NEAR(share(kept, SimulatedThread::kEven), share(expected, SimulatedThread::kEven), 0.01);

    // A coarse history: each hour is told from the next.
    const auto file = File::open(path);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->scan(on<Sample>(
        [&](StreamId, const Sample& row) { by_hour[(row.time - 1) / kHour][row.context] += row.deltas[0]; })));
    for (std::uint64_t hour = 0; hour < hours; ++hour) {
        const auto& contexts = by_hour[hour];
        const std::uint64_t own = hour % 2 == 0 ? SimulatedThread::kEven : SimulatedThread::kOdd;
        EXPECT_GT(contexts.contains(own) ? contexts.at(own) : 0, kHour / 10 * 9) << hour;
    }

    // Packed it is the same.
    stream.release();
    ASSERT_EQ(writer.close(), 0);
    const auto packed = pack_file(path);
    ASSERT_TRUE(packed) << packed.error().what;
    EXPECT_LE(packed->bytes_after, kMost);
    const Sums again = sums_of(path, 1);
    EXPECT_EQ(again.rows, kept.rows);
    EXPECT_EQ(again.clock_of, kept.clock_of);
}

// Threads that write while old rows are condensed, and others that come and go and share chunks.
TEST(History, WritersGoOnMeanwhile) {
    const TemporaryFolder directory;
    const Folder folder = std::move(Folder::open(directory.path())).value();
    const auto path = directory / "a.krec";
    constexpr std::uint64_t kMost = 4 * kMib;
    constexpr std::uint64_t kSamples = 1'000'000;
    FileWriter writer;
    ASSERT_EQ(writer.create(path.c_str(), {.max_bytes = 64 * kMost}), 0);
    StreamWriter process;
    process.open(writer, StreamId{0});
    ASSERT_TRUE(write_schemas(process));
    std::atomic<unsigned> running{2};
    const auto write = [&](std::uint32_t id) {
        StreamWriter stream;
        stream.open(writer, StreamId{id});
        for (std::uint64_t i = 1; i <= kSamples; ++i) {
            const std::array<std::uint64_t, 2> deltas = {kMillisecond, 1};
            EXPECT_TRUE(
                stream.append(Sample{.time = i * kMillisecond, .event = 1, .context = 1 + i % 7, .deltas = deltas}));
            if (i % 1000 == 0) {
                StreamWriter other;
                other.open(writer, StreamId{static_cast<std::uint32_t>(id * 10'000 + i / 1000)});
                EXPECT_TRUE(other.append(Mark{.time = i, .name = "short"}));
                EXPECT_TRUE(other.append(Sample{.time = i, .event = 1, .context = 1, .deltas = deltas}));
                other.release();
            }
        }
        stream.release();
        --running;
    };
    std::thread first(write, 1);
    std::thread second(write, 2);
    unsigned condensed = 0;
    while (running != 0) {
        if (bytes_taken(folder, "a.krec") > kMost) {
            const auto done = condense_file(folder, "a.krec", {kMost, kSamples * kMillisecond});
            EXPECT_TRUE(done) << done.error().what;
            condensed += done && done->bytes < done->bytes_before ? 1 : 0;
        }
    }
    first.join();
    second.join();
    EXPECT_GT(condensed, 0U);
    for (const std::uint32_t id : {1U, 2U}) {
        const Sums kept = sums_of(path, id);
        EXPECT_EQ(kept.samples, kSamples);
        EXPECT_LT(kept.rows, kSamples);
        EXPECT_EQ(kept.deltas[1], kSamples);
        EXPECT_TRUE(kept.is_in_order);
    }
    const auto file = File::open(path);
    ASSERT_TRUE(file);
    const auto report = file->scan();
    ASSERT_TRUE(report);
    EXPECT_EQ(report->rows("mark"), 2 * kSamples / 1000);
    process.release();
    ASSERT_EQ(writer.close(), 0);
}

// The payload of a file's only chunk of stream 1.
std::vector<std::uint8_t> payload_of(const std::filesystem::path& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ChunkHeader header{};
    EXPECT_EQ(pread(file, &header, sizeof header, kHeaderBytes), static_cast<ssize_t>(sizeof header));
    std::vector<std::uint8_t> payload(header.committed);
    EXPECT_EQ(pread(file, payload.data(), payload.size(), kHeaderBytes + sizeof header),
              static_cast<ssize_t>(payload.size()));
    close(file);
    return payload;
}

std::vector<std::uint8_t> written(const std::function<void(StreamWriter&)>& rows) {
    const TemporaryFolder directory;
    const auto path = directory / "a.krec";
    FileWriter writer;
    StreamWriter stream;
    EXPECT_EQ(writer.create(path.c_str(), {}), 0);
    stream.open(writer, StreamId{1});
    rows(stream);
    stream.release();
    EXPECT_EQ(writer.close(), 0);
    return payload_of(path);
}

// Every row of a payload, as words.
std::vector<std::string> words_of(const std::vector<std::uint8_t>& payload) {
    const TemporaryFolder directory;
    const auto path = directory / "a.krec";
    FileWriter writer;
    StreamWriter stream;
    EXPECT_EQ(writer.create(path.c_str(), {}), 0);
    stream.open(writer, StreamId{1});
    EXPECT_TRUE(write_schemas(stream));
    stream.release();
    ChunkHeader* const chunk = writer.take(sizeof(ChunkHeader) + payload.size(), 1);
    EXPECT_NE(chunk, nullptr);
    std::memcpy(chunk + 1, payload.data(), payload.size());
    chunk->committed = static_cast<std::uint32_t>(payload.size());
    writer.let_go(chunk);
    EXPECT_EQ(writer.close(), 0);
    std::vector<std::string> words;
    const auto add = [&](const std::string& what, std::initializer_list<std::uint64_t> values) {
        std::string text = what;
        for (const std::uint64_t value : values) {
            text += " " + std::to_string(value);
        }
        words.push_back(text);
    };
    const auto file = File::open(path);
    EXPECT_TRUE(file);
    const auto report = file->scan(
        on<Sample>([&](StreamId, const Sample& row) {
            add("sample", {row.time, row.event, row.context, row.flags, row.deltas[0], row.own_ns, row.samples});
        }),
        on<SampleRegisters>([&](StreamId, const SampleRegisters& row) { add("registers", {row.values[0]}); }),
        on<KernelTick>([&](StreamId, const KernelTick& row) { add("tick", {row.time, row.context}); }),
        on<Mark>([&](StreamId, const Mark& row) { add("mark", {row.time}); }),
        on<Context>([&](StreamId, const Context& row) { add("context", {row.context, row.parent}); }),
        on<Wait>([&](StreamId, const Wait& row) { add("wait", {row.time, row.duration}); }),
        on<WaitBrief>([&](StreamId, const WaitBrief& row) {
            add("brief", {row.kind, row.count, row.duration, row.below, row.condensed});
        }),
        on<ExactCalls>(
            [&](StreamId, const ExactCalls& row) { add("calls", {row.function, row.calls, row.counts.size()}); }));
    EXPECT_TRUE(report && report->whole());
    return words;
}

std::vector<std::string> condensed(const std::vector<std::uint8_t>& payload, const Coarseness& coarseness,
                                   unsigned times = 1) {
    std::vector<std::uint8_t> rows = payload;
    for (unsigned i = 0; i < times; ++i) {
        ContextRows contexts;
        EXPECT_TRUE(read_rows(rows, StreamId{1}, coarseness.now, contexts, nullptr, nullptr).is_sound);
        auto fewer = condense(rows, StreamId{1}, coarseness, contexts, 5);
        EXPECT_TRUE(fewer);
        rows = *fewer;
    }
    return words_of(rows);
}

// ns of the clock by context, of samples alone.
std::map<std::uint64_t, std::uint64_t> clock_by_context(const std::vector<std::uint8_t>& payload) {
    std::map<std::uint64_t, std::uint64_t> clock;
    for (const std::string& row : words_of(payload)) {
        std::array<std::uint64_t, 7> values{};
        std::istringstream text(row.substr(row.find(' ')));
        for (std::uint64_t& value : values) {
            text >> value;
        }
        clock[values[2]] += row.starts_with("sample") ? values[4] : 0;
    }
    return clock;
}

constexpr std::uint64_t kNow = 1'000'000;
// All that is this old becomes one row.
const Coarseness kAll{.now = kNow, .span = 1, .shortest_wait = 1000};

void sample(StreamWriter& stream, std::uint64_t time, std::uint64_t context, std::uint64_t flags = 0,
            std::uint64_t event = 1) {
    const std::array<std::uint64_t, 1> deltas = {10};
    ASSERT_TRUE(stream.append(
        Sample{.time = time, .event = event, .context = context, .flags = flags, .deltas = deltas, .own_ns = 1}));
}

using Words = std::vector<std::string>;

TEST(History, NothingChangesWithoutCoarseness) {
    const auto rows = written([](StreamWriter& stream) {
        for (std::uint64_t i = 1; i < 20; ++i) {
            ASSERT_TRUE(stream.append(Context{.context = i, .parent = 0}));
            sample(stream, i * 10, i % 4);
            const std::array<std::uint64_t, 1> values = {i};
            ASSERT_TRUE(stream.append(SampleRegisters{.values = values}));
            ASSERT_TRUE(stream.append(Wait{.time = i * 10, .duration = i, .kind = 1}));
        }
    });
    auto expected = words_of(rows);
    auto same = condensed(rows, {.now = kNow});
    // Waits may come before a sample that came before them.
    std::sort(expected.begin(), expected.end());
    std::sort(same.begin(), same.end());
    EXPECT_EQ(same, expected);
}

TEST(History, SamplesBecomeOneAndRareOnesStay) {
    const auto rows = written([](StreamWriter& stream) {
        for (std::uint64_t i = 1; i <= 10; ++i) {
            sample(stream, i * 10, i == 5 ? 9 : 1);
        }
    });
    EXPECT_EQ(condensed(rows, kAll), (Words{"sample 40 1 1 0 40 4 4", "sample 50 1 9 0 10 1 0",
                                            "sample 90 1 1 0 40 4 4", "sample 100 1 1 0 10 1 0"}));
}

TEST(History, EventsTicksAndPausesKeepTheirOwnRows) {
    const auto rows = written([](StreamWriter& stream) {
        for (std::uint64_t i = 1; i <= 8; ++i) {
            sample(stream, i * 10, 1, 0, 1 + i % 2);
        }
        sample(stream, 90, 1, kAfterPause);
        sample(stream, 100, 1, kAtTick);
        for (std::uint64_t i = 11; i <= 13; ++i) {
            sample(stream, i * 10, 1);
        }
    });
    EXPECT_EQ(condensed(rows, kAll),
              (Words{"sample 70 2 1 0 70 7 4", "sample 80 1 1 0 10 1 4", "sample 90 1 1 64 10 1 0",
                     "sample 100 1 1 512 10 1 0", "sample 130 1 1 0 30 3 3"}));
}

TEST(History, MarksSeparateSamplesAndStayInPlace) {
    const auto rows = written([](StreamWriter& stream) {
        for (std::uint64_t i = 1; i <= 3; ++i) {
            sample(stream, i * 10, 1);
        }
        ASSERT_TRUE(stream.append(Mark{.time = 35}));
        for (std::uint64_t i = 4; i <= 8; ++i) {
            sample(stream, i * 10, 1);
        }
        ASSERT_TRUE(stream.append(Mark{.time = 85}));
    });
    const Words expected{"sample 30 1 1 0 30 3 3", "mark 35", "sample 70 1 1 0 40 4 4", "sample 80 1 1 0 10 1 0",
                         "mark 85"};
    EXPECT_EQ(condensed(rows, kAll), expected);
    EXPECT_EQ(condensed(rows, kAll, 3), expected);
}

TEST(History, RegistersStayWithTheSampleDrawn) {
    const auto rows = written([](StreamWriter& stream) {
        for (std::uint64_t i = 1; i <= 6; ++i) {
            sample(stream, i * 10, i <= 3 ? 1 : 2);
            const std::array<std::uint64_t, 1> values = {i <= 3 ? 1U : 2U};
            ASSERT_TRUE(stream.append(SampleRegisters{.values = values}));
        }
    });
    std::string context;
    for (const std::string& row : condensed(rows, kAll)) {
        if (row.starts_with("sample")) {
            context = row.substr(row.find(' ', row.find(' ', 7) + 1) + 1, 1);
        } else {
            EXPECT_EQ(row, "registers " + context);
        }
    }
}

TEST(History, ShortWaitsAreAddedUpByKind) {
    const auto rows = written([](StreamWriter& stream) {
        for (std::uint64_t i = 1; i <= 6; ++i) {
            ASSERT_TRUE(stream.append(Wait{.time = i * 10, .duration = 20 + i, .kind = 1 + i % 2, .context = 1}));
        }
        ASSERT_TRUE(stream.append(Wait{.time = 70, .duration = 5000, .kind = 1, .context = 1}));
        ASSERT_TRUE(stream.append(Wait{.time = 80, .duration = 3, .kind = 1, .context = 2}));
        ASSERT_TRUE(stream.append(Wait{.time = 90, .duration = 3, .kind = 1, .context = 1, .flags = kWaitOpen}));
        WaitBrief brief;
        brief.stream = 1;
        brief.kind = 1;
        brief.count = 100;
        brief.duration = 700;
        brief.below = 15;
        ASSERT_TRUE(stream.append(brief));
    });
    const Words expected{"wait 70 5000", "wait 80 3", "wait 90 3", "brief 1 103 772 1000 3", "brief 2 3 69 1000 3"};
    EXPECT_EQ(condensed(rows, kAll), expected);
    EXPECT_EQ(condensed(rows, kAll, 2), expected);
}

TEST(History, OfExactCallsTheLastRowStays) {
    const auto rows = written([](StreamWriter& stream) {
        const std::array<std::uint64_t, 2> counts = {5, 1};
        for (std::uint64_t i = 1; i <= 6; ++i) {
            ASSERT_TRUE(stream.append(
                ExactCalls{.time = i, .stream = 1, .function = 1 + i % 2, .calls = i, .counts = counts}));
        }
    });
    EXPECT_EQ(condensed(rows, kAll), (Words{"calls 1 6 2", "calls 2 5 2"}));
}

// What a context is charged is right on average: over many draws.
TEST(History, DrawsAreUnbiased) {
    const auto rows = written([](StreamWriter& stream) {
        for (std::uint64_t i = 1; i <= 100; ++i) {
            sample(stream, i * 10, i % 10 < 3 ? 1 : 2);
        }
    });
    double first = 0;
    constexpr unsigned kDraws = 1000;
    for (unsigned seed = 0; seed < kDraws; ++seed) {
        ContextRows contexts;
        ASSERT_TRUE(read_rows(rows, StreamId{1}, kNow, contexts, nullptr, nullptr).is_sound);
        const Coarseness coarseness{.now = kNow, .span = 0.0002};  // of 200 ns: 20 samples
        const auto fewer = condense(rows, StreamId{1}, coarseness, contexts, seed * 1000);
        ASSERT_TRUE(fewer);
        first += static_cast<double>(clock_by_context(*fewer)[1]) / 1000;
    }
    EXPECT_NEAR(first / kDraws, 0.3, 0.02);
}

TEST(History, BytesThatAreNoRowsAreRefused) {
    std::minstd_rand random(3);
    const auto rows = written([](StreamWriter& stream) {
        for (std::uint64_t i = 1; i <= 30; ++i) {
            sample(stream, i * 10, i % 3);
            ASSERT_TRUE(stream.append(Wait{.time = i * 10, .duration = i, .kind = 1}));
        }
    });
    unsigned refused = 0;
    for (unsigned i = 0; i < 3000; ++i) {
        std::vector<std::uint8_t> bad(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(random() % 3));
        bad[random() % bad.size()] = static_cast<std::uint8_t>(random());
        ContextRows contexts;
        const bool is_sound = read_rows(bad, StreamId{1}, kNow, contexts, nullptr, nullptr).is_sound;
        const auto fewer = condense(bad, StreamId{1}, kAll, contexts, i);
        EXPECT_TRUE(is_sound || !fewer);
        refused += fewer ? 0 : 1;
    }
    EXPECT_GT(refused, 100U);
}

TEST(History, AFileThatWasCutOrOverwrittenIsLeftAlone) {
    const TemporaryFolder directory;
    const Folder folder = std::move(Folder::open(directory.path())).value();
    const auto path = directory / "a.krec";
    FileWriter writer;
    StreamWriter stream;
    ASSERT_EQ(writer.create(path.c_str(), {}), 0);
    stream.open(writer, StreamId{1});
    ASSERT_TRUE(write_schemas(stream));
    for (std::uint64_t i = 1; i < 100'000; ++i) {
        sample(stream, i * 10, 1);
    }
    const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    const std::uint32_t nonsense = 0x12345678;
    ASSERT_EQ(pwrite(file, &nonsense, sizeof nonsense, kHeaderBytes + kGridBytes + kChunkBytes), 4);
    close(file);
    const auto before = std::filesystem::file_size(path);
    const auto done = condense_file(folder, "a.krec", {kMib / 4, kNow});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, ErrorKind::kMalformed);
    EXPECT_EQ(std::filesystem::file_size(path), before);
    stream.release();
    ASSERT_EQ(writer.close(), 0);
    EXPECT_EQ(condense_file(folder, "a.krec", {kMib / 4, kNow}).error().kind, ErrorKind::kUnsupported);  // closed
    EXPECT_EQ(condense_file(folder, "b.krec", {kMib / 4, kNow}).error().kind, ErrorKind::kUnsupported);
}

TEST(History, ReadersAndCondensingExcludeEachOther) {
    const TemporaryFolder directory;
    const Folder folder = std::move(Folder::open(directory.path())).value();
    EXPECT_EQ(hold_history(folder), nullptr);
    EXPECT_FALSE(take_history(folder));
    ASSERT_TRUE(make_history_lock(folder));
    auto reader = hold_history(folder);
    const auto other = hold_history(folder);
    EXPECT_NE(reader, nullptr);
    EXPECT_NE(other, nullptr);
    EXPECT_FALSE(take_history(folder));
}

TEST(History, CondensingMayBeginWhenTheLastReaderIsGone) {
    const TemporaryFolder directory;
    const Folder folder = std::move(Folder::open(directory.path())).value();
    ASSERT_TRUE(make_history_lock(folder));
    hold_history(folder).reset();
    EXPECT_TRUE(take_history(folder));
}

}  // namespace
}  // namespace kymo::recording
