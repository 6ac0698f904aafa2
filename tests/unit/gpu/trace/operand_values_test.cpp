// Operand values in traces: known answers, through files, and from damaged ones.
#include "gpu/trace/operand_values.h"

#include "../ptx/kernels.h"
#include "gpu/trace/compact_trace.h"
#include "gpu/trace/text_writer.h"
#include "gpu/trace/trace_file.h"

#include <gmock/gmock.h>
#include <unistd.h>

namespace kymo::gpu::ptx {
namespace {

// Lanes below 8 triple their number, the others make a 64-bit product; odd ones add one. All is stored.
constexpr const char* kText = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .pred %p<3>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r4, %tid.x;
    add.u32 %r1, %r4, 0;
    setp.lt.u32 %p1, %r1, 8;
    @%p1 bra LOW;
    mul.wide.u32 %rd2, %r1, -2147483648;
    bra.uni MEET;
LOW:
    mul.lo.u32 %r2, %r1, 3;
    cvt.u64.u32 %rd2, %r2;
MEET:
    and.b32 %r3, %r1, 1;
    setp.ne.u32 %p2, %r3, 0;
    @%p2 add.u64 %rd2, %rd2, 1;
    mul.wide.u32 %rd3, %r1, 8;
    add.u64 %rd4, %rd1, %rd3;
    st.global.u64 [%rd4], %rd2;
    ret;
}
)";

// Each instruction as "OPCODE mask name=values… >name=values…", the values of the lanes that execute it.
std::vector<std::string> lines_of(KernelSource& source) {
    std::vector<std::string> lines;
    for (;;) {
        const auto cta = source.next_cta();
        EXPECT_TRUE(cta.ok()) << (cta ? "" : cta.error().what);
        if (!cta || !*cta) {
            return lines;
        }
        const Program program = operand_program(source.operands());
        for (const WarpTrace& warp : (**cta).warps) {
            WarpCursor cursor(source.program(), warp);
            OperandCursor operands(source.operands(), program, warp);
            std::vector<OperandValues> values;
            while (cursor.next()) {
                EXPECT_TRUE(operands.next(cursor.index(), cursor.mask(), values));
                std::string line = source.program()[cursor.index()].opcode + " " + std::to_string(cursor.mask());
                for (const OperandValues& one : values) {
                    line += (one.operand->is_result ? " >" : " ") + one.operand->name + "=";
                    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
                        line += (cursor.mask() >> lane & 1U) != 0 ? std::to_string(one.lanes.of[lane]) + "," : "";
                    }
                }
                lines.push_back(std::move(line));
            }
        }
    }
}

class OperandValuesTest : public ::testing::Test {
  protected:
    OperandValuesTest() : device_(*parse(kText, "values.ptx")), out_(device_.array<std::uint64_t>(kWarpLanes)) {}

    std::unique_ptr<Execution> launch(bool values) {
        ExecuteOptions options;
        options.values = values;
        auto execution = device_.module().launch("k", {{1}, {10}, 0, Parameters().add(out_.data()).bytes()}, options);
        EXPECT_TRUE(execution.ok());
        return std::move(*execution);
    }
    std::vector<std::uint8_t> compacted() {
        std::vector<std::uint8_t> bytes;
        EXPECT_TRUE(write_compact(*launch(true), bytes));
        return bytes;
    }

    Device device_;
    std::span<std::uint64_t> out_;
};

TEST_F(OperandValuesTest, AreWhatEachLaneReadsAndWrites) {
    const auto execution = launch(true);
    const std::vector<std::string> lines = lines_of(*execution);
    const auto has = [&](std::string_view opcode, std::string_view what) {
        return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
            return line.starts_with(opcode) && line.find(what) != std::string::npos;
        });
    };
    EXPECT_TRUE(has("ISETP", " 1023 >%p1=1,1,1,1,1,1,1,1,0,0, %r1=0,1,2,3,4,5,6,7,8,9,"));
    EXPECT_TRUE(has("IMAD", " 768 >%rd2=17179869184,19327352832, %r1=8,9,"));
    EXPECT_TRUE(has("IMAD", " 255 >%r2=0,3,6,9,12,15,18,21, %r1=0,1,2,3,4,5,6,7,"));
    // The guard leaves the odd lanes: what they read is what they had before.
    EXPECT_TRUE(has("IADD3", " 682 >%rd2=4,10,16,22,19327352833, %rd2=3,9,15,21,19327352832,"));
    EXPECT_TRUE(has("STG", "%rd2=0,4,6,10,12,16,18,22,17179869184,19327352833,"));
    EXPECT_EQ(out_[9], 19327352833U);
}

TEST_F(OperandValuesTest, ComeThroughFiles) {
    const std::vector<std::string> lines = lines_of(*launch(true));
    const auto bytes = compacted();
    auto read = CompactTrace::open(bytes_in_memory(bytes), "memory");
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(lines_of(**read), lines);
    ASSERT_TRUE((*read)->rewind());
    EXPECT_EQ(lines_of(**read), lines);
    ASSERT_TRUE((*read)->rewind());
    std::vector<std::uint8_t> again;
    ASSERT_TRUE(write_compact(**read, again));
    EXPECT_EQ(again, bytes);

    ASSERT_TRUE((*read)->rewind());
    const auto path =
        std::filesystem::temp_directory_path() / ("kymo-values-" + std::to_string(getpid()) + ".traceg");
    ASSERT_TRUE(write_text(**read, path).ok());
    std::ifstream in(path);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    EXPECT_THAT(text, testing::HasSubstr(" 0 Val 2 >%rd2 1 0x400000000 2147483648 %r1 1 0x8 1\n"));
    EXPECT_THAT(text, testing::HasSubstr("Val 2 >%rd2 0 0x4 0xa 0x10 0x16 0x480000001 %rd2 0 0x3 0x9 0xf 0x15 "));
    const auto back = open_kernel(path);  // readers of the text pass over the values
    ASSERT_TRUE(back.ok()) << back.error().what;
    EXPECT_EQ(lines_of(**back).size(), lines.size());
    std::filesystem::remove(path);
}

TEST_F(OperandValuesTest, AreThereOnlyWhereAskedFor) {
    const auto without = launch(false);
    EXPECT_TRUE(without->operands().empty());
    std::vector<std::uint8_t> bytes;
    ASSERT_TRUE(write_compact(*without, bytes).ok());
    EXPECT_LT(bytes.size(), compacted().size());
}

TEST_F(OperandValuesTest, DamagedOnesAreToldOrReadWithinTheirBytes) {
    const auto good = compacted();
    std::mt19937_64 random(5);
    for (int round = 0; round < 2000; ++round) {
        auto bytes = good;
        bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1U << (random() % 8));
        auto read = CompactTrace::open(bytes_in_memory(bytes), "memory");
        while (read) {
            const auto cta = (*read)->next_cta();
            if (!cta || !*cta) {
                break;
            }
            const Program program = operand_program((*read)->operands());
            for (const WarpTrace& warp : (**cta).warps) {
                WarpCursor cursor((*read)->program(), warp);
                OperandCursor operands((*read)->operands(), program, warp);
                std::vector<OperandValues> values;
                std::uint64_t steps = 0;
                while (cursor.next() && operands.next(cursor.index(), cursor.mask(), values) && ++steps < 100'000) {
                }
            }
        }
    }
}

}  // namespace
}  // namespace kymo::gpu::ptx
