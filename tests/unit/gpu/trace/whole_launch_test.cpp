// Traces that hold fewer, more, repeated or no CTAs or warps of what their header announces.
#include "gpu/trace/whole_launch.h"

#include "gpu/basic/basic_model.h"
#include "gpu/gpu_file.h"
#include "gpu/model/full_model.h"
#include "gpu/trace/text_trace.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::gpu {
namespace {

using testing::HasSubstr;

std::string header(const std::string& grid, const std::string& block) {
    return "-kernel name = k\n-kernel id = 1\n-grid dim = (" + grid + ")\n-block dim = (" + block +
           ")\n-shmem = 0\n-nregs = 16\n-binary version = 80\n-cuda stream id = 0\n-shmem base_addr = "
           "0x7fb139000000\n"
           "-local mem base_addr = 0x7fb137000000\n-nvbit version = 1.7\n-accelsim tracer version = 3\n\n";
}

std::string warp(int id, bool empty = false) {
    return fmt::format("warp = {}\ninsts = {}\n{}", id, empty ? 0 : 1, empty ? "" : "0000 ffffffff 0 EXIT 0 0\n");
}

std::string cta(const std::string& index, const std::string& warps = warp(0)) {
    return "#BEGIN_TB\nthread block = " + index + "\n" + warps + "#END_TB\n";
}

struct Read {
    std::uint64_t ctas = 0;
    std::string error;
    std::string left_out;
};

Read read(const std::string& text, bool partial) {
    Read result;
    auto trace = TextTrace::open(bytes_in_memory({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}),
                                 "t.traceg");
    if (!trace) {
        return {0, trace.error().what, ""};
    }
    WholeLaunch launch(std::move(*trace), "t.traceg", partial);
    for (;;) {
        auto next = launch.next_cta();
        if (!next) {
            result.error = next.error().what;
            EXPECT_THAT(next.error().next, HasSubstr("--partial"));
            return result;
        }
        if (!*next) {
            result.left_out = launch.left_out();
            return result;
        }
        ++result.ctas;
    }
}

TEST(WholeLaunch, TakesTheGridInAnyOrder) {
    std::string in_order = header("3,2,2", "64,1,1");
    std::string backwards = in_order;
    for (int i = 0; i < 12; ++i) {
        const auto index = [](int n) { return fmt::format("{},{},{}", n % 3, n / 3 % 2, n / 6); };
        in_order += cta(index(i), warp(0) + warp(1));
        backwards += cta(index(11 - i), warp(1) + warp(0));
    }
    for (const std::string& text : {in_order, backwards}) {
        const Read whole = read(text, false);
        EXPECT_EQ(whole.error, "");
        EXPECT_EQ(whole.left_out, "");
        EXPECT_EQ(whole.ctas, 12U);
    }
}

TEST(WholeLaunch, RefusesFewerCtasAndNone) {
    const std::string some = header("4,1,1", "32,1,1") + cta("0,0,0") + cta("3,0,0");
    EXPECT_EQ(read(some, false).error,
              "t.traceg: holds 2 of the grid's 4 CTAs; the first that is missing is (1,0,0)");
    EXPECT_EQ(read(some, true).left_out, "2 of the grid's 4 CTAs; the first that is missing is (1,0,0)");
    const std::string none = header("2147483647,65535,65535", "32,1,1");
    EXPECT_THAT(read(none, false).error, HasSubstr("holds 0 of the grid's 9223090559730712575 CTAs"));
    EXPECT_EQ(read(header("2,3,1", "32,1,1") + cta("0,0,0") + cta("1,0,0") + cta("1,1,0"), false).error,
              "t.traceg: holds 3 of the grid's 6 CTAs; the first that is missing is (0,1,0)");
}

TEST(WholeLaunch, RefusesCtasOutsideTheGridAndRepeatedOnes) {
    const std::string other = header("2,1,1", "32,1,1") + cta("0,0,0") + cta("9,0,0") + cta("1,0,0");
    EXPECT_EQ(read(other, false).error, "t.traceg: CTA (9,0,0) is not in the grid (2,1,1)");
    EXPECT_EQ(read(other, true).left_out, "CTAs outside the grid: 1");
    const std::string again = header("2,1,1", "32,1,1") + cta("0,0,0") + cta("1,0,0") + cta("0,0,0");
    EXPECT_EQ(read(again, false).error, "t.traceg: CTA (0,0,0) appears twice");
    EXPECT_EQ(read(again, true).left_out, "CTAs that appear twice: 1");
    EXPECT_EQ(read(again, true).ctas, 3U);
    const std::string ahead = header("3,1,1", "32,1,1") + cta("2,0,0") + cta("2,0,0");
    EXPECT_EQ(read(ahead, false).error, "t.traceg: CTA (2,0,0) appears twice");
}

TEST(WholeLaunch, RefusesBlocksWithOtherWarps) {
    const auto of = [](const std::string& warps) { return header("1,1,1", "33,2,1") + cta("0,0,0", warps); };
    EXPECT_EQ(read(of(warp(0) + warp(1) + warp(2)), false).error, "");
    EXPECT_EQ(read(of(warp(0) + warp(2)), false).error,
              "t.traceg: CTA (0,0,0) has instructions of 2 of its 3 warps; the first without is warp 1");
    EXPECT_THAT(read(of(""), false).error, HasSubstr("of 0 of its 3 warps"));
    EXPECT_THAT(read(of(warp(0) + warp(1) + warp(2, true)), false).error, HasSubstr("the first without is warp 2"));
    EXPECT_EQ(read(of(warp(0) + warp(1) + warp(1)), false).error, "t.traceg: warp 1 of CTA (0,0,0) appears twice");
    EXPECT_EQ(read(of(warp(0) + warp(3)), false).error,
              "t.traceg: warp 3 of CTA (0,0,0) is not in the block, which has 3");
    EXPECT_EQ(read(of(warp(0)), true).left_out, "CTAs with other warps than the block has: 1");
}

TEST(WholeLaunch, RefusesHeadersWithoutSizes) {
    EXPECT_THAT(
        read("-kernel name = k\n-block dim = (32,1,1)\n-accelsim tracer version = 3\n" + cta("0,0,0"), false).error,
        HasSubstr("a header with kernel name, grid dim and block dim"));
    EXPECT_THAT(read(header("1,70000,1", "32,1,1") + cta("0,0,0"), false).error, HasSubstr("that a GPU can launch"));
}

TEST(WholeLaunch, IsToldByBothModels) {
    const auto gpu = load_gpu("a100-pcie");
    ASSERT_TRUE(gpu);
    const std::string text = header("4,1,1", "32,1,1") + cta("0,0,0") + cta("1,0,0");
    for (const bool basic : {true, false}) {
        for (const bool partial : {true, false}) {
            auto trace = TextTrace::open(
                bytes_in_memory({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}), "t.traceg");
            ASSERT_TRUE(trace);
            WholeLaunch launch(std::move(*trace), "t.traceg", partial);
            const auto result =
                basic ? run_basic(*gpu, gpu->boost, launch) : run_full(*gpu, gpu->boost, launch, FullOptions{});
            ASSERT_EQ(result.ok(), partial);
            EXPECT_THAT(partial ? result->left_out : result.error().what, HasSubstr("2 of the grid's 4 CTAs"));
        }
    }
}

}  // namespace
}  // namespace kymo::gpu
