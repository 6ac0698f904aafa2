// The text reader: columns by version, the three address forms, masks without a lane, and what it says of bad lines.
#include "gpu/trace/text_trace.h"

#include "gpu/trace/trace_file.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace kymo::gpu {
namespace {

const std::string kHeader =
    "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 16\n"
    "-binary version = 80\n-cuda stream id = 0\n-shmem base_addr = 0x00007fb139000000\n"
    "-local mem base_addr = 0x00007fb137000000\n-nvbit version = 1.7\n";
const std::string kV3 = kHeader + "-accelsim tracer version = 3\n\n#traces format = PC mask\n\n#BEGIN_TB\n\n";
const std::string kV5 = kHeader +
                        "-accelsim tracer version = 5\n-enable lineinfo = 1\n\n"
                        "#traces format = [line_num] PC mask immediate\n\n#BEGIN_TB\n\n";

std::string one_warp(const std::string& header, int count, const std::string& lines) {
    return header + "thread block = 0,0,0\n\nwarp = 0\ninsts = " + std::to_string(count) + "\n" + lines +
           "\n#END_TB\n";
}

Result<std::unique_ptr<TextTrace>> open(const std::string& text) {
    return TextTrace::open(bytes_in_memory({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}),
                           "t.traceg");
}
Result<std::unique_ptr<TextTrace>> open(std::string&& text) = delete;  // it is read while the trace is

// The addresses of the first instruction's active lanes.
std::vector<std::uint64_t> addresses_of(const std::string& text) {
    auto trace = open(text);
    EXPECT_TRUE(trace) << (trace ? "" : trace.error().what);
    auto cta = (*trace)->next_cta();
    EXPECT_TRUE(cta) << (cta ? "" : cta.error().what);
    std::vector<std::uint64_t> found;
    if (!cta || !*cta) {
        return found;
    }
    WarpCursor cursor((*trace)->program(), (**cta).warps.at(0));
    LaneAddresses addresses;
    if (cursor.next() && cursor.has_addresses() && cursor.addresses(addresses)) {
        for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
            if ((cursor.mask() >> lane & 1U) != 0) {
                found.push_back(addresses.of[lane]);
            }
        }
    }
    return found;
}

std::string error_of(const std::string& text) {
    auto trace = open(text);
    if (!trace) {
        return trace.error().what;
    }
    for (;;) {
        auto cta = (*trace)->next_cta();
        if (!cta) {
            return cta.error().what;
        }
        if (!*cta) {
            return "";
        }
    }
}

TEST(TextTrace, ReadsTheHeader) {
    const std::string text = one_warp(kV5, 1, "12 0000 ffffffff 0 EXIT 0 0 0 \n");
    auto trace = open(text);
    ASSERT_TRUE(trace);
    const KernelHeader& header = (*trace)->header();
    EXPECT_EQ(header.name, "k");
    EXPECT_EQ(header.block, (Dim3{32, 1, 1}));
    EXPECT_EQ(header.registers, 16U);
    EXPECT_EQ(header.shared_base, 0x7fb139000000U);
    EXPECT_EQ(header.tracer_version, 5U);
    EXPECT_TRUE(header.has_lines);
    ASSERT_TRUE((*trace)->next_cta());
    EXPECT_EQ((*trace)->program().at(0).line, 12U);
}

TEST(TextTrace, ReadsEveryAddressForm) {
    using testing::ElementsAre;
    EXPECT_THAT(addresses_of(one_warp(kV3, 1, "00a0 0000000d 1 R4 LDG.E 1 R4 4 0 0x1000 0x2000 0x3000 \n")),
                ElementsAre(0x1000, 0x2000, 0x3000));
    EXPECT_THAT(addresses_of(one_warp(kV3, 1, "00a0 0000000e 1 R4 LDG.E 1 R4 4 1 0x1000 -8 \n")),
                ElementsAre(0x1000, 0xff8, 0xff0));
    // Differences: one fewer than there are lanes.
    EXPECT_THAT(addresses_of(one_warp(kV3, 1, "00a0 80000003 1 R4 LDG.E 1 R4 4 2 0x1000 16 -32 \n")),
                ElementsAre(0x1000, 0x1010, 0xff0));
}

TEST(TextTrace, DoesNotTakeTheImmediateForADifference) {
    EXPECT_EQ(error_of(one_warp(kV5, 1, "7 00a0 00000003 1 R4 LDG.E 1 R4 4 2 0x1000 16 99 \n")), "");
    EXPECT_EQ(error_of(one_warp(kV5, 1, "7 00a0 00000001 1 R4 LDG.E 1 R4 4 2 0x1000 99 \n")), "");
}

TEST(TextTrace, ReadsAnAccessThatNoLaneExecutes) {
    for (const char* form : {"0", "1 0x0 0", "2 0x0"}) {
        EXPECT_EQ(error_of(one_warp(kV3, 1, std::string("00a0 00000000 1 R4 LDG.E 1 R4 4 ") + form + " \n")), "")
            << form;
    }
}

// What tracers from version 6 on add: the CTA's place in its cluster, other registers' names, a second immediate,
// registers' values, a word of warp-group matrix operations, and tile copies.
TEST(TextTrace, ReadsTheLinesOfLaterTracers) {
    const std::string header = kHeader + "-accelsim tracer version = 6\n-enable lineinfo = 0\n\n#BEGIN_TB\n\n";
    const std::string lines =
        "0000 ffffffff 1 UR4 ULDC.64 0 0 0 NoVal\n"
        "0010 ffffffff 2 P0 R2 ISETP.GE.AND 3 R3 UR4 UP1 0 7 9 NoVal\n"
        "0020 ffffffff 1 R4 LDG.E 2 R6 UR4 4 1 0x1000 4 0 0 NoVal\n"
        "0030 ffffffff 1 R24 HGMMA.64x64x16.F32 2 R24 UR8 1 0 0 0 NoVal\n"
        "0040 ffffffff 0 UTMALDG.2D 2 UR8 UR10 64 0x400 0 8192 0 2 0x7f00 2 64 0 0 NoVal\n"
        "0050 ffffffff 1 R5 IADD3 1 R4 0 1 Val 1 ff 1 10\n"
        "0060 ffffffff 0 EXIT 0 0 0\n";
    const std::string text = header +
                             "thread block = 0,0,0\ncluster id = 0,0,0\ncluster cta = 0,0,0\ncluster rank = 0\n"
                             "warp = 0\ninsts = 7\n" +
                             lines + "#END_TB\n";
    EXPECT_EQ(error_of(text), "");
    auto trace = open(text);
    ASSERT_TRUE(trace && (*trace)->next_cta());
    const Program& program = (*trace)->program();
    ASSERT_EQ(program.size(), 7U);
    EXPECT_EQ(program[1].destinations.count, 1);
    EXPECT_EQ(program[1].destinations.number[0], 2);
    EXPECT_EQ(program[1].sources.count, 1);
    EXPECT_TRUE(program[2].has_addresses());
    EXPECT_FALSE(program[4].has_addresses());
    using testing::HasSubstr;
    EXPECT_THAT(error_of(header + "thread block = 0,0,0\nwarp = 0\ninsts = 1\n0000 ffffffff 1 Q4 MOV 0 0 0\n"),
                HasSubstr("R0 to R255"));
    EXPECT_THAT(error_of(header + "thread block = 0,0,0\nwarp = 0\ninsts = 1\n0000 ffffffff 0 MOV 0 0 1 2 3 NoVal\n"),
                HasSubstr("the line's end"));
}

TEST(TextTrace, TakesTheWidthFromTheOpcode) {
    EXPECT_EQ(decode_opcode("LDG.E.64").bytes, 8);
    EXPECT_EQ(decode_opcode("LDG.E.U8.CONSTANT").bytes, 1);
    EXPECT_EQ(decode_opcode("STS.128").bytes, 16);
    EXPECT_EQ(decode_opcode("LDG.E").bytes, 4);
    EXPECT_EQ(decode_opcode("ATOMG.E.ADD.F64.RN").bytes, 8);
    EXPECT_FALSE(decode_opcode("FROB.X").known);
}

TEST(TextTrace, SaysWhereAndWhatWasExpected) {
    using testing::HasSubstr;
    // The warp's first instruction is on line 22 (version 3) or 23.
    EXPECT_THAT(error_of(one_warp(kV3, 1, "00a0 ffff 1 R4 MOV 0 0 \n")),
                HasSubstr("t.traceg:22: expected an execution mask"));
    EXPECT_THAT(error_of(one_warp(kV3, 1, "zz ffffffff 1 R4 MOV 0 0 \n")), HasSubstr("program counter"));
    EXPECT_THAT(error_of(one_warp(kV3, 1, "00a0 ffffffff x MOV 0 0 \n")),
                HasSubstr("count of destination registers"));
    EXPECT_THAT(error_of(one_warp(kV3, 1, "00a0 ffffffff 1 R900 MOV 0 0 \n")), HasSubstr("R0 to R255"));
    EXPECT_THAT(error_of(one_warp(kV3, 1, "00a0 00000003 1 R4 LDG.E 1 R4 4 2 0x1000 \n")),
                HasSubstr("one difference fewer"));
    EXPECT_THAT(error_of(one_warp(kV3, 1, "00a0 00000003 1 R4 LDG.E 1 R4 4 7 0x1000 \n")), HasSubstr("address form"));
    EXPECT_THAT(error_of(one_warp(kV3, 1, "00a0 00000003 1 R4 LDG.E 1 R4 4 0 0x1000 \n")),
                HasSubstr("every active lane"));
    EXPECT_THAT(error_of(one_warp(kV3, 1, "00a0 ffffffff 1 R4 MOV 0 0 5 \n")), HasSubstr("the line's end"));
    EXPECT_THAT(error_of(one_warp(kV3, 2, "00a0 ffffffff 1 R4 MOV 0 0 \n")), HasSubstr("as many instructions"));
    EXPECT_THAT(error_of(kV3 + "thread block = 0,0\n"), HasSubstr("thread block = X,Y,Z"));
    EXPECT_THAT(error_of(kV3 + "thread block = 0,0,0\nwarp = 0\ninsts = 0\n"), HasSubstr("#END_TB"));
    EXPECT_THAT(error_of(kHeader + "-accelsim tracer version = 2\n#BEGIN_TB\n"), HasSubstr("tracer version 2"));
    EXPECT_THAT(error_of(""), HasSubstr("a header"));
}

TEST(TextTrace, RewindGivesTheSameAgain) {
    const std::string text = one_warp(kV3, 1, "00a0 ffffffff 1 R4 MOV 0 0 \n");
    auto trace = open(text);
    ASSERT_TRUE(trace);
    const auto first = (*trace)->next_cta();
    ASSERT_TRUE((*trace)->rewind());
    const auto second = (*trace)->next_cta();
    ASSERT_TRUE(first && *first && second && *second);
    EXPECT_EQ(*(**first).warps[0].code, *(**second).warps[0].code);
    EXPECT_EQ((*trace)->program().size(), 1U);
}

TEST(KernelList, ReadsCommandsAndNamesBadLines) {
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("kernel-list-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const auto list = folder / "kernelslist.g";
    std::ofstream(list) << "MemcpyHtoD,0x00007fc841500000,1024\nkernel-1.traceg\nkernel-2.traceg.xz\n";
    const auto commands = open_list(list);
    ASSERT_TRUE(commands);
    ASSERT_EQ(commands->size(), 3U);
    EXPECT_EQ((*commands)[0].bytes, 1024U);
    EXPECT_EQ((*commands)[2].kernel, folder / "kernel-2.traceg.xz");
    std::ofstream(list) << "cudaMalloc,0x7f00,8000\nMemcpyDtoH,0x7f00,4\nMemset,0x7f00,0,8\nkernel-1.traceg\n";
    EXPECT_EQ(open_list(list)->size(), 1U);
    std::ofstream(list) << "MemcpyHtoD,zz\n";
    EXPECT_THAT(open_list(list).error().what, testing::HasSubstr("kernelslist.g:1: expected \"MemcpyHtoD"));
    std::ofstream(list) << "cuda/kernel-1\n";
    EXPECT_THAT(open_list(list).error().what, testing::HasSubstr("kernelslist.g:1: expected a kernel's trace file"));
    EXPECT_EQ(open_kernel(folder / "absent.traceg").error().kind, ErrorKind::kNotFound);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kymo::gpu
