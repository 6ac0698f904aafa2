// Walks out of handlers that were installed with a return of their own; and through code that may not be read now.
#include "walk_in_handler.h"

#include <array>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {
void returns_untold();
void returns_untold_short();
void returns_like_a_function();
extern const char interrupted_here[];
int closed_code(void (*call)(void*), void* context);
extern char closed_code_begin[];
extern char closed_code_end[];
}

namespace kymo::unwind::test {
namespace {

Path in_own_handler;

void own_handler(int /*number*/) {
    in_own_handler = walk_live(capture_here());
}

// As the kernel takes it.
struct KernelAction {
    void (*handler)(int) = nullptr;
    unsigned long flags = 0;
    void (*restorer)() = nullptr;
    unsigned long mask = 0;
};

// As `restorer` is all that differs, glibc's own is the second opinion.
Path path_from_handler(void (*restorer)(), unsigned long flags) {
    constexpr unsigned long kRestorer = 0x04000000;
    struct sigaction ordinary{};
    ordinary.sa_handler = own_handler;
    ordinary.sa_flags = static_cast<int>(flags);
    KernelAction before;
    sigaction(SIGTRAP, &ordinary, nullptr);
    if (restorer != nullptr) {
        const KernelAction action{own_handler, kRestorer | flags, restorer, 0};
        EXPECT_EQ(syscall(SYS_rt_sigaction, SIGTRAP, &action, &before, sizeof before.mask), 0);
    }
    in_own_handler = {};
    asm volatile("int3\n.globl interrupted_here\ninterrupted_here: nop");
    signal(SIGTRAP, SIG_DFL);
    return in_own_handler;
}

[[gnu::noipa]] Path path_from_handler_above(void (*restorer)(), unsigned long flags) {
    return path_from_handler(restorer, flags);
}

using Restorer = void (*)();

TEST(SignalFrame, IsKnownByItsBytesWhateverItsRules) {
    std::vector<Path> paths;
    for (const Restorer restorer : {Restorer{}, returns_untold, returns_untold_short, returns_like_a_function}) {
        SCOPED_TRACE(paths.size());
        paths.push_back(path_from_handler_above(restorer, 0));
        const Path& path = paths.back();
        EXPECT_EQ(path.result.end, PathEnd::kComplete);
        EXPECT_FALSE(path.result.recovered);
        ASSERT_EQ(path.frames.size(), paths[0].frames.size());
        ASSERT_GT(path.frames.size(), 4U);
        EXPECT_TRUE(restorer == nullptr || path.frames[1].address == reinterpret_cast<std::uint64_t>(restorer));
        EXPECT_EQ(path.frames[2].address, reinterpret_cast<std::uint64_t>(interrupted_here));
        for (std::size_t i = 3; i < path.frames.size(); ++i) {
            EXPECT_EQ(path.frames[i].address, paths[0].frames[i].address) << "frame " << i;
        }
    }
}

TEST(SignalFrame, OnAnAlternateStack) {
    static std::array<char, 65536> memory;
    stack_t stack{};
    stack_t before{};
    stack.ss_sp = memory.data();
    stack.ss_size = memory.size();
    ASSERT_EQ(sigaltstack(&stack, &before), 0);
    const Path path = path_from_handler_above(returns_untold, SA_ONSTACK);
    sigaltstack(&before, nullptr);
    ASSERT_GT(path.frames.size(), 2U);
    EXPECT_EQ(path.frames[1].address, reinterpret_cast<std::uint64_t>(returns_untold));
    EXPECT_EQ(path.frames[2].address, reinterpret_cast<std::uint64_t>(interrupted_here));
}

// The caller's code is closed while the callee, of which no rule tells, is walked: what stands before its return
// address cannot be looked at.
TEST(UnreadableCode, IsNotRead) {
    struct Context {
        Path path;
        bool is_closed = false;
    } context;
    images().add_at(reinterpret_cast<std::uint64_t>(&closed_code));
    closed_code(
        [](void* given) {
            auto& context = *static_cast<Context*>(given);
            const auto size = static_cast<std::size_t>(closed_code_end - closed_code_begin);
            context.is_closed = mprotect(closed_code_begin, size, PROT_NONE) == 0;
            context.path = walk_live(capture_here());
            mprotect(closed_code_begin, size, PROT_READ | PROT_EXEC);
        },
        &context);
    EXPECT_TRUE(context.is_closed);
    EXPECT_TRUE(context.path.passes(reinterpret_cast<const void*>(closed_code)));
    EXPECT_EQ(context.path.result.end, PathEnd::kComplete) << "by its frame pointer";
    EXPECT_TRUE(context.path.result.recovered);
}

}  // namespace
}  // namespace kymo::unwind::test
