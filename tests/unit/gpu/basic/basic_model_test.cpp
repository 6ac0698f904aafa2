// The basic model against answers computed by hand: a straight kernel, an if with an else, a loop with an early exit.
//
// On the GPU of one_sm.h an instruction takes 4 cycles, a branch 7, a NOP 1, the end none; here MUFU takes 20.
#include "gpu/basic/basic_model.h"

#include "../one_sm.h"
#include "gpu/report/timeline.h"
#include "gpu/trace/text_trace.h"
#include "gpu/trace/whole_launch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

namespace kymo::gpu {
namespace {

constexpr std::uint32_t kAll = 0xFFFF'FFFFU;

struct Executed {
    unsigned pc;
    const char* opcode;
    std::uint32_t mask = kAll;
};

// One CTA of as many warps.
std::string trace_of(const std::vector<std::vector<Executed>>& warps, unsigned threads) {
    std::string text = fmt::format(
        "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = ({},1,1)\n-shmem = 0\n-nregs = 16\n"
        "-binary version = 80\n-cuda stream id = 0\n-shmem base_addr = 0x7fb139000000\n"
        "-local mem base_addr = 0x7fb137000000\n-nvbit version = 1.7\n-accelsim tracer version = 3\n\n"
        "#BEGIN_TB\nthread block = 0,0,0\n",
        threads);
    for (std::size_t i = 0; i < warps.size(); ++i) {
        text += fmt::format("warp = {}\ninsts = {}\n", i, warps[i].size());
        for (const Executed& one : warps[i]) {
            text += fmt::format("{:04x} {:08x} 0 {} 0 0\n", one.pc, one.mask, one.opcode);
        }
    }
    return text + "#END_TB\n";
}

Gpu hand_gpu() {
    Gpu gpu = one_sm();
    gpu.latency[static_cast<std::size_t>(OpClass::kSfu)] = 20;
    return gpu;
}

KernelResult model(const std::string& text, StepObserver* observer = nullptr) {
    auto trace = TextTrace::open(bytes_in_memory({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}),
                                 "t.traceg");
    EXPECT_TRUE(trace) << (trace ? "" : trace.error().what);
    WholeLaunch launch(std::move(*trace), "t.traceg", false);
    const Gpu gpu = hand_gpu();
    auto result = run_basic(gpu, gpu.boost, launch, observer);
    EXPECT_TRUE(result) << (result ? "" : result.error().what);
    return result ? *result : KernelResult();
}

double spent(const KernelResult& result, Spent what) {
    return result.spent[static_cast<std::size_t>(what)];
}
double spent_at(const KernelResult& result, unsigned pc, Spent what) {
    for (std::size_t i = 0; i < result.program.size(); ++i) {
        if (result.program[i].pc == pc) {
            return result.spent_by_instruction[i][static_cast<std::size_t>(what)];
        }
    }
    return -1;
}

TEST(BasicByHand, AStraightKernelStartsAsManySimulatorsAsThreads) {
    const std::vector<Executed> list = {{0x00, "IADD3"}, {0x10, "FADD"}, {0x20, "EXIT"}};
    const std::vector<Executed> eight = {{0x00, "IADD3", 0xFF}, {0x10, "FADD", 0xFF}, {0x20, "EXIT", 0xFF}};
    const KernelResult result = model(trace_of({list, eight}, 40));
    EXPECT_EQ(result.threads, 40U);
    EXPECT_EQ(result.cycles, 8);
    EXPECT_EQ(result.thread_cycles, 40 * 8);
    EXPECT_EQ(result.thread_instructions, 40U * 3);
    EXPECT_EQ(result.thread_ipc, 40 * 3 / 8.0);
    EXPECT_EQ(result.walked_around, 0U);
    EXPECT_EQ(spent(result, Spent::kArithmetic), 40 * 8);
}

// A thread takes the same whether its warp goes one way or both.
TEST(BasicByHand, AnIfWithAnElseIsWalkedWholeByEveryThread) {
    const std::vector<Executed> then_only = {{0x00, "ISETP"}, {0x10, "BRA", 0}, {0x20, "FADD"},
                                             {0x30, "BRA"},   {0x50, "IADD3"},  {0x60, "EXIT"}};
    const std::vector<Executed> else_only = {
        {0x00, "ISETP"}, {0x10, "BRA"}, {0x40, "MUFU.RCP"}, {0x50, "IADD3"}, {0x60, "EXIT"}};
    const std::vector<Executed> both = {{0x00, "ISETP"},     {0x10, "BRA", 0xFFFF'FF00U},      {0x20, "FADD", 0xFF},
                                        {0x30, "BRA", 0xFF}, {0x40, "MUFU.RCP", 0xFFFF'FF00U}, {0x50, "IADD3"},
                                        {0x60, "EXIT"}};
    const KernelResult result = model(trace_of({then_only, else_only, both}, 96));
    // then: 4, 1 (it does not jump), 4, 7, 1 (the else), 4; else: 4, 7, 1 and 1 (the then), 20, 4
    constexpr double kThen = 21;
    constexpr double kElse = 37;
    EXPECT_EQ(result.cycles, kElse);
    EXPECT_EQ(result.thread_cycles, (32 + 8) * kThen + (32 + 24) * kElse);
    EXPECT_EQ(result.walked_around, 32U * 1 + 32 * 2);
    EXPECT_EQ(spent(result, Spent::kMasked), 96 * 2);
    EXPECT_EQ(spent(result, Spent::kBranch), 96 * 7);
    EXPECT_EQ(result.thread_instructions, 96U * 5);
    EXPECT_EQ(spent_at(result, 0x40, Spent::kArithmetic), (32 + 24) * 20);
    EXPECT_EQ(spent_at(result, 0x40, Spent::kMasked), 32 + 8);
    EXPECT_EQ(spent_at(result, 0x20, Spent::kMasked), 32 + 24);
}

TEST(BasicByHand, ALoopThatIsLeftEarlyLeavesTheRestOfItsRoundMasked) {
    const std::vector<Executed> round = {{0x10, "IADD3"}, {0x20, "BRA", 0}, {0x30, "FADD"}, {0x40, "BRA"}};
    std::vector<Executed> whole = {{0x00, "MOV"}};
    whole.insert(whole.end(), round.begin(), round.end());
    std::vector<Executed> left = whole;
    whole.insert(
        whole.end(),
        {{0x10, "IADD3"}, {0x20, "BRA", 0}, {0x30, "FADD"}, {0x40, "BRA", 0}, {0x50, "MUFU.RCP"}, {0x60, "EXIT"}});
    left.insert(left.end(), {{0x10, "IADD3"}, {0x20, "BRA"}, {0x60, "EXIT"}});
    const KernelResult result = model(trace_of({whole, left}, 64));
    // A round 4 + 1 + 4 + 7; the last 4 + 1 + 4 + 1, or left 4 + 7 and 3 masked.
    EXPECT_EQ(result.cycles, 4 + 16 + 10 + 20);
    EXPECT_EQ(result.thread_cycles, 32 * 50 + 32 * (4 + 16 + 11 + 3));
    EXPECT_EQ(result.walked_around, 32U * 3);
    EXPECT_EQ(spent_at(result, 0x30, Spent::kMasked), 32);
    EXPECT_EQ(spent_at(result, 0x30, Spent::kArithmetic), 32 * 3 * 4);
    EXPECT_EQ(spent_at(result, 0x10, Spent::kMasked), 0);
}

// Its caller's way has nothing that is passed over.
TEST(BasicByHand, CallsAreNoWaysAround) {
    const std::vector<Executed> list = {{0x00, "MOV"},           {0x10, "CALL.REL.NOINC"}, {0x40, "FADD"},
                                        {0x50, "RET.REL.NODEC"}, {0x20, "FADD"},           {0x30, "EXIT"}};
    const KernelResult result = model(trace_of({list, list}, 64));
    EXPECT_EQ(result.walked_around, 0U);
    EXPECT_EQ(result.cycles, 4 + 7 + 4 + 7 + 4);
}

struct Steps : StepObserver {
    std::vector<double> ends = std::vector<double>(64);
    std::vector<unsigned> begun = std::vector<unsigned>(64);
    std::uint64_t masked = 0;
    void thread_begins(std::uint64_t thread, std::uint64_t cta) override {
        EXPECT_EQ(cta, 0U);
        ++begun[thread];
    }
    void stepped(const Step& step) override {
        masked += step.spent == Spent::kMasked ? 1 : 0;
        EXPECT_LT(step.begin, step.end);
    }
    void thread_ends(std::uint64_t thread, double cycle) override { ends[thread] += cycle; }
};

TEST(BasicByHand, ObserversSeeEveryThreadEndOnce) {
    const std::vector<Executed> list = {
        {0x00, "ISETP"}, {0x10, "EXIT", 0xFF}, {0x20, "FADD", 0xFFFF'FF00U}, {0x30, "EXIT", 0xFFFF'FF00U}};
    Steps steps;
    const KernelResult result = model(trace_of({list, list}, 64), &steps);
    for (std::size_t thread = 0; thread < 64; ++thread) {
        EXPECT_EQ(steps.begun[thread], 1U);
        // The first eight end at their end instruction; the others take its NOP.
        EXPECT_EQ(steps.ends[thread], thread % 32 < 8 ? 4 : 4 + 1 + 4) << thread;
    }
    EXPECT_EQ(steps.masked, 48U);
    EXPECT_EQ(result.cycles, 9);
}

TEST(BasicByHand, ARecordingHasAStreamForEachThread) {
    const Gpu gpu = hand_gpu();
    const auto folder = std::filesystem::path(testing::TempDir()) / ("basic-" + std::to_string(getpid()) + ".kymo");
    KernelHeader header;
    header.name = "k";
    header.block = {64, 1, 1};
    auto made = Timeline::create_of_threads(folder, header, gpu, gpu.boost, 4);
    ASSERT_TRUE(made) << made.error().what;
    const std::vector<Executed> list = {{0x00, "IADD3"}, {0x10, "FADD"}, {0x20, "EXIT"}};
    const KernelResult result = model(trace_of({list, list}, 64), made->get());
    ASSERT_TRUE((*made)->finish(result, {}));
    EXPECT_EQ((*made)->samples(), 64U * 2);
    std::filesystem::remove_all(folder);
    header.grid = {65, 1, 1};
    const auto refused = Timeline::create_of_threads(folder, header, gpu, gpu.boost, 4);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, testing::HasSubstr("a stream for each thread, 4096 at most"));
    EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace kymo::gpu
