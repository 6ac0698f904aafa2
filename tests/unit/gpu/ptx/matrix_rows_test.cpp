// The moves of matrices' rows between lanes and shared memory.
#include "kernels.h"

#include <gtest/gtest.h>

namespace kymo::gpu::ptx {
namespace {

// Rows of 8 halves: matrix i's row j is at shared memory 128 i + 16 j, its elements numbered through.
std::vector<std::uint32_t> moved(const std::string& instruction) {
    const std::string text =
        ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{ .shared .align 16 .b8 "
        "s[512]; .reg .b32 %r<8>, %t, %s, %v; .reg .b64 %p;\n"
        "mov.u32 %t, %tid.x; mov.u32 %s, s; mad.lo.u32 %s, %t, 16, %s; mad.lo.u32 %v, %t, 0x80008, 0x10000;\n"
        "st.shared.u32 [%s], %v; add.u32 %v, %v, 0x20002; st.shared.u32 [%s+4], %v; add.u32 %v, %v, 0x20002;\n"
        "st.shared.u32 [%s+8], %v; add.u32 %v, %v, 0x20002; st.shared.u32 [%s+12], %v; bar.sync 0;\n" +
        instruction +
        "\nbar.sync 0; ld.param.u64 %p, [out]; mad.wide.u32 %p, %t, 16, %p; st.global.v4.u32 [%p], {%r0, %r1, %r2, "
        "%r3}; ret; }";
    const auto module = parse(text, "rows.ptx");
    EXPECT_TRUE(module.ok()) << (module ? "" : module.error().what);
    if (!module) {
        return std::vector<std::uint32_t>(128);
    }
    Device device(*module);
    const auto out = device.array<std::uint32_t>(128);
    device.run("k", {1}, {32}, Parameters().add(out.data()));
    return {out.begin(), out.end()};
}

TEST(MatrixRows, AreLoadedStoredAndTransposed) {
    const auto plain = moved("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%s];");
    const auto transposed = moved("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r0, %r1, %r2, %r3}, [%s];");
    const auto turned = moved(
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%s]; movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1; "
        "mov.u32 "
        "%r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0;");
    const auto stored = moved(
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0, %r1}, [%s]; bar.sync 0; stmatrix.sync.aligned.m8n8.x2.trans."
        "shared.b16 [%s+256], {%r0, %r1}; bar.sync 0; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, "
        "[%s];");
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        for (std::uint32_t matrix = 0; matrix < 4; ++matrix) {
            const auto element = [&](std::uint32_t row, std::uint32_t column) {
                return 64 * matrix + 8 * row + column;
            };
            const std::uint32_t along = element(lane / 4, lane % 4 * 2) | element(lane / 4, lane % 4 * 2 + 1) << 16U;
            const std::uint32_t across = element(lane % 4 * 2, lane / 4) | element(lane % 4 * 2 + 1, lane / 4) << 16U;
            EXPECT_EQ(plain[4 * lane + matrix], along) << lane;
            EXPECT_EQ(transposed[4 * lane + matrix], across) << lane;
            if (matrix == 0) {
                EXPECT_EQ(turned[4 * lane], across) << lane;
            }
            if (matrix < 2) {
                EXPECT_EQ(stored[4 * lane + 2 + matrix], across) << lane;
            }
        }
    }
}

}  // namespace
}  // namespace kymo::gpu::ptx
