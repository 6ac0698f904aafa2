// printf in a kernel: each lane's own strings, widths of characters, long lines, and how many arguments it took
// (chipStar#883, ZLUDA PR 211).
#include "kernels.h"

namespace kymo::gpu::ptx {
namespace {

// Each lane has a string of its own in local memory, "A", "B", …; out[lane]: what printf returned.
std::string kernel_that_prints(const std::string& format) {
    std::string bytes;
    for (const char letter : format) {
        bytes += std::to_string(static_cast<unsigned char>(letter)) + ", ";
    }
    return ".version 8.3\n.target sm_80\n.address_size 64\n.global .align 1 .b8 text[" +
           std::to_string(format.size() + 1) + "] = {" + bytes + R"(0};
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.visible .entry k(.param .u64 out) { .local .align 8 .b8 l[24]; .reg .b64 %a<9>; .reg .b32 %t<4>;
 mov.u64 %a1, l; cvta.local.u64 %a2, %a1; mov.u32 %t0, %tid.x; add.u32 %t1, %t0, 65; st.local.u32 [%a1+16], %t1;
 add.u64 %a3, %a2, 16; st.local.u64 [%a1], %a3; mov.u32 %t2, 113; st.local.u32 [%a1+8], %t2; st.local.u32 [%a1+12], %t1; mov.u64 %a4, text;
 { .param .b64 p0; .param .b64 p1; .param .b32 q; st.param.b64 [p0], %a4; st.param.b64 [p1], %a2;
   call.uni (q), vprintf, (p0, p1); ld.param.b32 %t3, [q]; }
 ld.param.u64 %a5, [out]; mad.wide.u32 %a5, %t0, 4, %a5; st.global.u32 [%a5], %t3; ret; }
)";
}

// What three lanes print, and what it returned to the last.
std::pair<std::string, int> printed_with(const std::string& format) {
    const auto module = parse(kernel_that_prints(format), "k.ptx");
    EXPECT_TRUE(module.ok()) << (module ? "" : module.error().what);
    if (!module) {
        return {};
    }
    Device device(*module);
    const auto out = device.array<int>(3);
    std::string printed;
    ExecuteOptions options;
    options.print = [&](std::string_view text) { printed += text; };
    auto execution = device.module().launch("k", {{1}, {3}, 0, Parameters().add(out.data()).bytes()}, options);
    EXPECT_TRUE(execution.ok() && (*execution)->finish().ok());
    return {printed, out[2]};
}

TEST(Print, ReadsEachLanesOwnString) {
    EXPECT_EQ(printed_with("%s;"), std::pair(std::string("A;B;C;"), 1));
}

TEST(Print, WidensCharactersAsTheCLibraryDoes) {
    EXPECT_EQ(printed_with("%s%3c|%-3c|"), std::pair(std::string("A  q|A  |B  q|B  |C  q|C  |"), 3));
}

TEST(Print, ReturnsHowManyArgumentsItTook) {
    EXPECT_EQ(printed_with("100%%\n"), std::pair(std::string("100%\n100%\n100%\n"), 0));
}

TEST(Print, CutsNoLongLine) {
    const auto [text, count] = printed_with("%600s");
    EXPECT_EQ(text, std::string(599, ' ') + "A" + std::string(599, ' ') + "B" + std::string(599, ' ') + "C");
    EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace kymo::gpu::ptx
