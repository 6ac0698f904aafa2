#include "hunt/listener.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace kymo::hunt {
namespace {

constexpr int kPatience = 100;  // ms

template <typename T>
std::optional<T> number_in(std::string_view text) {
    T value{};
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && at == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

Error cannot_tell(const std::string& to, int error) {
    const bool nobody = error == ENXIO || error == ECONNREFUSED;
    return {error == ENOENT             ? ErrorKind::kNotFound
            : error == EACCES || nobody ? ErrorKind::kPermission
                                        : ErrorKind::kUsage,
            fmt::format("--tell {}: {}", to, nobody ? "no program reads there" : std::strerror(error)),
            "start the reader first; or give fd:N, unix:PATH or a file"};
}

Result<Descriptor> connect_to(const std::string& to, const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        return cannot_tell(to, ENAMETOOLONG);
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    Descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!made || connect(made.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return cannot_tell(to, errno);
    }
    return made;
}

std::optional<int> signal_named(std::string_view name) {
    if (const auto number = number_in<int>(name)) {
        return *number > 0 && *number < NSIG ? number : std::nullopt;
    }
    name.remove_prefix(name.starts_with("SIG") ? 3 : 0);
    for (int signal = 1; signal < NSIG; ++signal) {
        const char* known = sigabbrev_np(signal);
        if (known != nullptr && name == known) {
            return signal;
        }
    }
    return std::nullopt;
}

// Blocks SIGPIPE, so that a broken pipe is an error of write() and does not end this program.
class WithoutPipeSignal {
  public:
    WithoutPipeSignal() {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    WithoutPipeSignal(const WithoutPipeSignal&) = delete;
    WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;
    ~WithoutPipeSignal() {
        const timespec now{};
        while (sigtimedwait(&pipe_, nullptr, &now) > 0) {
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

  private:
    sigset_t pipe_{};
    sigset_t before_{};
};

}  // namespace

Result<Listener> Listener::open(const std::string& to, const std::string& signal) {
    Listener listener;
    if (to.starts_with("unix:")) {
        auto made = connect_to(to, to.substr(5));
        if (!made) {
            return made.error();
        }
        listener.own_ = std::move(*made);
        listener.descriptor_ = listener.own_.number();
    } else if (to.starts_with("fd:")) {
        const auto number = number_in<int>(std::string_view(to).substr(3));
        if (!number || fcntl(*number, F_GETFL) < 0 || (fcntl(*number, F_GETFL) & O_ACCMODE) == O_RDONLY) {
            return cannot_tell(to, EBADF);
        }
        listener.descriptor_ = *number;
    } else if (!to.empty()) {
        listener.own_ = Descriptor(::open(to.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666));
        if (!listener.own_) {
            return cannot_tell(to, errno);
        }
        listener.descriptor_ = listener.own_.number();
    }
    listener.has_lines_ = !to.empty();
    struct stat facts{};
    listener.is_socket_ = listener.has_lines_ && fstat(listener.descriptor_, &facts) == 0 && S_ISSOCK(facts.st_mode);
    if (!signal.empty()) {
        const std::string_view text = signal;
        const std::size_t colon = std::min(text.find(':'), text.size());
        const auto process = number_in<pid_t>(text.substr(0, colon));
        const auto which = colon == text.size() ? std::optional(SIGUSR1) : signal_named(text.substr(colon + 1));
        if (!process || *process <= 1 || !which) {
            return Error{ErrorKind::kUsage, fmt::format("--notify {} is not a process and a signal", signal),
                         "for example --notify 4711 (SIGUSR1) or --notify 4711:USR2"};
        }
        if (kill(*process, 0) != 0) {
            return Error{errno == EPERM ? ErrorKind::kPermission : ErrorKind::kNotFound,
                         fmt::format("process {} cannot be notified: {}", *process, std::strerror(errno)),
                         "--notify takes the id of a process of yours that is there"};
        }
        listener.process_ = *process;
        listener.signal_ = *which;
    }
    return listener;
}

bool Listener::write_all(const std::string& text) {
    const WithoutPipeSignal quiet;
    for (std::size_t done = 0; done < text.size();) {
        pollfd ready{descriptor_, POLLOUT, 0};
        if (poll(&ready, 1, kPatience) <= 0) {
            return false;
        }
        // A pipe that can be written to has room for PIPE_BUF bytes: more could wait for its reader.
        const std::string_view part = std::string_view(text).substr(done, PIPE_BUF);
        const ssize_t wrote = is_socket_ ? send(descriptor_, part.data(), part.size(), MSG_NOSIGNAL | MSG_DONTWAIT)
                                         : write(descriptor_, part.data(), part.size());
        if (wrote < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (wrote <= 0) {
            has_lines_ = false;  // the reader has ended
            return false;
        }
        done += static_cast<std::size_t>(wrote);
    }
    return true;
}

void Listener::tell(const std::string& line) {
    if (descriptor_ >= 0 && (!has_lines_ || !write_all(line + "\n"))) {
        ++lost_;
        has_lines_ = false;  // half a line may be written: nothing can follow it
    }
    if (process_ != 0 && kill(process_, signal_) != 0) {
        process_ = 0;
    }
}

}  // namespace kymo::hunt
