// Traces written in the published text form are read back as what they were.
#include "gpu/trace/text_writer.h"

#include "accuracy/generate.h"
#include "gpu/trace/trace_file.h"
#include "gpu/trace/warp_code.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

namespace kymo::gpu {
namespace {

class TextWriter : public ::testing::Test {
  protected:
    TextWriter() : folder_("/tmp/kymo-text-writer-" + std::to_string(getpid())) {
        std::filesystem::create_directory(folder_);
    }
    ~TextWriter() override { std::filesystem::remove_all(folder_); }
    std::filesystem::path file(const char* name) const { return folder_ / name; }

  private:
    std::filesystem::path folder_;
};

// What the text holds and the compact form too.
void same_after_text(KernelSource& source, const std::filesystem::path& path) {
    const auto size = write_text(source, path);
    ASSERT_TRUE(size) << size.error().what;
    ASSERT_TRUE(source.rewind());
    auto back = open_kernel(path);
    ASSERT_TRUE(back) << back.error().what;
    EXPECT_EQ((*back)->header().grid, source.header().grid);
    EXPECT_EQ((*back)->header().block, source.header().block);
    EXPECT_EQ((*back)->header().registers, source.header().registers);
    std::uint64_t instructions = 0;
    for (;;) {
        auto wanted = source.next_cta();
        auto found = (*back)->next_cta();
        ASSERT_TRUE(wanted && found) << (found ? "" : found.error().what);
        ASSERT_EQ(wanted->has_value(), found->has_value());
        if (!*wanted) {
            break;
        }
        ASSERT_EQ((**wanted).warps.size(), (**found).warps.size());
        for (std::size_t i = 0; i < (**wanted).warps.size(); ++i) {
            WarpCursor was(source.program(), (**wanted).warps[i]);
            WarpCursor is((*back)->program(), (**found).warps[i]);
            while (was.next()) {
                ++instructions;
                ASSERT_TRUE(is.next());
                const StaticInstruction& one = source.program()[was.index()];
                const StaticInstruction& other = (*back)->program()[is.index()];
                ASSERT_EQ(one.opcode, other.opcode);
                ASSERT_EQ(one.pc, other.pc);
                ASSERT_EQ(one.line, other.line);
                ASSERT_EQ(one.destinations, other.destinations);
                ASSERT_EQ(one.sources, other.sources);
                ASSERT_EQ(was.mask(), is.mask());
                ASSERT_EQ(was.has_addresses(), is.has_addresses());
                LaneAddresses here;
                LaneAddresses there;
                if (was.has_addresses()) {
                    ASSERT_TRUE(was.addresses(here) && is.addresses(there));
                    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
                        if ((was.mask() >> lane & 1U) != 0) {
                            ASSERT_EQ(here.of[lane], there.of[lane]);
                        }
                    }
                }
            }
            EXPECT_FALSE(is.next());
        }
    }
    EXPECT_EQ(instructions, size->instructions);
}

TEST_F(TextWriter, WhatIsWrittenIsReadBack) {
    same_after_text(*vector_add_kernel(1000), file("vectoradd.traceg"));
    same_after_text(*gemm_kernel(20, 8), file("gemm.traceg"));
}

TEST_F(TextWriter, LinesAndUnevenAddressesStay) {
    std::ofstream(file("in.traceg"))
        << "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-nregs = 9\n"
           "-accelsim tracer version = 5\n-enable lineinfo = 1\n#traces format = [line_num] PC mask immediate\n"
           "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 4\n"
           "7 0000 ffffffff 1 R4 MOV 0 0 0\n"
           "8 0010 0000000f 1 R2 LDG.E.64 1 R4 8 0 0x100 0x200 0x180 0xfff0\n"
           "8 0020 00000000 0 STG.E 2 R4 R2 4 1 0x0 0 0\n"
           "9 0030 80000000 0 EXIT 0 0 0\n#END_TB\n";
    auto source = open_kernel(file("in.traceg"));
    ASSERT_TRUE(source) << source.error().what;
    same_after_text(**source, file("out.traceg"));
}

TEST_F(TextWriter, OverwritesNothing) {
    std::ofstream(file("there.traceg")) << "mine";
    const auto size = write_text(*vector_add_kernel(64), file("there.traceg"));
    ASSERT_FALSE(size);
    EXPECT_EQ(size.error().kind, ErrorKind::kOutputExists);
    std::ifstream in(file("there.traceg"));
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "mine");
}

}  // namespace
}  // namespace kymo::gpu
