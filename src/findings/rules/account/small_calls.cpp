// syscall-storm, by the account: system calls that ask or change little take much of the run in one function. Calls
// that transfer, map or wait are not among them: much time in these may be much data, or a device's.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/words.h"
#include "spacetime/evidence/account/system_calls.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace kymo::findings {
namespace {

using namespace spacetime;

bool asks_little(std::string_view call) {
    static constexpr auto kCalls = std::to_array<std::string_view>(
        {"access",        "chdir",      "close",       "dup",        "dup2",        "dup3",      "epoll_ctl",
         "faccessat",     "fchdir",     "fcntl",       "fcntl64",    "fgetxattr",   "fstat",     "fstat64",
         "fstatat",       "fstatat64",  "fstatfs64",   "getcwd",     "getegid",     "geteuid",   "getgid",
         "getpid",        "getppid",    "getpriority", "getrandom",  "getrlimit64", "getrusage", "getsid",
         "getsockname",   "getsockopt", "gettid",      "getuid",     "getxattr",    "ioctl",     "lseek",
         "lseek64",       "lstat",      "lstat64",     "newfstatat", "open",        "open64",    "openat",
         "openat64",      "prctl",      "readlink",    "readlinkat", "setsockopt",  "sigaction", "sigaltstack",
         "sigprocmask",   "stat",       "stat64",      "statfs64",   "statx",       "sysinfo",   "times",
         "timer_settime", "uname"});
    return std::find(kCalls.begin(), kCalls.end(), call) != kCalls.end();
}

void claim_small_calls(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const auto sums = sums_by_function(evidence.account, [](const AccountRow& row) {
        return row.time_class == TimeClass::kSystemCall && asks_little(call_name(row.detail));
    });
    for (const AccountSums& own : sums) {
        if (static_cast<double>(own.shorter_ns) < least_ns(evidence)) {
            continue;
        }
        Claim claim = claim_of(evidence, own, set_of(Term::kSystem));
        claim.title =
            fmt::format("{} {} {} in system calls that ask or change little (`{}`), called in {}.",
                        thread_names(evidence, claim.threads), does(claim.threads, "spend"),
                        in_seconds(static_cast<double>(own.ns)), call_name(own.most->detail), name(*claim.place));
        claim.evidence = {seconds_of("these system calls", static_cast<double>(own.ns) / 1e9)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kSmallCalls{
    .place = 328,
    .kind = "syscall-storm",
    .needs =
        "the run could be a tenth shorter without the system calls of one function that ask or change little (stat, "
        "open, close, lseek, fcntl, getpid and their kin)",
    .against = "calls that transfer, map or wait count for nothing",
    .look = claim_small_calls,
    .direction =
        "ask once and keep the answer; keep files open between uses. The C library asks as well: for the time zone "
        "in each call of mktime and localtime where TZ is not set (setenv(\"TZ\", \":/etc/localtime\", 0))",
    .confirm =
        "count the calls (strace -c -f, as a test only: it slows the program down), then leave half of them out",
};

}  // namespace kymo::findings
