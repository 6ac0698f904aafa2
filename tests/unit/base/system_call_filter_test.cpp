// Filters of system calls, run by hand-made ones and beside the kernel itself.
#include "base/system_call_filter.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <random>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace kymo {
namespace {

using Program = std::vector<sock_filter>;

sock_filter statement(unsigned code, std::uint32_t k) {
    return {static_cast<std::uint16_t>(code), 0, 0, k};
}
sock_filter jump(unsigned code, std::uint32_t k, std::uint8_t yes, std::uint8_t no) {
    return {static_cast<std::uint16_t>(code), yes, no, k};
}

seccomp_data a_call() {
    seccomp_data call{};
    call.nr = 39;
    call.arch = AUDIT_ARCH_X86_64;
    call.args[0] = 0x1'0000'0007;
    return call;
}

TEST(SystemCallFilter, LooksAtNumbersAndArguments) {
    const Program program = {statement(BPF_LD | BPF_W | BPF_ABS, 0),
                             jump(BPF_JMP | BPF_JEQ | BPF_K, 39, 1, 0),
                             statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                             statement(BPF_LD | BPF_W | BPF_ABS, 20),  // the upper half of the first argument
                             statement(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO),
                             statement(BPF_RET | BPF_A, 0)};
    seccomp_data call = a_call();
    EXPECT_EQ(run_filter(program, call), SECCOMP_RET_ERRNO | 1U);
    call.nr = 40;
    EXPECT_EQ(run_filter(program, call), SECCOMP_RET_ALLOW);
}

TEST(SystemCallFilter, SaysWhatTheMonitorSurvives) {
    EXPECT_TRUE(is_survived(SECCOMP_RET_ALLOW));
    EXPECT_TRUE(is_survived(SECCOMP_RET_LOG));
    EXPECT_TRUE(is_survived(SECCOMP_RET_ERRNO | EPERM));
    EXPECT_TRUE(is_survived(kFilterRefused)) << "the kernel does not install it";
    EXPECT_FALSE(is_survived(SECCOMP_RET_KILL_PROCESS));
    EXPECT_FALSE(is_survived(SECCOMP_RET_KILL_THREAD));
    EXPECT_FALSE(is_survived(SECCOMP_RET_TRAP));
    EXPECT_FALSE(is_survived(SECCOMP_RET_TRACE | 1U));
    EXPECT_FALSE(is_survived(SECCOMP_RET_USER_NOTIF));
}

TEST(SystemCallFilter, RefusesWhatTheKernelRefuses) {
    const seccomp_data call = a_call();
    EXPECT_EQ(run_filter({}, call), kFilterRefused);
    for (const Program& bad :
         {Program{statement(BPF_LD | BPF_W | BPF_ABS, 64)},  // behind the call's data
          Program{statement(BPF_LD | BPF_W | BPF_ABS, 2)},   // not aligned
          Program{statement(BPF_LD | BPF_MEM, 16)}, Program{statement(BPF_STX, 16)},
          Program{statement(BPF_JMP | BPF_JA, 0xFFFFFFFF)}, Program{jump(BPF_JMP | BPF_JEQ | BPF_K, 1, 200, 200)},
          Program{statement(BPF_LD | BPF_B | BPF_ABS, 0)}, Program{statement(0xFFFF, 0)},
          Program{statement(BPF_ALU | BPF_DIV | BPF_K, 0)}, Program{statement(BPF_LD | BPF_IMM, 1)}}) {
        EXPECT_EQ(run_filter(bad, call), kFilterRefused);
    }
}

// What a child gets for a call with the filter installed: the errno that it answers with; −1: not installed.
int kernels_answer(const Program& program, const std::uint64_t (&arguments)[3]) {
    const pid_t child = fork();
    if (child == 0) {
        const sock_fprog given{static_cast<unsigned short>(program.size()), const_cast<sock_filter*>(program.data())};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &given) != 0) {
            _exit(255);
        }
        errno = 0;
        syscall(SYS_getpgid, arguments[0], arguments[1], arguments[2]);
        _exit(errno);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) != 255 ? WEXITSTATUS(status) : -1;
}

// Random arithmetic over the arguments, jumps and memory; the last steps make an errno of what came out, for this
// call alone.
TEST(SystemCallFilter, AnswersAsTheKernelDoes) {
    constexpr unsigned kOperations[] = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_AND,
                                        BPF_OR,  BPF_XOR, BPF_LSH, BPF_RSH};
    std::mt19937 engine(20);
    const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
    int compared = 0;
    for (int round = 0; round < 150; ++round) {
        Program program = {statement(BPF_LD | BPF_W | BPF_ABS, 0), jump(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 1, 0),
                           statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        for (int m = 0; m < 4; ++m) {
            program.push_back(statement(BPF_LD | BPF_W | BPF_ABS, 16 + 4 * (random() % 6)));
            program.push_back(statement(BPF_ST, static_cast<std::uint32_t>(m)));
        }
        for (int i = 0; i < 30; ++i) {
            const unsigned operation = kOperations[random() % std::size(kOperations)];
            const bool shift = operation == BPF_LSH || operation == BPF_RSH;
            switch (random() % 7) {
                case 0:
                    program.push_back(statement(BPF_ALU | operation | BPF_K, 1 + random() % (shift ? 31 : 1000)));
                    break;
                case 1:
                    program.push_back(statement(BPF_LDX | BPF_IMM, 1 + random() % 40));
                    program.push_back(statement(BPF_ALU | operation | BPF_X, 0));
                    break;
                case 2:
                    program.push_back(statement(BPF_LD | BPF_MEM, random() % 4));
                    break;
                case 3:
                    program.push_back(statement(BPF_ST, random() % 4));
                    break;
                case 4:
                    program.push_back(statement(BPF_MISC | (random() % 2 ? BPF_TAX : BPF_TXA), 0));
                    break;
                case 5:
                    program.push_back(statement(BPF_ALU | BPF_NEG, 0));
                    break;
                default: {
                    constexpr unsigned kTests[] = {BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET};
                    program.push_back(jump(BPF_JMP | kTests[random() % 4] | (random() % 2 ? BPF_K : BPF_X),
                                           random() % 8, static_cast<std::uint8_t>(random() % 2), 0));
                    program.push_back(statement(BPF_ALU | BPF_ADD | BPF_K, random() % 100));
                    break;
                }
            }
        }
        program.push_back(statement(BPF_ALU | BPF_AND | BPF_K, 0x7F));
        program.push_back(statement(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO));
        program.push_back(statement(BPF_RET | BPF_A, 0));

        const std::uint64_t arguments[3] = {random(), random() * std::uint64_t{random()}, random() % 5};
        seccomp_data call{};
        call.nr = SYS_getpgid;
        call.arch = AUDIT_ARCH_X86_64;
        std::copy(std::begin(arguments), std::end(arguments), call.args);
        const int kernels = kernels_answer(program, arguments);
        if (kernels < 0) {
            GTEST_SKIP() << "filters cannot be installed here";
        }
        const std::uint32_t ours = run_filter(program, call);
        ASSERT_EQ(static_cast<int>(ours & SECCOMP_RET_DATA), kernels) << "round " << round;
        ++compared;
    }
    EXPECT_EQ(compared, 150);
}

}  // namespace
}  // namespace kymo
