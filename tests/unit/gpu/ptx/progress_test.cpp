// Lanes of a warp make progress by themselves, where they need it; what cannot end is ended, with its reason.
#include "kernels.h"

#include <atomic>
#include <gmock/gmock.h>
#include <thread>

namespace kymo::gpu::ptx {
namespace {

using testing::HasSubstr;

class Progress : public testing::Test {
  protected:
    Device device_{kernels("progress")};

    std::span<int> zeros(std::size_t count) { return device_.array(std::vector<int>(count, 0)); }
    // Its error; empty: it ended.
    std::string run_traced(const char* kernel, Dim3 grid, Dim3 block, const Parameters& parameters) {
        auto execution = device_.module().launch(kernel, {grid, block, 0, parameters.bytes()});
        EXPECT_TRUE(execution.ok());
        for (;;) {
            const auto cta = (*execution)->next_cta();
            if (!cta) {
                EXPECT_EQ((*execution)->fault(), Fault::kStuck);
                next_ = cta.error().next;
                return cta.error().what;
            }
            if (!*cta) {
                return "";
            }
            for (const WarpTrace& warp : (**cta).warps) {
                WarpCursor cursor((*execution)->program(), warp);
                while (cursor.next()) {
                    lanes_ += static_cast<unsigned>(std::popcount(cursor.mask()));
                }
                EXPECT_FALSE(cursor.broken());
            }
        }
    }
    std::string next_;
    std::uint64_t lanes_ = 0;  // thread instructions of the traces
};

TEST_F(Progress, ALockBetweenLanesOfAWarpEnds) {
    for (const bool traced : {false, true}) {
        const auto lock = zeros(2);
        const Parameters parameters = Parameters().add(lock.data()).add(lock.data() + 1).add(3);
        if (traced) {
            EXPECT_EQ(run_traced("locked", {2}, {48}, parameters), "");
        } else {
            device_.run("locked", {2}, {48}, parameters);
        }
        EXPECT_EQ(lock[0], 0);
        EXPECT_EQ(lock[1], 2 * 48 * 3);
    }
}

TEST_F(Progress, TwoLanesTakeTurns) {
    const auto turn = zeros(2);
    device_.run("ping_pong", {1}, {2}, Parameters().add(turn.data()).add(turn.data() + 1).add(5));
    EXPECT_EQ(turn[0], 10);
    EXPECT_EQ(turn[1], 10);
}

// What comes behind names all lanes: they are together again.
TEST_F(Progress, LanesMeetAgainAtOperationsThatNameThem) {
    for (const char* const kernel : {"lock_then_sum", "lock_in_functions"}) {
        for (const bool checked : {false, true}) {
            const int threads = std::string(kernel) == "lock_then_sum" ? 96 : 32;
            const auto lock = zeros(2);
            const auto out = zeros(2 * static_cast<std::size_t>(threads));
            const Parameters parameters = Parameters().add(lock.data()).add(lock.data() + 1).add(out.data());
            if (checked) {
                for (const Defect& defect : device_.defects(kernel, {1}, {static_cast<unsigned>(threads)}, parameters,
                                                            0, {true, true, true})) {
                    // Each lane reads what another wrote, behind a lock, which a check of races does not know.
                    EXPECT_EQ(defect.kind, Defect::Kind::kRace) << defect.what;
                }
            } else {
                device_.run(kernel, {1}, {static_cast<unsigned>(threads)}, parameters);
            }
            std::vector<int> order(out.begin() + threads, out.end());
            std::sort(order.begin(), order.end());
            for (int i = 0; i < threads; ++i) {
                EXPECT_EQ(order[static_cast<std::size_t>(i)], i) << kernel;
                EXPECT_EQ(out[static_cast<std::size_t>(i)], threads * (threads - 1) / 2) << kernel << " " << i;
            }
        }
    }
}

TEST_F(Progress, LanesWaitForAnotherWarpAndForOneBehindABranch) {
    const auto flag = zeros(1);
    const auto out = zeros(64);
    EXPECT_EQ(run_traced("other_warp", {1}, {64}, Parameters().add(flag.data()).add(out.data())), "");
    for (int i = 0; i < 32; ++i) {
        EXPECT_EQ(out[static_cast<std::size_t>(i)], 7);
    }
    const auto second = zeros(1);
    device_.run("behind_the_branch", {1}, {32}, Parameters().add(second.data()).add(out.data()));
    EXPECT_EQ(out[3], 31);
}

TEST_F(Progress, AFlagThatNobodySetsIsTold) {
    const auto flag = zeros(1);
    const std::string what = run_traced("nobody_sets", {1}, {70}, Parameters().add(flag.data()));
    EXPECT_THAT(what, HasSubstr("progress.cu:105: in nobody_sets: lanes 0xffffffff of warp 0 wait forever: "
                                "ld.volatile.global.u32 finds 0 at 0x"));
    EXPECT_THAT(what, HasSubstr(" of global memory; lanes 0xffffffff of warp 1 wait forever"));
    EXPECT_THAT(what, HasSubstr("lanes 0x3f of warp 2 wait forever"));
    EXPECT_THAT(what, HasSubstr("no thread changes it any more (CTA 0,0,0 thread 0,0,0)"));
}

// A flag in memory that the host shares may be set by a thread of the host.
TEST_F(Progress, AThreadOfTheHostMaySetTheFlag) {
    const auto flag = zeros(1);
    ExecuteOptions options;
    options.patience = std::chrono::minutes(1);
    auto execution =
        device_.module().launch("nobody_sets", {{1}, {32}, 0, Parameters().add(flag.data()).bytes()}, options);
    ASSERT_TRUE(execution.ok());
    std::thread host([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        std::atomic_ref<int>(flag[0]).store(1);
    });
    const auto cta = (*execution)->next_cta();
    host.join();
    EXPECT_TRUE(cta.ok()) << cta.error().what;
}

TEST_F(Progress, AGridBarrierThatWaitsForLaterCtasIsTold) {
    const auto arrived = zeros(1);
    const auto out = zeros(4);
    const std::string what = run_traced("grid_barrier", {4}, {64}, Parameters().add(arrived.data()).add(out.data()));
    EXPECT_THAT(what, HasSubstr("lanes 0x1 of warp 0 wait forever: ld.volatile.global.u32 finds 1 at 0x"));
    EXPECT_THAT(what, HasSubstr("waits at barrier 0"));
    EXPECT_THAT(what, HasSubstr("no thread of this CTA changes it, and the 3 CTAs after it start only when it ends"));
    EXPECT_THAT(next_, HasSubstr("earlier ones only"));
    EXPECT_EQ(run_traced("grid_barrier", {1}, {64}, Parameters().add(arrived.data()).add(out.data())), "");
}

// What a warp computes before it waits is not called waiting.
TEST_F(Progress, WorkBeforeALoopThatWaitsCountsAsWork) {
    const auto flag = zeros(1);
    const auto out = zeros(64);
    auto execution = device_.module().launch(
        "work_then_wait", {{1}, {64}, 0, Parameters().add(flag.data()).add(out.data()).add(20'000).bytes()});
    ASSERT_TRUE(execution.ok());
    ASSERT_TRUE((*execution)->next_cta().ok());
    EXPECT_GT((*execution)->waiting(), 0);
    EXPECT_LT((*execution)->waiting(), 0.51);
}

TEST_F(Progress, LongLoopsEnd) {
    const auto in = device_.array(std::vector<int>{1});
    const auto out = zeros(64);
    const Parameters parameters = Parameters().add(in.data()).add(out.data()).add(200'000);
    const Totals totals = device_.run("long_loop", {1}, {32}, parameters);
    EXPECT_EQ(out[32], 200'000);
    EXPECT_GT(totals.warp_instructions, 200'000U);
}

TEST_F(Progress, BarriersOfAPartAreToldOnDemand) {
    const auto out = zeros(64);
    const auto told = [&](const char* kernel, const Parameters& parameters, unsigned threads) {
        std::vector<std::string> all;
        for (const Defect& defect : device_.defects(kernel, {1}, {threads}, parameters, 0, {false, false, true})) {
            EXPECT_EQ(defect.kind, Defect::Kind::kBarrier);
            all.push_back(defect.what);
        }
        return all;
    };
    const Parameters one = Parameters().add(out.data());
    EXPECT_THAT(told("halves", one, 64),
                testing::Contains(HasSubstr("bar.sync is reached by lanes 0xffff of warp 0, and not by its lanes "
                                            "0xffff0000")));
    EXPECT_THAT(
        told("some", one, 64),
        testing::ElementsAre(HasSubstr("is reached by lanes 0xff of warp 1, and not by its lanes 0xffffff00")));
    EXPECT_THAT(told("early", Parameters().add(out.data()).add(45), 64), testing::IsEmpty());
    EXPECT_THAT(
        told("absent_members", one, 32),
        testing::ElementsAre(HasSubstr("shfl.sync.idx.b32 is executed by lanes 0xff of warp 0, and not by its "
                                       "lanes 0xffffff00, which it names")));
    EXPECT_THAT(told("absent_members", one, 8), testing::IsEmpty());
}

}  // namespace
}  // namespace kymo::gpu::ptx
