// A further pass over a recording made by hand, by one worker and by several.
#include "spacetime/profile/sample_pass.h"

#include "made_recording.h"
#include "spacetime/profile/make_profile.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <mutex>

namespace kymo::spacetime {
namespace {

using testing::kMs;

struct Seen {
    std::uint32_t worker = 0;
    std::uint32_t stream = 0;  // index of Profile::streams
    std::vector<StateInterval> pieces;
    std::vector<std::uint32_t> nodes;  // of the pieces
    std::vector<std::uint64_t> times;  // of samples
    std::vector<std::int64_t> faults;  // likewise
    std::vector<std::string> marks;
    bool is_finished = false;
};

class Watcher final : public StreamVisitor {
  public:
    explicit Watcher(Seen& seen) : seen_(seen) {}
    void piece(const StateInterval& interval, std::uint32_t node, std::uint32_t) override {
        seen_.pieces.push_back(interval);
        seen_.nodes.push_back(node);
    }
    void sample(const recording::Sample& row, std::uint32_t, std::span<const std::int64_t> deltas) override {
        seen_.times.push_back(row.time);
        seen_.faults.push_back(deltas[1]);
    }
    void mark(const recording::Mark& row) override { seen_.marks.emplace_back(row.name); }
    void finish() override { seen_.is_finished = true; }

  private:
    Seen& seen_;
};

class PassOverTwoThreads : public ::testing::TestWithParam<std::uint32_t> {
  protected:
    void SetUp() override {
        testing::write_two_threads(folder_.path());
        auto recording = recording::Recording::open(folder_.path());
        ASSERT_TRUE(recording);
        auto profile = load_profile(*recording);
        ASSERT_TRUE(profile);
        recording_.emplace(std::move(*recording));
        profile_ = std::move(*profile);
    }
    // By thread id.
    std::map<std::uint64_t, Seen> pass(std::uint64_t left_out_tid = 0) {
        std::map<std::uint64_t, Seen> all;
        std::mutex mutex;
        const auto done =
            run_pass(*recording_, profile_,
                     {.workers = GetParam(),
                      .make = [&](std::uint32_t worker, std::uint32_t stream) -> std::unique_ptr<StreamVisitor> {
                          const std::lock_guard lock(mutex);
                          const std::uint64_t tid = profile_.threads[profile_.streams[stream].thread].tid;
                          if (tid == left_out_tid) {
                              return nullptr;
                          }
                          EXPECT_FALSE(all.contains(tid)) << "a stream is visited once";
                          Seen& seen = all[tid];
                          seen.worker = worker;
                          seen.stream = stream;
                          return std::make_unique<Watcher>(seen);
                      }});
        EXPECT_TRUE(done);
        return all;
    }

    testing::TemporaryFolder folder_;
    std::optional<recording::Recording> recording_;
    Profile profile_;
};

TEST_P(PassOverTwoThreads, EveryStreamOnceInOrderToItsEnd) {
    const auto all = pass();
    ASSERT_EQ(all.size(), 2U);  // the third has no stream
    const Seen& main = all.at(100);
    const Seen& worker = all.at(101);
    EXPECT_EQ(main.times, (std::vector<std::uint64_t>{1001 * kMs, 1002 * kMs, 1006 * kMs, 1010 * kMs}));
    EXPECT_EQ(main.faults, (std::vector<std::int64_t>{2, 0, 5, 0}));
    EXPECT_EQ(worker.times, (std::vector<std::uint64_t>{1005 * kMs, 1009 * kMs, 1010 * kMs}));
    for (const auto& [tid, seen] : all) {
        EXPECT_TRUE(seen.is_finished);
        EXPECT_LT(seen.worker, GetParam());
        const std::uint64_t begin = tid == 100 ? 1000 * kMs : 1004 * kMs;
        const std::uint64_t end = tid == 100 ? 1020 * kMs : 1014 * kMs;
        ASSERT_FALSE(seen.pieces.empty());
        EXPECT_EQ(seen.pieces.front().begin, begin);
        EXPECT_EQ(seen.pieces.back().end, end);
        for (std::size_t i = 1; i < seen.pieces.size(); ++i) {
            EXPECT_EQ(seen.pieces[i].begin, seen.pieces[i - 1].end);
        }
        // Behind the last sample it is not known where the thread was.
        EXPECT_EQ(seen.nodes.back(), kNone);
    }
}

// Main: user 1 + 1 + 1 + 1 + 0.5 ms, system 2, off the processor 1 + 3 + 9.5 (made_recording.h).
TEST_P(PassOverTwoThreads, PiecesHaveTheStatesOfTheProfile) {
    const auto all = pass();
    std::map<ThreadState, std::uint64_t> spent;
    for (const StateInterval& piece : all.at(100).pieces) {
        spent[piece.state] += piece.end - piece.begin;
    }
    EXPECT_EQ(spent[ThreadState::kUser], 4 * kMs + kMs / 2);
    EXPECT_EQ(spent[ThreadState::kSystem], 2 * kMs);
    EXPECT_EQ(spent[ThreadState::kOff], 13 * kMs + kMs / 2);
}

TEST_P(PassOverTwoThreads, AStreamOfNoInterestIsPassedOver) {
    const auto all = pass(100);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all.at(101).times.size(), 3U);
}

// The profile's events are those of the first process in its order, and what the second has beside them.
void write_process(const std::filesystem::path& folder, std::uint64_t pid, const std::vector<std::string>& events,
                   const std::vector<std::uint64_t>& deltas) {
    testing::MadeFile file(folder / ("process-" + std::to_string(pid) + "-0.krec"), static_cast<std::uint32_t>(pid));
    recording::Process process;
    process.time = 1000 * kMs;
    process.pid = pid;
    file.own().append(process);
    for (std::size_t i = 0; i < events.size(); ++i) {
        file.event(i, events[i], "", recording::EventMode::kCount, 0);
    }
    file.begin_stream(1, 1000 * kMs, pid, "app");
    file.sample(1, 1001 * kMs, 0, deltas);
    file.close();
}

TEST(SamplePass, DeltasStandWithTheProfilesEventsWhateverAFilesOrder) {
    testing::TemporaryFolder folder;
    write_process(folder.path(), 100, {"task-clock", "page-faults", "signals"}, {10, 20, 30});
    write_process(folder.path(), 200, {"page-faults", "task-clock", "signals"}, {1, 2, 3});
    write_process(folder.path(), 300, {"task-clock", "page-faults"}, {7, 8});
    write_process(folder.path(), 400, {"task-clock", "page-faults", "signals"}, {4, 5});  // cut off, or not counted
    const auto recording = recording::Recording::open(folder.path());
    ASSERT_TRUE(recording);
    const auto profile = load_profile(*recording);
    ASSERT_TRUE(profile);
    class Deltas final : public StreamVisitor {
      public:
        explicit Deltas(std::vector<std::int64_t>& all) : all_(all) {}
        void piece(const StateInterval&, std::uint32_t, std::uint32_t) override {}
        void sample(const recording::Sample&, std::uint32_t, std::span<const std::int64_t> deltas) override {
            all_.insert(all_.end(), deltas.begin(), deltas.end());
        }

      private:
        std::vector<std::int64_t>& all_;
    };
    std::map<std::uint64_t, std::vector<std::int64_t>> of_process;
    const auto make = [&](std::uint32_t, std::uint32_t stream) {
        return std::make_unique<Deltas>(of_process[profile->threads[profile->streams[stream].thread].tid]);
    };
    ASSERT_TRUE(run_pass(*recording, *profile, {.workers = 1, .make = make}));
    EXPECT_EQ(of_process, (std::map<std::uint64_t, std::vector<std::int64_t>>{
                              {100, {10, 20, 30}}, {200, {2, 1, 3}}, {300, {7, 8, 0}}, {400, {4, 5, 0}}}));
}

INSTANTIATE_TEST_SUITE_P(Workers, PassOverTwoThreads, ::testing::Values(1U, 2U, 3U, 7U));

}  // namespace
}  // namespace kymo::spacetime
