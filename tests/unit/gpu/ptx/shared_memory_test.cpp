// The launch's part of shared memory is aligned as declared, behind an odd static part (cccl#7867).
#include "kernels.h"

#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

constexpr const char* kAligned = R"(.version 8.3
.target sm_80
.address_size 64
.extern .shared .align {} .b8 dynamic[];
.visible .entry k(.param .u64 out) {{ .shared .align 1 .b8 odd[5]; .reg .b64 %o, %s; .reg .b32 %t, %x;
 mov.u32 %t, %tid.x; mov.u32 %x, odd; mov.u32 %x, 7; st.shared.u8 [odd+4], %x;
 mov.u64 %s, dynamic; mad.wide.u32 %s, %t, 8, %s; cvt.u64.u32 %o, %t; st.shared.u64 [%s], %o;
 ld.param.u64 %o, [out]; mad.wide.u32 %o, %t, 8, %o; ld.shared.u64 %s, [%s]; st.global.u64 [%o], %s;
 mov.u64 %s, dynamic; st.global.u64 [%o+256], %s; ret; }}
)";

TEST(SharedMemory, OfTheLaunchIsAlignedAsDeclared) {
    for (const unsigned align : {8U, 16U, 64U, 128U, 1024U}) {
        const auto module = parse(fmt::format(fmt::runtime(kAligned), align), "k.ptx");
        ASSERT_TRUE(module.ok()) << module.error().what;
        Device device(*module);
        const auto out = device.array<std::uint64_t>(64);
        device.run_checked("k", {1}, {32}, Parameters().add(out.data()), 256);
        for (std::uint64_t t = 0; t < 32; ++t) {
            EXPECT_EQ(out[t], t) << align;
        }
        EXPECT_EQ(out[32] % align, 0U) << align;
    }
}

}  // namespace
}  // namespace kymo::gpu::ptx
