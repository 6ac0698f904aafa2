#include "launch/child.h"

#include "events/session.h"
#include "image/sanitizer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace kymo::launch {
namespace {

struct Pipe {
    int read_end = -1;
    int write_end = -1;
};

bool make_pipe(Pipe& made) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    made = {ends[0], ends[1]};
    return true;
}

void close_pipe(const Pipe& made) {
    if (made.read_end >= 0) {
        close(made.read_end);
        close(made.write_end);
    }
}

template <typename Call>
ssize_t retry(Call&& call) {
    ssize_t result = 0;
    do {
        result = call();
    } while (result < 0 && errno == EINTR);
    return result;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> list;
    list.reserve(texts.size() + 1);
    for (const std::string& text : texts) {
        list.push_back(const_cast<char*>(text.c_str()));
    }
    list.push_back(nullptr);
    return list;
}

// In the child; everything it needs was made before the fork.
[[noreturn]] void wait_and_exec(const ChildOptions& options, char* const* arguments, char* const* environment,
                                Pipe go, Pipe failed) {
    close(go.write_end);
    char byte = 0;
    if (retry([&] { return read(go.read_end, &byte, 1); }) != 1) {
        _exit(127);
    }
    sigaction(SIGCHLD, &options.child_action, nullptr);
    sigprocmask(SIG_SETMASK, &options.signal_mask, nullptr);
    execve(options.program.c_str(), arguments, environment);
    const int error = errno;
    retry([&] { return write(failed.write_end, &error, sizeof error); });
    _exit(127);
}

}  // namespace

Result<Child> Child::fork(const ChildOptions& options) {
    Pipe go;
    Pipe failed;
    const std::vector<char*> arguments = pointers(options.arguments);
    const std::vector<char*> environment = pointers(options.environment);
    pid_t pid = -1;
    if (make_pipe(go) && make_pipe(failed)) {
        pid = ::fork();
    }
    if (pid == 0) {
        wait_and_exec(options, arguments.data(), environment.data(), go, failed);
    }
    if (pid < 0) {
        const int error = errno;
        close_pipe(go);
        close_pipe(failed);
        return Error{ErrorKind::kNoSpace, std::string("cannot start a process: ") + std::strerror(error),
                     "raise the limits on processes and files (ulimit -u, ulimit -n)"};
    }
    close(go.read_end);
    close(failed.write_end);
    return Child(pid, go.write_end, failed.read_end);
}

Child::Child(Child&& other) noexcept
    : pid_(other.pid_), go_(std::exchange(other.go_, -1)), failed_(std::exchange(other.failed_, -1)) {}

Child::~Child() {
    if (go_ >= 0) {
        close(go_);
        close(failed_);
        waitpid(pid_, nullptr, 0);
    }
}

int Child::release() {
    const char byte = 1;
    retry([&] { return write(go_, &byte, 1); });
    close(std::exchange(go_, -1));
    int error = 0;
    const ssize_t got = retry([&] { return read(failed_, &error, sizeof error); });
    close(std::exchange(failed_, -1));
    if (got != static_cast<ssize_t>(sizeof error)) {
        return 0;
    }
    waitpid(pid_, nullptr, 0);
    return error;
}

std::vector<std::string> program_environment(const char* const* ours, const Preload& preload,
                                             const std::filesystem::path& recording) {
    constexpr std::string_view kPreload = "LD_PRELOAD=";
    const std::string session = std::string(events::kSessionVariable) + "=";
    std::string libraries = preload.monitor.string();
    if (!preload.channels.empty()) {
        libraries += ":" + preload.channels.string();
    }
    std::string_view others;
    std::vector<std::string> result;
    for (; *ours != nullptr; ++ours) {
        const std::string_view entry = *ours;
        if (entry.starts_with(kPreload)) {
            others = entry.substr(kPreload.size());
        } else if (!entry.starts_with(session)) {
            result.emplace_back(entry);
        }
    }
    std::string first = preload.first.empty() ? "" : preload.first + "::";
    if (const std::string_view theirs = others.substr(0, others.find_first_of(": "));
        image::is_sanitizer_library(theirs)) {
        first = std::string(theirs) + ":";
        others.remove_prefix(std::min(others.size(), theirs.size() + 1));
    }
    libraries = first + libraries;
    if (!others.empty()) {
        libraries += ":" + std::string(others);
    }
    result.push_back(std::string(kPreload) + libraries);
    result.push_back(session + recording.string());
    return result;
}

std::vector<std::string> own_environment(const char* const* ours) {
    const std::string session = std::string(events::kSessionVariable) + "=";
    std::vector<std::string> result;
    for (; *ours != nullptr; ++ours) {
        if (!std::string_view(*ours).starts_with(session)) {
            result.emplace_back(*ours);
        }
    }
    return result;
}

}  // namespace kymo::launch
