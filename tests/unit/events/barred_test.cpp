// Probing where the kernel refuses: in a child under a seccomp filter, and as an ordinary user.
#include "events/plan.h"
#include "events/probe.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kymo::events {
namespace {

// perf_event_open fails with `error` from now on, in this process and what it starts.
bool bar_performance_events(int error) {
    const std::array<sock_filter, 4> code{{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    const sock_fprog program{code.size(), const_cast<sock_filter*>(code.data())};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Runs `check` in a child; it returns 0 for success, or a number that says what was wrong.
template <typename Check>
int in_child(Check&& check) {
    const pid_t child = fork();
    if (child == 0) {
        _exit(check());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class Barred : public testing::TestWithParam<int> {};

TEST_P(Barred, ByAFilterLeavesTimersAndAReason) {
    const int error = GetParam();
    EXPECT_EQ(in_child([error] {
                  if (!bar_performance_events(error)) {
                      return 77;
                  }
                  KernelOpener opener;
                  const Machine machine = probe(opener);
                  if (machine.perf_error != error || machine.mechanism() != Mechanism::kThreadTimers) {
                      return 1;
                  }
                  if (!machine.seccomp || machine.switch_records || machine.kernel_counting) {
                      return 2;
                  }
                  const Refusal refusal = why_no_performance_events(machine);
                  if (refusal.why.find("seccomp") == std::string::npos ||
                      refusal.remedy.find("--cap-add PERFMON") == std::string::npos) {
                      return 3;
                  }
                  const auto plan = plan_events({}, machine, opener);
                  return plan && plan->session.mechanism == Mechanism::kThreadTimers && !plan->missing.empty() ? 0
                                                                                                               : 4;
              }),
              0);
}

INSTANTIATE_TEST_SUITE_P(Errors, Barred, testing::Values(EPERM, EACCES, ENOSYS));

TEST(OrdinaryUser, GetsWhatItsRightsAllow) {
    if (geteuid() != 0) {
        GTEST_SKIP() << "only root can become another user";
    }
    EXPECT_EQ(in_child([] {
                  constexpr uid_t kNobody = 65534;
                  if (setgid(kNobody) != 0 || setuid(kNobody) != 0) {
                      return 77;
                  }
                  KernelOpener opener;
                  const Machine machine = probe(opener);
                  if (machine.root) {
                      return 1;
                  }
                  if (!machine.performance_events()) {
                      return why_no_performance_events(machine).remedy.empty() ? 2 : 0;
                  }
                  const auto plan = plan_events({}, machine, opener);
                  if (!plan) {
                      return 3;
                  }
                  // Either all four, or what would read zero is left out and told.
                  return machine.kernel_counting == plan->missing.empty() ? 0 : 4;
              }),
              0);
}

}  // namespace
}  // namespace kymo::events
