#include "import/named/modules.h"

#include <gtest/gtest.h>

namespace kymo::import::named {
namespace {

TEST(Modules, TellsTheKernelFromPrograms) {
    for (const char* const module :
         {"[kernel.kallsyms]", "[kernel.kallsyms]_stext", "[guest.kernel.kallsyms]", "[kernel]", "[tcp_probe]",
          "/usr/lib/debug/boot/vmlinux-6.1.0", "vmlinux", "/lib/modules/6.1.0/kernel/net/ipv4/tcp.ko",
          "/lib/modules/6.1.0/kernel/net/ipv4/tcp.ko.xz", "bpf_prog_6deef7357e7b4530", "[bpf]"}) {
        EXPECT_TRUE(is_kernel_module(module)) << module;
    }
    for (const char* const module :
         {"", "[]", "[", "[vdso]", "[vsyscall]", "[unknown]", "[heap]", "[stack]", "[stack:7]", "[anon:cache]",
          "//anon", "/usr/bin/vmlinux.sh", "/srv/app.kow", "/tmp/perf-1.map"}) {
        EXPECT_FALSE(is_kernel_module(module)) << module;
    }
    EXPECT_TRUE(is_kernel_address(0xffffffff81000000));
    EXPECT_FALSE(is_kernel_address(0x7fffffffffff));
}

}  // namespace
}  // namespace kymo::import::named
