// Lanes that name different member masks at one operation are different groups (gpgpu-sim PR 277).
#include "kernels.h"

namespace kymo::gpu::ptx {
namespace {

constexpr const char* kKernel = R"(.version 8.3
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) { .reg .b64 %o; .reg .b32 %t, %g, %m, %x, %h; .reg .pred %q, %p;
 mov.u32 %t, %tid.x; rem.u32 %g, %t, 3; ld.param.u64 %o, [out]; mad.wide.u32 %o, %t, 4, %o;
 match.any.sync.b32 %m, %g, -1;
 redux.sync.add.s32 %x, %t, %m; st.global.u32 [%o], %x;
 and.b32 %x, %t, 1; setp.ne.u32 %q, %x, 0; vote.sync.ballot.b32 %x, %q, %m; st.global.u32 [%o+128], %x;
 setp.eq.u32 %q, %t, 4; vote.sync.any.pred %p, %q, %m; selp.u32 %x, 1, 0, %p; st.global.u32 [%o+256], %x;
 setp.eq.u32 %q, %g, 1; vote.sync.all.pred %p, %q, %m; selp.u32 %x, 1, 0, %p; st.global.u32 [%o+384], %x;
 shr.u32 %h, %t, 4; match.any.sync.b32 %x, %h, %m; st.global.u32 [%o+512], %x;
 redux.sync.max.u32 %t, %t, %m; st.global.u32 [%o+640], %t; ret; }
)";

TEST(Members, OfDifferentMasksAreDifferentGroups) {
    const auto module = parse(kKernel, "k.ptx");
    ASSERT_TRUE(module.ok()) << module.error().what;
    Device device(*module);
    const auto out = device.array<std::uint32_t>(std::size_t{6} * 32);
    device.run_checked("k", {1}, {32}, Parameters().add(out.data()));
    std::vector<std::uint32_t> wanted(std::size_t{6} * 32);
    for (std::uint32_t t = 0; t < 32; ++t) {
        std::array<std::uint32_t, 6> own{0, 0, 0, 1, 0, 0};
        for (std::uint32_t u = t % 3; u < 32; u += 3) {
            own[0] += u;
            own[1] |= (u & 1U) << u;
            own[2] |= u == 4 ? 1U : 0U;
            own[3] &= u % 3 == 1 ? 1U : 0U;
            own[4] |= u / 16 == t / 16 ? 1U << u : 0U;
            own[5] = std::max(own[5], u);
        }
        for (std::size_t i = 0; i < own.size(); ++i) {
            wanted[32 * i + t] = own[i];
        }
    }
    expect_equal<std::uint32_t>(out, wanted);
}

}  // namespace
}  // namespace kymo::gpu::ptx
